internal import Foundation
internal import ObjectPatching
internal import TestSupport
import Testing

/// Documents are taken exactly where RFC 8259 has them, and refused for what they are, where it is.
@Suite struct JSONParsingTests {
  private func error(_ text: String, _ limits: JSONLimits = JSONLimits()) -> JSONError? {
    do throws(JSONError) {
      _ = try JSONValue(parsing: text.utf8, limits: limits)
      return nil
    } catch {
      return error
    }
  }

  @Test func `the documents of the public suite that must be taken are taken`() throws {
    #expect(JSONSuite.taken.count == 100)
    for bytes in JSONSuite.taken {
      let value = try JSONValue(parsing: bytes)
      #expect(try JSONValue(parsing: value.bytes()) == value)
      // What was written reads as Foundation reads it, where numbers are not beyond it.
      if (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil {
        _ = try JSONSerialization.jsonObject(
          with: Data(value.bytes(isIndented: true)), options: .fragmentsAllowed)
      }
    }
    let long = [
      "[0.4e00669" + String(repeating: "9", count: 110) + "69999999006]",
      #"{"x":[{"id": "\#(String(repeating: "x", count: 40))"}], "id": "xxxx"}"#,
      #"{"title":"\u041f\u043e\u043b\u0442\u043e\u0440\u0430 \u0417\u0435\u043c\u043b" }"#,
      String(repeating: "[", count: 500) + String(repeating: "]", count: 500),
    ]
    for text in long { #expect(error(text) == nil) }
  }

  @Test func `the documents of the public suite that must be refused are refused`() {
    #expect(JSONSuite.refused.count == 210)
    for bytes in JSONSuite.refused {
      do throws(JSONError) {
        let value = try JSONValue(parsing: bytes)
        Issue.record("\(String(decoding: bytes, as: UTF8.self)) is read as \(value)")
      } catch {
        #expect((0...bytes.count).contains(error.byteOffset ?? -1), "\(error)")
      }
    }
    #expect(error(String(repeating: "[", count: 100_000))?.code == .tooDeep)
    #expect(error(String(repeating: "[{\"\":", count: 50_000))?.code == .tooDeep)
  }

  @Test func `S81: keys that stand twice are refused, with their path`() {
    for bytes in JSONSuite.takenByOthers {
      #expect(throws: JSONError.self) { try JSONValue(parsing: bytes) }
    }
    let twice = error(#"{"a":[0,{"b":1,"c":2,"b":3}]}"#)
    #expect(twice?.code == .duplicateKey && twice?.path == "/a/1/b" && twice?.byteOffset == 21)
    #expect(
      twice?.description
        == "The JSON document at /a/1/b (byte 21) has this key twice in one object.")
    let many = (0..<100).map { "\"k\($0)\":0" }.joined(separator: ",")
    #expect(error("{\(many),\"k7\":1}")?.path == "/k7")
  }

  @Test func `S81: keys that are equal only after normalisation are refused`() {
    let pair = error("{\"e\u{301}\":1,\"\u{E9}\":2}")
    #expect(pair?.code == .keysLookTheSame && pair?.path == "/\u{E9}" && pair?.byteOffset == 9)
    let many = (0..<100).map { "\"k\($0)\":0" }.joined(separator: ",")
    #expect(error("{\"\\u212b\":0,\(many),\"\\u00c5\":1}")?.code == .keysLookTheSame)
  }

  @Test func `S81: what is beyond a limit is refused before it takes memory`() {
    var limits = JSONLimits()
    limits.depth = 3
    #expect(error("[[[]]]", limits) == nil)
    let deep = error(#"[{"a":[[]]}]"#, limits)
    #expect(deep?.code == .tooDeep && deep?.path == "/0/a/0" && deep?.byteOffset == 7)
    limits = JSONLimits()
    limits.valueCount = 4
    #expect(error("[1,2,3]", limits) == nil)
    #expect(error("[1,2,3,4]", limits)?.code == .tooLarge)
    limits = JSONLimits()
    limits.memberCount = 2
    #expect(error(#"[{"a":1},{"b":2}]"#, limits) == nil)
    #expect(error(#"[{"a":1},{"b":2,"c":3}]"#, limits)?.code == .tooLarge)
    limits.byteCount = 8
    #expect(error("[1, 2, 3]", limits)?.code == .tooLarge)
    limits = JSONLimits()
    limits.numberLength = 5
    #expect(error("-1234", limits) == nil)
    #expect(error("[0, 1.2345]", limits)?.path == "/1")
  }

  @Test func `half a surrogate pair and wrong bytes are told with their place`() {
    let half = error(#"{"a":"xy\ud800z"}"#)
    #expect(half?.code == .badText && half?.path == "/a" && half?.byteOffset == 8)
    let bytes = Array(#"["ok","é"#.utf8) + [0xC3, 0x22, 0x5D]
    #expect(
      throws: JSONError(
        .badText, "has bytes in a string that are not UTF-8", at: "/1",
        byteOffset: 9)
    ) { try JSONValue(parsing: bytes) }
  }

  @Test func `numbers stay what they were`() throws {
    let text =
      "[9223372036854775807,-9223372036854775808,9007199254740993,9223372036854775808,"
      + "123456789012345678901234567890.5,-0,-0.0,1E400,0.1]"
    let value = try JSONValue(parsing: text.utf8)
    #expect(value.description == text)
    let elements = try #require(value.array)
    guard case .integer(.max) = elements[0], case .integer(.min) = elements[1],
      case .integer(9_007_199_254_740_993) = elements[2], case .number(let large) = elements[3],
      case .number(let long) = elements[4], case .number(let zero) = elements[5],
      case .number(let huge) = elements[7]
    else {
      Issue.record("\(elements)")
      return
    }
    #expect(large.integer == nil && large.decimal == Decimal(string: "9223372036854775808"))
    #expect(long.decimal?.description == "123456789012345678901234567890.5")
    #expect(zero.real?.sign == .minus && huge.real == nil && huge.decimal == nil)
  }

  @Test func `amounts are compared however they are written`() throws {
    func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: text.utf8) }
    let same = try ["[100]", "[1e2]", "[1E+2]", "[100.0]", "[0.1e3]", "[10000e-2]"].map(json)
    for one in same {
      for other in same { #expect(one == other) }
    }
    let (zero, other) = (try json("[0]"), try json("[-0.0e7]"))
    let (one, minus, more) = (try json("[1]"), try json("[-1]"), try json("[1.0000000000000001]"))
    #expect(zero == other && one != minus && one != more)
    #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
    guard case .number(let fifteen) = try json("1.5e1"), case .number(let half) = try json("1.5")
    else {
      Issue.record("numbers")
      return
    }
    #expect(fifteen.integer == 15 && half.integer == nil)
  }

  @Test func `every value comes back from its text, and every cut and change is read or refused`()
    throws
  {
    let campaign = Campaign(count: "XJ_JSON_DOCUMENTS", inGate: 300)
    var dice = Dice(seed: campaign.seed)
    for round in 0..<campaign.count {
      let value = dice.document(depth: 5)
      let bytes = value.bytes(isIndented: dice.chance(2))
      let note: Comment = "seed \(campaign.seed), round \(round)"
      let back = try JSONValue(parsing: bytes)
      #expect(back == value && back.bytes() == value.bytes(), note)
      for _ in 0..<10 where !bytes.isEmpty {
        var damaged = bytes
        damaged[dice.pick(bytes.count)] = UInt8(truncatingIfNeeded: dice.next())
        if dice.chance(2) { damaged.removeLast(dice.pick(damaged.count)) }
        do throws(JSONError) {
          let other = try JSONValue(parsing: damaged)
          #expect(try JSONValue(parsing: other.bytes()) == other, note)
        } catch {
          #expect((0...damaged.count).contains(error.byteOffset ?? -1), note)
        }
      }
    }
  }

  @Test func `reals are written in the fewest digits that read back`() throws {
    var dice = Dice(seed: Campaign(count: "XJ_JSON_DOCUMENTS", inGate: 1).seed)
    for _ in 0..<2_000 {
      let real = Double(bitPattern: dice.next())
      guard let number = JSONNumber(real) else { continue }
      let back = try JSONValue(parsing: "[\(number.text)]".utf8)
      guard case .number(let read) = try #require(back.array)[0] else {
        Issue.record("\(number.text)")
        continue
      }
      #expect(read.real?.bitPattern == real.bitPattern)
    }
    #expect(JSONNumber(1.0)?.text == "1.0" && JSONNumber(1e300)?.text == "1e+300")
    #expect(JSONNumber(Double.nan) == nil && JSONNumber(-Double.infinity) == nil)
  }

  @Test func `members are found, changed and removed among many, in their order`() {
    var object = JSONObject()
    for index in 0..<1_000 { object.append("k\(index)", .integer(index)) }
    #expect(!object.append("k5", .null) && object["k5"] == .integer(5) && object["x"] == nil)
    for index in 0..<1_000 where index % 3 != 0 { object.remove("k\(index)") }
    #expect(object.count == 334 && object["k3"] == .integer(3) && object["k4"] == nil)
    #expect(object.set("k3", "three") && object.set("k4", "four") && object.remove("k1") == nil)
    let answer = object.update("k6") { value in
      value = "six"
      return 6
    }
    #expect(answer == 6 && object["k6"] == "six")
    let keys = object.members.map(\.key)
    #expect(keys.prefix(3) == ["k0", "k3", "k6"] && keys.last == "k4" && keys.count == 335)
  }
}

extension Dice {
  /// A document of any kind, with odd texts and numbers.
  mutating func document(depth: Int) -> JSONValue {
    switch pick(depth > 0 ? 8 : 6) {
    case 0: return .null
    case 1: return .boolean(chance(2))
    case 2: return .integer(integer())
    case 3: return JSONNumber(real()).map { .number($0) } ?? .null
    case 4, 5: return .string(text())
    case 6: return .array((0..<pick(6)).map { _ in document(depth: depth - 1) })
    default:
      var object = JSONObject()
      for _ in 0..<pick(chance(8) ? 30 : 5) { object.append(text(), document(depth: depth - 1)) }
      return .object(object)
    }
  }
}
