import EventCoding
import FoundationEssentials
import ObjectModel
import TestSupport
import Testing

/// One value has one encoding, and equal values have the same.
struct ValueFormTests {
  @Test(arguments: [
    (Value.integer(-16), [0x80] as [UInt8]), (.integer(0), [0x90]), (.integer(111), [0xFF]),
    (.integer(112), [4, 0xE0, 1]), (.integer(-17), [4, 0x21]), (.null, [1]),
    (.boolean(false), [2]), (.boolean(true), [3]), (.string(""), [0x40]),
    (.string("ab"), [0x42, 0x61, 0x62]), (.real(1), [5, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F]),
    (.decimal(0), [6, 0, 0, 0]), (.decimal(500), [6, 2, 5, 0]), (.decimal(-500), [7, 2, 5, 0]),
    (.data(Data([9])), [9, 1, 9]), (.array([.null]), [13, 1, 1]), (.counter(-1), [15, 1]),
    (.dictionary(["b": .null, "a": .integer(0)]), [14, 2, 1, 0x61, 0x90, 1, 0x62, 1]),
    (.set([.integer(2), .integer(1)]), [16, 2, 0x91, 0x92]),
  ])
  func `values have the bytes that the format says`(value: Value, stated: [UInt8]) throws {
    #expect(try bytes(of: value) == stated)
    #expect(try EventCodingTests.value(stated) == value)
  }

  @Test func `numbers and texts come back at every border`() throws {
    var values: [Value] = (-300...300).map { .integer($0) }
    for shift in 0..<63 {
      for distance in -1...1 {
        values += [.integer(1 << shift + distance), .counter(-(1 << shift) + distance)]
      }
    }
    values += [.integer(.min), .integer(.max), .counter(.min), .counter(.max)]
    values += (0...130).map { .string(String(repeating: "x", count: $0)) }
    for value in values { #expect(try EventCodingTests.value(bytes(of: value)) == value) }
  }

  @Test func `a value that has a shorter form is refused`() throws {
    let longForms: [[UInt8]] = [
      [4, 0], [4, 0xDE, 1], [4, 0x1F], [8, 0], [8, 1, 0x61],
      [8, 63] + Array(repeating: 65, count: 63),
      [6, 0, 10, 0], [6, 0xFF, 100, 0], [7, 0, 0, 0], [6, 1, 0, 0],
    ]
    for form in longForms {
      #expect(throws: EventCodingError(.notShortest, at: 5), "\(form)") { try value(form) }
    }
  }

  @Test func `equal values are written alike, however they came about`() throws {
    let sums: [(Decimal, Decimal)] = [
      (Decimal(sign: .plus, exponent: 2, significand: 5), 500),
      (Decimal(sign: .plus, exponent: -1, significand: 25) * 8, 20),
      (Decimal(sign: .minus, exponent: -5, significand: 100_000), -1),
      (-Decimal(0), 0),
    ]
    for (one, other) in sums {
      #expect(one == other)
      #expect(try bytes(of: .decimal(one)) == bytes(of: .decimal(other)))
    }
    let members = (0..<50).map { Value.string("\($0)") }
    var backwards = Set<Value>()
    for member in members.reversed() { backwards.insert(member) }
    #expect(try bytes(of: .set(Set(members))) == bytes(of: .set(backwards)))
    let entries = members.map { ("k\($0)", $0) }
    let one = Dictionary(uniqueKeysWithValues: entries)
    let other = Dictionary(uniqueKeysWithValues: entries.reversed())
    #expect(try bytes(of: .dictionary(one)) == bytes(of: .dictionary(other)))
  }

  @Test func `texts that look the same keep their bytes`() throws {
    let (one, other) = (try bytes(of: .string("é")), try bytes(of: .string("e\u{301}")))
    #expect(one != other)
    #expect(try value(one)?.string?.utf8.count == 2)
    #expect(try value(other)?.string?.utf8.count == 3)
  }

  @Test func `decimals come back exactly, up to the largest`() throws {
    var dice = Dice(seed: 77)
    let largest = Decimal.greatestFiniteMagnitude
    var decimals = (0..<2_000).map { _ in dice.decimal() }.filter { !$0.isNaN }
    #expect(decimals.count > 1_500)
    decimals += [largest, -largest, .leastNonzeroMagnitude, .pi, largest.significand]
    decimals += ["1e-128", "340282366920938463463374607431768211455e-128", "1230e127"]
      .compactMap { Decimal(string: $0) }
    for decimal in decimals {
      let decoded = try value(bytes(of: .decimal(decimal)))?.decimal
      #expect(decoded == decimal)
      #expect(decoded?.description == decimal.description)
    }
  }

  @Test func `members stand in the order of values`() throws {
    var dice = Dice(seed: 78)
    for _ in 0..<1_000 {
      let members = dice.members(depth: 2)
      let decoded = try bytes(of: .set(members)).dropFirst(2)
      let stated = try members.sorted(by: Value.precedes).flatMap { try bytes(of: $0) }
      #expect(Array(decoded) == stated)
    }
  }

  @Test func `a set within sets takes no longer for being deep`() throws {
    // Two members at each level: comparing values would take the square of it.
    var value = Value.integer(0)
    for _ in 0..<13 { value = .set([.array([value]), .array([value, .null])]) }
    let bytes = try bytes(of: value)
    #expect(bytes.count > 20_000)
    #expect(try EventCodingTests.value(bytes) == value)
  }

  @Test func `values may stand so deep within each other, and no deeper`() throws {
    #expect(Value.largestDepth == 128)
    #expect(try value(bytes(of: nested(128))) == nested(128))
    #expect(throws: EventCodingError.self) { try bytes(of: nested(129)) }
    for opening: [UInt8] in [[13, 1], [14, 1, 0], [16, 1]] {
      let deep = { (count: Int) -> [UInt8] in
        Array(repeating: opening, count: count).flatMap(\.self) + [1]
      }
      #expect(try value(deep(128)) != nil)
      let last = 5 + 128 * opening.count
      #expect(throws: EventCodingError(.tooDeep, at: last)) { try value(deep(129)) }
      #expect(throws: EventCodingError(.tooDeep, at: last)) { try value(deep(100_000)) }
    }
  }
}
