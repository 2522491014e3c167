// What a change of the model makes of entities and of what they inherit; and the laws of changes.

import FoundationEssentials
import ObjectModel
import Testing

@Suite struct EntityChanges {
  private func made(_ entities: EntityDescription...) throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: entities)
  }
  private let text = AttributeDescription("a", .string)

  @Test func `an added entity has no objects and a removed one loses them`() throws {
    let change = try ModelChange(
      from: made(EntityDescription("A")), to: made(EntityDescription("B")))
    #expect(change.newerName(ofEntity: "A") == nil && change.newerName(ofEntity: "B") == nil)
    #expect(change.object(ofEntity: "A", holding: ["a": 1]) == nil)
    #expect(change.object(ofEntity: "B", holding: ["a": 1]) == nil)
    #expect(!change.isIdentity)
  }

  @Test func `a renamed entity keeps its objects`() throws {
    let older = try made(EntityDescription("A", attributes: [text]))
    let newer = try made(EntityDescription("B", attributes: [text], renamingIdentifier: "A"))
    let change = try ModelChange(from: older, to: newer)
    #expect(change.newerName(ofEntity: "A") == "B" && !change.isIdentity)
    let object = try #require(change.object(ofEntity: "A", holding: ["a": "x"]))
    #expect(object.entity == "B" && object.values == ["a": "x"])
  }

  @Test func `a name that a renamed entity left can be given to a new one`() throws {
    let older = try made(EntityDescription("A", attributes: [text]))
    let newer = try made(
      EntityDescription("A", attributes: [.required("n", .integer)]),
      EntityDescription("B", attributes: [text], renamingIdentifier: "A"))
    #expect(try ModelChange(from: older, to: newer).newerName(ofEntity: "A") == "B")
  }

  @Test func `a relationship follows its destination's new name`() throws {
    let older = try made(
      EntityDescription(
        "A", relationships: [RelationshipDescription("r", to: "B", inverse: "s", isToMany: true)]),
      EntityDescription("B", relationships: [RelationshipDescription("s", to: "A", inverse: "r")]))
    let newer = try made(
      EntityDescription(
        "A",
        relationships: [
          RelationshipDescription(
            "q", to: "C", inverse: "t", isToMany: true, renamingIdentifier: "r")
        ]),
      EntityDescription(
        "C",
        relationships: [
          RelationshipDescription("t", to: "A", inverse: "q", renamingIdentifier: "s")
        ],
        renamingIdentifier: "B"))
    let change = try ModelChange(from: older, to: newer)
    #expect(change.row(["r": .set([])]) == ["q": .set([])])
    #expect(change.entity("A")?.properties.map(\.isGathered) == [false])
  }

  @Test func `a relationship may lead to what its destination inherits from`() throws {
    let others = [EntityDescription("B", parent: "C"), EntityDescription("C")]
    let older = try model([], [RelationshipDescription("r", to: "B")], others: others)
    let newer = try model([], [RelationshipDescription("r", to: "C")], others: others)
    #expect(try ModelChange(from: older, to: newer).isIdentity)
    #expect(
      differences(from: newer, to: older).map(\.kind) == [.destinationChanged(from: "C", to: "B")])
  }

  @Test func `a removed abstract destination is not missed where its heirs fit`() throws {
    let older = try model(
      [], [RelationshipDescription("r", to: "X")],
      others: [EntityDescription("X", isAbstract: true), EntityDescription("B", parent: "X")])
    let newer = try model(
      [], [RelationshipDescription("r", to: "B")], others: [EntityDescription("B")])
    #expect(try ModelChange(from: older, to: newer).row([:]) == [:])
  }

  @Test func `what an entity declares may come to be inherited, and the reverse`() throws {
    let own = try made(EntityDescription("A", attributes: [text]), EntityDescription("P"))
    let inherited = try made(
      EntityDescription("A", parent: "P"), EntityDescription("P", attributes: [text]))
    for (older, newer) in [(own, inherited), (inherited, own)] {
      let change = try ModelChange(from: older, to: newer)
      #expect(change.row(["a": "x"]) == ["a": "x"])
      #expect(change.entity("A")?.isIdentity == true && change.entity("P")?.isIdentity == false)
    }
  }

  @Test func `an abstract entity may become concrete, and need not have what its heirs lack`()
    throws
  {
    let older = try made(EntityDescription("A", isAbstract: true, attributes: [text]))
    let newer = try made(EntityDescription("A", attributes: [.required("n", .integer)]))
    #expect(differences(from: older, to: newer).isEmpty)
  }

  @Test func `a relationship answered from an inverse that goes is gathered before`() throws {
    let many = RelationshipDescription("r", to: "B", inverse: "s", isToMany: true)
    let older = try made(
      EntityDescription("A", relationships: [many]),
      EntityDescription("B", relationships: [RelationshipDescription("s", to: "A", inverse: "r")]))
    let newer = try made(
      EntityDescription(
        "A", relationships: [RelationshipDescription("r", to: "B", isToMany: true)]),
      EntityDescription("B"))
    let change = try ModelChange(from: older, to: newer)
    #expect(change.entity("A")?.properties.map(\.isGathered) == [true] && !change.isIdentity)
  }

  @Test func `what was stored of a relationship is dropped where its inverse answers it now`()
    throws
  {
    func books(isOrdered: Bool) throws -> ManagedObjectModel {
      let many = RelationshipDescription(
        "r", to: "B", inverse: "s", isToMany: true, isOrdered: isOrdered)
      return try made(
        EntityDescription("A", relationships: [many]),
        EntityDescription("B", relationships: [RelationshipDescription("s", to: "A", inverse: "r")])
      )
    }
    let change = try ModelChange(from: books(isOrdered: true), to: books(isOrdered: false))
    #expect(change.entity("A")?.properties.map(\.conversion) == [.answeredFromInverse])
    #expect(change.row(["r": .array([])]) == [:])
  }

  @Test func `a new inverse to many is answered from the relationship that was there`() throws {
    let others = { (relationships: [RelationshipDescription]) in
      [EntityDescription("B", relationships: relationships)]
    }
    let older = try model([], [RelationshipDescription("r", to: "B")], others: others([]))
    let newer = try model(
      [], [RelationshipDescription("r", to: "B", inverse: "s")],
      others: others([RelationshipDescription("s", to: "A", inverse: "r", isToMany: true)]))
    #expect(differences(from: older, to: newer).isEmpty)
    #expect(differences(from: newer, to: older).isEmpty)
  }
}

