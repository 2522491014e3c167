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
  /// - Parameters:
  ///   - first: the block's first entry.
  ///   - end: nil where all are wanted from the first one on.
  /// - Returns: whether the block is as it should be, as far as it was read.
  func load(
    first: IndexEntry, from start: IndexEntry, before end: IndexEntry?,
    into entries: inout ContiguousArray<IndexEntry>
  ) -> Bool {
    var entry = IndexEntry.least
    var (place, offset) = (0, 0)
    return withUnsafeMutablePointer(to: &entry) { entry in
      repeat {
        guard IndexCoding.read(entry, from: bytes, at: &offset),
          place > 0 || entry.pointee == first
        else { return false }
        place += 1
      } while entry.pointee < start && place < entryCount
      if entry.pointee < start { return offset == bytes.count }
      if end == nil { entries.reserveCapacity(entries.count + entryCount - place + 1) }
      // Those that follow stand behind it.
      while end.map({ entry.pointee < $0 }) ?? true {
        entries.append(entry.pointee)
        if place == entryCount { return offset == bytes.count }
        guard IndexCoding.read(entry, from: bytes, at: &offset) else { return false }
        place += 1
      }
      return true
    }
  }
}
