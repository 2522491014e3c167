// ObjectStore: open, commit, snapshot, history, checkpoint, compaction. Knows no contexts, no undo.

internal import DiskAccess
internal import EventCoding
package import Journaling
internal import ObjectModel
internal import Synchronization

/// A store of objects that never forgets: every edit and every save is an event in its journal.
///
/// Any thread may use it. Commits are checked and numbered one after another, against what is committed or
/// about to be; they share their syncs; and they are shown to readers in order, once they are durable.
///
/// Locks are taken in this order: `checkpointing`, `drafting`, `committing`, `cataloguing`, `clock`, then the journal's
/// own, and that of `pins`; `following` is held by itself. Nobody who reads objects waits for anybody who writes; who
/// asks for names, tags or the past, and a context that is brought to another commit or gives up its changes, may wait
/// as long as a checkpoint takes to begin, which is a sync.
public final class JournaledStore: ReadableStore, @unchecked Sendable {
  /// What opening found and did.
  package let recovery: RecoveryReport
  let options: StoreOptions
  let disk: any Disk
  let journal: Journal
  let encoder: EventEncoder
  let cache: BlockCache

  let committing = Lock()
  /// Guarded by `committing`.
  var pending: PendingCommits

  /// The last number given to an object, by origin and entity. Guarded by `cataloguing`.
  var lastNumbers: [UInt64: UInt64]
  /// How many numbers were reserved last, by origin and entity. Guarded by `cataloguing`.
  var reservedCounts: [UInt64: UInt64] = [:]
  /// By name, what is said of tags and not synced yet, in order, and what each stood for before. Guarded by
  /// `cataloguing`.
  var taggings: [String: [(edit: EditNumber, former: CommitNumber?)]] = [:]
  /// Whether no more numbers are given. Guarded by `cataloguing`.
  var isClosing = false
  /// The contexts that have begun since the store was opened. Guarded by `cataloguing`.
  var liveContexts: [ContextNumber: LiveContext] = [:]
  /// Those of them that are to end and have not, as the journal could not take that. Guarded by `cataloguing`.
  var givenUp: [LiveContext] = []
  /// Held by who ends those.
  let endingGivenUp = Lock()

  /// What contexts have read and hold.
  let pins = CommitPins()

  let following = Lock()
  /// Who waits for commits without a thread. Guarded by `following`.
  var followers: [Follower] = []
  /// Whether there is a thread that tells them. Guarded by `following`.
  var areFollowersTold = false

  let drafting = Lock()
  /// Guarded by `drafting`.
  var leftContexts: LeftContexts

  /// Whether a checkpoint is being written because it is due. Guarded by `committing`.
  var isFlushing = false
  /// How much memory changes take when the next checkpoint is due. Guarded by `committing`.
  var dueByteCount: Int
  /// How many bytes the journal had taken at the last checkpoint, fewer than none where that was before the store was
  /// opened. Guarded by `committing`.
  var flushedJournalByteCount: Int
  /// The same when one was begun last, whether it was written or not. Guarded by `committing`.
  var cutJournalByteCount: Int
  /// What kept the last checkpoint that was due from being written. Guarded by `committing`.
  var flushFailure: StoreError?
  /// What was damaged and has been put right. Guarded by `committing`.
  var repairs: [StoreFinding] = []
  let checkpointing = Lock()
  /// Guarded by `checkpointing`.
  var files: CheckpointFiles

  let clock = Lock()
  /// The time that the journal's events have. Changed while `clock` is held.
  let eventTime: Atomic<Int64>

  init(
    path: String, options: StoreOptions, disk: any Disk, journal: Journal, recovery: RecoveryReport,
    _ fold: StoreFold, _ files: CheckpointFiles
  ) throws(StoreError) {
    self.options = options
    self.disk = disk
    self.journal = journal
    self.recovery = recovery
    encoder = EventEncoder(store: fold.snapshot.store)
    cache = files.cache
    lastNumbers = fold.catalogue.reserved
    eventTime = Atomic(fold.catalogue.time.rawValue)
    self.files = files
    dueByteCount = options.unflushedByteCount
    flushedJournalByteCount = journal.appends.byteCount - fold.replayedByteCount
    cutJournalByteCount = flushedJournalByteCount
    leftContexts = LeftContexts(
      fold.catalogue, lastEdit: journal.editsOfNextCommit.upperBound.rawValue - 1)
    pending = PendingCommits(after: fold.snapshot, epoch: journal.commitEpoch)
    try super.init(
      path: path, in: journal.folder, journal.manifest, fold,
      pastByteCount: options.cacheByteCount, limits: .none)
  }

  override var manifest: Manifest { journal.manifest }

  override func settle() throws(StoreError) -> FrameNumber {
    try onJournal { () throws(JournalError) in try journal.sync() }
    return journal.durableFrame
  }

  /// Makes everything durable and gives the store back, to be opened again by whoever wants to.
  ///
  /// Where much has changed a checkpoint is written first; if that fails, opening takes longer, and nothing else
  /// is amiss (see `checkpointFailure`).
  public func close() throws(StoreError) {
    try refuseWhileReporting()
    endGivenUp()
    cataloguing.withLock { isClosing = true }
    let byteCount = max(unflushedByteCount, replayByteCount)
    if byteCount >= options.closingByteCount || canMend { flush() }
    // A checkpoint that is being written because it was due comes to its end first: nobody may write in the
    // folder once the store is given back.
    checkpointing.lock()
    defer { checkpointing.unlock() }
    try onJournal { () throws(JournalError) in try journal.close() }
  }

  /// Seals the journal's active segment and begins the next.
  package func beginSegment() throws(StoreError) {
    try onJournal { () throws(JournalError) in try journal.beginSegment() }
  }

  /// Appends an event to the journal.
  @discardableResult
  func append(_ event: Event) throws(StoreError) -> EditNumber {
    try append { () throws(EventCodingError) in
      try encoder.byteCount(of: event)
    } _: {
      encoder.write(event, into: $0)
    }
  }

  /// Appends an event to the journal, of which it is said how many bytes it has, and then which.
  @inline(__always)
  func append(
    _ byteCount: () throws(EventCodingError) -> Int,
    _ fill: (UnsafeMutableRawBufferPointer) -> Void
  ) throws(StoreError) -> EditNumber {
    let count: Int
    do throws(EventCodingError) {
      count = try byteCount()
    } catch {
      throw StoreError(refusing: error)
    }
    return try onJournal { () throws(JournalError) in
      try journal.appendEdit(byteCount: count, fill)
    }
  }

  /// The time of what happens now: never before what happened before.
  func now() -> RecordedTime {
    RecordedTime(rawValue: max(disk.wallClock(), eventTime.load(ordering: .acquiring)))
  }
}
