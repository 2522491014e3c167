internal import DiskAccess
internal import JournalInspection
internal import Journaling
internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// `xjournal replay --into`: builds a journal that ends with an earlier commit, with all that led to it.
extension Command {
  static func replay(on disk: any Disk) -> Command {
    replay.extended(
      details: [
        "With --into it builds a journal of the same edits and commits, which ends where --until says, as if nothing had "
          + "happened since: without tags and edits that came after that commit. The original is neither locked nor changed. "
          + "Where compaction has dropped the beginning, --until can name a commit from the state on that the journal begins with. "
          + "What a context had not saved then keeps the commits that it was made on, also where they were dropped since."
      ],
      examples: [
        Example("xjournal replay --into Then.xjournal --until 2", "a journal as it was then")
      ],
      options: [
        Option("into", value: "NEW", "build a journal; there must be nothing yet")
      ]
    ) { (request) throws(ToolError) in
      guard request.has("into") else { return nil }
      guard !request.has("speed"), !request.has("check") else {
        throw .usage("--into goes neither with --speed nor with --check; verify the new journal.")
      }
      let (original, path) = (try request.path(), try request.newPath("into"))
      request.tellsEdits = true
      let store = try request.store()
      let wanted = try request.lastReplayed(in: store)
      try NewPlace.refuseExisting(path, on: disk)
      let place: NewPlace
      var lost = LeftoverEdits.Loss()
      if let last = wanted, store.lastCommit > .none {
        // It may be refused: before anything is made.
        let cut = try JournalCut(
          of: original, after: last, isLast: last == store.lastCommit, store.tag, on: disk)
        place = try NewPlace(path, on: disk)
        try place.filling { [place] () throws(ToolError) in try cut.copy(to: place, on: disk) }
      } else {
        let copy = try JournalCopy.make(of: original, at: path, on: disk, reading: request.disk)
        (place, lost) = (copy.place, copy.lost)
      }
      request.tell(of: try place.finish(on: disk), "replayed to", without: lost)
      return .fine
    }
  }
}

/// The place in a journal right behind a commit, or before the first.
private struct JournalCut {
  private let survey: JournalSurvey
  private let parts: ArraySlice<JournalSurvey.Part>
  /// What is before that place, in the frame in which it is.
  private let rest: [SalvagedEntry]
  private let isBegunByState: Bool
  /// The first commit of those that compaction has kept.
  private let firstKept: CommitNumber

  /// - Parameter isLast: whether it is the last commit: where there is damage, others may have been behind it.
  init(
    of path: String, after last: CommitNumber, isLast: Bool, _ store: StoreTag,
    on disk: any ReadableDisk
  ) throws(ToolError) {
    let (folder, reader) = try HeldState.open(path, on: disk)
    survey = try JournalSurvey(reader.manifest, in: folder)
    if isLast { try survey.refuseUnsound() }
    let kept = KeptState(of: reader.manifest, in: folder)
    firstKept = kept.end?.firstKept ?? CommitNumber.none.next
    let state = survey.goesBackToBeginning ? nil : try Self.state(kept, before: last)
    isBegunByState = state != nil
    var search = CutSearch(after: last, since: state, store, reader)
    let ending = try onJournal { () throws(JournalError) in
      try reader.forEachFrame { search.goesOn(behind: $0) }.finding
    }
    if let failure = search.failure { throw ToolError(failure) }
    rest = search.rest
    if search.found == nil, state?.commit == last, ending == nil {
      // Nothing came after the state.
      parts = survey.parts[0...]
      return
    }
    guard let found = search.found,
      let place = survey.parts.firstIndex(where: { $0.segment.number == found.segment })
    else {
      if let ending, ending.kind.isOfNewerCode { throw ToolError(ending) }
      throw ToolError(.damage, "the journal is damaged before the end of commit \(last).")
    }
    if let hole = survey.parts[..<place].lazy.compactMap(\.hole).first {
      throw ToolError(.damage, "the journal is damaged in \(hole).")
    }
    let part = survey.parts[place]
    let cut = JournalSurvey.Part(part, before: found.frame, at: found.offset ?? part.end)
    parts = survey.parts[..<place] + [cut]
  }

