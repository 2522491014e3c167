internal import Journaling
public import ObjectModel

/// What compaction keeps of a store's past.
public struct Keeping: Hashable, Sendable {
  enum Past: Hashable {
    case everything
    case commits(since: CommitNumber)
    case latest
  }

  let past: Past
  private(set) var sessions: [Session] = []

  private init(_ past: Past) { self.past = past }

  /// All of it.
  public static let everything = Keeping(.everything)

  /// The state as it is now.
  public static let latest = Keeping(.latest)

  /// The commits from this one on, and the state they begin with. Some before it may stay.
  public static func commits(since number: CommitNumber) -> Keeping {
    Keeping(.commits(since: number))
  }

  /// The same, and the edits of some sessions with what they were made on, so that contexts can be resumed from
  /// them, with their undo history. The journal is kept from where the first of them began. A later compaction
  /// has to be told again.
  public func keepingUndo(of sessions: [Session]) -> Keeping {
    var keeping = self
    keeping.sessions += sessions
    return keeping
  }
}

extension JournaledStore {
  /// The first commit to keep and the first frame; nil where everything is kept.
  ///
  /// - Parameter ending: contexts for which nothing is kept.
  func firstKept(
    _ kept: Keeping, _ cut: Cut, afterEnding ending: [ContextNumber] = []
  ) throws(StoreError) -> (commit: CommitNumber, frame: FrameNumber)? {
    let head = cut.snapshot.number
    var commit = head.next
    switch kept.past {
    case .everything: return nil
    case .latest: break
    case .commits(let since): commit = min(commit, since)
    }
    var firstEdits: [UInt64] = []
    for context in cut.catalogue.contexts.values where !ending.contains(context.number) {
      firstEdits.append(context.firstEdit)
      commit = min(commit, context.standing.oldest.next)
    }
    for session in kept.sessions {
      firstEdits.append(try firstEdit(of: session))
      commit = min(commit, session.oldest.next)
    }
    if let held = pins.oldest { commit = min(commit, held.next) }
    // What an earlier compaction has dropped is no more.
    commit = max(commit, cut.catalogue.firstKept)
    var frame = cut.frame.next
    if commit <= head { frame = try pastCommits.place(of: commit, head: head).number }
    if let edit = firstEdits.min() { frame = min(frame, try reader(fromSegmentWith: edit).1) }
    frame = min(frame, cut.firstUnnamedPiece ?? frame)
    frame = try firstFrame(neededFrom: frame, through: cut.frame)
    // Commits in those frames stay as well, with what is needed to count back to them.
    if let first = try pastCommits.firstCommit(from: frame, through: cut.frame, head: head) {
      commit = min(commit, first)
    }
    return (commit, frame)
  }

  /// The first frame that is needed to read all from one on: the pieces of a large edit or commit may be in an
  /// earlier segment than the batch that names them. That may stand anywhere behind them: a batch that waits is
  /// written between, and so is what others bring until there is room for the name.
  private func firstFrame(
    neededFrom first: FrameNumber, through last: FrameNumber
  ) throws(StoreError) -> FrameNumber {
    let reader = try journalReader()
    var (first, unread) = (first, last)
    while let start = reader.manifest.segments.last(where: { $0.firstFrame <= first })?.firstFrame,
      start <= unread
    {
      let needed = try reader.firstFrame(neededFrom: start, through: unread)
      if needed < start { first = needed }
      unread = start.previous
    }
    return first
  }
}

extension JournalReader {
  /// The first frame that the batches need that are in a row of frames; its first where they need none before.
  fileprivate func firstFrame(
    neededFrom lower: FrameNumber, through last: FrameNumber
  ) throws(StoreError) -> FrameNumber {
    var first = lower
    func note(_ entry: Batch.Entry) {
      if case .spanning(let span) = entry { first = min(first, span.firstFrame) }
    }
    _ = try onJournal { () throws(JournalError) in
      try forEachFrame(from: lower) { frame in
        guard frame.number <= last else { return false }
        guard frame.kind == .batch, let batch = Batch(frame.payload) else { return true }
        batch.forEachEdit { _, entry in note(entry) }
        batch.forEachCommit { entry in note(entry) }
        return true
      }
    }
    return first
  }
}
