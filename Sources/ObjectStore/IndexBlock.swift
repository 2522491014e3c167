/// The entries of a block of an index run, decompressed.
final class IndexBlock: Sendable {
  private nonisolated(unsafe) let bytes: UnsafeRawBufferPointer
  private let entryCount: Int

  /// What a block may have; part of the format.
  static let largestEntryCount = 1_024
  static let largestByteCount = 64 << 10
  /// From which length on a block is ended.
  static let fullByteCount = 4 << 10

  /// - Parameter memory: is the block's from now on.
  init(taking memory: UnsafeMutableRawBufferPointer, entryCount: Int) {
    bytes = UnsafeRawBufferPointer(memory)
    self.entryCount = entryCount
  }

  deinit { bytes.deallocate() }

  var memoryByteCount: Int { bytes.count + 64 }

  /// Adds the entries from one on that stand before another.
  ///
  /// - Parameter first: the block's first entry.
  /// - Returns: whether the block is as it should be, as far as it was read.
  func load(
    first: IndexEntry, from start: IndexEntry, before end: IndexEntry,
    into entries: inout ContiguousArray<IndexEntry>
  ) -> Bool {
    var entry = IndexEntry.least
    var offset = 0
    for place in 0..<entryCount {
      guard IndexCoding.read(&entry, from: bytes, at: &offset), place > 0 || entry == first else {
        return false
      }
      if entry < start { continue }
      if entry >= end { return true }
      entries.append(entry)
    }
    return offset == bytes.count
  }
}
