/// The memory that stands for the first bytes of a mapped file.
///
/// What the program stores there needs no call, so nobody is told of it: a file looks at the region
/// whenever somebody looks at the file. The memory lives as long as the last mapping of it.
final class MappedRegion: @unchecked Sendable {
  static let pageByteCount = 4096

  let base: UnsafeMutableRawPointer
  let byteCount: Int
  /// How many mappings of the region live; guarded by the disk's lock.
  var mappingCount = 0

  /// Makes a region of whole pages, of zeros.
  init(_ byteCount: Int) {
    let pages = (byteCount + Self.pageByteCount - 1) / Self.pageByteCount
    self.byteCount = pages * Self.pageByteCount
    base = .allocate(byteCount: self.byteCount, alignment: Self.pageByteCount)
    // Of words: unoptimised, each byte would be stored by itself.
    base.initializeMemory(
      as: UInt64.self, repeating: 0, count: self.byteCount / MemoryLayout<UInt64>.size)
  }

  deinit { base.deallocate() }

  /// The region's bytes in a range, as far as it reaches.
  func bytes(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer {
    let range = range.clamped(to: 0..<byteCount)
    return UnsafeMutableRawBufferPointer(start: base + range.lowerBound, count: range.count)
  }
}
