// Which values are equal, what literals make, and what getters give.

import FoundationEssentials
import ObjectModel
import Testing

/// One value of every kind.
let samples: [Value] = [
  .null, .boolean(true), .integer(1), .real(1), .decimal(1), .string("1"), .data(Data([1])),
  .date(Date(timeIntervalSinceReferenceDate: 1)), .uuid(UUID()), .url(URL(filePath: "/1")),
  .array([1]), .dictionary(["1": 1]), .counter(1), .set([1]),
  .reference(
    ObjectID(entity: EntityNumber(rawValue: 1), number: 1, store: StoreTag(rawValue: 1))),
]

@Suite struct ValueEquality {
  @Test func `reals are equal by their bits`() {
    #expect(Value.real(.nan) == Value.real(.nan))
    #expect(Value.real(.nan) != Value.real(-.nan))
    #expect(Value.real(0) != Value.real(-0.0))
    #expect(Value.real(0).hashValue != Value.real(-0.0).hashValue)
    #expect(Set([Value.real(.nan), .real(.nan)]).count == 1)
  }

  @Test func `dates are equal by their bits`() {
    func date(_ seconds: Double) -> Value { .date(Date(timeIntervalSinceReferenceDate: seconds)) }
    #expect(date(.nan) == date(.nan))
    #expect(date(0) != date(-0.0))
    #expect(date(1) != date(1.0.nextUp))
    #expect(date(7) == date(7) && date(7).hashValue == date(7).hashValue)
  }

  @Test func `texts that only look the same are not equal, at any depth`() {
    let (one, other) = ("\u{E9}", "e\u{301}")
    #expect(one == other)
    #expect(Value.string(one) != Value.string(other))
    #expect(Value.array([.string(one)]) != .array([.string(other)]))
    #expect(Value.set([.string(one)]) != .set([.string(other)]))
    #expect(Value.set([.string(one), .string(other)]).set?.count == 2)
    #expect(Value.dictionary(["a": .string(one)]) != .dictionary(["a": .string(other)]))
  }

  @Test func `keys that only look the same make different dictionaries`() {
    #expect(Value.dictionary(["\u{E9}": 1]) != .dictionary(["e\u{301}": 1]))
    #expect(Value.dictionary(["\u{E9}": 1]) == .dictionary(["\u{E9}": 1]))
    #expect(Value.dictionary(["a": 1]) != .dictionary(["a": 1, "b": 1]))
    #expect(Value.dictionary(["a": 1]) != .dictionary(["b": 1]))
  }

