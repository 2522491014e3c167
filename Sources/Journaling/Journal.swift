internal import ByteCoding
package import DiskAccess

/// A journal open for writing.
///
/// Edits are stored into the edit buffer, without a system call. Commits wait in memory for a thread
/// that leads: it seals what the buffer's half holds together with the commits that came with it into
/// one frame, appends and syncs it, and wakes all who waited. Meanwhile edits and commits gather in the
/// other half.
///
/// Invariants, under `lock`:
/// - One half is `gathering`. The other is `waiting` to be written, or free.
/// - The edits of `waiting` come before those of `gathering`; both follow the last sealed edit.
/// - A commit stands in the batch whose edits it may name, and is written with it or fails.
/// - Only the thread that set `isLeading` touches `appender`, and only it clears it.
/// - The cursor stands in `gathering`; it is open only while `oldestPendingTime` is set, and not
///   once `isClosing` is.
/// - Once `ending` is set, nothing more is written.
package final class Journal: @unchecked Sendable {
  package let path: String
  let options: JournalOptions
  let disk: FailStopDisk
  /// The store's folder.
  package let folder: any DiskFolder
  let lock = Lock()

  // Guarded by `lock`.
  var buffer: EditBuffer
  let cursor: UnsafeMutablePointer<EditCursor>
  var gathering: BatchInMaking
  var other: BatchInMaking
  var isOtherWaiting = false
  var isLeading = false
  /// How many threads wait for a frame to be written, be it durable or not.
  var waitersForWriting = 0
  /// Why nothing more is written: the journal is closed, or has stopped after a failure.
  var ending: JournalError?
  /// Whether nothing more is taken in, while what was is written.
  var isClosing = false
  /// Counts the failures of commits: a commit queued in an earlier epoch cannot follow one of a later.
  var epoch: UInt64 = 0
  var epochCause: DiskError?
  /// Commits whose frames are written and not yet durable.
  var unsyncedTickets: [CommitTicket] = []
  var durableThrough: FrameNumber
  /// The first pieces of edits that are on their way into the buffer, or frames before those.
  var strayPieces: Set<FrameNumber> = []
  /// The first piece that edits name in frames that are written and not yet durable.
  var unsyncedPiece: FrameNumber?
  /// When the oldest edit or frame came that is not durable.
  var oldestPendingTime: UInt64?
  /// When the last frame was written.
  var lastFrameTime: UInt64
  var storeLock: StoreLock?

  /// What is shown of the appender, as the thread that led last left it.
  var kept: Kept

  // The leading thread's.
  let appender: FrameAppender
  var payload = ByteWriter(capacity: 64 << 10)

  let alarm: Alarm
  var upkeepThread: BackgroundThread?

  init(
    path: String, options: JournalOptions, disk: FailStopDisk, folder: any DiskFolder,
    storeLock: StoreLock, buffer: EditBuffer, appender: FrameAppender
  ) {
    self.path = path
    self.options = options
    self.disk = disk
    alarm = Alarm(disk)
    self.folder = folder
    self.storeLock = storeLock
    self.buffer = buffer
    self.appender = appender
    kept = Kept(appender)
    durableThrough = appender.durableThrough
    lastFrameTime = disk.steadyClock()
    let half = buffer.beginHalf(0, generation: 2, firstEdit: appender.nextEdit)
    cursor = .allocate(capacity: 1)
    cursor.initialize(to: EditCursor(half, salt: buffer.salt))
    gathering = BatchInMaking(half)
    other = BatchInMaking(
      buffer.beginHalf(1, generation: 1, firstEdit: appender.nextEdit))
    self.buffer.note(durableThrough: durableThrough)
    appender.whenDurable = { [unowned self] number in
      lock.withLock { noteDurable(number) }
    }
  }

  deinit {
    alarm.stop()
    upkeepThread?.join()
    cursor.deallocate()
  }

  /// The last frame that is durable.
  package var durableFrame: FrameNumber { lock.withLock { durableThrough } }

  /// The last frame that is durable, and the first piece of an edit that no frame up to there names: whoever drops
  /// frames keeps those from that piece on.
  package var durableEnd: (frame: FrameNumber, firstUnnamedPiece: FrameNumber?) {
    lock.withLock {
      let pieces = [gathering.firstPiece, waiting?.firstPiece, unsyncedPiece].compactMap(\.self)
      return (durableThrough, (strayPieces + pieces).min())
    }
  }

  /// How often the journal was synced, and how many bytes of frames it appended, since it was opened.
  package var appends: (syncCount: Int, byteCount: Int) {
    lock.withLock { (kept.syncCount, kept.appendedByteCount) }
  }

  /// The store's identity, as its files have it.
  package var store: StoreIdentity { lock.withLock { kept.manifest.store } }

  /// How long the active segment is.
  package var activeSegmentByteCount: UInt64 { lock.withLock { kept.activeSegmentByteCount } }

  /// A random number, from the disk.
  package func randomNumber() throws(JournalError) -> UInt64 {
    try onDisk { () throws(DiskError) in try disk.randomNumber() }
  }

  /// Which segments and attachments the journal has.
  package var manifest: Manifest { lock.withLock { kept.manifest } }

  /// The batch that waits to be written, if one does. Holds the lock.
  var waiting: BatchInMaking? { isOtherWaiting ? other : nil }

  struct Kept {
    let manifest: Manifest
    let syncCount: Int
    let appendedByteCount: Int
    let activeSegmentByteCount: UInt64

    init(_ appender: FrameAppender) {
      manifest = appender.manifest
      syncCount = appender.syncCount
      appendedByteCount = appender.appendedByteCount
      activeSegmentByteCount = appender.activeSegmentByteCount
    }
  }

  /// Whether nothing has gathered. Holds the lock.
  var hasGatheredNothing: Bool {
    gathering.commits.isEmpty && cursor.pointee.nextEdit == gathering.half.firstEdit
  }

  /// The edits that will be in the same frame as a commit queued now. Holds the lock.
  var gatheredEdits: Range<EditNumber> { gathering.half.firstEdit..<cursor.pointee.nextEdit }

  /// Writes nothing more from now on; every commit that is not durable has failed. Holds the lock.
  func end(_ reason: JournalError) {
    ending = reason
    // What the rooms above write and remove goes by the same disk.
    if case .stopped(let cause) = reason { disk.stop(at: cause) }
    cursor.pointee.close()
    for ticket in unsyncedTickets { ticket.state = .failed(reason) }
    unsyncedTickets.removeAll()
    failQueuedCommits { _ in reason }
    lock.wakeAll()
  }

  /// Fails every commit that is not written. Holds the lock.
  func failQueuedCommits(_ error: (BatchInMaking) -> JournalError) {
    for batch in [waiting, gathering] {
      guard let batch else { continue }
      for commit in batch.commits { commit.ticket.state = .failed(error(batch)) }
      batch.removeCommits()
    }
    if other.half.editCount == 0 { isOtherWaiting = false }
  }

  func throwIfEnded() throws(JournalError) {
    if let ending { throw ending }
  }

  /// Refuses what is new. Holds the lock.
  func throwUnlessOpen() throws(JournalError) {
    try throwIfEnded()
    if isClosing { throw .closed }
  }

  /// Notes that frames are durable, for waiting commits and for the next recovery. Holds the lock.
  private func noteDurable(_ number: FrameNumber) {
    durableThrough = number
    buffer.note(durableThrough: number)
    for ticket in unsyncedTickets {
      if case .written(let place) = ticket.state { ticket.state = .durable(place) }
    }
    unsyncedTickets.removeAll(keepingCapacity: true)
    unsyncedPiece = nil
  }
}

