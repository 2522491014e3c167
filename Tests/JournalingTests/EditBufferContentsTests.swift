// Tests that the edits a writer left in an edit buffer come back, in their order and only up to a hole.

import Journaling
import TestSupport
import Testing

@Suite struct EditBufferReadingOfWholeHalves {
  private typealias Half = EditBufferBytes.Half

  /// Edits of several lengths, each unlike the others.
  private static func edits(_ numbers: ClosedRange<Int>) -> [[UInt8]] {
    numbers.map { [UInt8](repeating: UInt8($0), count: 1 + $0 * 5 % 19) }
  }

  @Test func `a buffer without edits has none, and nothing is wrong`() throws {
    for buffer in [EditBufferBytes(), EditBufferBytes(Half(from: 1, []), Half(from: 1, []))] {
      let reading = try EditBufferReading(of: buffer.encoded())
      #expect(reading.edits == [])
      #expect(reading.findings == [])
      #expect(reading.durableThrough == 0)
    }
  }

  @Test func `edits of both halves come in the order of their numbers, whichever half is first`()
    throws
  {
    let (older, newer) = (Half(from: 1, Self.edits(1...5)), Half(from: 6, Self.edits(6...9)))
    for buffer in [EditBufferBytes(older, newer), EditBufferBytes(newer, older)] {
      let reading = try EditBufferReading(of: buffer.encoded())
      #expect(reading.edits == Self.edits(1...9))
      #expect(reading.findings == [])
    }
  }

  @Test func `edits that a frame holds already are left out, from every number on`() throws {
    let buffer = EditBufferBytes(
      Half(from: 4, Self.edits(4...8)), Half(from: 9, Self.edits(9...12)))
    for expected in 4...12 {
      let reading = try EditBufferReading(of: buffer.encoded(), from: UInt64(expected))
      #expect(reading.edits == Self.edits(expected...12))
      #expect(reading.findings == [])
    }
    for expected in [13, 14, UInt64.max] {
      #expect(try EditBufferReading(of: buffer.encoded(), from: expected).edits == [])
    }
  }

  @Test func `a buffer that is cut before an edit has what came before it, and nothing is wrong`()
    throws
  {
    let (older, newer) = (Half(from: 1, Self.edits(1...5)), Half(from: 6, Self.edits(6...9)))
    for buffer in [EditBufferBytes(older, newer), EditBufferBytes(newer, older)] {
      for refused in 1...9 {
        let wanted = Self.edits(refused...refused)[0]
        var contents = EditBufferContents(buffer.encoded(), of: buffer.store)
        contents.forEachUnsealedEdit(from: EditNumber(1)) { bytes, _ in Array(bytes) != wanted }
        let offset = try #require(contents.findings.last?.offset)
        let reading = try EditBufferReading(of: contents.bytes(before: offset))
        #expect(reading.edits == Array(Self.edits(1...9)[..<(refused - 1)]))
        #expect(reading.findings == [], "\(refused)")
      }
      let contents = EditBufferContents(buffer.encoded(), of: buffer.store)
      #expect(contents.firstEdit == EditNumber(1))
      #expect(contents.bytes(before: 0) == buffer.encoded())
    }
    let empty = EditBufferBytes()
    #expect(EditBufferContents(empty.encoded(), of: empty.store).firstEdit == nil)
  }

