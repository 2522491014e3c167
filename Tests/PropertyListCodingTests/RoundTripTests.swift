// Tests that every value comes back from its property list as it was, by its bits.

import ByteCoding
import Foundation
import ObjectModel
import PropertyListCoding
import TestSupport
import Testing

@Suite struct RoundTrips {
  @Test func `values of all kinds come back as they were`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_UNIT", inGate: 2000)
    var dice = Dice(seed: campaign.seed)
    var kinds: Set<Value.Kind> = []
    for round in 0..<campaign.count {
      let value = dice.anyValue()
      kinds.insert(value.kind)
      let bytes = try PropertyListWriter.encode(value)
      let again = try PropertyListReader.decode(bytes)
      #expect(again == value, "seed \(campaign.seed), round \(round)")
      #expect(try PropertyListWriter.encode(again) == bytes, "the same bytes for the same value")
    }
    #expect(kinds.count == Value.Kind.allCases.count, "every kind is tried")
  }

  @Test func `reals and dates come back with their bits`() throws {
    let bits: [UInt64] = [
      0, 1, 1 << 63, 0x7FF0_0000_0000_0000, 0xFFF0_0000_0000_0000, 0x7FF8_0000_0000_0001,
      0x7FF0_0000_0000_0001, 0xFFFF_FFFF_FFFF_FFFF, 0x3FF8_0000_0000_0000,
    ]
    for bits in bits {
      let real = try PropertyListReader.decode(
        PropertyListWriter.encode(.real(Double(bitPattern: bits))))
      #expect(real.real?.bitPattern == bits)
      let date = Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
      let back = try PropertyListReader.decode(PropertyListWriter.encode(.date(date)))
      #expect(back.date?.timeIntervalSinceReferenceDate.bitPattern == bits)
    }
  }

  @Test func `strings come back with their bytes`() throws {
    for text in ["", "a", "é", "e\u{301}", "\u{FFFF}\u{E000}\u{D7FF}", "😀", "a\0b", "\u{FEFF}x"] {
      let value = Value.dictionary([text: .string(text + text)])
      #expect(try PropertyListReader.decode(PropertyListWriter.encode(value)) == value)
      let keys = try PropertyListReader.read(PropertyListWriter.encode(value)) {
        node throws(PropertyListError) in try node.keys()
      }
      #expect(keys.map { Array($0.utf8) } == [Array(text.utf8)])
    }
  }

  @Test func `integers take the fewest bytes that hold them`() throws {
    let cases: [(Int, [UInt8])] = [
      (0, [0x10, 0]), (255, [0x10, 255]), (256, [0x11, 1, 0]), (65535, [0x11, 255, 255]),
      (65536, [0x12, 0, 1, 0, 0]), (-1, [0x13] + [UInt8](repeating: 255, count: 8)),
      (1 << 32, [0x13, 0, 0, 0, 1, 0, 0, 0, 0]),
    ]
    for (value, object) in cases {
      #expect(try PropertyListWriter.encode(.integer(value)) == ListBytes(object).bytes)
    }
  }

  @Test func `the extremes of decimals come back`() throws {
    let texts = [
      "0", "-0.1", "340282366920938463463374607431768211455", "1e127", "-1e-127", "12.50",
    ]
    for text in texts {
      let value = Value.decimal(try #require(Decimal(string: text)))
      #expect(try PropertyListReader.decode(PropertyListWriter.encode(value)) == value, "\(text)")
    }
    for decimal in [Decimal.greatestFiniteMagnitude, .leastFiniteMagnitude, .leastNonzeroMagnitude]
    {
      let value = Value.decimal(decimal)
      #expect(try PropertyListReader.decode(PropertyListWriter.encode(value)) == value)
    }
  }

  @Test func `counts and sizes come back on both sides of every step`() throws {
    for count in [0, 14, 15, 16, 254, 255, 256, 257, 65534, 65535, 65536] {
      let data = Value.data(Data(repeating: 7, count: count))
      #expect(try PropertyListReader.decode(PropertyListWriter.encode(data)) == data)
      let text = Value.string(String(repeating: "x", count: count))
      #expect(try PropertyListReader.decode(PropertyListWriter.encode(text)) == text)
      let array = Value.array((0..<count).map { .integer($0 + 1000) })
      let bytes = try PropertyListWriter.encode(array)
      #expect(try PropertyListReader.decode(bytes) == array)
      #expect(bytes[bytes.count - 25] == (count < 255 ? 1 : count < 65535 ? 2 : 4))
    }
  }

  @Test func `equal strings and small integers are written once`() throws {
    let once = try PropertyListWriter.encode([["a", 1], ["a", 1], true])
    #expect(objectCount(once) == 6)
    let rows = Value.array((0..<100).map { _ in .dictionary(["key": "value", "other": 3]) })
    #expect(objectCount(try PropertyListWriter.encode(rows)) == 1 + 100 + 4)
  }

  private func objectCount(_ bytes: [UInt8]) -> Int {
    bytes[(bytes.count - 24)..<(bytes.count - 16)].reduce(0) { $0 << 8 | Int($1) }
  }

  @Test func `a list is written behind what the writer has, and taken back where it fails`() throws
  {
    var writer = ByteWriter()
    writer.write([1, 2, 3])
    try PropertyListWriter.write(["a", [1]], to: &writer)
    let behind = writer.array
    #expect(behind == [1, 2, 3] + (try PropertyListWriter.encode(["a", [1]])))
    do throws(PropertyListError) {
      try PropertyListWriter.write(["b", .decimal(.nan)], to: &writer)
      Issue.record("a decimal that is no number is written")
    } catch {
      #expect(error.code == .decimalNotANumber)
    }
    #expect(writer.array == behind)
  }

  @Test func `what is too deep is not written`() throws {
    var deep: Value = 1
    for _ in 0..<Value.largestDepth { deep = .array([deep]) }
    #expect(try PropertyListReader.decode(PropertyListWriter.encode(deep)) == deep)
    for value in [Value.array([deep]), .dictionary(["a": deep]), .set([deep])] {
      #expect { try PropertyListWriter.encode(value) } throws: {
        ($0 as? PropertyListError)?.code == .tooDeep
      }
    }
  }

  @Test func `tagged leaves may stand at the largest depth`() throws {
    var deep: Value = .array([.counter(5), .uuid(UUID()), .decimal(1), nil])
    for _ in 1..<Value.largestDepth { deep = .array([deep]) }
    #expect(try PropertyListReader.decode(PropertyListWriter.encode(deep)) == deep)
  }

  @Test func `arrays that begin with null are arrays`() throws {
    for value: Value in [[nil], [nil, 1], [nil, nil], nil, .set([nil]), .set([])] {
      #expect(try PropertyListReader.decode(PropertyListWriter.encode(value)) == value)
    }
  }

  @Test func `every error is told in a sentence of its own`() {
    let sentences = PropertyListError.Code.allCases.map {
      PropertyListError($0, at: 17).description
    }
    #expect(Set(sentences).count == sentences.count)
    #expect(sentences.allSatisfy { $0.hasSuffix("at byte 17") })
  }
}
