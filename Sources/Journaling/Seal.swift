internal import ByteCoding

/// What a frame is for.
package struct FrameKind: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Edits, and the commits that were made with them.
  package static let batch = FrameKind(rawValue: 1)
  /// Says that every frame before it is durable; it has no payload.
  package static let idleMarker = FrameKind(rawValue: 2)
  /// A piece of an edit or commit too large for a batch.
  package static let piece = FrameKind(rawValue: 3)
}

/// The seal before each LZ4 frame: a skippable frame of 8 + 40 bytes that says which frame it is and
/// checks itself and its frame.
package struct Seal: Hashable, Sendable {
  package static let magicNumber: UInt32 = 0x184D_2A5A
  package static let byteCount = 48
  package static let contentByteCount: UInt32 = 40
  package static let format: UInt8 = 1

  package let number: FrameNumber
  /// XXH3 of the LZ4 frame, salted.
  package let bodyCheck: UInt64
  /// The low half of the body check of the frame before, also across segments; 0 before the first.
  package let previousBodyCheck: UInt32
  /// How many frames right before this one were not known to be durable when it was written.
  package let unsyncedFrameCount: UInt32
  package let lz4FrameByteCount: UInt32
  package let payloadByteCount: UInt32
  package let kind: FrameKind
  package let flags: UInt8
  package let format: UInt8
  package let reserved: UInt8

  /// The last frame this seal testifies to have been durable when it was written.
  package var durableThrough: FrameNumber {
    let before = number.previous.rawValue
    return FrameNumber(before - min(before, UInt64(unsyncedFrameCount)))
  }

  /// What is found of a frame that newer code has written; nil of one of ours.
  var newerKind: Finding.Kind? {
    guard format != Self.format || flags & 0xF0 != 0 else { return nil }
    return .frameNewer(format: format, flags: flags)
  }

  /// The length of the seal and its frame.
  package var sealedByteCount: Int { Self.byteCount + Int(lz4FrameByteCount) }

  /// Writes the seal; its own check comes last.
  package func write(to target: UnsafeMutableRawPointer, salt: UInt64) {
    func put<Integer: FixedWidthInteger>(_ value: Integer, _ offset: Int) {
      target.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Integer.self)
    }
    put(Self.magicNumber, 0)
    put(Self.contentByteCount, 4)
    put(number.rawValue, 8)
    put(bodyCheck, 16)
    put(previousBodyCheck, 24)
    put(unsyncedFrameCount, 28)
    put(lz4FrameByteCount, 32)
    put(payloadByteCount, 36)
    put(kind.rawValue, 40)
    put(flags, 41)
    put(format, 42)
    put(reserved, 43)
    let head = UnsafeRawBufferPointer(start: target, count: 44)
    put(UInt32(truncatingIfNeeded: Checksum.of(head, salt: salt)), 44)
  }

  /// What the bytes of a seal turned out to be.
  package enum Reading {
    case seal(Seal)
    /// No seal begins here.
    case other
    /// A seal begins here, but its check does not fit. The fields are what it says.
    case damaged(Seal, differenceOfCheck: UInt32)
  }

  /// Reads the seal at the front of at least `byteCount` bytes.
  package static func read(_ bytes: UnsafeRawBufferPointer, salt: UInt64) -> Reading {
    func get<Integer: FixedWidthInteger>(_ offset: Int, _: Integer.Type) -> Integer {
      Integer(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Integer.self))
    }
    guard get(0, UInt32.self) == magicNumber, get(4, UInt32.self) == contentByteCount else {
      return .other
    }
    let seal = Seal(
      number: FrameNumber(get(8, UInt64.self)), bodyCheck: get(16, UInt64.self),
      previousBodyCheck: get(24, UInt32.self), unsyncedFrameCount: get(28, UInt32.self),
      lz4FrameByteCount: get(32, UInt32.self), payloadByteCount: get(36, UInt32.self),
      kind: FrameKind(rawValue: get(40, UInt8.self)), flags: get(41, UInt8.self),
      format: get(42, UInt8.self), reserved: get(43, UInt8.self))
    let head = UnsafeRawBufferPointer(rebasing: bytes[..<44])
    let computed = UInt32(truncatingIfNeeded: Checksum.of(head, salt: 0))
    let stored = get(44, UInt32.self)
    if Checksum.matches(stored, computed ^ UInt32(truncatingIfNeeded: salt)) { return .seal(seal) }
    return .damaged(seal, differenceOfCheck: stored ^ computed)
  }
}
