internal import ByteCoding
internal import DiskAccess

/// A stretch of a file in memory, moved forward as a scan goes on.
///
/// What it hands out is valid until the next call or the window's end; whoever uses it after the last
/// call extends the window's lifetime.
struct FileWindow: ~Copyable {
  /// How much is read at once where nothing else is asked for.
  static let usualByteCount = 1 << 20

  let file: any ReadableFile
  /// The length of the file when the scan began; what comes later is not looked at.
  let byteCount: UInt64
  private var buffer: ByteWriter
  private var start: UInt64 = 0
  private let usualByteCount: Int

  init(
    _ file: any ReadableFile, usualByteCount: Int = Self.usualByteCount
  ) throws(JournalError) {
    self.file = file
    self.usualByteCount = usualByteCount
    byteCount = try onDisk { () throws(DiskError) in try file.information().byteCount }
    buffer = ByteWriter(capacity: Int(min(UInt64(usualByteCount), byteCount + 1)))
  }

  /// How many bytes there are from a position on.
  func remaining(at offset: UInt64) -> UInt64 { byteCount > offset ? byteCount - offset : 0 }

  /// The bytes at a position, as many as asked for or as there are; valid until the next call.
  mutating func bytes(
    at offset: UInt64, _ wanted: Int
  ) throws(JournalError) -> UnsafeRawBufferPointer {
    let count = Int(min(UInt64(wanted), remaining(at: offset)))
    let isThere =
      offset >= start && offset + UInt64(count) <= start + UInt64(buffer.byteCount)
    if !isThere { try load(at: offset, max(count, usualByteCount)) }
    let first = Int(offset - start)
    let available = max(0, min(count, buffer.byteCount - first))
    return UnsafeRawBufferPointer(rebasing: buffer.unsafeBytes[first..<first + available])
  }

  /// Whether there is nothing but zeros from a position to the end of the file. More of them than a writer
  /// writes are not read: a hole may be of any length.
  mutating func onlyZerosFollow(from start: UInt64) throws(JournalError) -> Bool {
    guard remaining(at: start) <= Limits.zerosByteCount else { return false }
    var position = start
    while remaining(at: position) > 0 {
      let bytes = try bytes(at: position, 1 << 16)
      guard !bytes.isEmpty else { break }
      guard bytes.countUpToLastNonzero == 0 else { return false }
      position += UInt64(bytes.count)
    }
    return true
  }

  private mutating func load(at offset: UInt64, _ wanted: Int) throws(JournalError) {
    let count = Int(min(UInt64(wanted), remaining(at: offset)))
    buffer.removeAll()
    start = offset
    let target = UnsafeMutableRawBufferPointer(start: buffer.reserve(count), count: count)
    let file = self.file
    buffer.advance(
      by: try onDisk { () throws(DiskError) in try file.read(into: target, at: offset) })
  }
}

extension UnsafeRawBufferPointer {
  /// How many bytes there are up to and with the last one that is not zero.
  var countUpToLastNonzero: Int {
    // From the one on there is nothing else; what is before the other is not all zeros, or nothing.
    var (end, start) = (count, 0)
    while start < end {
      let middle = (start + end) / 2
      if UnsafeRawBufferPointer(rebasing: self[middle..<end]).isZero {
        end = middle
      } else {
        start = middle + 1
      }
    }
    return end
  }
}
