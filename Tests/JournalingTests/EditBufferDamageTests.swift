// Tests that an edit buffer that was torn, damaged or forged gives a prefix of its edits and nothing else.

import Journaling
import TestSupport
import Testing

@Suite struct DamagedEditBuffers {
  private typealias Half = EditBufferBytes.Half

  private static let edits: [[UInt8]] = (1...9).map {
    [UInt8](repeating: UInt8($0), count: 1 + $0 * 5 % 19)
  }

  /// Two halves of edits, and both slots.
  private var filled: EditBufferBytes {
    var buffer = EditBufferBytes(
      Half(from: 6, Array(Self.edits[5...])), Half(from: 1, Array(Self.edits[..<5])))
    buffer.slots = [40, 41]
    return buffer
  }

  private func isPrefix(_ edits: [[UInt8]]) -> Bool {
    edits == Array(Self.edits.prefix(edits.count))
  }

  @Test func `a last entry written up to any byte is left out until it is whole`() throws {
    let half = Half(from: 1, Array(Self.edits[..<5]))
    let buffer = EditBufferBytes(half)
    let bytes = buffer.encoded()
    let offsets = buffer.offsets(ofEntriesInHalf: 0)
    let (start, end) = (offsets[4], offsets[5])
    let lastByte = start + 8 + half.edits[4].count
    for cut in start...end {
      // As power may leave it: the front of the entry, and the back of it.
      var front = bytes
      front.replaceSubrange(cut..<end, with: [UInt8](repeating: 0, count: end - cut))
      let reading = try EditBufferReading(of: front)
      #expect(reading.edits.count == (cut >= lastByte ? 5 : 4), "the first \(cut - start) bytes")
      #expect(isPrefix(reading.edits))
      #expect(reading.findings.isEmpty == (cut == start || cut >= lastByte))
      var back = bytes
      back.replaceSubrange(start..<cut, with: [UInt8](repeating: 0, count: cut - start))
      #expect(try EditBufferReading(of: back).edits.count == (cut == start ? 5 : 4))
    }
  }

  @Test func `a writer that ends before the header of its entry leaves no trace of it`() throws {
    let buffer = EditBufferBytes(Half(from: 1, Array(Self.edits[..<5])))
    var bytes = buffer.encoded()
    let start = buffer.offsets(ofEntriesInHalf: 0)[4]
    bytes.put(UInt64(0), at: start)
    let reading = try EditBufferReading(of: bytes)
    #expect(reading.edits == Array(Self.edits[..<4]))
    #expect(reading.findings == [])
  }

  @Test func `a writer that ends while it begins a half leaves nothing to be told`() throws {
    var buffer = filled
    buffer.halves[0]?.generation = 0
    var bytes = buffer.encoded()
    let start = buffer.offset(ofHalf: 0)
    bytes.put(UInt64(0), at: start + 32)
    for word in stride(from: 8, to: 32, by: 8) {
      bytes.put(UInt64(0x5A5A), at: start + word)
      let reading = try EditBufferReading(of: bytes)
      #expect(reading.edits == Array(Self.edits[..<5]))
      #expect(reading.findings == [])
    }
    // With an entry in it, a half was begun, and its header is damaged.
    bytes.put(UInt64(1), at: start + 32)
    let damaged = Finding(.editHalfDamaged, JournalFiles.edits, at: UInt64(start))
    #expect(try EditBufferReading(of: bytes).findings == [damaged])
  }

  @Test func `a half that is zeros is told, unless nothing can have been in it`() throws {
    for (generation, isTold) in [(2, [true, false]), (3, [true, true])] as [(UInt64, [Bool])] {
      for index in 0...1 {
        var buffer = EditBufferBytes(
          Half(from: 1, Array(Self.edits[..<5])), Half(from: 6, Array(Self.edits[5...])))
        buffer.halves[1 - index]?.generation = generation
        var bytes = buffer.encoded()
        let start = buffer.offset(ofHalf: index)
        for word in stride(from: 0, to: 40, by: 8) { bytes.put(UInt64(0), at: start + word) }
        let empty = Finding(.editHalfEmpty, JournalFiles.edits, at: UInt64(start))
        let reading = try EditBufferReading(of: bytes)
        #expect((reading.findings.first == empty) == isTold[index], "\(generation), \(index)")
      }
    }
  }

