import Foundation
import ManagedObjects
import ObjectModel
import Testing
import XJournal

/// Writes and reads by every call that coders have, and keeps what it was told.
private struct Packed: Codable, Equatable {
  enum Key: String, CodingKey { case integers, list, link, flag, nothing }
  enum InnerKey: CodingKey { case a }

  struct Integers: Codable, Equatable {
    var (a, b, c, d, e) = (Int8.min, Int16.min, Int32.min, Int64.min, Int.max)
    var (f, g, h, i, j) = (UInt8.max, UInt16.max, UInt32.max, UInt64.max, UInt.max)
  }

  var integers = Integers()
  var link = URL(string: "https://example.org/a")
  var seen: [String] = []

  init() {}

  init(from decoder: any Decoder) throws {
    #expect(decoder.userInfo.isEmpty)
    let container = try decoder.container(keyedBy: Key.self)
    integers = try container.decode(Integers.self, forKey: .integers)
    link = try container.decode(URL.self, forKey: .link)
    var list = try container.nestedUnkeyedContainer(forKey: .list)
    seen = [
      "\(list.count ?? -1) \(list.currentIndex)", "\(try list.decodeNil()) \(list.currentIndex)",
    ]
    seen.append("\(try list.decodeNil()) \(list.currentIndex)")
    let keyed = try list.nestedContainer(keyedBy: InnerKey.self)
    seen.append("\(try keyed.decode(Int.self, forKey: .a)) \(keyed.contains(.a))")
    var inner = try list.nestedUnkeyedContainer()
    seen.append("\(try inner.decode(String.self)) \(inner.isAtEnd)")
    let above = try list.superDecoder().singleValueContainer()
    seen.append("\(try above.decode(Bool.self)) \(above.decodeNil())")
    seen.append("\(try list.decode(Float.self)) \(list.isAtEnd) \(try list.decodeNil())")
    seen.append(
      "\(try container.decodeNil(forKey: .nothing)) \(try container.decodeNil(forKey: .flag))")
    seen.append(
      "\(try container.superDecoder(forKey: .flag).singleValueContainer().decode(Bool.self))")
    seen.append(container.allKeys.map(\.rawValue).sorted().joined(separator: " "))
  }

  func encode(to encoder: any Encoder) throws {
    #expect(encoder.userInfo.isEmpty)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(integers, forKey: .integers)
    try container.encode(link, forKey: .link)
    try container.encodeNil(forKey: .nothing)
    try container.encode([1], forKey: .list)
    // What was given as a whole is gone on with.
    var list = container.nestedUnkeyedContainer(forKey: .list)
    #expect(list.count == 1)
    var flag = container.superEncoder(forKey: .flag).singleValueContainer()
    try flag.encode(true)
    try list.encodeNil()
    var keyed = list.nestedContainer(keyedBy: InnerKey.self)
    try keyed.encode(7, forKey: .a)
    var inner = list.nestedUnkeyedContainer()
    try inner.encode("x")
    var above = list.superEncoder().singleValueContainer()
    try above.encode(true)
    try list.encode(2)
    #expect(list.count == 6)
  }
}

/// A list that contains itself as often as it is told.
private struct Nest: Codable, Equatable {
  var inner: [Nest] = []

  init(_ depth: Int) { if depth > 0 { inner = [Nest(depth - 1)] } }
}

private final class Crate: ManagedObject {
  @Attribute("packed", .codable) var packed: Packed?
  @Attribute("nest", .codable) var nest: Nest?
  @Attribute("small", .codable) var small: [Int8]?
  @Attribute("words", .codable) var words: [[String: String]]?
  @Attribute("ratio", .codable) var ratio: [Double]?
  @Attribute("link", .codable) var link: [URL]?
}

@Suite struct CodedContainerTests {
  private let stage: Stage
  private let context: ManagedObjectContext
  private let crate: Crate

  init() throws {
    stage = try Stage(ManagedObjectModel(Crate.self))
    context = stage.context()
    crate = context.insert(Crate.self)
  }

