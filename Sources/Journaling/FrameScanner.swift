package import ByteCoding
package import DiskAccess

/// Walks the frames of one segment from front to back and checks every byte it passes.
///
/// It finds and does not decide: where the walk ends, it says what it found there.
package struct FrameScanner: ~Copyable {
  package let header: SegmentHeader
  private var window: FileWindow

  /// Where the next frame begins, the number it must have, and the check of the frame before.
  package private(set) var place: Place

  private var offset: UInt64 { place.offset }
  private var expected: FrameNumber { place.expected }

  /// What a step of the walk comes to.
  package enum Step {
    /// The next frame, whole and in its place.
    case frame(SealedFrame)
    /// The file ends right here.
    case endOfFile
    /// There are only zeros up to the end of the file.
    case zeros
    /// The segment's footer, and nothing but zeros after it.
    case footer(SegmentFooter)
    /// Something else.
    case finding(Finding)
  }

  /// A place between two frames, where a walk can begin.
  package struct Place: Hashable, Sendable {
    package var offset: UInt64
    package var expected: FrameNumber
    package var previousBodyCheck: UInt64

    /// Before the first frame of a segment.
    package init(_ header: SegmentHeader) {
      offset = UInt64(SegmentHeader.byteCount)
      expected = header.firstFrame
      previousBodyCheck = header.previousBodyCheck
    }
  }

  /// Begins a walk at the first frame of a segment, or at a place an earlier walk has come to.
  ///
  /// - Parameter windowByteCount: how much is read at once, at least.
  package init(
    _ file: any ReadableFile, _ header: SegmentHeader, from place: Place? = nil,
    windowByteCount: Int? = nil
  ) throws(JournalError) {
    self.header = header
    window = try FileWindow(file, usualByteCount: windowByteCount ?? FileWindow.usualByteCount)
    self.place = place ?? Place(header)
  }

  /// Goes on at the first frame, or at a place an earlier walk has come to.
  mutating func move(to place: Place?) { self.place = place ?? Place(header) }

  var fileByteCount: UInt64 { window.byteCount }

  /// Takes the next step. After anything but a frame, the walk stays where it is.
  package mutating func next() throws(JournalError) -> Step {
    let remaining = window.remaining(at: offset)
    if remaining == 0 { return .endOfFile }
    let head = try window.bytes(at: offset, Seal.byteCount)
    // Looking for zeros moves the window: nothing may use the head after it.
    if head.countUpToLastNonzero == 0 {
      return try window.onlyZerosFollow(from: offset) ? .zeros : found(.notAFrame)
    }
    guard head.count == Seal.byteCount else { return try found(.frameCutShort) }
    switch Seal.read(head, salt: header.salt) {
    case .other:
      return try nextFooter()
    case .damaged(let seal, let difference):
      return try found(isForeign(seal, difference) ? .foreignFrame : .sealDamaged)
    case .seal(let seal):
      return try nextFrame(seal)
    }
  }

  /// That more bytes are left than any writer leaves behind its frames, whatever they are; nil where they are fewer. None
  /// of them is read: a hole may be of any length.
  func excess() -> Finding? {
    guard window.remaining(at: offset) > header.largestTailByteCount else { return nil }
    return Finding(.notAFrame, header.number.path, at: offset, expected: expected)
  }

  /// The frame at the front of the walk, whose seal's own check fits.
  private mutating func nextFrame(_ seal: Seal) throws(JournalError) -> Step {
    if seal.number != expected {
      guard seal.number > expected else { return try found(.frameRepeated(found: seal.number)) }
      return try found(
        isBeforeExpected(seal)
          ? .framesSwapped(found: seal.number) : .framesMissing(found: seal.number))
    }
    guard seal.previousBodyCheck == UInt32(truncatingIfNeeded: place.previousBodyCheck) else {
      return try found(.linkBroken)
    }
    if let kind = seal.newerKind { return try found(kind) }
    guard let lz4Frame = try lz4Frame(of: seal) else {
      let fits = Limits.allow(
        payload: UInt64(seal.payloadByteCount), in: UInt64(seal.lz4FrameByteCount))
      return try found(fits ? .frameCutShort : .frameMalformed)
    }
    guard Checksum.matches(seal.bodyCheck, Checksum.of(lz4Frame, salt: header.salt)) else {
      return try found(.bodyDamaged)
    }
    let frame = SealedFrame(seal: seal, offset: offset, lz4Frame: lz4Frame)
    place.offset += UInt64(seal.sealedByteCount)
    place.expected = seal.number.next
    place.previousBodyCheck = seal.bodyCheck
    return .frame(frame)
  }

  /// Whether the frame that should be here is the one behind.
  private mutating func isBeforeExpected(_ seal: Seal) throws(JournalError) -> Bool {
    let head = try window.bytes(at: offset + UInt64(seal.sealedByteCount), Seal.byteCount)
    guard head.count == Seal.byteCount, case .seal(let next) = Seal.read(head, salt: header.salt)
    else { return false }
    return next.number == expected
  }

  private mutating func nextFooter() throws(JournalError) -> Step {
    let bytes = try window.bytes(at: offset, SegmentFooter.byteCount)
    switch SegmentFooter.read(bytes, salt: header.salt) {
    case .other:
      return try found(.notAFrame)
    case .damaged:
      return try found(.footerDamaged)
    case .footer(let footer):
      guard footer.lastFrame.next == expected, footer.lastBodyCheck == place.previousBodyCheck,
        footer.frameCount == expected.rawValue &- header.firstFrame.rawValue
      else { return try found(.footerDamaged) }
      let end = offset + UInt64(SegmentFooter.byteCount)
      return try window.onlyZerosFollow(from: end)
        ? .footer(footer)
        : .finding(Finding(.bytesAfterFooter, header.number.path, at: end))
    }
  }

  /// The bytes of a seal's LZ4 frame, where its lengths are within the limits and within the file.
  private mutating func lz4Frame(of seal: Seal) throws(JournalError) -> UnsafeRawBufferPointer? {
    let byteCount = UInt64(seal.lz4FrameByteCount)
    let start = offset + UInt64(Seal.byteCount)
    guard Limits.allow(payload: UInt64(seal.payloadByteCount), in: byteCount),
      byteCount <= window.remaining(at: start)
    else { return nil }
    let bytes = try window.bytes(at: start, Int(byteCount))
    return bytes.count == Int(byteCount) ? bytes : nil
  }

  /// Whether a seal that does not fit our salt fits another one, in its head and in its body.
  private mutating func isForeign(_ seal: Seal, _ difference: UInt32) throws(JournalError) -> Bool {
    guard let lz4Frame = try lz4Frame(of: seal) else { return false }
    let salt = Checksum.of(lz4Frame, salt: 0) ^ seal.bodyCheck
    return UInt32(truncatingIfNeeded: salt) == difference && salt != header.salt
  }

  private func found(_ kind: Finding.Kind) throws(JournalError) -> Step {
    .finding(Finding(kind, header.number.path, at: offset, expected: expected))
  }
}

/// A whole frame, as it stands in its segment.
package struct SealedFrame {
  package let seal: Seal
  /// Where in the segment its seal begins.
  package let offset: UInt64
  /// The LZ4 frame; valid until the scanner's next step.
  let lz4Frame: UnsafeRawBufferPointer

  /// Decompresses the payload into memory that is used again for the next one.
  ///
  /// - Returns: the payload, valid until the memory is used again; nil where the frame is malformed.
  package func payload(in writer: inout ByteWriter) -> UnsafeRawBufferPointer? {
    writer.removeAll()
    let byteCount = Int(seal.payloadByteCount)
    let target = UnsafeMutableRawBufferPointer(start: writer.reserve(byteCount), count: byteCount)
    guard LZ4Frame.read(lz4Frame, into: target) else { return nil }
    writer.advance(by: byteCount)
    return writer.unsafeBytes
  }
}
