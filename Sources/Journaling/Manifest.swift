package import ByteCoding

/// Which segments belong to a journal, and what the rooms above have attached to it.
package struct Manifest: Hashable, Sendable {
  package static let name: UInt64 = 0x4649_4E41_4D2D_4A58  // "XJ-MANIF"
  package static let currentFormat: UInt16 = 1
  static let knownRequiredFeatures: UInt32 = 0

  /// A segment as the manifest knows it.
  package struct Segment: Hashable, Sendable {
    package let number: SegmentNumber
    package let salt: UInt64
    package let firstFrame: FrameNumber
    /// What is known of a segment once it is sealed; nil for the active one, which is the last.
    package var sealing: Sealing?
  }

  /// What is known of a sealed segment.
  package struct Sealing: Hashable, Sendable {
    package let lastFrame: FrameNumber
    package let lastBodyCheck: UInt64
    package let byteCount: UInt64

    package init(lastFrame: FrameNumber, lastBodyCheck: UInt64, byteCount: UInt64) {
      (self.lastFrame, self.lastBodyCheck, self.byteCount) = (lastFrame, lastBodyCheck, byteCount)
    }
  }

  /// A file of a room above, which belongs to the store as long as it is named here.
  package struct Attachment: Hashable, Sendable {
    package let kind: UInt8
    package let fileName: String
    package let content: [UInt8]

    package init(kind: UInt8, fileName: String, content: [UInt8]) {
      self.kind = kind
      self.fileName = fileName
      self.content = content
    }
  }

  package let store: StoreIdentity
  /// Grows with each manifest of a store.
  package var generation: UInt64
  /// The last frame known to be durable when the manifest was written.
  package var durableThrough: FrameNumber
  package var segments: [Segment]
  package var attachments: [Attachment]
  package var optionalFeatures: UInt32 = 0

  static func segmentByteCount() -> Int { 8 * 6 }

  /// All segments but the active one.
  var sealedSegments: [(Segment, Sealing)] {
    segments.compactMap { segment in segment.sealing.map { (segment, $0) } }
  }

  /// How many bytes `encoded()` gives.
  var byteCount: Int {
    attachments.reduce(68 + segments.count * Self.segmentByteCount()) {
      $0 + 6 + $1.fileName.utf8.count + $1.content.count
    }
  }

  package func encoded() -> ByteWriter {
    var writer = ByteWriter(capacity: byteCount)
    writer.write(Self.name)
    writer.write(Self.currentFormat)
    writer.write(UInt16(0))
    writer.write(UInt32(0))
    writer.write(optionalFeatures)
    writer.write(store.high)
    writer.write(store.low)
    writer.write(generation)
    writer.write(durableThrough.rawValue)
    writer.write(UInt32(segments.count))
    writer.write(UInt32(attachments.count))
    for segment in segments {
      writer.write(segment.number.rawValue)
      writer.write(segment.salt)
      writer.write(segment.firstFrame.rawValue)
      writer.write(segment.sealing?.lastFrame.rawValue ?? 0)
      writer.write(segment.sealing?.lastBodyCheck ?? 0)
      writer.write(segment.sealing?.byteCount ?? 0)
    }
    for attachment in attachments {
      let name = Array(attachment.fileName.utf8)
      writer.write(attachment.kind)
      writer.write(UInt8(name.count))
      writer.write(name)
      writer.write(UInt32(attachment.content.count))
      writer.write(attachment.content)
    }
    writer.writeCheck(salt: 0)
    assert(writer.byteCount == byteCount, "a manifest is as long as it was said to be")
    return writer
  }

  /// What the bytes of a manifest turned out to be.
  package enum Reading {
    case manifest(Manifest)
    case damaged
    /// Written by newer code.
    case newer(format: UInt16, requiredFeatures: UInt32)
  }

  package static func read(_ bytes: UnsafeRawBufferPointer) -> Reading {
    guard Checksum.endsWithCheck(bytes, salt: 0) else { return .damaged }
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 8)]))
    do throws(ByteCodingError) {
      guard try reader.readInteger(UInt64.self) == name else { return .damaged }
      let format = try reader.readInteger(UInt16.self)
      _ = try reader.readInteger(UInt16.self)
      let required = try reader.readInteger(UInt32.self)
      guard format == currentFormat, required & ~knownRequiredFeatures == 0 else {
        return .newer(format: format, requiredFeatures: required)
      }
      let manifest = try Manifest(from: &reader)
      try reader.expectEnd()
      return manifest.isConsistent ? .manifest(manifest) : .damaged
    } catch {
      return .damaged
    }
  }
}

