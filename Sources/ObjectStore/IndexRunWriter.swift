internal import ByteCoding
internal import DiskAccess
internal import Journaling

/// Writes an index run: entries in their order, then the index of their blocks.
///
/// The file is a run once `finish` has returned. A writer that has thrown, or is let go before, leaves a file
/// that is none; whoever made it removes it.
struct IndexRunWriter: ~Copyable {
  private var file: SealedFileWriter
  private var block = ByteWriter(capacity: IndexBlock.fullByteCount + 256)
  private var index = ByteWriter(capacity: 4096)
  private var first = IndexEntry.least
  private var last = IndexEntry.least
  /// The first entry of the block before.
  private var previousFirst = IndexEntry.least
  private var blockEntryCount = 0
  private(set) var entryCount: UInt64 = 0
  private var removedCount: UInt64 = 0

  /// Makes the file, which must not be there.
  ///
  /// - Parameter salt: a random number.
  init(
    making name: String, in folder: any DiskFolder, store: StoreIdentity, salt: UInt64
  ) throws(RunError) {
    file = try SealedFileWriter(
      making: name, in: folder, RunHeader(.indexEntries, store: store, salt: salt))
  }

  /// Adds an entry behind all others.
  mutating func append(_ entry: IndexEntry) throws(RunError) {
    precondition(entryCount == 0 || last < entry, "entries are added in ascending order")
    if block.byteCount >= IndexBlock.fullByteCount
      || blockEntryCount == IndexBlock.largestEntryCount
    {
      try writeBlock()
    }
    if blockEntryCount == 0 { first = entry }
    IndexCoding.write(entry, after: blockEntryCount == 0 ? .least : last, to: &block)
    last = entry
    blockEntryCount += 1
    entryCount += 1
    if entry.isRemoved { removedCount += 1 }
  }

  /// Writes what is left, the index and the footer, and syncs the file. The folder is for the caller to sync.
  consuming func finish() throws(RunError) {
    if blockEntryCount > 0 { try writeBlock() }
    _ = try file.finish(
      index: index.unsafeBytes, .indexOfEntries, rowCount: entryCount, deletedCount: removedCount)
    extendLifetime(index)
  }

  private mutating func writeBlock() throws(RunError) {
    guard file.frameCount < IndexRunBlocks.largestCount else {
      throw .tooManyBlocks(limit: IndexRunBlocks.largestCount)
    }
    let payload = block.unsafeBytes
    let sealedByteCount = try file.append(.entries, payloadByteCount: payload.count) {
      lz4, output in lz4.write(payload, to: &output)
    }
    IndexRunBlocks.write(
      first: first, after: previousFirst, sealedByteCount: sealedByteCount,
      entryCount: blockEntryCount, to: &index)
    previousFirst = first
    blockEntryCount = 0
    block.removeAll()
  }
}
