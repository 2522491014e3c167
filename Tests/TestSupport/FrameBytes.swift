// Sealed frames written byte by byte as docs/format.md has them, with every field free to be wrong.

internal import ByteCoding
internal import Journaling

/// A sealed frame in the making.
package struct FrameBytes: Sendable {
  package var number: UInt64
  /// The body check of the frame before, of which the seal names the low half.
  package var previousBodyCheck: UInt64
  package var unsyncedFrameCount: UInt32 = 0
  package var kind: UInt8 = 1
  package var flags: UInt8 = 0
  package var format: UInt8 = 1
  package var reserved: UInt8 = 0
  package var lz4Frame: [UInt8]
  /// The lengths that the seal claims.
  package var lz4FrameByteCount: UInt32
  package var payloadByteCount: UInt32
  /// What the seal claims as check of the LZ4 frame, where it is not the right one.
  package var claimedBodyCheck: UInt64?

  package init(_ number: UInt64, _ payload: [UInt8], after previousBodyCheck: UInt64 = 0) {
    self.number = number
    self.previousBodyCheck = previousBodyCheck
    lz4Frame = Self.lz4Frame(of: payload)
    lz4FrameByteCount = UInt32(lz4Frame.count)
    payloadByteCount = UInt32(payload.count)
  }

  package static func lz4Frame(of payload: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(capacity: payload.count + 64)
    payload.withUnsafeBytes { LZ4FrameWriter().write($0, to: &writer) }
    return writer.array
  }

  /// The right check of the LZ4 frame.
  package func bodyCheck(salt: UInt64) -> UInt64 {
    lz4Frame.withUnsafeBytes { Checksum.of($0, salt: salt) }
  }

  package func seal(salt: UInt64) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(UInt32(0x184D_2A5A))
    writer.write(UInt32(40))
    writer.write(number)
    writer.write(claimedBodyCheck ?? bodyCheck(salt: salt))
    writer.write(UInt32(truncatingIfNeeded: previousBodyCheck))
    writer.write(unsyncedFrameCount)
    writer.write(lz4FrameByteCount)
    writer.write(payloadByteCount)
    writer.write([kind, flags, format, reserved])
    let check = writer.withBytes { Checksum.of($0, salt: salt) }
    writer.write(UInt32(truncatingIfNeeded: check))
    return writer.array
  }

  package func encoded(salt: UInt64) -> [UInt8] { seal(salt: salt) + lz4Frame }
}

/// The payload of a batch frame: edits and commits, each whole.
package func batchBytes(
  firstEdit: UInt64, edits: [[UInt8]], commits: [[UInt8]] = []
) -> [UInt8] {
  var writer = ByteWriter()
  writer.writeVarint(firstEdit)
  for entries in [edits, commits] {
    writer.writeVarint(UInt64(entries.count))
    for entry in entries {
      writer.writeVarint(UInt64(entry.count) * 2)
      writer.write(entry)
    }
  }
  return writer.array
}