  /// Otherwise each would be compared with all others when they come into a set.
  @Test func `values that look alike, or begin alike, have hashes of their own`() throws {
    let alike = try (0..<1_024).map { number in
      let text = (0..<10).map { number >> $0 & 1 == 0 ? "\u{e9}" : "e\u{301}" }.joined()
      let digits = String(1_000_000_000_000_000_000 + number)
      return [
        Value.string(text), .dictionary([text: 1]), .array([.string(text)]),
        .url(try #require(URL(string: "https://example.org/\(number)"))),
        .data(Data(repeating: 0, count: 100) + Data(text.utf8)),
        .decimal(try #require(Decimal(string: digits))),
        .dictionary(["a": .string(text), "b": .string(text)]),
      ]
    }
    for kind in alike[0].indices {
      #expect(Set(alike.map { $0[kind].hashValue }).count == alike.count)
    }
    for (one, other) in [("1.5", "1.50"), ("0", "0.00"), ("100", "1e2"), ("-7", "-7.0")] {
      let values = [one, other].map { Decimal(string: $0).map(Value.decimal) }
      #expect(values[0] == values[1] && values[0].hashValue == values[1].hashValue)
    }
  }

  @Test func `values of different kinds are never equal`() {
    #expect(samples.map(\.kind) == Value.Kind.allCases)
    for (index, one) in samples.enumerated() {
      for (position, other) in samples.enumerated() {
        #expect((one == other) == (index == position), "\(one.kind) and \(other.kind)")
      }
    }
  }

  @Test func `decimals are equal by what they amount to`() {
    let hundred = Decimal(sign: .plus, exponent: 2, significand: 1)
    #expect(Value.decimal(hundred) == .decimal(100))
    #expect(Value.decimal(hundred).hashValue == Value.decimal(100).hashValue)
    #expect(Value.decimal(.nan) == .decimal(.nan))
  }

  @Test func `a relative URL equals its absolute form`() throws {
    let base = try #require(URL(string: "http://a.b/c/"))
    let relative = try #require(URL(string: "d", relativeTo: base))
    let absolute = try #require(URL(string: "http://a.b/c/d"))
    #expect(Value.url(relative) == .url(absolute))
    #expect(Value.url(relative).hashValue == Value.url(absolute).hashValue)
  }

  @Test func `a value takes no more room than three words`() {
    #expect(MemoryLayout<Value>.size <= 17)
    #expect(MemoryLayout<Value>.stride <= 24)
  }
}

@Suite struct ValueForms {
  @Test func `literals make values of the kind they look like`() {
    #expect(nil as Value == .null)
    #expect(true as Value == .boolean(true))
    #expect(3 as Value == .integer(3))
    #expect(1.5 as Value == .real(1.5))
    #expect("a" as Value == .string("a"))
    #expect("a\(1)" as Value == .string("a1"))
    #expect([1, "a", nil] as Value == .array([.integer(1), .string("a"), .null]))
    #expect(["a": 1, "b": [:]] as Value == .dictionary(["a": .integer(1), "b": .dictionary([:])]))
  }

  @Test func `a dictionary literal with a key twice traps`() async {
    await #expect(processExitsWith: .failure) { _ = ["a": 1, "a": 2] as Value }
  }

  @Test func `each getter gives what its kind holds and nil for every other`() {
    for value in samples {
      let held: [Any?] = [
        value.isNull ? () : nil, value.boolean, value.integer, value.real, value.decimal,
        value.string, value.data, value.date, value.uuid, value.url, value.array,
        value.dictionary, value.counter, value.set, value.reference,
      ]
      let given = zip(Value.Kind.allCases, held).filter { $0.1 != nil }.map(\.0)
      #expect(given == [value.kind])
    }
    #expect(Value.integer(7).integer == 7 && Value.counter(7).counter == 7)
    #expect(Value.set([1, 1, 2]).set == [1, 2])
    #expect(Value.dictionary(["a": 1]).dictionary == ["a": 1])
  }

  @Test func `values print as people write them`() throws {
    let url = try #require(URL(string: "http://a.b/c"))
    let texts: [(Value, String)] = [
      (nil, "null"), (true, "true"), (3, "3"), (.counter(-3), "-3"), (1.5, "1.5"), ("a", "\"a\""),
      (.decimal(2), "2"), (.data(Data([1, 2])), "2 bytes"), (.data(Data([1])), "1 byte"),
      (.date(Date(timeIntervalSinceReferenceDate: 0)), "2001-01-01T00:00:00Z"),
      (.url(url), "http://a.b/c"), ([1, "b"], "[1, \"b\"]"),
      (["b": 1, "a": [:]], "[\"a\": [], \"b\": 1]"),
      (.set([2, 1]), "set of [1, 2]"),
      (.array(Array(repeating: 0, count: 9)), "[0, 0, 0, 0, 0, 0, 0, 0, …]"),
      (
        .string(String(repeating: "x", count: 61)), "\"" + String(repeating: "x", count: 60) + "…\""
      ),
      (nest(9), "[[[[[…]]]]]"),
    ]
    for (value, text) in texts { #expect(value.description == text) }
    for value in samples { #expect(!value.description.contains("(")) }
  }

  @Test func `dates that the system cannot put into words print all the same`() {
    for seconds in [Double.nan, .infinity, -.infinity, 1e300, -1e15] {
      let text = Value.date(Date(timeIntervalSinceReferenceDate: seconds)).description
      #expect(text == "\(seconds) seconds after 2001-01-01T00:00:00Z")
    }
  }
}