  /// The state that a journal begins with of which compaction has dropped the beginning.
  private static func state(
    _ kept: KeptState, before last: CommitNumber
  ) throws(ToolError) -> Checkpoint.End? {
    if let failure = kept.failure { throw ToolError(failure) }
    guard let state = kept.end, state.commit > last else { return kept.end }
    throw .no(
      "compaction has dropped what led to commit \(last); the journal can be replayed up to commit \(state.commit) or a later one."
    )
  }

  func copy(to place: NewPlace, on disk: any Disk) throws(ToolError) {
    var attachments: [Manifest.Attachment] = []
    if isBegunByState {
      attachments = try onStore { () throws(StoreError) in
        try Checkpoint.copyFiles(survey.manifest, in: survey.folder, to: place.folder).attachments
      }
    }
    try JournalCopy(in: place).copy(parts, of: survey, attachments)
    let clock = PastClock(disk)
    let store = try onStore { () throws(StoreError) in
      try JournaledStore(on: clock, at: place.path, model: nil, options: .ofCopies)
    }
    var salvaging = Salvaging(into: store, clock)
    do throws(ToolError) {
      try salvaging.take(rest)
      try salvaging.finish()
      if let loss = salvaging.losses.first {
        throw ToolError(.damage, "the journal cannot be replayed so far: \(loss).")
      }
      try discardDrafts(of: salvaging.store)
      if firstKept > salvaging.store.firstKeptCommit {
        try onStore { () throws(StoreError) in
          _ = try salvaging.store.compact(keeping: .commits(since: firstKept))
        }
      }
    } catch {
      // The first error is the one to tell.
      try? salvaging.store.close()
      throw error
    }
    try onStore { () throws(StoreError) in try salvaging.store.close() }
  }

  /// Gives up what contexts had not saved before the frame, and saved in it.
  private func discardDrafts(of store: JournaledStore) throws(ToolError) {
    var saved: Set<ContextNumber> = []
    for case .commit(let content) in rest { saved.insert(content.context) }
    for draft in store.unsavedDrafts where saved.contains(draft.context) {
      try onStore { () throws(StoreError) in try store.discard(draft) }
    }
  }
}

/// Looks in the frames of a journal, one after the other, for the first that is not taken over as it is.
private struct CutSearch {
  private let last: CommitNumber
  private let state: Checkpoint.End?
  private let store: StoreTag
  private let reader: JournalReader
  /// That frame.
  private(set) var found: End?
  /// What of it is taken over nevertheless.
  private(set) var rest: [SalvagedEntry] = []
  /// Why a frame cannot be told.
  private(set) var failure: StoreError?

  struct End {
    let frame: FrameNumber
    let segment: SegmentNumber
    /// Where it begins; nil where the segment has no frames from there on.
    var offset: UInt64?
  }

  init(
    after last: CommitNumber, since state: Checkpoint.End?, _ store: StoreTag,
    _ reader: JournalReader
  ) {
    (self.last, self.state, self.store, self.reader) = (last, state, store, reader)
  }

  /// - Returns: whether it is to be looked for behind a frame.
  mutating func goesOn(behind frame: JournalReader.Frame) -> Bool {
    if let end = found {
      // The commit ends the frame before.
      if end.segment == frame.segment { found?.offset = frame.offset }
      return false
    }
    guard frame.number > state?.frame ?? .none else { return true }
    if state?.commit == last {
      found = End(frame: frame.number, segment: frame.segment, offset: frame.offset)
      return false
    }
    guard frame.kind == .batch else { return true }
    do throws(StoreError) {
      let entries = try SalvagedEntry.all(in: frame.payload, of: frame.number, store, reader)
      guard let end = entries.firstIndex(where: { $0.isCommit(from: last) }) else { return true }
      let taken = last == .none ? entries[..<end] : entries[...end]
      if last > .none, taken.count == entries.count {
        found = End(frame: frame.number.next, segment: frame.segment)
        return true
      }
      found = End(frame: frame.number, segment: frame.segment, offset: frame.offset)
      rest = Array(taken)
    } catch {
      failure = error
    }
    return false
  }
}

extension SalvagedEntry {
  fileprivate func isCommit(from first: CommitNumber) -> Bool {
    if case .commit(let content) = self { content.number >= first } else { false }
  }
}
