// Tests variable-length integers: every boundary, every cut, and everything that is too long or too large.

import ByteCoding
import TestSupport
import Testing

@Suite struct Varints {
  /// Each power of two with its neighbours, which are all the places where a length changes, and more.
  private static let boundaries: [UInt64] = {
    let powers: [UInt64] = (0..<64).map { 1 << $0 }
    return powers.flatMap { [$0 - 1, $0, $0 + 1] } + [.max - 1, .max]
  }()

  private func encoded(_ value: UInt64) -> [UInt8] {
    var writer = ByteWriter(capacity: 1)
    writer.writeVarint(value)
    return writer.array
  }

  @Test func `every boundary is read as it was written, in as many bytes as are told before`()
    throws
  {
    for value in Self.boundaries {
      let bytes = encoded(value)
      #expect(bytes.count == Varint.byteCount(of: value))
      #expect(bytes.count <= Varint.maximumByteCount)
      try (bytes + [0xFF]).read { reader throws in
        #expect(try reader.readVarint() == value)
        #expect(reader.offset == bytes.count)
      }
    }
  }

  @Test func `every length has just the integers of its bits`() {
    for count in 1...9 {
      let largest = UInt64(1) << UInt64(7 * count) - 1
      #expect(Varint.byteCount(of: largest) == count)
      #expect(Varint.byteCount(of: largest + 1) == count + 1)
    }
    #expect(Varint.byteCount(of: 0) == 1)
    #expect(Varint.byteCount(of: .max) == 10)
  }

  @Test func `small integers are what other writers of this form write`() {
    #expect(encoded(0) == [0])
    #expect(encoded(1) == [1])
    #expect(encoded(127) == [0x7F])
    #expect(encoded(128) == [0x80, 1])
    #expect(encoded(300) == [0xAC, 2])
    #expect(encoded(.max) == [UInt8](repeating: 0xFF, count: 9) + [1])
  }

  @Test func `every cut of an integer is refused and moves nothing`() throws {
    for value in Self.boundaries {
      let bytes = encoded(value)
      for cut in 0..<bytes.count {
        try ([7] + bytes[..<cut]).read { reader throws in
          #expect(try reader.readVarint() == 7)
          #expect(throws: ByteCodingError(code: .endOfBytes, offset: 1)) {
            try reader.readVarint()
          }
          #expect(reader.offset == 1)
        }
      }
    }
  }

  @Test func `an integer that is longer than it need be is refused`() throws {
    for value in Self.boundaries {
      for padding in 1...3 {
        var bytes = encoded(value)
        guard bytes.count + padding <= Varint.maximumByteCount else { continue }
        bytes[bytes.count - 1] |= 0x80
        bytes += [UInt8](repeating: 0x80, count: padding - 1) + [0]
        try bytes.read { reader throws in
          #expect(throws: ByteCodingError(code: .integerNotShortest, offset: 0)) {
            try reader.readVarint()
          }
          #expect(reader.offset == 0)
        }
      }
    }
  }

  @Test func `an integer of more than 64 bits is refused, whatever its tenth byte adds`() throws {
    let nine = [UInt8](repeating: 0x80, count: 9)
    for tenth in UInt8.min...UInt8.max {
      for front in [nine, [UInt8](repeating: 0xFF, count: 9)] {
        try (front + [tenth, 1, 1]).read { reader throws in
          switch tenth {
          case 0:
            #expect(throws: ByteCodingError(code: .integerNotShortest, offset: 0)) {
              try reader.readVarint()
            }
          case 1:
            let rest = front == nine ? 0 : UInt64.max >> 1
            #expect(try reader.readVarint() == rest | 1 << 63)
          default:
            #expect(throws: ByteCodingError(code: .integerTooLarge, offset: 0)) {
              try reader.readVarint()
            }
            #expect(reader.offset == 0)
          }
        }
      }
    }
  }

  @Test func `of all two bytes, those in shortest form are read and no others`() throws {
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        let bytes = [first, second]
        let answer = Result { try bytes.read { try ($0.readVarint(), $0.offset).0 } }
        if first < 0x80 {
          #expect(try answer.get() == UInt64(first))
        } else if second >= 0x80 {
          #expect(throws: ByteCodingError(code: .endOfBytes, offset: 0)) { try answer.get() }
        } else if second == 0 {
          #expect(throws: ByteCodingError(code: .integerNotShortest, offset: 0)) {
            try answer.get()
          }
        } else {
          #expect(try answer.get() == UInt64(first & 0x7F) | UInt64(second) << 7)
        }
      }
    }
  }

  @Test func `what is read is written again as the same bytes`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_UNIT", inGate: 20_000)
    var dice = Dice(seed: campaign.seed)
    for _ in 0..<campaign.count {
      var bytes = [UInt8](randomByteCount: 11, from: &dice)
      if Bool.random(using: &dice) {
        for index in 0..<Int.random(in: 0...10, using: &dice) { bytes[index] |= 0x80 }
      }
      guard let value = try? bytes.read({ try $0.readVarint() }) else { continue }
      #expect(bytes.starts(with: encoded(value)), "seed \(campaign.seed): \(bytes)")
    }
  }

  @Test func `signed integers are short near zero and whole at their ends`() throws {
    let small: [(Int64, [UInt8])] = [
      (0, [0]), (-1, [1]), (1, [2]), (-2, [3]), (63, [0x7E]), (-64, [0x7F]), (64, [0x80, 1]),
    ]
    for (value, expected) in small {
      var writer = ByteWriter()
      writer.writeVarint(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
      #expect(writer.array == expected)
    }
    let values = Self.boundaries.flatMap { [Int64(bitPattern: $0), Int64(bitPattern: ~$0)] }
    for value in values + [.min, .min + 1, .max, .max - 1] {
      var writer = ByteWriter()
      writer.writeVarint(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
      #expect(try writer.array.read { try $0.readSignedVarint() } == value)
    }
    #expect(throws: ByteCodingError(code: .endOfBytes, offset: 0)) {
      try [UInt8]([0x80]).read { try $0.readSignedVarint() }
    }
  }
}
