internal import ByteCoding
internal import Journaling
internal import ObjectModel

/// Which blocks an index run has: what is needed to find those that may have an entry, and to read them.
struct IndexRunBlocks: Hashable, Sendable {
  /// The first entry of each block.
  private(set) var firsts: ContiguousArray<IndexEntry> = []
  /// Where each begins in the file.
  private(set) var offsets: [UInt64] = []
  /// The length of each, with its seal.
  private(set) var sealedByteCounts: [UInt32] = []
  private(set) var entryCounts: [UInt32] = []
  /// Where the last ends.
  private(set) var endOffset = UInt64(RunHeader.byteCount)
  private(set) var entryCount: UInt64 = 0

  /// The most blocks of a run: those that fit a frame, however long their entries are.
  static let largestCount =
    Limits.payloadByteCount / (IndexCoding.largestByteCount + 2 * Varint.maximumByteCount)

  /// Writes what the index says of a block.
  static func write(
    first: IndexEntry, after previous: IndexEntry, sealedByteCount: UInt32, entryCount: Int,
    to writer: inout ByteWriter
  ) {
    IndexCoding.write(first, after: previous, to: &writer)
    writer.writeVarint(UInt64(sealedByteCount))
    writer.writeVarint(UInt64(entryCount))
  }

  /// Reads the payload of an index; nil where it contradicts itself.
  init?(_ payload: UnsafeRawBufferPointer, count: Int) {
    let leastByteCount = IndexCoding.leastByteCount + 2
    guard count <= payload.count / leastByteCount else { return nil }
    var first = IndexEntry.least
    var reader = ByteReader(payload)
    for _ in 0..<count {
      var offset = reader.offset
      guard IndexCoding.read(&first, from: payload, at: &offset),
        (try? reader.readBytes(offset - reader.offset)) != nil,
        let sealedByteCount = try? reader.readVarint(), let entryCount = try? reader.readVarint(),
        sealedByteCount > UInt64(Seal.byteCount),
        sealedByteCount <= UInt64(Seal.byteCount + Limits.lz4FrameByteCount),
        (1...UInt64(IndexBlock.largestEntryCount)).contains(entryCount)
      else { return nil }
      firsts.append(first)
      offsets.append(endOffset)
      sealedByteCounts.append(UInt32(sealedByteCount))
      entryCounts.append(UInt32(entryCount))
      endOffset += sealedByteCount
      self.entryCount += entryCount
    }
    if reader.remainingByteCount > 0 { return nil }
  }

  /// How many blocks begin before an entry.
  func count(before entry: IndexEntry) -> Int {
    firsts.indices.firstPlace(inOrder: { !(firsts[$0] < entry) })
  }

  /// How many blocks begin before an entry, or with it.
  func count(upTo entry: IndexEntry) -> Int {
    let count = count(before: entry)
    return count < firsts.count && firsts[count].isSame(as: entry) ? count + 1 : count
  }
}
