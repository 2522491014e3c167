// Segments put together byte by byte as docs/format.md has them, whole or with any fault.

internal import ByteCoding
package import DiskAccess
package import Journaling

/// The header of a segment in the making.
package struct SegmentHeaderBytes: Sendable {
  package var start: [UInt8] = [0x04, 0x22, 0x4D, 0x18, 0x60, 0x40, 0x82, 0, 0, 0, 0]
  package var magicNumber: UInt32 = 0x184D_2A58
  package var contentByteCount: UInt32 = 109
  package var name: [UInt8] = Array("XJournal".utf8)
  package var format: UInt16 = 1
  package var requiredFeatures: UInt32 = 0
  package var optionalFeatures: UInt32 = 0
  package var store = StoreIdentity(high: 0x1111_2222_3333_4444, low: 0x5555_6666_7777_8888)
  package var salt: UInt64 = 0x0123_4567_89AB_CDEF
  package var number: UInt64 = 1
  package var firstFrame: UInt64 = 1
  package var firstEdit: UInt64 = 1
  package var previousBodyCheck: UInt64 = 0
  package var creationTime: Int64 = 1_700_000_000_000_000_000
  package var windowByteCount: UInt32 = 1 << 20

  package init() {}

  package func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.write(start)
    writer.write(magicNumber)
    writer.write(contentByteCount)
    writer.write(name)
    writer.write(format)
    writer.write(UInt16(0))
    writer.write(requiredFeatures)
    writer.write(optionalFeatures)
    for field in [store.high, store.low, salt, number, firstFrame, firstEdit, previousBodyCheck] {
      writer.write(field)
    }
    writer.write(creationTime)
    writer.write(windowByteCount)
    while writer.byteCount < 120 { writer.write(UInt8(0)) }
    writer.writeCheck(salt: 0)
    return writer.array
  }
}

/// The footer of a segment in the making.
package struct SegmentFooterBytes: Sendable {
  package var frameCount: UInt64
  package var lastFrame: UInt64
  package var lastEdit: UInt64 = 0
  package var lastBodyCheck: UInt64

  package init(frameCount: UInt64, lastFrame: UInt64, lastBodyCheck: UInt64) {
    self.frameCount = frameCount
    self.lastFrame = lastFrame
    self.lastBodyCheck = lastBodyCheck
  }

  package func encoded(salt: UInt64) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(UInt32(0x184D_2A5F))
    writer.write(UInt32(40))
    for field in [frameCount, lastFrame, lastEdit, lastBodyCheck] { writer.write(field) }
    writer.writeCheck(salt: salt)
    return writer.array
  }
}

/// A segment in the making.
package struct SegmentBuilder: Sendable {
  package let header: SegmentHeaderBytes
  package private(set) var bytes: [UInt8]
  /// Where each frame begins.
  package private(set) var offsets: [Int] = []
  package private(set) var nextNumber: UInt64
  package private(set) var lastBodyCheck: UInt64

  package init(_ header: SegmentHeaderBytes = SegmentHeaderBytes()) {
    self.header = header
    bytes = header.encoded()
    nextNumber = header.firstFrame
    lastBodyCheck = header.previousBodyCheck
  }

  /// A segment with frames of these payloads.
  package init(_ payloads: [[UInt8]], _ header: SegmentHeaderBytes = SegmentHeaderBytes()) {
    self.init(header)
    for payload in payloads { add(payload) }
  }

  /// The frame that comes next.
  package func frame(_ payload: [UInt8]) -> FrameBytes {
    FrameBytes(nextNumber, payload, after: lastBodyCheck)
  }

  package mutating func add(_ payload: [UInt8]) { add(frame(payload)) }

  /// Adds a frame as it is, and follows it.
  package mutating func add(_ frame: FrameBytes) {
    offsets.append(bytes.count)
    bytes += frame.encoded(salt: header.salt)
    nextNumber = frame.number &+ 1
    lastBodyCheck = frame.bodyCheck(salt: header.salt)
  }

  /// Adds any bytes.
  package mutating func add(bytes more: [UInt8]) { bytes += more }

  package mutating func addZeros(_ count: Int) { bytes += [UInt8](repeating: 0, count: count) }

  /// The footer that belongs to the frames so far.
  package var footer: SegmentFooterBytes {
    SegmentFooterBytes(
      frameCount: nextNumber &- header.firstFrame, lastFrame: nextNumber &- 1,
      lastBodyCheck: lastBodyCheck)
  }

  package mutating func addFooter() { bytes += footer.encoded(salt: header.salt) }

  /// The bytes of a frame.
  package func frameBytes(_ index: Int) -> [UInt8] {
    let end = index + 1 < offsets.count ? offsets[index + 1] : bytes.count
    return Array(bytes[offsets[index]..<end])
  }

  package var walk: SegmentWalk { get throws { try SegmentWalk(of: bytes) } }
}

/// What a scanner finds in the bytes of a segment.
package struct SegmentWalk {
  package private(set) var numbers: [UInt64] = []
  package private(set) var offsets: [UInt64] = []
  /// The payloads, nil where a frame is malformed.
  package private(set) var payloads: [[UInt8]?] = []
  package private(set) var ending = FrameScanner.Step.endOfFile
  /// Where the walk ended.
  package private(set) var place: FrameScanner.Place

  /// Walks the bytes of a segment whose header is sound.
  package init(of bytes: [UInt8]) throws {
    try self.init(of: MemoryFile(bytes), SegmentHeader.sound(bytes))
  }

  package init(
    of file: any ReadableFile, _ header: SegmentHeader, from start: FrameScanner.Place? = nil
  ) throws {
    var scanner = try FrameScanner(file, header, from: start)
    var memory = ByteWriter()
    place = scanner.place
    while true {
      let step = try scanner.next()
      place = scanner.place
      guard case .frame(let frame) = step else {
        ending = step
        return
      }
      numbers.append(frame.seal.number.rawValue)
      offsets.append(frame.offset)
      payloads.append(frame.payload(in: &memory).map { [UInt8]($0) })
    }
  }

  /// What was found at the end; nil where the walk ended well.
  package var finding: Finding? {
    if case .finding(let finding) = ending { finding } else { nil }
  }

  /// How the walk ended, in a word.
  package var endingName: String {
    switch ending {
    case .frame: "frame"
    case .endOfFile: "end of file"
    case .zeros: "zeros"
    case .footer: "footer"
    case .finding: "finding"
    }
  }
}

extension SegmentHeader {
  /// The header at the front of a segment's bytes.
  package static func sound(_ bytes: [UInt8]) throws -> SegmentHeader {
    guard case .header(let header) = bytes.withUnsafeBytes({ SegmentHeader.read($0) }) else {
      throw UnsoundBytes()
    }
    return header
  }
}

/// A test asked for the contents of bytes that have none.
package struct UnsoundBytes: Error {
  package init() {}
}