/// What gathers in one half of the edit buffer until it becomes a batch frame.
final class BatchInMaking {
  var half: EditHalf
  /// The commits that a batch holds itself, each as an entry.
  var entries = ByteWriter(capacity: 4 << 10)
  var commits: [QueuedCommit] = []
  /// The length of all commits, also of those that will be written in pieces.
  var commitByteCount = 0
  /// What the batch has that needs pieces.
  var spans = SpanSum()
  /// The first piece that an edit of the batch names.
  var firstPiece: FrameNumber?

  /// A commit waiting to be written.
  struct QueuedCommit {
    let ticket: CommitTicket
    let content: Content

    enum Content {
      /// A range of the batch's entries.
      case entry(Range<Int>)
      /// A commit so large that it is written in pieces.
      case large([UInt8])

      /// What is written in pieces; nil where the batch holds it.
      var large: [UInt8]? {
        if case .large(let bytes) = self { bytes } else { nil }
      }
    }
  }

  init(_ half: EditHalf) { self.half = half }

  /// How long the payload may become.
  var largestPayloadByteCount: Int {
    half.usedByteCount + entries.byteCount + commits.count * Span.largestByteCount
      + 3 * Varint.maximumByteCount
  }

  /// Forgets the commits, which have been written or have failed.
  func removeCommits() {
    commits.removeAll(keepingCapacity: true)
    entries.removeAll()
    commitByteCount = 0
  }
}

/// A commit's way to the disk. Guarded by the journal's lock.
package final class CommitTicket: @unchecked Sendable {
  enum State {
    case queued
    case written(FramePlace)
    case durable(FramePlace)
    case failed(JournalError)
  }

  var state = State.queued
}
