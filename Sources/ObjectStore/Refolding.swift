internal import DiskAccess
internal import EventCoding
internal import Journaling
internal import ObjectModel

/// Folds a store's journal again, from its beginning or from the earliest state that compaction has left, and
/// compares its commits with their edits meanwhile, and their values with the models.
///
/// What is folded stays within the bounds of the store's memory: it is written into runs that nothing names. Who only
/// reads has nowhere to write it, and holds it.
struct Refolding {
  private let store: ReadableStore
  /// The state that it ends with.
  private let head: Snapshot
  private let eras: [Era]
  /// The last commit before those that are folded.
  private let start: CommitNumber
  private let isWhole: Bool
  private var fold: StoreFold
  private var comparing: CommitComparing
  private var catalogue: CatalogueComparing?
  private var values: ValueComparing?
  private var valueFindings: [StoreFinding] = []
  private var bound: FoldBound?
  /// The most bytes that what was folded has taken of memory.
  private var largestByteCount = 0

  /// Begins; nothing is folded yet.
  ///
  /// - Parameters:
  ///   - checkpoint: what is compared with what the journal says up to it.
  ///   - bound: keeps what is folded within bounds, where there are files to write it to.
  init(
    _ store: ReadableStore, _ reader: JournalReader, to head: Snapshot, _ checkpoint: Checkpoint?,
    within bound: FoldBound?, _ files: inout CheckpointFiles?
  ) throws(StoreError) {
    self.store = store
    self.head = head
    let current = store.cataloguing.withLock { store.catalogue }
    eras = current.eras
    let isWhole = reader.manifest.goesBackToBeginning
    self.isWhole = isWhole
    catalogue = checkpoint.map { CatalogueComparing($0, isWhole: isWhole) }
    let saving = try SavingContexts(reader, store.decoder)
    // Where the journal begins later than is said, that is told of what says it.
    let first = max(current.firstKept, saving.firstCommit ?? head.number.next)
    start = isWhole ? .none : min(first, head.number.next).previous
    fold = StoreFold(store.store)
    if !isWhole {
      // Of a catalogue only what commits are checked by.
      fold.catalogue = Catalogue(
        keys: KeyNames(), eras: eras, tags: [:], contexts: [:], reserved: [:],
        nextContext: ContextNumber(rawValue: 1), time: RecordedTime(rawValue: .min), head: start,
        firstKept: start.next)
    }
    comparing = CommitComparing(store, saving, eras, after: start)
    self.bound = bound
    if !isWhole { try countBack(&files) }
    beginEras()
  }

  /// Folds backward to the state that folding begins with.
  private mutating func countBack(_ files: inout CheckpointFiles?) throws(StoreError) {
    fold.snapshot = head.atEnd(ofEraOf: start)
    fold.snapshot.index = SnapshotIndex()
    while fold.snapshot.number > start {
      try fold.snapshot.takeBack(try store.past(fold.snapshot.number).content())
      try stayWithinBounds(&files)
    }
  }

  private mutating func stayWithinBounds(_ files: inout CheckpointFiles?) throws(StoreError) {
    largestByteCount = max(largestByteCount, fold.snapshot.changesByteCount)
    guard var lent = files.take() else { return }
    defer { files = lent }
    try bound?.flush(&fold, to: &lent)
  }

  /// Has the state be of the era that the walk has come to, where the state is not that of a later commit.
  private mutating func beginEras() {
    while !isWhole, comparing.era >= fold.snapshot.eras.count {
      fold.snapshot.begin(eras[fold.snapshot.eras.count])
    }
    // The indexes that there are are compared with the rows.
    fold.snapshot.index = SnapshotIndex()
    let store = store
    values =
      eras.indices.contains(comparing.era)
      ? ValueComparing(eras[comparing.era]) { store.existingKey(named: $0) } : nil
  }

  /// Takes what the journal says next; what came after the state that it ends with is passed over.
  mutating func take(
    _ entry: JournalEntry, in frame: FrameNumber, _ files: inout CheckpointFiles?
  ) throws(StoreError) {
    catalogue?.take(entry, in: frame)
    guard fold.snapshot.number < head.number else { return }
    switch entry {
    case .event(_, let event):
      try comparing.take(event, in: frame, fold.snapshot)
      if isWhole { try fold.applyChecking(entry, in: frame) }
      if case .modelAdopted = event { beginEras() }
    case .commit(let commit):
      let content = commit.content
      guard content.number > start else { return comparing.leave(content.context) }
      try comparing.compare(commit, fold.snapshot)
      // So many say as much as all.
      if valueFindings.count < 1_000 { valueFindings += values?.findings(in: content) ?? [] }
      try fold.applyChecking(entry, in: frame)
      try comparing.goOn(after: content, in: frame, fold.snapshot)
      try stayWithinBounds(&files)
    }
  }

  /// Says what was found, and how far it went.
  ///
  /// - Parameter last: the last frame that was looked at.
  mutating func finish(at last: FrameNumber, _ verification: inout Verification) throws(StoreError)
  {
    catalogue?.finish(at: last)
    verification.findings += comparing.findings + valueFindings
    verification.findings += try store.compare(fold.snapshot, head) { catalogue?.take($0) }
    verification.findings += catalogue?.findings ?? []
    verification.firstCommit = start.next
    verification.largestByteCount = largestByteCount
    verification.comparedCommitCount = comparing.comparedCount
    verification.directCommitCount = comparing.directCount
    verification.uncomparedCommitCount = comparing.uncomparedCount
  }

  /// Removes the runs that it has written.
  func removeFiles(_ files: CheckpointFiles) throws(StoreError) {
    guard bound?.hasWritten == true else { return }
    try files.removeAll(
      notNamedBy: store.manifest.attachments, norAmong: head.runNames)
  }
}
