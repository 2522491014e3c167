// Tests that everything wrong with a segment's frames is found, each fault as what it is and where it is.

import ByteCoding
import Journaling
import TestSupport
import Testing

@Suite struct ScanningFaultySegments {
  private let payloads: [[UInt8]] = [[1], [2, 2], [UInt8](repeating: 3, count: 300), [4]]
  private let path = "journal/0000000001.xj"

  private var sound: SegmentBuilder { SegmentBuilder(payloads) }

  /// The header of the sound segment, its frames in some order, and more bytes.
  private func segment(_ frames: [Int], _ more: [UInt8] = []) -> [UInt8] {
    sound.header.encoded() + frames.flatMap { sound.frameBytes($0) } + more
  }

  /// Expects a walk to end at a finding, behind so many of the sound frames.
  private func expect(
    _ kind: Finding.Kind, in bytes: [UInt8], after count: Int, _ comment: Comment? = nil
  ) throws {
    let walk = try SegmentWalk(of: bytes)
    let offset = (sound.offsets + [sound.bytes.count])[count]
    let expected = Finding(
      kind, path, at: UInt64(offset), expected: FrameNumber(UInt64(count) + 1))
    #expect(walk.finding == expected, comment)
    #expect(walk.numbers == (0..<UInt64(count)).map { $0 + 1 }, comment)
    #expect(walk.place.offset == expected.offset, comment)
  }

  @Test func `a dropped frame is missing`() throws {
    try expect(.framesMissing(found: FrameNumber(2)), in: segment([1, 2, 3]), after: 0)
    try expect(.framesMissing(found: FrameNumber(4)), in: segment([0, 3]), after: 1)
    try expect(.framesMissing(found: FrameNumber(4)), in: segment([0, 1, 3]), after: 2)
  }

  @Test func `a doubled frame is repeated`() throws {
    try expect(.frameRepeated(found: FrameNumber(1)), in: segment([0, 0, 1]), after: 1)
    try expect(.frameRepeated(found: FrameNumber(1)), in: segment([0, 1, 0]), after: 2)
    try expect(.frameRepeated(found: FrameNumber(4)), in: segment([0, 1, 2, 3, 3]), after: 4)
  }

  @Test func `swapped frames are found where the later one stands`() throws {
    try expect(.framesSwapped(found: FrameNumber(3)), in: segment([0, 2, 1, 3]), after: 1)
    try expect(.framesSwapped(found: FrameNumber(2)), in: segment([1, 0, 2, 3]), after: 0)
    try expect(.framesSwapped(found: FrameNumber(4)), in: segment([0, 1, 3, 2]), after: 2)
    // Further apart than by one, they are missing.
    try expect(.framesMissing(found: FrameNumber(4)), in: segment([0, 3, 2, 1]), after: 1)
  }

  @Test func `a frame of another salt is foreign, whichever frame it is`() throws {
    var header = SegmentHeaderBytes()
    for salt in [0, 1, UInt64.max, header.salt ^ 1, ~header.salt] {
      header.salt = salt
      header.store = StoreIdentity(high: 9, low: salt)
      let other = SegmentBuilder(payloads, header)
      for index in 0..<4 {
        try expect(
          .foreignFrame, in: segment([0], other.frameBytes(index) + sound.frameBytes(1)), after: 1)
      }
    }
  }

  @Test func `a foreign frame that is damaged besides is damaged`() throws {
    var header = SegmentHeaderBytes()
    header.salt ^= 0xFF
    let frame = SegmentBuilder(payloads, header).frameBytes(1)
    for bit in 64..<frame.bitCount {
      try expect(.sealDamaged, in: segment([0], frame.flipping(bit: bit)), after: 1, "bit \(bit)")
    }
  }

  @Test func `a frame whose salt differs in its upper half alone has another body`() throws {
    var header = SegmentHeaderBytes()
    header.salt ^= 1 << 40
    header.previousBodyCheck = sound.header.previousBodyCheck
    let other = SegmentBuilder(payloads, header)
    try expect(.bodyDamaged, in: segment([], other.frameBytes(0)), after: 0)
  }