  @Test func `every flipped bit gives a prefix of the edits, and a loss is told`() throws {
    let bytes = filled.encoded()
    #expect(try EditBufferReading(of: bytes).edits == Self.edits)
    let places = [0..<64, 1024..<1040, 2048..<2064, 4096..<bytes.count]
    for bit in places.flatMap({ $0.lowerBound * 8..<$0.upperBound * 8 }) {
      let reading = try EditBufferReading(of: bytes.flipping(bit: bit))
      guard isPrefix(reading.edits) else {
        Issue.record("bit \(bit) gives \(reading.edits)")
        continue
      }
      let isWhole = reading.edits.count == Self.edits.count
      #expect(isWhole || !reading.findings.isEmpty, "bit \(bit) loses edits in silence")
      #expect([0, 40, 41].contains(reading.durableThrough), "bit \(bit)")
      #expect(bit / 8 < 4096 || reading.durableThrough == 41, "bit \(bit)")
    }
  }

  @Test func `every eighth byte that is lost or stale gives a prefix of the edits`() throws {
    let bytes = filled.encoded()
    for offset in stride(from: 4096, to: bytes.count, by: 8) {
      for value in [0, UInt64.max, 0x0000_0001_0000_0000] {
        var changed = bytes
        changed.put(value, at: offset)
        #expect(isPrefix(try EditBufferReading(of: changed).edits), "\(value) at \(offset)")
      }
    }
  }

  @Test func `old entries behind a new beginning are never taken`() throws {
    // The half was begun again: its header is new, and behind the zeros of its end stand older entries.
    let older = EditBufferBytes(Half(from: 1, Array(Self.edits[..<5])))
    let newer = EditBufferBytes(Half(from: 6, [Self.edits[5]]))
    let end = newer.offsets(ofEntriesInHalf: 0)[1]
    var bytes = older.encoded()
    bytes.replaceSubrange(..<end, with: newer.encoded()[..<end])
    let reading = try EditBufferReading(of: bytes, from: 6)
    #expect(reading.edits == [Self.edits[5]])
  }

  @Test func `a buffer cut at any length is damaged and gives no edits, but what was durable`()
    throws
  {
    let bytes = filled.encoded()
    for count in 0..<bytes.count {
      let reading = try EditBufferReading(of: Array(bytes[..<count]))
      let known = EditBufferLayout.slotOffsets.count { $0 + 16 <= count }
      #expect(reading.edits == [] && reading.durableThrough == [0, 40, 41][known])
      #expect(reading.findings == [Finding(.editBufferDamaged, JournalFiles.edits)])
    }
    #expect(try EditBufferReading(of: bytes + [1, 2, 3]).edits == Self.edits)
  }

  @Test func `a buffer that is not there is told`() throws {
    let reading = try EditBufferReading(of: nil)
    #expect(reading.edits == [])
    #expect(reading.findings == [Finding(.editBufferMissing, JournalFiles.edits)])
  }

  @Test func `the buffer of another store is not read`() throws {
    for store in [StoreIdentity(high: 1, low: filled.store.low), .init(high: 0, low: 0)] {
      let reading = try EditBufferReading(of: filled.encoded(), store: store)
      #expect(reading.edits == [] && reading.durableThrough == 0)
      #expect(reading.findings == [Finding(.editBufferForeign, JournalFiles.edits)])
    }
  }

  @Test func `a buffer of another kind is damaged, and one of newer code is told as newer`() throws
  {
    var buffer = filled
    buffer.name[3] = UInt8(ascii: "X")
    var reading = try EditBufferReading(of: buffer.encoded())
    #expect(reading.edits == [])
    #expect(reading.findings == [Finding(.editBufferDamaged, JournalFiles.edits)])
    for (format, features) in [(UInt16(0), UInt32(0)), (2, 0), (1, 1), (.max, .max)] {
      buffer = filled
      (buffer.format, buffer.requiredFeatures) = (format, features)
      reading = try EditBufferReading(of: buffer.encoded())
      #expect(reading.edits == [] && reading.durableThrough == 0)
      let newer = Finding.Kind.editBufferNewer(format: format, requiredFeatures: features)
      #expect(reading.findings == [Finding(newer, JournalFiles.edits)])
    }
  }