  private func stored(_ key: String) -> Value? { crate.value(forKey: key) }

  @Test func `S29: whatever container a coder asks for, it reads what it has written`() throws {
    crate.packed = Packed()
    let value = try #require(stored("packed")?.dictionary)
    #expect(value["list"] == [1, nil, ["a": 7], ["x"], true, 2])
    #expect(value["flag"] == true && value["nothing"] == nil)
    #expect(
      value["integers"]?.dictionary?["f"] == 255 && value["integers"]?.dictionary?["a"] == -128)
    try context.save()
    let other = stage.context()
    defer { withExtendedLifetime(other) {} }
    // The first of the list is no nil, and is not passed over by asking whether it is one.
    crate.setValue(
      .dictionary(value.merging(["list": [nil, ["a": 7], ["x"], true, 2]]) { $1 }), forKey: "packed"
    )
    let found = try #require(crate.packed)
    #expect(found.integers == Packed.Integers() && found.link == Packed().link)
    #expect(
      found.seen == [
        "5 0", "true 1", "false 1", "7 true", "x true", "true false", "2.0 true false",
        "true false",
        "true", "flag integers link list",
      ])
  }

  private static let misfits: [(String, Value, String)] = [
    ("small", [1, 300], "Path: [1]|the stored value is integer"),
    ("small", [1, "x"], "the stored value is string"), ("small", ["a": 1], "is dictionary"),
    ("words", [["a": "b"], 3], "the stored value is integer"), ("words", [[1]], "is array"),
    ("small", [nil], "the stored value is null"), ("link", [3], "is integer"),
    ("packed", ["integers": [:]], "there is no such key"), ("ratio", ["x"], "is string"),
  ]

  @Test(arguments: misfits)
  func `S29: a stored value that is none of the type's is nothing, and the error says what it is`(
    key: String, value: Value, words: String
  ) throws {
    crate.setValue(value, forKey: key)
    let error = #expect(throws: DecodingError.self) {
      switch key {
      case "small": _ = try crate.transformedValue(forKey: key, as: [Int8].self)
      case "words": _ = try crate.transformedValue(forKey: key, as: [[String: String]].self)
      case "ratio": _ = try crate.transformedValue(forKey: key, as: [Double].self)
      case "link": _ = try crate.transformedValue(forKey: key, as: [URL].self)
      default: _ = try crate.transformedValue(forKey: key, as: Packed.self)
      }
    }
    let said = error.map { "\($0)" } ?? ""
    #expect(words.split(separator: "|").allSatisfy { said.contains($0) }, "\(said)")
    #expect(crate.small == nil && crate.words == nil && crate.packed == nil && crate.ratio == nil)
  }

  @Test func `S29: a number that is whole is read as a real`() {
    crate.setValue([1, 0.5], forKey: "ratio")
    #expect(crate.ratio == [1, 0.5])
  }

  @Test func `S29: a list that ends before its type does is told`() {
    crate.setValue(
      ["integers": .dictionary([:]), "link": .null, "list": []], forKey: "packed")
    #expect(throws: DecodingError.self) {
      try crate.transformedValue(forKey: "packed", as: Packed.self)
    }
    #expect(crate.packed == nil)
  }

  @Test func `S29: what is coded into itself too deep is refused with the save, and is told`()
    throws
  {
    crate.nest = Nest(20)
    try context.save()
    crate.nest = Nest(Value.largestDepth)
    let error = #expect(throws: ContextError.self) { try context.save() }
    guard case .transformFailed(crate.objectID, "nest", let reason)? = error else {
      Issue.record("\(error.map { "\($0)" } ?? "nothing was thrown")")
      return
    }
    #expect(reason.contains("nested deeper than \(Value.largestDepth) levels"), "\(reason)")
    let other = stage.context()
    defer { withExtendedLifetime(other) {} }
    #expect(try other.existingObject(with: crate.objectID, as: Crate.self).nest == Nest(20))
  }
}
