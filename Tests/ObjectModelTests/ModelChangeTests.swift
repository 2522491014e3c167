// What a change of the model makes of objects, where it can be found by comparing the two models.

import FoundationEssentials
import ObjectModel
import Testing

@Suite struct ModelChanges {
  private let ids = (0..<3).map { number in
    ObjectID(entity: EntityNumber(rawValue: 1), number: number, store: StoreTag(rawValue: 1))
  }

  private func changed(
    _ values: [String: Value], from older: [AttributeDescription], to newer: [AttributeDescription]
  ) throws -> [String: Value]? {
    try ModelChange(from: model(older), to: model(newer)).row(values)
  }

  private func changed(
    _ value: Value, from older: RelationshipDescription, to newer: RelationshipDescription
  ) throws -> Value? {
    try ModelChange(from: model([], [older]), to: model([], [newer])).row([older.name: value])?[
      newer.name]
  }

  @Test func `an added attribute starts with its default, or with nothing`() throws {
    let added = [
      AttributeDescription("n", .integer, defaultValue: 7), AttributeDescription("s", .string),
    ]
    #expect(try changed([:], from: [], to: added) == ["n": 7])
    #expect(try changed([:], from: [], to: [.required("n", .integer, defaultValue: 7)]) == ["n": 7])
  }

  @Test func `an added counter starts at zero and an added set empty, though required`() throws {
    let added: [AttributeDescription] = [.required("c", .counter), .required("s", .set)]
    #expect(try changed([:], from: [], to: added) == ["c": .counter(0), "s": .set([])])
  }

  @Test func `what a removed attribute held is dropped`() throws {
    let older = [AttributeDescription("a", .string), AttributeDescription("b", .string)]
    #expect(try changed(["a": "x", "b": "y"], from: older, to: [older[1]]) == ["b": "y"])
  }

