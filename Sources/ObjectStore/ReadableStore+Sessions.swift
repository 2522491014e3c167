internal import EventCoding
public import FoundationEssentials
internal import Journaling
public import ObjectModel

/// The work of one context, from its beginning to its end: what the journal still says of it.
public struct Session: Hashable, Sendable {
  /// What the context was called last.
  public let contextName: String
  /// When it began; where the journal does not go back so far, the first moment that it tells of.
  public let startDate: Date
  /// When it was edited or saved last.
  public let lastDate: Date
  /// When it ended; nil where it has not, or goes on.
  public let endDate: Date?
  /// How many edits the journal has of it.
  public let editCount: Int
  /// How many saves the journal has of it.
  public let commitCount: Int
  /// The last of them; nil where there is none.
  public let lastCommit: CommitNumber?
  /// Whether the journal still has all its edits, so that a context can go on from there, with its undo history.
  public let hasAllEdits: Bool
  /// Whose it is.
  let store: StoreTag
  package let context: ContextNumber
  /// The edit with which it began.
  let firstEdit: UInt64?
  /// The oldest commit that it is known to have stood on.
  let oldest: CommitNumber
}

extension ReadableStore {
  /// The contexts that have ended or saved, as far as the journal goes back, in the order in which they began.
  /// What contexts within others did is told of those that they saved to.
  ///
  /// Nothing is kept for them: they are found by reading the journal. A reader tells of those it shows.
  /// - Throws: where the journal is damaged or cannot be read.
  public var sessions: [Session] {
    get throws(StoreError) {
      let last = try settle()
      var sessions: [Session] = []
      try readingJournal { (reader) throws(StoreError) in
        var telling = SessionTelling(of: store, from: try reader.firstTime(decoder))
        let ending = try reader.forEachEntry(through: last, decoder) {
          (_, entry) throws(StoreError) in
          telling.take(entry)
          return true
        }
        sessions = telling.sessions
        return ending
      }
      return sessions
    }
  }
}

/// Gathers what entries say of contexts, while they pass.
private struct SessionTelling {
  private struct Context {
    var name = ""
    let start: RecordedTime
    var last: RecordedTime
    var end: RecordedTime?
    var editCount = 0
    var commitCount = 0
    var lastCommit: CommitNumber?
    var firstEdit: UInt64?
    var oldest: CommitNumber?
    var isWithinAnother = false
    var hasEnded = false

    mutating func stand(on commit: CommitNumber) { oldest = min(oldest ?? commit, commit) }

    /// One of which the journal has the end alone is none any more.
    var isSession: Bool {
      !isWithinAnother && (commitCount > 0 || hasEnded && (firstEdit != nil || editCount > 0))
    }
  }

  private let store: StoreTag
  private var contexts: [ContextNumber: Context] = [:]
  private var time: RecordedTime

  init(of store: StoreTag, from time: RecordedTime) { (self.store, self.time) = (store, time) }

  var sessions: [Session] {
    contexts.filter { $0.value.isSession }.sorted { $0.key < $1.key }
      .map { number, context in
        Session(
          contextName: context.name, startDate: context.start.date, lastDate: context.last.date,
          endDate: context.end?.date, editCount: context.editCount,
          commitCount: context.commitCount, lastCommit: context.lastCommit,
          hasAllEdits: context.firstEdit != nil, store: store, context: number,
          firstEdit: context.firstEdit, oldest: context.oldest ?? .none)
      }
  }

  mutating func take(_ entry: JournalEntry) {
    switch entry {
    case .event(_, .timePassed(let passed)): time = max(time, passed)
    case .event(let edit, .contextBegan(let number, let name, let base, let parent)):
      note(number) { context in
        context.name = name
        context.stand(on: base)
        context.firstEdit = edit.rawValue
        context.isWithinAnother = parent != nil
      }
    case .event(_, .contextEnded(let number)), .event(_, .draftDiscarded(let number)):
      let time = time
      note(number) { context in
        context.end = time
        context.hasEnded = true
      }
    case .event(_, .contextResumed(let number, let name, _, let oldest, _)):
      note(number) { context in
        context.name = name
        context.stand(on: oldest)
        context.end = nil
        context.hasEnded = true
      }
    case .event(_, .edited(let number, let edit)):
      let time = time
      note(number) { context in
        if case .renamed(let name) = edit { context.name = name }
        if edit.changesObjects { context.editCount += 1 }
        if let commit = edit.commitStoodOn { context.stand(on: commit) }
        context.last = time
      }
    case .commit(let commit):
      let content = commit.content
      time = max(time, content.time)
      let time = time
      note(content.context) { context in
        if let name = content.contextName { context.name = name }
        context.commitCount += 1
        context.lastCommit = content.number
        context.last = time
      }
    default: break
    }
  }

  private mutating func note(_ number: ContextNumber, _ change: (inout Context) -> Void) {
    change(&contexts[number, default: Context(start: time, last: time)])
  }
}

extension StoreError {
  /// Contexts of different stores may have the same number.
  static func contextOfAnotherStore(_ name: String) -> StoreError {
    StoreError(
      .contextOfAnotherStore,
      "what the context “\(name)” has left is in another store; ask that store for it.")
  }

  static func sessionMissing(_ session: Session) -> StoreError {
    StoreError(
      .contextMissing,
      "the edits of the session of “\(session.contextName)” are not all in the journal any more; "
        + "compaction keeps those of the sessions it is told.")
  }
}
