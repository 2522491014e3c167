package import ByteCoding

/// The last 48 bytes of a sealed segment: a skippable frame that says what came before it.
///
/// It is written only after every frame of its segment has been synced.
package struct SegmentFooter: Hashable, Sendable {
  package static let magicNumber: UInt32 = 0x184D_2A5F
  package static let byteCount = 48

  package let frameCount: UInt64
  package let lastFrame: FrameNumber
  package let lastEdit: EditNumber
  package let lastBodyCheck: UInt64

  package func encoded(salt: UInt64) -> ByteWriter {
    var writer = ByteWriter(capacity: Self.byteCount)
    writer.write(Self.magicNumber)
    writer.write(UInt32(Self.byteCount - 8))
    writer.write(frameCount)
    writer.write(lastFrame.rawValue)
    writer.write(lastEdit.rawValue)
    writer.write(lastBodyCheck)
    writer.writeCheck(salt: salt)
    return writer
  }

  /// What the bytes of a footer turned out to be.
  package enum Reading {
    case footer(SegmentFooter)
    /// No footer begins here.
    case other
    /// A footer begins here, but its check does not fit.
    case damaged
  }

  /// Reads the footer at the front of at least `byteCount` bytes.
  package static func read(_ bytes: UnsafeRawBufferPointer, salt: UInt64) -> Reading {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<byteCount])
    func get<Integer: FixedWidthInteger>(_ offset: Int, _: Integer.Type) -> Integer {
      Integer(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Integer.self))
    }
    guard get(0, UInt32.self) == magicNumber, get(4, UInt32.self) == UInt32(byteCount - 8) else {
      return .other
    }
    guard Checksum.endsWithCheck(bytes, salt: salt) else { return .damaged }
    return .footer(
      SegmentFooter(
        frameCount: get(8, UInt64.self), lastFrame: FrameNumber(get(16, UInt64.self)),
        lastEdit: EditNumber(get(24, UInt64.self)), lastBodyCheck: get(32, UInt64.self)))
  }
}

extension SegmentFooter {
  /// The footer of a sealed segment.
  package init(of segment: Manifest.Segment, _ sealing: Manifest.Sealing, lastEdit: EditNumber) {
    self.init(
      frameCount: sealing.lastFrame.next.rawValue &- segment.firstFrame.rawValue,
      lastFrame: sealing.lastFrame, lastEdit: lastEdit, lastBodyCheck: sealing.lastBodyCheck)
  }
}
