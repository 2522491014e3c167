package import ByteCoding

/// Turns payloads into sealed frames, one after another.
package struct FrameSealer: ~Copyable {
  package let lz4 = LZ4FrameWriter()
  private var output = ByteWriter(capacity: 64 << 10)

  /// What a sealed frame follows and what it can testify to.
  package struct Place {
    let number: FrameNumber
    let previousBodyCheck: UInt64
    let durableThrough: FrameNumber
    let salt: UInt64

    package init(
      number: FrameNumber, previousBodyCheck: UInt64, durableThrough: FrameNumber, salt: UInt64
    ) {
      self.number = number
      self.previousBodyCheck = previousBodyCheck
      self.durableThrough = durableThrough
      self.salt = salt
    }
  }

  package init() {}

  /// The frame sealed last; valid until the next one.
  package var unsafeBytes: UnsafeRawBufferPointer { output.unsafeBytes }

  /// Seals a payload.
  ///
  /// - Returns: the check of its LZ4 frame, which the next frame's seal names.
  package mutating func seal(
    _ payload: UnsafeRawBufferPointer, _ kind: FrameKind, at place: Place
  ) -> UInt64 {
    seal(kind, payloadByteCount: payload.count, at: place) { lz4, output in
      lz4.write(payload, to: &output)
    }
  }

  /// Seals the LZ4 frame that a closure writes.
  ///
  /// - Returns: the check of the LZ4 frame, which the next frame's seal names.
  package mutating func seal(
    _ kind: FrameKind, payloadByteCount: Int, at place: Place,
    _ write: (borrowing LZ4FrameWriter, inout ByteWriter) -> Void
  ) -> UInt64 {
    precondition(
      payloadByteCount <= Limits.payloadByteCount, "a payload is larger than a frame may hold")
    output.removeAll()
    _ = output.reserve(Seal.byteCount)
    output.advance(by: Seal.byteCount)
    write(lz4, &output)
    let lz4Frame = UnsafeRawBufferPointer(rebasing: output.unsafeBytes[Seal.byteCount...])
    let unsynced = place.number.previous.rawValue - place.durableThrough.rawValue
    let seal = Seal(
      number: place.number, bodyCheck: Checksum.of(lz4Frame, salt: place.salt),
      previousBodyCheck: UInt32(truncatingIfNeeded: place.previousBodyCheck),
      unsyncedFrameCount: UInt32(clamping: unsynced),
      lz4FrameByteCount: UInt32(lz4Frame.count), payloadByteCount: UInt32(payloadByteCount),
      kind: kind, flags: 0, format: Seal.format, reserved: 0)
    output.overwrite { seal.write(to: $0, salt: place.salt) }
    return seal.bodyCheck
  }
}
