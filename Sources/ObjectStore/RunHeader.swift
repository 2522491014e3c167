package import ByteCoding
package import Journaling

/// The first 80 bytes of a run, of rows or of index entries: an empty LZ4 frame, and a skippable frame that
/// says what it is.
package struct RunHeader: Hashable, Sendable {
  package static let byteCount = 80
  /// What a run has: the name at the beginning of its file.
  package enum Content: UInt64, Sendable {
    case rows = 0x0000_4E55_522D_4A58  // "XJ-RUN"
    case indexEntries = 0x5845_444E_492D_4A58  // "XJ-INDEX"
  }

  /// The newest format this code writes and reads.
  package static let currentFormat: UInt16 = 1
  /// The features this code knows that a reader must know.
  package static let knownRequiredFeatures: UInt32 = 0

  private static let contentByteCount = UInt32(byteCount - LZ4Frame.empty.count - 8)

  package var content: Content
  package var format = currentFormat
  /// A bit a feature: code that does not know one of them must not read the run.
  package var requiredFeatures: UInt32 = 0
  /// A bit a feature: code that does not know them may read the run all the same.
  package var optionalFeatures: UInt32 = 0
  package var store: StoreIdentity
  package var salt: UInt64

  package init(_ content: Content = .rows, store: StoreIdentity, salt: UInt64) {
    self.content = content
    self.store = store
    self.salt = salt
  }

  package func encoded() -> ByteWriter {
    var writer = ByteWriter(capacity: Self.byteCount)
    writer.write(LZ4Frame.empty)
    writer.write(SegmentHeader.magicNumber)
    writer.write(Self.contentByteCount)
    writer.write(content.rawValue)
    writer.write(format)
    writer.write(UInt16(0))
    writer.write(requiredFeatures)
    writer.write(optionalFeatures)
    writer.write(store.high)
    writer.write(store.low)
    writer.write(salt)
    writer.writeZeros(Self.byteCount - 8 - writer.byteCount)
    writer.writeCheck(salt: 0)
    return writer
  }

  /// What the first bytes of a run turned out to be.
  package enum Reading {
    case header(RunHeader)
    /// The bytes are too few, their check does not fit, or no run begins so.
    case damaged
    /// Written by newer code, in a format or with features this code does not know.
    case newer(format: UInt16, requiredFeatures: UInt32)
  }

  package static func read(
    _ bytes: UnsafeRawBufferPointer, _ content: Content = .rows
  ) -> Reading {
    guard bytes.count >= byteCount else { return .damaged }
    let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<byteCount])
    var reader = ByteReader(bytes)
    do throws(ByteCodingError) {
      let start = try reader.readBytes(LZ4Frame.empty.count)
      let magic = try reader.readInteger(UInt32.self)
      let length = try reader.readInteger(UInt32.self)
      let name = try reader.readInteger(UInt64.self)
      let format = try reader.readInteger(UInt16.self)
      _ = try reader.readInteger(UInt16.self)
      guard start.elementsEqual(LZ4Frame.empty), magic == SegmentHeader.magicNumber,
        length == contentByteCount, name == content.rawValue, Checksum.endsWithCheck(bytes, salt: 0)
      else { return .damaged }
      let required = try reader.readInteger(UInt32.self)
      guard format == currentFormat, required & ~knownRequiredFeatures == 0 else {
        return .newer(format: format, requiredFeatures: required)
      }
      let optional = try reader.readInteger(UInt32.self)
      let store = StoreIdentity(high: try reader.readInteger(), low: try reader.readInteger())
      var header = RunHeader(content, store: store, salt: try reader.readInteger())
      (header.requiredFeatures, header.optionalFeatures) = (required, optional)
      return .header(header)
    } catch {
      return .damaged
    }
  }
}