  @Test func `a renamed attribute keeps what it held`() throws {
    let newer = AttributeDescription("b", .string, renamingIdentifier: "a")
    #expect(
      try changed(["a": "x"], from: [AttributeDescription("a", .string)], to: [newer]) == ["b": "x"]
    )
  }

  @Test func `two attributes can swap their names`() throws {
    let older = [AttributeDescription("a", .integer), AttributeDescription("b", .integer)]
    let newer = [
      AttributeDescription("a", .integer, renamingIdentifier: "b"),
      AttributeDescription("b", .integer, renamingIdentifier: "a"),
    ]
    #expect(try changed(["a": 1, "b": 2], from: older, to: newer) == ["a": 2, "b": 1])
  }

  @Test func `a name that a renamed attribute left can be given to a new one`() throws {
    let older = [AttributeDescription("a", .integer)]
    let newer = [
      AttributeDescription("b", .integer, renamingIdentifier: "a"),
      AttributeDescription("a", .string, defaultValue: "new"),
    ]
    #expect(try changed(["a": 1], from: older, to: newer) == ["b": 1, "a": "new"])
    #expect(try changed(["b": 1, "a": "x"], from: newer, to: newer) == ["b": 1, "a": "x"])
  }

  @Test func `a former name that leads nowhere is not minded`() throws {
    let newer = AttributeDescription("a", .string, renamingIdentifier: "z")
    #expect(
      try changed(["a": "x"], from: [AttributeDescription("a", .string)], to: [newer]) == ["a": "x"]
    )
  }

  @Test func `an attribute made optional keeps what it held, also nothing`() throws {
    let (older, newer) = (
      [AttributeDescription.required("a", .string)],
      [AttributeDescription("a", .string, defaultValue: "d")]
    )
    #expect(try changed(["a": "x"], from: older, to: newer) == ["a": "x"])
    #expect(try changed(["a": nil], from: older, to: newer) == ["a": nil])
    #expect(try changed([:], from: older, to: newer) == [:])
  }

  @Test func `an attribute made required gives its default to those that hold nothing`() throws {
    let (older, newer) = (
      [AttributeDescription("a", .string)],
      [AttributeDescription.required("a", .string, defaultValue: "d")]
    )
    #expect(try changed(["a": "x"], from: older, to: newer) == ["a": "x"])
    #expect(try changed(["a": nil], from: older, to: newer) == ["a": "d"])
    #expect(try changed([:], from: older, to: newer) == ["a": "d"])
  }

  @Test func `a transient attribute made persistent starts with its default`() throws {
    let older = [AttributeDescription("a", .string, isTransient: true)]
    let newer = [AttributeDescription("a", .integer, defaultValue: 3)]
    #expect(try changed([:], from: older, to: newer) == ["a": 3])
  }

  @Test func `a persistent attribute made transient drops what it held`() throws {
    let older = [AttributeDescription("a", .string)]
    let newer = [AttributeDescription.init("a", .integer, isOptional: false, isTransient: true)]
    #expect(try changed(["a": "x"], from: older, to: newer) == [:])
  }

  @Test func `rules, defaults, indexes, identifiers and merging change no object`() throws {
    let older = try model(
      [AttributeDescription("a", .string, defaultValue: "x")],
      [RelationshipDescription("r", to: "B")])
    let newer = try model(
      [
        AttributeDescription(
          "a", .string, defaultValue: "y", isIndexed: true, isIdentifier: true,
          merging: .custom("f"),
          validation: [.maxLength(3)])
      ], [RelationshipDescription("r", to: "B", deleteRule: .cascade)])
    #expect(try ModelChange(from: older, to: newer).isIdentity)
    #expect(try ModelChange(from: newer, to: older).isIdentity)
  }

  @Test func `dynamic attributes stay`() throws {
    let row: [String: Value] = ["mood": "sunny", "a": "x"]
    let newer = [AttributeDescription("b", .string, renamingIdentifier: "a")]
    #expect(
      try changed(row, from: [AttributeDescription("a", .string)], to: newer)
        == ["mood": "sunny", "b": "x"])
  }

  @Test func `a new attribute takes over the dynamic one of its key, where that is of its type`()
    throws
  {
    let row: [String: Value] = ["mood": "sunny"]
    let text = AttributeDescription("mood", .string, defaultValue: "grey")
    #expect(try changed(row, from: [], to: [text]) == row)
    let number = AttributeDescription("mood", .integer, defaultValue: 1)
    #expect(try changed(row, from: [], to: [number]) == ["mood": 1])
    let transient = AttributeDescription("mood", .string, isTransient: true)
    #expect(try changed(row, from: [], to: [transient]) == [:])
    let renamed = AttributeDescription("mood", .string, renamingIdentifier: "a")
    #expect(try changed(row, from: [AttributeDescription("a", .string)], to: [renamed]) == [:])
  }

  @Test func `an added or removed relationship is empty and gone`() throws {
    let related = try model([], [RelationshipDescription("r", to: "B")])
    let reference = Value.reference(ids[0])
    #expect(try ModelChange(from: related, to: model([])).row(["r": reference]) == [:])
    #expect(try ModelChange(from: model([]), to: related).row([:]) == [:])
  }

  @Test func `a renamed relationship keeps its destination`() throws {
    let newer = RelationshipDescription("s", to: "B", renamingIdentifier: "r")
    let reference = Value.reference(ids[0])
    #expect(
      try changed(reference, from: RelationshipDescription("r", to: "B"), to: newer) == reference)
  }

  @Test func `a relationship to one made to many has one destination`() throws {
    let older = RelationshipDescription("r", to: "B")
    let many = RelationshipDescription("r", to: "B", isToMany: true)
    let ordered = RelationshipDescription("r", to: "B", isToMany: true, isOrdered: true)
    let reference = Value.reference(ids[0])
    #expect(try changed(reference, from: older, to: many) == .set([reference]))
    #expect(try changed(reference, from: older, to: ordered) == .array([reference]))
    #expect(try ModelChange(from: model([], [older]), to: model([], [many])).row(["r": nil]) == [:])
    let change = try ModelChange(from: model([], [older]), to: model([], [many]))
    #expect(change.entity("A")?.properties.map(\.conversion) == [.oneToMany(isOrdered: false)])
  }

  @Test func `members given an order stand in that of their IDs, and lose it again`() throws {
    let many = RelationshipDescription("r", to: "B", isToMany: true)
    let ordered = RelationshipDescription("r", to: "B", isToMany: true, isOrdered: true)
    let members = ids.map(Value.reference)
    #expect(try changed(.set(Set(members)), from: many, to: ordered) == .array(members))
    #expect(try changed(.array(members), from: ordered, to: many) == .set(Set(members)))
  }

  @Test func `a transient relationship made persistent is empty, and the reverse dropped`() throws {
    let stored = RelationshipDescription("r", to: "B")
    let transient = RelationshipDescription("r", to: "C", isToMany: true, isTransient: true)
    #expect(try changed(.reference(ids[0]), from: stored, to: transient) == nil)
    #expect(try changed(.set([]), from: transient, to: stored) == nil)
  }
}

