// Tests that a scanner hands out every whole frame in its place, and tells how the frames end.

import ByteCoding
import DiskAccess
import Journaling
import TestSupport
import Testing

@Suite struct ScanningWholeSegments {
  private let payloads: [[UInt8]] = [
    batchBytes(firstEdit: 1, edits: [[1, 2, 3]]), [], [UInt8](repeating: 9, count: 5000), [7],
  ]

  @Test func `frames come in order, each where it begins, and with its payload`() throws {
    let segment = SegmentBuilder(payloads)
    let walk = try segment.walk
    #expect(walk.numbers == [1, 2, 3, 4])
    #expect(walk.offsets == segment.offsets.map { UInt64($0) })
    #expect(walk.payloads == payloads)
    #expect(walk.endingName == "end of file")
    #expect(walk.place.offset == UInt64(segment.bytes.count))
    #expect(walk.place.expected == FrameNumber(5))
    #expect(walk.place.previousBodyCheck == segment.lastBodyCheck)
  }

  @Test func `a segment may begin at any number, and continue another`() throws {
    var header = SegmentHeaderBytes()
    header.firstFrame = 1 << 40
    header.previousBodyCheck = 0xAAAA_BBBB_CCCC_DDDD
    var segment = SegmentBuilder(payloads, header)
    segment.addFooter()
    let walk = try segment.walk
    #expect(walk.numbers == (0..<4).map { 1 << 40 + $0 })
    #expect(walk.endingName == "footer")
  }

  @Test func `a segment without frames ends at once`() throws {
    #expect(try SegmentBuilder().walk.endingName == "end of file")
    var sealed = SegmentBuilder()
    sealed.addFooter()
    #expect(try sealed.walk.endingName == "footer")
    #expect(try SegmentWalk(of: SegmentBuilder().bytes + [0]).endingName == "zeros")
  }

  @Test func `zeros of every length to the end of the file end a segment well`() throws {
    let counts = Array(1...100) + [1 << 16 - 1, 1 << 16, 1 << 16 + 1, 1 << 20, 3 << 20]
    for count in counts {
      var segment = SegmentBuilder(payloads)
      segment.addZeros(count)
      let walk = try segment.walk
      #expect(walk.numbers.count == 4)
      #expect(walk.endingName == "zeros", "\(count) zeros")
      segment = SegmentBuilder(payloads)
      segment.addFooter()
      segment.addZeros(count)
      #expect(try segment.walk.endingName == "footer", "\(count) zeros behind the footer")
    }
  }

  @Test func `a footer says what the frames are`() throws {
    var segment = SegmentBuilder(payloads)
    segment.addFooter()
    guard case .footer(let footer) = try segment.walk.ending else { throw UnsoundBytes() }
    #expect(footer.frameCount == 4)
    #expect(footer.lastFrame == FrameNumber(4))
    #expect(footer.lastBodyCheck == segment.lastBodyCheck)
  }

  @Test func `a walk goes on from every place an earlier one came to`() throws {
    let segment = SegmentBuilder(payloads)
    let file = MemoryFile(segment.bytes)
    let header = try SegmentHeader.sound(segment.bytes)
    var scanner = try FrameScanner(file, header)
    for count in 0...payloads.count {
      let rest = try SegmentWalk(of: file, header, from: scanner.place)
      #expect(rest.numbers == segment.offsets.indices.dropFirst(count).map { UInt64($0) + 1 })
      #expect(rest.payloads == Array(payloads.dropFirst(count)))
      _ = try scanner.next()
    }
  }

  @Test func `frames larger than what is read at once are whole`() throws {
    var dice = Dice(seed: 42)
    let large = [3 << 20, 100, 1 << 20, (2 << 20) + 13].map {
      [UInt8](randomByteCount: $0, from: &dice)
    }
    let walk = try SegmentBuilder(large).walk
    #expect(walk.payloads == large)
    #expect(walk.endingName == "end of file")
  }

  @Test func `kinds and flags that may be ignored do not end a walk`() throws {
    var segment = SegmentBuilder()
    for value in UInt8.min...UInt8.max {
      var frame = segment.frame([value])
      frame.kind = value
      frame.flags = value & 0x0F
      frame.reserved = value
      segment.add(frame)
    }
    let walk = try segment.walk
    #expect(walk.numbers.count == 256)
    #expect(walk.endingName == "end of file")
  }

  @Test func `a frame whose checks fit and that is no LZ4 frame has no payload`() throws {
    var segment = SegmentBuilder([[1]])
    var frame = segment.frame([1, 2, 3])
    frame.lz4Frame[frame.lz4Frame.count - 1] = 1
    segment.add(frame)
    frame = segment.frame([1, 2, 3])
    frame.payloadByteCount = 4
    segment.add(frame)
    segment.add([5])
    #expect(try segment.walk.payloads == [[1], nil, nil, [5]])
  }

  @Test func `what is cut from a file while it is read is never handed out`() throws {
    let segment = SegmentBuilder(payloads)
    let header = try SegmentHeader.sound(segment.bytes)
    for count in SegmentHeader.byteCount..<segment.bytes.count {
      let file = MemoryFile(
        Array(segment.bytes[..<count]), announcing: UInt64(segment.bytes.count))
      let walk = try SegmentWalk(of: file, header)
      let whole = segment.offsets.dropFirst().filter { $0 <= count }.count
      #expect(walk.numbers.count == whole, "\(count) bytes are left")
    }
  }

  @Test func `a read that fails is told as what it is`() throws {
    let segment = SegmentBuilder(payloads)
    let failure = DiskError(.read, "memory", .inputOutput)
    let file = MemoryFile(segment.bytes, failure: failure)
    let header = try SegmentHeader.sound(segment.bytes)
    #expect(throws: JournalError.disk(failure)) { try SegmentWalk(of: file, header) }
    let refusal = DiskError(.read, "memory", .inputOutput, isRefusal: true)
    #expect(throws: JournalError.stopped(cause: refusal)) {
      try SegmentWalk(of: MemoryFile(segment.bytes, failure: refusal), header)
    }
  }
}