  @Test func `frames inside a payload are only a payload`() throws {
    var header = SegmentHeaderBytes()
    header.salt = 99
    // Frames of another store, and the very frame that would come next in ours.
    let inner = SegmentBuilder(payloads, header).bytes
    let next = FrameBytes(2, [66], after: sound.lastBodyCheck).encoded(salt: sound.header.salt)
    let payload = inner + next
    var segment = sound
    var frame = segment.frame(payload)
    frame.lz4Frame = storedFrame(of: payload)
    frame.lz4FrameByteCount = UInt32(frame.lz4Frame.count)
    segment.add(frame)
    #expect(try segment.walk.payloads == payloads + [payload])
    // Where the outer frame is damaged, no inner one takes its place.
    let outer = sound.bytes.count
    #expect(
      try SegmentWalk(of: segment.bytes.flipping(bit: (outer + 20) * 8)).finding?.kind
        == .sealDamaged)
    #expect(
      try SegmentWalk(of: segment.bytes.flipping(bit: (outer + 70) * 8)).finding?.kind
        == .bodyDamaged)
  }

  /// An LZ4 frame of one block that is stored as it is.
  private func storedFrame(of payload: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.write([0x04, 0x22, 0x4D, 0x18, 0x60, 0x40, 0x82])
    writer.write(UInt32(payload.count) | 0x8000_0000)
    writer.write(payload)
    writer.write(UInt32(0))
    return writer.array
  }

  @Test func `frames of newer code are told as such`() throws {
    for (format, flags) in [(UInt8(0), UInt8(0)), (2, 0), (255, 3)] {
      var frame = SegmentBuilder([[1]]).frame([2])
      (frame.format, frame.flags) = (format, flags)
      try expect(
        .frameNewer(format: format, flags: flags),
        in: segment([0], frame.encoded(salt: sound.header.salt)), after: 1)
    }
    for bit in UInt8(4)...7 {
      var frame = SegmentBuilder([[1]]).frame([2])
      frame.flags = 1 << bit
      try expect(
        .frameNewer(format: 1, flags: 1 << bit),
        in: segment([0], frame.encoded(salt: sound.header.salt)), after: 1)
    }
  }

  @Test func `a frame that follows another than the one before is no continuation`() throws {
    for previous in [0, sound.lastBodyCheck, ~UInt64(0)] {
      let frame = FrameBytes(2, [2], after: previous)
      try expect(
        .linkBroken, in: segment([0], frame.encoded(salt: sound.header.salt)), after: 1)
    }
    let first = FrameBytes(1, [2], after: 1)
    try expect(.linkBroken, in: segment([], first.encoded(salt: sound.header.salt)), after: 0)
  }

  @Test func `bytes that begin no frame are none`() throws {
    for byte: UInt8 in [1, 0x50, 0x5A, 0x5F, 0xFF] {
      try expect(.notAFrame, in: segment([0], [UInt8](repeating: byte, count: 100)), after: 1)
    }
    for place in [0, 1, 47, 48, 99] {
      var bytes = [UInt8](repeating: 0, count: 100)
      bytes[place] = 1
      try expect(.notAFrame, in: segment([0], bytes), after: 1, "byte \(place)")
    }
    let lz4Frame = FrameBytes.lz4Frame(of: [UInt8](0..<100))
    try expect(.notAFrame, in: segment([0], lz4Frame), after: 1)
  }

  @Test func `fewer bytes than a seal that are not all zeros are a frame cut short`() throws {
    for count in 1..<48 {
      var bytes = [UInt8](repeating: 0, count: count)
      bytes[count - 1] = 1
      try expect(.frameCutShort, in: segment([0], bytes), after: 1, "\(count) bytes")
    }
  }

  @Test func `every cut of a frame is told as a cut`() throws {
    for index in [0, 2, 3] {
      let frame = sound.frameBytes(index)
      for count in 1..<frame.count {
        try expect(
          .frameCutShort, in: segment(Array(0..<index), Array(frame[..<count])), after: index,
          "\(count) bytes of frame \(index + 1)")
      }
    }
  }

  @Test func `every flipped bit of a frame is found, and the frames before it are whole`() throws {
    let frame = sound.frameBytes(2)
    for bit in 0..<frame.bitCount {
      let kind: Finding.Kind =
        bit < 64 ? .notAFrame : bit < 48 * 8 ? .sealDamaged : .bodyDamaged
      try expect(
        kind, in: segment([0, 1], frame.flipping(bit: bit) + sound.frameBytes(3)), after: 2,
        "bit \(bit)")
    }
  }

  @Test func `lengths beyond the limits are refused before anything is read for them`() throws {
    let lengths: [(lz4Frame: UInt32, payload: UInt32, kind: Finding.Kind)] = [
      (.max, 0, .frameMalformed), (0, .max, .frameMalformed), (.max, .max, .frameMalformed),
      (UInt32(Limits.lz4FrameByteCount) + 1, 0, .frameMalformed),
      (UInt32(Limits.lz4FrameByteCount), 0, .frameCutShort),
      (1 << 20, UInt32(Limits.payloadByteCount) + 1, .frameMalformed),
      (1 << 20, UInt32(Limits.payloadByteCount), .frameCutShort),
      (100, 255 * 100 + 65, .frameMalformed), (100, 255 * 100 + 64, .frameCutShort),
    ]
    for (lz4Frame, payload, kind) in lengths {
      var frame = SegmentBuilder([[1]]).frame([2])
      (frame.lz4FrameByteCount, frame.payloadByteCount) = (lz4Frame, payload)
      try expect(
        kind, in: segment([0], frame.encoded(salt: sound.header.salt)), after: 1,
        "\(payload) in \(lz4Frame)")
    }
  }

  @Test func `zeros and a whole frame far behind them are no frame`() throws {
    // The bytes that the scanner loads next begin with a whole seal.
    for zeros in [1 << 16, 1 << 20] {
      for number: UInt64 in [1, 2, 3] {
        var segment = SegmentBuilder([])
        segment.addZeros(zeros)
        segment.add(FrameBytes(number, [5]))
        try expect(.notAFrame, in: segment.bytes, after: 0, "\(zeros) zeros, frame \(number)")
      }
    }
  }
}

