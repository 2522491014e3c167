internal import ByteCoding

/// Turns payloads into sealed frames, one after another.
struct FrameSealer: ~Copyable {
  private let lz4 = LZ4FrameWriter()
  private var output = ByteWriter(capacity: 64 << 10)

  /// What a sealed frame follows and what it can testify to.
  struct Place {
    let number: FrameNumber
    let previousBodyCheck: UInt64
    let durableThrough: FrameNumber
    let salt: UInt64
  }

  /// The frame sealed last; valid until the next one.
  var unsafeBytes: UnsafeRawBufferPointer { output.unsafeBytes }

  /// Seals a payload.
  ///
  /// - Returns: the check of its LZ4 frame, which the next frame's seal names.
  mutating func seal(
    _ payload: UnsafeRawBufferPointer, _ kind: FrameKind, at place: Place
  ) -> UInt64 {
    precondition(
      payload.count <= Limits.payloadByteCount, "a payload is larger than a frame may hold")
    output.removeAll()
    _ = output.reserve(Seal.byteCount)
    output.advance(by: Seal.byteCount)
    lz4.write(payload, to: &output)
    let lz4Frame = UnsafeRawBufferPointer(rebasing: output.unsafeBytes[Seal.byteCount...])
    let unsynced = place.number.previous.rawValue - place.durableThrough.rawValue
    let seal = Seal(
      number: place.number, bodyCheck: Checksum.of(lz4Frame, salt: place.salt),
      previousBodyCheck: UInt32(truncatingIfNeeded: place.previousBodyCheck),
      unsyncedFrameCount: UInt32(clamping: unsynced),
      lz4FrameByteCount: UInt32(lz4Frame.count), payloadByteCount: UInt32(payload.count),
      kind: kind, flags: 0, format: Seal.format, reserved: 0)
    output.overwrite { seal.write(to: $0, salt: place.salt) }
    return seal.bodyCheck
  }
}
