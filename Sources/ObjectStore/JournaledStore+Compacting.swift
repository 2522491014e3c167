internal import DiskAccess
internal import EventCoding
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

  /// The same, and the edits of some sessions, so that contexts can be resumed from them, with their undo
  /// history. The journal is kept from where the first of them began. A later compaction has to be told again.
  public func keepingUndo(of sessions: [Session]) -> Keeping {
    var keeping = self
    keeping.sessions += sessions
    return keeping
  }
}

/// How far a compaction has come.
public enum CompactionStep: Hashable, Sendable, CaseIterable {
  /// What is to be dropped is read, so that nothing goes that is damaged or not understood.
  case checking
  /// The state is written anew.
  case writing
}

extension JournaledStore {
  /// Writes the state anew in as little room as it needs, and drops what is not to be kept of the past.
  ///
  /// Commits go on meanwhile. It is done wholly or not at all. Whatever is kept, no state that was to be kept
  /// changes, and what contexts that are open or were never ended stand on stays, with their undo history.
  ///
  /// - Parameters:
  ///   - kept: what to keep.
  ///   - progress: told of each step before it is taken; returns whether to go on. It may use the store.
  /// - Returns: whether it came to its end.
  /// - Throws: where what is to be dropped is damaged, or written by newer code, or a session whose edits are to be
  ///   kept is not wholly there; nothing has changed then.
  @discardableResult
  public func compact(
    keeping kept: Keeping, progress: (CompactionStep) -> Bool = { _ in true }
  ) throws(StoreError) -> Bool {
    guard progress(.checking) else { return false }
    let checked = try checkpointing.withLock { () throws(StoreError) -> FrameNumber in
      if kept.past != .everything { try endLeftContexts() }
      guard let first = try firstKept(kept, try cut(covering: false)) else { return .none }
      try check(before: first.frame)
      return first.frame
    }
    guard progress(.writing) else { return false }
    try checkpointing.withLock { () throws(StoreError) in
      try writeCheckpoint(merging: true) { cut throws(StoreError) in
        guard let first = try firstKept(kept, cut) else { return nil }
        // What has come since, or what a context that has ended since stood on.
        try check(from: checked, before: first.frame)
        return first
      }
    }
    return true
  }

  /// The first commit to keep and the first frame; nil where everything is kept.
  private func firstKept(
    _ kept: Keeping, _ cut: Cut
  ) throws(StoreError) -> (commit: CommitNumber, frame: FrameNumber)? {
    var (commit, frame) = (cut.snapshot.number.next, cut.frame.next)
    switch kept.past {
    case .everything: return nil
    case .latest: break
    case .commits(let since):
      // What an earlier compaction has dropped is no more.
      let since = max(since, cut.catalogue.firstKept)
      guard since <= cut.snapshot.number else { break }
      commit = since
      frame = try pastCommits.place(of: commit, head: cut.snapshot.number).number
    }
    var firstEdits = cut.catalogue.contexts.values.map(\.firstEdit)
    for session in kept.sessions { firstEdits.append(try firstEdit(of: session)) }
    if let edit = firstEdits.min() {
      let reader = try onJournal { () throws(JournalError) in
        try JournalReader(at: path, on: disk)
      }
      let holding = try onJournal { () throws(JournalError) in
        try reader.firstFrame(ofSegmentWith: EditNumber(edit))
      }
      frame = min(frame, holding)
      // Commits in those frames stay as well, with what is needed to count back to them.
      if let first = try pastCommits.firstCommit(from: frame, head: cut.snapshot.number) {
        commit = min(commit, first)
      }
    }
    // One may have begun on an earlier commit than the last of its time.
    let bases = cut.catalogue.contexts.values.map(\.base.next)
    if let next = bases.filter({ $0 >= cut.catalogue.firstKept }).min(), next < commit {
      commit = next
      frame = min(
        frame, try pastCommits.place(of: next, head: cut.snapshot.number).number)
    }
    return (commit, frame)
  }

  /// Reads everything before a frame, from another on.
  private func check(
    from first: FrameNumber = .none, before frame: FrameNumber
  ) throws(StoreError) {
    let reader = try onJournal { () throws(JournalError) in try JournalReader(at: path, on: disk) }
    var next = max(first, reader.manifest.segments[0].firstFrame)
    guard next < frame else { return }
    let ending = try reader.forEachEntry(from: next, decoder) {
      (place, entry) throws(StoreError) in
      guard place.number < frame else { return false }
      if case .event(_, .unknown(let kind, _)) = entry { throw .unknownKind(kind, place.number) }
      if case .commit(let commit) = entry,
        let field = commit.fields.first(where: { !$0.isKnown })
      {
        throw .unknownKind(field.kind, place.number)
      }
      next = place.number
      return true
    }
    if let finding = ending.finding, next < frame {
      throw StoreError(JournalError.damaged(finding))
    }
  }
}

extension StoreError {
  static func unknownKind(_ kind: UInt8, _ frame: FrameNumber) -> StoreError {
    StoreError(
      .newerFormat,
      "frame \(frame.rawValue) has something of kind \(kind), which newer code has written; compact the "
        + "store with the newer version of the program.")
  }
}