extension Manifest {
  /// A manifest that others put together; nil where the segments do not follow one another.
  package init?(of store: StoreIdentity, naming segments: [Segment]) {
    self.init(
      store: store, generation: 1, durableThrough: .none, segments: segments, attachments: [])
    guard isConsistent else { return nil }
  }

  private init(from reader: inout ByteReader) throws(ByteCodingError) {
    optionalFeatures = try reader.readInteger()
    store = StoreIdentity(high: try reader.readInteger(), low: try reader.readInteger())
    generation = try reader.readInteger()
    durableThrough = FrameNumber(try reader.readInteger())
    let segmentCount = try reader.readInteger(UInt32.self)
    let attachmentCount = try reader.readInteger(UInt32.self)
    let least = UInt64(segmentCount) * UInt64(Self.segmentByteCount()) + UInt64(attachmentCount) * 6
    guard least <= UInt64(reader.remainingByteCount), attachmentCount <= Limits.attachmentCount
    else {
      throw ByteCodingError(code: .countTooLarge, offset: reader.offset)
    }
    segments = []
    for _ in 0..<segmentCount { segments.append(try Segment(from: &reader)) }
    attachments = []
    for _ in 0..<attachmentCount { attachments.append(try Attachment(from: &reader)) }
  }

  /// Whether the segments follow one another, all but the last are sealed, and every name is allowed.
  var isConsistent: Bool {
    guard let last = segments.last, last.sealing == nil,
      durableThrough.rawValue <= Limits.number, generation <= Limits.number,
      segments.allSatisfy({
        Limits.allow(number: $0.number.rawValue) && Limits.allow(number: $0.firstFrame.rawValue)
      })
    else { return false }
    for (segment, next) in zip(segments, segments.dropFirst()) {
      guard let sealing = segment.sealing, next.number == segment.number.next,
        sealing.lastFrame >= segment.firstFrame.previous, next.firstFrame == sealing.lastFrame.next
      else { return false }
    }
    return attachments.count <= Limits.attachmentCount
      && attachments.allSatisfy { JournalFiles.isAllowed($0.fileName) }
  }
}

extension Manifest.Segment {
  fileprivate init(from reader: inout ByteReader) throws(ByteCodingError) {
    number = SegmentNumber(try reader.readInteger())
    salt = try reader.readInteger()
    firstFrame = FrameNumber(try reader.readInteger())
    let lastFrame = FrameNumber(try reader.readInteger())
    let lastBodyCheck: UInt64 = try reader.readInteger()
    let byteCount: UInt64 = try reader.readInteger()
    sealing =
      byteCount == 0
      ? nil
      : Manifest.Sealing(lastFrame: lastFrame, lastBodyCheck: lastBodyCheck, byteCount: byteCount)
  }

  /// A segment as others than a manifest tell of it.
  package init(
    _ number: SegmentNumber, salt: UInt64, firstFrame: FrameNumber, _ sealing: Manifest.Sealing?
  ) {
    self.init(number: number, salt: salt, firstFrame: firstFrame, sealing: sealing)
  }
}

extension Manifest.Attachment {
  fileprivate init(from reader: inout ByteReader) throws(ByteCodingError) {
    kind = try reader.readInteger()
    let nameByteCount = try reader.readInteger(UInt8.self)
    fileName = String(decoding: try reader.readBytes(Int(nameByteCount)), as: UTF8.self)
    // Here, and not when all are read: names of no bytes take six bytes each, and much more in memory.
    guard JournalFiles.isAllowed(fileName) else {
      throw ByteCodingError(code: .endOfBytes, offset: reader.offset)
    }
    let contentByteCount = try reader.readInteger(UInt32.self)
    content = Array(try reader.readBytes(Int(contentByteCount)))
  }
}
