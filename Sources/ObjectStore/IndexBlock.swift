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

  /// The entries from one on that stand before another.
  ///
  /// - Parameters:
  ///   - first: the block's first entry.
  ///   - end: nil where all are wanted from the first one on.
  /// - Returns: nil where the block is not as it should be, as far as it was read.
  func entries(
    first: IndexEntry, from start: IndexEntry, before end: IndexEntry?
  ) -> ContiguousArray<IndexEntry>? {
    var entry = IndexEntry.least
    var (place, offset) = (0, 0)
    repeat {
      guard IndexCoding.read(&entry, from: bytes, at: &offset), place > 0 || entry == first
      else { return nil }
      place += 1
    } while entry < start && place < entryCount
    if entry < start { return offset == bytes.count ? [] : nil }
    var isSound = true
    let entries = ContiguousArray<IndexEntry>(
      unsafeUninitializedCapacity: entryCount - place + 1
    ) { buffer, count in
      guard var next = buffer.baseAddress else { return }
      next.initialize(to: entry)
      let border = end ?? .greatest
      // Those that follow stand behind it.
      while next.pointee < border {
        count += 1
        if place == entryCount {
          isSound = offset == bytes.count
          return
        }
        (next + 1).initialize(to: next.pointee)
        next += 1
        place += 1
        guard IndexCoding.read(next, from: bytes, at: &offset) else {
          isSound = false
          return
        }
      }
      // No index has such an entry.
      if end == nil { isSound = false }
    }
    return isSound ? entries : nil
  }
}