  @Test func `edits before which others are missing are left out, and that is told`() throws {
    let buffer = EditBufferBytes(Half(from: 4, Self.edits(4...8)))
    for expected: UInt64 in [1, 3] {
      let reading = try EditBufferReading(of: buffer.encoded(), from: expected)
      #expect(reading.edits == [])
      #expect(
        reading.findings == [
          Finding(
            .editsMissing(expected: EditNumber(expected), found: EditNumber(4)),
            JournalFiles.edits, at: 4096 + 32)
        ])
    }
  }

  @Test func `after a hole between the halves nothing is taken`() throws {
    let (older, newer) = (Half(from: 1, Self.edits(1...5)), Half(from: 7, Self.edits(7...9)))
    for (buffer, index) in [(EditBufferBytes(older, newer), 1), (EditBufferBytes(newer, older), 0)]
    {
      let reading = try EditBufferReading(of: buffer.encoded())
      #expect(reading.edits == Self.edits(1...5))
      #expect(
        reading.findings == [
          Finding(
            .editsMissing(expected: EditNumber(6), found: EditNumber(7)), JournalFiles.edits,
            at: UInt64(buffer.offset(ofHalf: index)) + 32)
        ])
    }
  }

  @Test func `edits that stand in both halves are taken once`() throws {
    let buffer = EditBufferBytes(
      Half(from: 1, Self.edits(1...5)), Half(from: 3, Self.edits(3...7)))
    #expect(try EditBufferReading(of: buffer.encoded()).edits == Self.edits(1...7))
  }

  @Test func `references to pieces are told from edits`() throws {
    var half = Half(from: 1, Self.edits(1...5))
    half.spans = [1, 4]
    let reading = try EditBufferReading(of: EditBufferBytes(half).encoded())
    #expect(reading.edits == Self.edits(1...5))
    #expect(reading.spans == [1, 4])
  }

  @Test func `an edit that is refused ends the edits, and is told`() throws {
    let buffer = EditBufferBytes(Half(from: 1, Self.edits(1...5)))
    for limit in 0...4 {
      let reading = try EditBufferReading(of: buffer.encoded(), limit: limit)
      #expect(reading.edits.count == limit)
      #expect(
        reading.findings == [
          Finding(
            .editDamaged(expected: EditNumber(UInt64(limit) + 1)), JournalFiles.edits,
            at: UInt64(buffer.offsets(ofEntriesInHalf: 0)[limit]))
        ])
    }
  }

  @Test func `a half may be filled to its last byte`() throws {
    for tail in 1...8 {
      let edits = [
        [UInt8](repeating: 1, count: 50), [UInt8](repeating: 2, count: 256 - 32 - 64 - 16 + tail),
      ]
      let reading = try EditBufferReading(
        of: EditBufferBytes(Half(from: 1, edits)).encoded())
      #expect(reading.edits == edits)
      #expect(reading.findings == [])
    }
    #expect(EditBufferLayout.largestEntryByteCount(halfByteCount: 256) == 200)
    #expect(EditBufferLayout.roomForEntry(of: 1) == 16)
    #expect(EditBufferLayout.roomForEntry(of: 8) == 16)
    #expect(EditBufferLayout.roomForEntry(of: 9) == 24)
  }

  @Test func `the newest slot that is whole tells how many frames are durable`() throws {
    for (first, second, expected) in [
      (UInt64?.none, UInt64?.none, UInt64(0)), (7, nil, 7), (nil, 7, 7), (7, 8, 8), (9, 8, 9),
    ] {
      var buffer = EditBufferBytes()
      buffer.slots = [first, second]
      #expect(try EditBufferReading(of: buffer.encoded()).durableThrough == expected)
      let folder = MemoryFolder(JournalFiles.edits, buffer.encoded())
      let noted = try EditBufferContents.durableThrough(in: folder, store: buffer.store)
      #expect(noted == (first == nil && second == nil ? nil : FrameNumber(expected)))
    }
  }

  @Test func `a slot torn at any byte leaves the other one`() throws {
    var buffer = EditBufferBytes()
    buffer.slots = [7, 8]
    for index in 0..<2 {
      let torn = buffer.encoded()
      let newer = buffer.slot(0x0909_0909_0909)
      for count in 0...newer.count {
        var bytes = torn
        bytes.replaceSubrange(
          1024 * (index + 1)..<1024 * (index + 1) + count, with: newer[..<count])
        let durable = try EditBufferReading(of: bytes).durableThrough
        // The highest bytes of both counts are zero, and the check decides.
        let other: UInt64 = index == 0 ? 8 : 7
        #expect(
          durable == (count == newer.count ? 0x0909_0909_0909 : count == 0 ? 8 : other),
          "slot \(index), \(count) bytes")
      }
    }
  }
}
