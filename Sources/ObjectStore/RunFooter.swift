package import ByteCoding
internal import Journaling

/// The last 64 bytes of a run: a skippable frame that says where the index is, and how much there is.
package struct RunFooter: Hashable, Sendable {
  package static let byteCount = 64

  /// How many rows there are, those of deleted objects included.
  package let rowCount: UInt64
  /// How many rows say that their object is deleted.
  package let deletedCount: UInt64
  package let blockCount: UInt64
  /// Where the seal of the index begins.
  package let indexOffset: UInt64
  /// The length of the index, with its seal.
  package let indexByteCount: UInt64
  /// The body check of the index.
  package let indexCheck: UInt64

  package func encoded(salt: UInt64) -> ByteWriter {
    var writer = ByteWriter(capacity: Self.byteCount)
    writer.write(SegmentFooter.magicNumber)
    writer.write(UInt32(Self.byteCount - 8))
    for field in [rowCount, deletedCount, blockCount, indexOffset, indexByteCount, indexCheck] {
      writer.write(field)
    }
    writer.writeCheck(salt: salt)
    return writer
  }

  /// Its last field, which covers all others.
  func check(salt: UInt64) -> UInt64 {
    encoded(salt: salt).withBytes {
      UInt64(
        littleEndian: $0.loadUnaligned(fromByteOffset: Self.byteCount - 8, as: UInt64.self))
    }
  }

  /// Reads a footer; nil where the bytes are none, or their check does not fit.
  package static func read(_ bytes: UnsafeRawBufferPointer, salt: UInt64) -> RunFooter? {
    guard bytes.count == byteCount, Checksum.endsWithCheck(bytes, salt: salt) else { return nil }
    var reader = ByteReader(bytes)
    do throws(ByteCodingError) {
      guard try reader.readInteger(UInt32.self) == SegmentFooter.magicNumber,
        try reader.readInteger(UInt32.self) == UInt32(byteCount - 8)
      else { return nil }
      return RunFooter(
        rowCount: try reader.readInteger(), deletedCount: try reader.readInteger(),
        blockCount: try reader.readInteger(), indexOffset: try reader.readInteger(),
        indexByteCount: try reader.readInteger(), indexCheck: try reader.readInteger())
    } catch {
      return nil
    }
  }
}
