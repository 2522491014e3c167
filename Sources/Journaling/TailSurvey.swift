internal import ByteCoding
internal import DiskAccess

/// What lies behind the place where a walk over a segment's frames came to its end: how far there are
/// bytes that are not zero, and what whole seals among them testify.
struct TailSurvey {
  /// Where the last byte that is not zero ends.
  private(set) var end: UInt64
  /// The newest frame that a later seal or footer says was durable.
  private(set) var durableThrough = FrameNumber.none

  /// Looks at every byte from a position to the end of the file. A seal counts only where its check
  /// fits our salt and its number is not one that came before, so that neither a frame inside a
  /// user's value nor an old one testifies to anything.
  init(
    _ file: any ReadableFile, _ header: SegmentHeader, from start: UInt64, expected: FrameNumber
  ) throws(JournalError) {
    var window = try FileWindow(file)
    // Too much for any writer: it is damage, whatever it testifies.
    guard window.remaining(at: start) <= header.largestTailByteCount else {
      end = window.byteCount
      return
    }
    end = start
    var position = start
    while window.remaining(at: position) > 0 {
      let bytes = try window.bytes(at: position, 1 << 16)
      guard !bytes.isEmpty else { return }
      let used = bytes.countUpToLastNonzero
      if used > 0 { end = position + UInt64(used) }
      let isLast = window.remaining(at: position) == UInt64(bytes.count)
      let seals = bytes.count - (Seal.byteCount - 1)
      for offset in stride(from: 0, to: max(0, min(seals, used)), by: 1)
      where bytes[offset] & 0xF0 == 0x50 {
        weigh(UnsafeRawBufferPointer(rebasing: bytes[offset...]), header, expected)
      }
      // The next stretch begins with the bytes that were too few for a seal.
      position += UInt64(isLast ? bytes.count : max(1, seals))
    }
  }

  private mutating func weigh(
    _ bytes: UnsafeRawBufferPointer, _ header: SegmentHeader, _ expected: FrameNumber
  ) {
    if case .seal(let seal) = Seal.read(bytes, salt: header.salt), seal.number >= expected {
      durableThrough = max(durableThrough, seal.durableThrough)
    }
    if case .footer(let footer) = SegmentFooter.read(bytes, salt: header.salt) {
      durableThrough = max(durableThrough, footer.lastFrame)
    }
  }
}