  @Test func `a damaged half is told, and leaves the other`() throws {
    let buffer = EditBufferBytes(
      Half(from: 1, Array(Self.edits[..<5])), Half(from: 6, Array(Self.edits[5...])))
    for byte in 0..<32 {
      for index in 0...1 {
        let offset = buffer.offset(ofHalf: index)
        let reading = try EditBufferReading(of: buffer.encoded().flipping(bit: (offset + byte) * 8))
        let damaged = Finding(.editHalfDamaged, JournalFiles.edits, at: UInt64(offset))
        #expect(reading.findings.first == damaged)
        #expect(reading.edits == (index == 0 ? [] : Array(Self.edits[..<5])))
      }
    }
  }

  @Test func `hostile lengths of halves are refused`() throws {
    for length: UInt32 in [0, 8, 24, 31, 33, 36, 255, 257, 1 << 20, 1 << 31, .max - 7, .max] {
      var buffer = EditBufferBytes()
      buffer.halfByteCount = length
      let reading = try EditBufferReading(of: buffer.encoded(fileByteCount: 4096 + 512))
      #expect(reading.findings == [Finding(.editBufferDamaged, JournalFiles.edits)], "\(length)")
    }
    for length: UInt32 in [32, 40, 48, 64] {
      var buffer = EditBufferBytes(Half(from: 1, []), Half(from: 1, []))
      buffer.halfByteCount = length
      let reading = try EditBufferReading(of: buffer.encoded())
      #expect(reading.edits == [] && reading.findings == [], "\(length)")
    }
  }

  @Test func `hostile lengths of entries are refused although their checks fit`() throws {
    let buffer = EditBufferBytes(Half(from: 1, [Self.edits[0]]))
    let start = buffer.offsets(ofEntriesInHalf: 0)[1]
    let room = UInt32(buffer.offset(ofHalf: 1) - start - 8)
    for length in [0, room + 1, room + 8, 1 << 30, 0x7FFF_FFF8, 0x7FFF_FFFF] {
      for isSpan in [false, true] {
        var bytes = buffer.encoded()
        let entry = buffer.entry([], 2, isSpan: isSpan, claiming: length)
        bytes.replaceSubrange(start..<start + entry.count, with: entry)
        let reading = try EditBufferReading(of: bytes)
        #expect(reading.edits == [Self.edits[0]], "\(length)")
        #expect(
          reading.findings == [
            Finding(
              .editDamaged(expected: EditNumber(2)), JournalFiles.edits, at: UInt64(start))
          ])
      }
    }
  }

  @Test func `edits with the largest numbers end without a trap`() throws {
    let buffer = EditBufferBytes(Half(from: .max - 1, Array(Self.edits[..<4])))
    let reading = try EditBufferReading(of: buffer.encoded(), from: .max - 1)
    #expect(isPrefix(reading.edits))
  }

  @Test func `the count of durable frames is read alone, and only of a sound header`() throws {
    func durable(_ bytes: [UInt8]?, _ store: StoreIdentity) throws -> FrameNumber? {
      let folder = bytes.map { MemoryFolder(JournalFiles.edits, $0) } ?? MemoryFolder([:])
      return try EditBufferContents.durableThrough(in: folder, store: store)
    }
    let bytes = filled.encoded()
    let store = filled.store
    #expect(try durable(bytes, store) == FrameNumber(41))
    #expect(try durable(Array(bytes[..<4096]), store) == FrameNumber(41))
    #expect(try durable(Array(bytes[..<4095]), store) == nil)
    #expect(try durable([], store) == nil)
    #expect(try durable(nil, store) == nil)
    #expect(try durable(bytes, StoreIdentity(high: 1, low: 1)) == nil)
    for bit in 0..<64 * 8 { #expect(try durable(bytes.flipping(bit: bit), store) == nil) }
  }
}