@Suite struct ScanningFaultyFooters {
  private let segment = SegmentBuilder([[1], [2]])
  private var salt: UInt64 { segment.header.salt }

  private func kind(_ footer: [UInt8], _ more: [UInt8] = []) throws -> Finding.Kind? {
    try SegmentWalk(of: segment.bytes + footer + more).finding?.kind
  }

  @Test func `a footer that says other than the frames is damaged`() throws {
    var footer = segment.footer
    footer.frameCount += 1
    #expect(try kind(footer.encoded(salt: salt)) == .footerDamaged)
    footer = segment.footer
    footer.lastFrame -= 1
    #expect(try kind(footer.encoded(salt: salt)) == .footerDamaged)
    footer = segment.footer
    footer.lastBodyCheck ^= 1 << 63
    #expect(try kind(footer.encoded(salt: salt)) == .footerDamaged)
    #expect(try kind(segment.footer.encoded(salt: salt ^ 1)) == .footerDamaged)
    #expect(try kind(segment.footer.encoded(salt: salt)) == nil)
  }

  @Test func `every flipped bit and every cut of a footer is found`() throws {
    let footer = segment.footer.encoded(salt: salt)
    for bit in 0..<footer.bitCount {
      #expect(
        try kind(footer.flipping(bit: bit)) == (bit < 64 ? .notAFrame : .footerDamaged),
        "bit \(bit)")
    }
    for count in 1..<footer.count {
      #expect(try kind(Array(footer[..<count])) == .frameCutShort, "\(count) bytes")
    }
  }

  @Test func `bytes behind a footer are found right behind it`() throws {
    let footer = segment.footer.encoded(salt: salt)
    let end = UInt64(segment.bytes.count + footer.count)
    for zeros in [0, 1, 100, 1 << 16, 1 << 20] {
      let walk = try SegmentWalk(
        of: segment.bytes + footer + [UInt8](repeating: 0, count: zeros) + [1])
      #expect(walk.finding?.kind == .bytesAfterFooter, "\(zeros) zeros")
      #expect(walk.finding?.offset == end)
      #expect(walk.numbers == [1, 2])
    }
    let next = FrameBytes(3, [3], after: segment.lastBodyCheck).encoded(salt: salt)
    #expect(try kind(footer, next) == .bytesAfterFooter)
  }

  @Test func `frames with the largest numbers end without a trap`() throws {
    var header = SegmentHeaderBytes()
    header.firstFrame = Limits.number
    var last = SegmentBuilder([[1]], header)
    #expect(last.nextNumber == Limits.number + 1)
    #expect(last.footer.lastFrame == Limits.number && last.footer.frameCount == 1)
    #expect(try SegmentWalk(of: last.bytes + last.footer.encoded(salt: salt)).finding == nil)
    var footer = last.footer
    footer.lastFrame = 0
    last.add(bytes: footer.encoded(salt: salt))
    let walk = try last.walk
    #expect(walk.numbers == [Limits.number])
    #expect(walk.finding?.kind == .footerDamaged)
  }
}
