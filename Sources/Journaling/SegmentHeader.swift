package import ByteCoding

/// The first 128 bytes of a segment: an empty LZ4 frame, and a skippable frame that says what it is.
package struct SegmentHeader: Hashable, Sendable {
  package static let magicNumber: UInt32 = 0x184D_2A58
  package static let byteCount = 128
  package static let name: UInt64 = 0x6C61_6E72_756F_4A58  // "XJournal"
  /// The newest format this code writes and reads.
  package static let currentFormat: UInt16 = 1
  /// The features this code knows that a reader must know.
  package static let knownRequiredFeatures: UInt32 = 0

  package var format = currentFormat
  /// A bit a feature: code that does not know one of them must not read the segment.
  package var requiredFeatures: UInt32 = 0
  /// A bit a feature: code that does not know them may read the segment all the same.
  package var optionalFeatures: UInt32 = 0
  package var store: StoreIdentity
  package var salt: UInt64
  package var number: SegmentNumber
  package var firstFrame: FrameNumber
  /// The number the next edit had when the segment was begun.
  package var firstEdit: EditNumber
  /// The body check of the last frame of the segment before; 0 in the first.
  package var previousBodyCheck: UInt64
  /// Nanoseconds since 1970.
  package var creationTime: Int64
  /// The writer never lets more bytes than this stand unsynced.
  package var windowByteCount: UInt32

  /// The most bytes that a writer may leave behind the last frame that is whole: those of a write that was broken off, and
  /// zeros ahead of it.
  var largestTailByteCount: UInt64 { UInt64(windowByteCount) + Limits.zerosByteCount }

  package func encoded() -> ByteWriter {
    var writer = ByteWriter(capacity: Self.byteCount)
    writer.write(LZ4Frame.empty)
    writer.write(Self.magicNumber)
    writer.write(UInt32(Self.byteCount - LZ4Frame.empty.count - 8))
    writer.write(Self.name)
    writer.write(format)
    writer.write(UInt16(0))
    writer.write(requiredFeatures)
    writer.write(optionalFeatures)
    writer.write(store.high)
    writer.write(store.low)
    writer.write(salt)
    writer.write(number.rawValue)
    writer.write(firstFrame.rawValue)
    writer.write(firstEdit.rawValue)
    writer.write(previousBodyCheck)
    writer.write(creationTime)
    writer.write(windowByteCount)
    writer.writeZeros(Self.byteCount - 8 - writer.byteCount)
    writer.writeCheck(salt: 0)
    return writer
  }

  /// What the first bytes of a segment turned out to be.
  package enum Reading {
    case header(SegmentHeader)
    /// The bytes are too few, their check does not fit, or no segment begins so.
    case damaged
    /// Written by newer code, in a format or with features this code does not know.
    case newer(format: UInt16, requiredFeatures: UInt32)
  }

  package static func read(_ bytes: UnsafeRawBufferPointer) -> Reading {
    guard bytes.count >= byteCount else { return .damaged }
    let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<byteCount])
    var reader = ByteReader(bytes)
    do throws(ByteCodingError) {
      let start = try reader.readBytes(LZ4Frame.empty.count)
      let magic = try reader.readInteger(UInt32.self)
      let contentByteCount = try reader.readInteger(UInt32.self)
      let name = try reader.readInteger(UInt64.self)
      let format = try reader.readInteger(UInt16.self)
      _ = try reader.readInteger(UInt16.self)
      guard start.elementsEqual(LZ4Frame.empty), magic == magicNumber, name == Self.name,
        contentByteCount == UInt32(byteCount - LZ4Frame.empty.count - 8),
        Checksum.endsWithCheck(bytes, salt: 0)
      else { return .damaged }
      let required = try reader.readInteger(UInt32.self)
      guard format == currentFormat, required & ~knownRequiredFeatures == 0 else {
        return .newer(format: format, requiredFeatures: required)
      }
      let header = try SegmentHeader(format: format, requiredFeatures: required, from: &reader)
      return header.isWithinLimits ? .header(header) : .damaged
    } catch {
      return .damaged
    }
  }
}

extension SegmentHeader {
  /// A header that says nothing but what a manifest knows of its segment.
  package init(of segment: Manifest.Segment, _ store: StoreIdentity) {
    self.init(
      store: store, salt: segment.salt, number: segment.number, firstFrame: segment.firstFrame,
      firstEdit: EditNumber(1), previousBodyCheck: 0, creationTime: 0,
      windowByteCount: UInt32(JournalOptions().windowByteCount))
  }

  /// Whether its numbers can be such.
  package var isWithinLimits: Bool {
    [number.rawValue, firstFrame.rawValue, firstEdit.rawValue].allSatisfy(Limits.allow(number:))
      && (1...Limits.windowByteCount).contains(windowByteCount)
  }

  private init(
    format: UInt16, requiredFeatures: UInt32, from reader: inout ByteReader
  ) throws(ByteCodingError) {
    self.format = format
    self.requiredFeatures = requiredFeatures
    optionalFeatures = try reader.readInteger()
    store = StoreIdentity(high: try reader.readInteger(), low: try reader.readInteger())
    salt = try reader.readInteger()
    number = SegmentNumber(try reader.readInteger())
    firstFrame = FrameNumber(try reader.readInteger())
    firstEdit = EditNumber(try reader.readInteger())
    previousBodyCheck = try reader.readInteger()
    creationTime = try reader.readInteger()
    windowByteCount = try reader.readInteger()
  }
}
