internal import ByteCoding
internal import DiskAccess
internal import Journaling
internal import ObjectModel

/// Compresses the blocks of a run and writes them behind one another: on a thread of its own, where it is asked to,
/// while the next block is put together.
///
/// One thread gives it blocks, and ends it.
final class BlockPress: @unchecked Sendable {
  private let store: StoreTag
  private let salt: UInt64
  private let lock = Lock()
  private var thread: BackgroundThread?
  /// Whether a block was given that is not written yet; guarded by the lock.
  private var isBusy = false
  /// Whether no more blocks come; guarded by the lock.
  private var isEnded = false
  /// Why a block could not be written; guarded by the lock.
  private var failure: RunError?

  // Of whoever writes: of the thread while it is busy, and else of who gives blocks.
  private var file: SealedFileWriter
  private var index = ByteWriter(capacity: 4096)
  private var given = BlockAssembly()
  /// The frame of a block that is taken over.
  private var copied = ByteWriter()

  /// Makes the file, which must not be there.
  init(
    making name: String, in folder: any DiskFolder, store: StoreIdentity, salt: UInt64,
    hasThread: Bool
  ) throws(RunError) {
    file = try SealedFileWriter(making: name, in: folder, RunHeader(store: store, salt: salt))
    (self.store, self.salt) = (store.tag, salt)
    // Where the system has none to give, blocks are written when they are given.
    if hasThread { thread = try? BackgroundThread { [self] in writeWhatIsGiven() } }
  }

  /// Takes the rows of a block; those of the one before, at least, are written then.
  ///
  /// - Parameter block: empty afterwards.
  /// - Throws: what is wrong with it, or with one before it.
  func write(_ block: inout BlockAssembly) throws(RunError) {
    try waitForGiven()
    // The one before is empty, and keeps its memory for the next.
    swap(&block, &given)
    guard thread != nil else { return try writeGiven() }
    lock.withLock {
      isBusy = true
      lock.wakeAll()
    }
  }

  /// Writes a block of another run as it is: its columns are checked and not decompressed.
  func write(_ sealed: borrowing SealedBlock) throws(RunError) {
    try waitForGiven()
    copied.removeAll()
    var (entry, payloadByteCount) = sealed.writeFrame(
      with: file.sealer.lz4, salt: salt, to: &copied)
    entry.sealedByteCount = try file.append(.rows, payloadByteCount: payloadByteCount) {
      [copied = copied.unsafeBytes] _, output in output.write(copied)
    }
    entry.write(to: &index)
  }

  /// Writes index and footer behind all blocks, and syncs the file.
  ///
  /// - Returns: the length of the file.
  func finish(rowCount: UInt64, deletedCount: UInt64) throws(RunError) -> UInt64 {
    try waitForGiven()
    defer { extendLifetime(index) }
    return try file.finish(
      index: index.unsafeBytes, .runIndex, rowCount: rowCount, deletedCount: deletedCount)
  }

  /// Has the thread come to its end, whether everything was written or not.
  func end() {
    lock.withLock {
      isEnded = true
      lock.wakeAll()
    }
    thread?.join()
  }

  private func waitForGiven() throws(RunError) {
    try lock.withLock { () throws(RunError) in
      while isBusy { lock.wait() }
      if let failure { throw failure }
    }
  }

  /// What the thread does.
  private func writeWhatIsGiven() {
    lock.lock()
    while true {
      while !isBusy, !isEnded { lock.wait() }
      guard isBusy else { break }
      lock.unlock()
      var failure: RunError?
      do throws(RunError) { try writeGiven() } catch { failure = error }
      lock.lock()
      self.failure = failure
      isBusy = false
      lock.wakeAll()
    }
    lock.unlock()
  }

  private func writeGiven() throws(RunError) {
    defer { given.removeAll() }
    var entry = try given.compress(with: file.sealer.lz4, salt: salt, store: store)
    entry.sealedByteCount = try file.append(.rows, payloadByteCount: given.payloadByteCount) {
      _, output in given.writeFrame(to: &output)
    }
    entry.write(to: &index)
  }
}
