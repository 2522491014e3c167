internal import EventFold
internal import Journaling
internal import ObjectModel

/// A context folded from its edits.
struct FoldedContext {
  private(set) var fold: ContextFold
  /// The time of its last edit.
  private(set) var time: RecordedTime
  /// What is to be known of it without its edits.
  private(set) var standing: ContextStanding
  /// What is wrong with an edit; it and those after it are left out.
  private(set) var problem: StoreError?
  /// How often it was saved.
  private var saveCount = 0
  /// After which of its saves it did something that it gave up when it ended; 0 stands for its beginning.
  private let savesReturnedTo: Set<Int>
  /// Whether damage of what it stands on is told as what is wrong with an edit, and not thrown.
  private let tellsDamage: Bool
  /// As it was after one of these.
  private var saved: (fold: ContextFold, standing: ContextStanding)?
  /// What its last saves have left of objects, as the store has it.
  private var savedRows = SavedRows()

  init(
    _ fold: ContextFold, at time: RecordedTime, savesReturnedTo: Set<Int> = [],
    tellingDamage tellsDamage: Bool
  ) {
    self.fold = fold
    self.time = time
    self.savesReturnedTo = savesReturnedTo
    self.tellsDamage = tellsDamage
    standing = ContextStanding(on: fold.base)
    keepWhereReturnedTo()
  }

  /// Whether there is something to offer, or to tell.
  var isDraft: Bool { fold.hasChanges || problem != nil }

  /// Goes on by an edit.
  ///
  /// - Parameter lastCommit: the last commit that the journal has before it.
  mutating func apply(
    _ edit: Edit, _ number: UInt64, at time: RecordedTime, after lastCommit: CommitNumber,
    inEra era: Int, of store: ReadableStore, in frame: FrameNumber
  ) throws(StoreError) {
    self.time = time
    standing.note(edit, number)
    try apply(edit, after: lastCommit, inEra: era, of: store, in: frame)
  }

  /// Leaves out an edit, and those after it.
  mutating func leaveOut(_ number: UInt64, _ error: StoreError) {
    standing.noteWork(number)
    problem = problem ?? error
  }

  /// Goes on by a save.
  mutating func apply(
    _ commit: CommitContent, inEra era: Int, of store: ReadableStore, in frame: FrameNumber
  ) throws(StoreError) {
    standing.settle(on: commit.number)
    savedRows.take(commit, from: fold)
    try apply(.saved(commit.number), after: commit.number, inEra: era, of: store, in: frame)
  }

  private mutating func apply(
    _ edit: Edit, after lastCommit: CommitNumber, inEra era: Int, of store: ReadableStore,
    in frame: FrameNumber
  ) throws(StoreError) {
    guard problem == nil else { return }
    do throws(ContextFoldError<StoreError>) {
      let savedRows = savedRows
      try fold.apply(edit) { (object, commit) throws(StoreError) in
        if let row = savedRows.row(of: object, at: commit) { return row }
        // An edit comes behind what it was made on. Another commit may have the number by now.
        guard commit <= lastCommit else { throw .commitLost(commit, last: lastCommit) }
        return try store.row(of: object, at: commit, inEra: era)
      }
      if case .saved = edit {
        saveCount += 1
        keepWhereReturnedTo()
      }
    } catch {
      switch error {
      case .contradiction(let contradiction):
        problem = StoreError(contradiction: contradiction, in: frame)
      case .row(let error):
        // A commit that was never durable is gone, and an edit that was made on it may be there.
        guard error.code == .commitMissing || tellsDamage && error.isFinding else {
          throw error
        }
        problem = error
      }
    }
  }

  /// A copy is kept only where it is sure to be needed: each costs as much as the context holds.
  private mutating func keepWhereReturnedTo() {
    if savesReturnedTo.contains(saveCount) { saved = (fold, standing) }
  }

  /// Notes that the context has ended: what it had not saved is given up, and with it the steps since then. It
  /// may go on, and end again without a save between.
  mutating func end() {
    if fold.hasChanges, let saved {
      fold = saved.fold
      standing = ContextStanding(on: saved.standing.latest, oldest: standing.oldest)
    }
    standing.settle(on: standing.latest)
  }

  /// Has the context go on under the next model, which is that of an era.
  mutating func follow(
    _ era: Int, of eras: [Era], in store: ReadableStore
  ) throws(StoreError) {
    do throws(StoreError) {
      try fold.follow(era, of: eras, in: store, store.head)
      try saved?.fold.follow(era, of: eras, in: store, store.head)
    } catch {
      guard tellsDamage, error.isFinding else { throw error }
      problem = problem ?? error
    }
    savedRows = SavedRows()
  }
}

/// What the last saves of a context have left of objects, so that where it goes on with them the store need
/// not be asked, which would count back to them from its last state.
private struct SavedRows {
  private var rows: [ObjectID: (commit: CommitNumber, row: Row)] = [:]
  private var byteCount = 0

  private static let largestByteCount = 8 << 20

  /// What an object is at a commit; nil where that is not known here.
  func row(of object: ObjectID, at commit: CommitNumber) -> Row? {
    guard let saved = rows[object], saved.commit == commit else { return nil }
    return saved.row
  }

  /// Takes what a commit leaves of the objects that the context knew as they were before it.
  mutating func take(_ commit: CommitContent, from fold: ContextFold) {
    for change in commit.changes {
      rows[change.object] = nil
      let draft = fold.objects[change.object]
      guard change.kind == .inserted || draft.map({ change.previous <= $0.base }) ?? false,
        let row = try? change.applied(to: change.kind == .inserted ? nil : draft?.baseRow)
      else { continue }
      byteCount += BlockAssembly.byteCount(of: row) + MemoryLayout<ObjectID>.size
      rows[change.object] = (commit.number, row)
    }
    guard byteCount > Self.largestByteCount else { return }
    rows = [:]
    byteCount = 0
  }
}

extension StoreError {
  fileprivate static func commitLost(_ number: CommitNumber, last: CommitNumber) -> StoreError {
    StoreError(
      .commitMissing,
      "an edit was made on commit \(number), which is none of those that are known to be durable; the last of these is "
        + "commit \(last).")
  }
}

extension ContextFold {
  /// Goes on under the next model of the store, which is that of an era. What was gathered for it counts as seen: it is
  /// what the objects had before.
  ///
  /// - Parameter latest: a state that is not earlier than the end of the era before.
  mutating func follow(
    _ era: Int, of eras: [Era], in store: some ReadableStore, _ latest: Snapshot
  ) throws(StoreError) {
    let newer = eras[era]
    for (object, draft) in objects where draft.base < newer.since {
      let gathered = newer.conversions[object.entity]?.gathered ?? []
      guard !gathered.isEmpty, var base = draft.baseRow,
        let row = try store.row(
          of: object, at: newer.since, countedBackFrom: latest, inEra: era - 1)
      else { continue }
      for key in gathered { base[key] = row[key] }
      stand(object, on: base, at: base == row ? newer.since : draft.base)
    }
    convert(
      by: EraConversion(era: newer, store: store.store), traits: store.traits(of: newer))
  }
}

/// How rows of the era before one are read as rows of it.
private struct EraConversion: RowConverting {
  let era: Era
  let store: StoreTag

  func convert(_ row: Row, of object: ObjectID) -> Row? {
    guard let conversion = era.conversions[object.entity] else { return nil }
    var row = row
    conversion.apply(to: &row, in: store)
    return row
  }

  func newerKeys(of key: KeyNumber, of object: ObjectID) -> [KeyNumber] {
    era.conversions[object.entity]?.newerKeys(of: key) ?? []
  }
}