@Suite struct ModelChangeLaws {
  private static let rows: [[String: Value]] = [
    [:], ["a": 1], ["a": nil, "mood": "sunny"], ["a": 1, "b": "x", "c": .counter(2), "t": 3],
  ]

  @Test func `a change between equal models is the identity`() throws {
    let attributes = [
      AttributeDescription("a", .integer, defaultValue: 4, renamingIdentifier: "z"),
      .required("b", .string, defaultValue: "d"),
      AttributeDescription("z", .string, renamingIdentifier: "q"), AttributeDescription("y", .date),
      AttributeDescription("x", .date, renamingIdentifier: "q"), .required("c", .counter),
      AttributeDescription("t", .real, isTransient: true),
    ]
    let relationships = [
      RelationshipDescription("r", to: "B", isOptional: false),
      RelationshipDescription("f", to: "A", inverse: "f", isToMany: true),
      RelationshipDescription("u", to: "B", isTransient: true),
    ]
    let model = try model(attributes, relationships)
    let change = try ModelChange(from: model, to: model)
    #expect(change.isIdentity)
    for row in Self.rows {
      let object = try #require(change.object(ofEntity: "A", holding: row))
      #expect(object.entity == "A" && object.values == row)
    }
  }

  @Test func `renaming twice is renaming once`() throws {
    func named(_ entity: String, _ attribute: String, _ identifiers: String?...) throws
      -> ManagedObjectModel
    {
      try ManagedObjectModel(entities: [
        EntityDescription(
          entity,
          attributes: [
            AttributeDescription(attribute, .integer, renamingIdentifier: identifiers[1]),
            AttributeDescription("b", .string),
          ], renamingIdentifier: identifiers[0])
      ])
    }
    let first = try named("A", "a", nil, nil)
    let second = try named("A2", "a2", "A", "a")
    let third = try named("A3", "a3", "A", "a")
    let steps = try (ModelChange(from: first, to: second), ModelChange(from: second, to: third))
    let whole = try ModelChange(from: first, to: third)
    for row in Self.rows {
      let middle = try #require(steps.0.object(ofEntity: "A", holding: row))
      let last = try #require(steps.1.object(ofEntity: middle.entity, holding: middle.values))
      let once = try #require(whole.object(ofEntity: "A", holding: row))
      #expect(last.entity == once.entity && last.values == once.values)
      #expect(once.entity == "A3" && once.values["a3"] == row["a"])
    }
  }

  @Test func `widening twice is widening once`() throws {
    let types: [AttributeType] = [.boolean, .counter, .integer, .decimal]
    let models = try types.map { try model([AttributeDescription("a", $0)]) }
    var row: [String: Value]? = ["a": true]
    for (older, newer) in zip(models, models.dropFirst()) {
      row = try row.flatMap { try ModelChange(from: older, to: newer).row($0) }
    }
    #expect(try row == ModelChange(from: models[0], to: models[3]).row(["a": true]))
    #expect(row == ["a": .decimal(1)])
  }
}