@Suite struct NumberWidening {
  private static let numbers: [(Value, [AttributeType: Value])] = [
    (true, [.integer: 1, .counter: .counter(1), .real: 1.0, .decimal: .decimal(1)]),
    (false, [.integer: 0, .counter: .counter(0), .real: 0.0, .decimal: .decimal(0)]),
    (-7, [.counter: .counter(-7), .real: -7.0, .decimal: .decimal(-7)]),
    (.counter(-7), [.integer: -7, .real: -7.0, .decimal: .decimal(-7)]),
  ]
  private static let types: [Value.Kind: AttributeType] = [
    .boolean: .boolean, .integer: .integer, .counter: .counter,
  ]

  private func widened(_ value: Value, to type: AttributeType) throws -> Value? {
    let older = try #require(Self.types[value.kind])
    let change = try ModelChange(
      from: model([AttributeDescription("a", older)]), to: model([AttributeDescription("a", type)]))
    #expect(!change.isIdentity)
    return change.row(["a": value])?["a"]
  }

  @Test func `a number is widened to the same number`() throws {
    for (value, wider) in Self.numbers {
      for (type, expected) in wider { #expect(try widened(value, to: type) == expected) }
    }
  }

  @Test func `null and absence are not widened`() throws {
    let (older, newer) = (
      [AttributeDescription("a", .integer)], [AttributeDescription("a", .decimal)]
    )
    let change = try ModelChange(from: model(older), to: model(newer))
    #expect(change.row(["a": nil]) == ["a": nil])
    #expect(change.row([:]) == [:])
  }

  @Test func `a value survives a widening exactly`() throws {
    for number in [0, 1, -1, 1 << 53, -(1 << 53), .max, .min] {
      for value in [Value.integer(number), .counter(number)] {
        let decimal = try #require(try widened(value, to: .decimal)?.decimal)
        #expect("\(decimal)" == "\(number)")
        let real = try #require(try widened(value, to: .real)?.real)
        if number.magnitude <= 1 << 53 { #expect(Int(exactly: real) == number) }
      }
    }
  }

  @Test func `only as a real, and only beyond two to the 53rd, an integer is rounded`() throws {
    let number = 1 << 53 + 1
    #expect(try widened(.integer(number), to: .real) == .real(0x1p53))
    #expect(try widened(.integer(number), to: .decimal) == .decimal(Decimal(number)))
  }

  @Test func `an added default goes with a widening`() throws {
    let older = [AttributeDescription("a", .integer)]
    let newer = [AttributeDescription.required("a", .real, defaultValue: 0.5)]
    let change = try ModelChange(from: model(older), to: model(newer))
    #expect(change.row(["a": 2]) == ["a": 2.0] && change.row([:]) == ["a": 0.5])
  }
}
