import ManagedObjects
import ObjectModel
import ObjectQuery
import ObjectStore
import Testing

/// What batches make of relationships of every shape: without an inverse, ordered, empty, and cascading in a ring.
@Suite struct BatchShapeTests {
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription("Tag", attributes: [AttributeDescription("name", .string)]),
      EntityDescription(
        "Page",
        attributes: [AttributeDescription("title", .string, isOptional: false, defaultValue: "-")],
        relationships: [
          RelationshipDescription("main", to: "Tag", deleteRule: .cascade),
          RelationshipDescription("tags", to: "Tag", isToMany: true),
          RelationshipDescription(
            "steps", to: "Step", inverse: "page", isToMany: true, isOrdered: true),
        ]),
      EntityDescription(
        "Step", attributes: [AttributeDescription("rank", .integer)],
        relationships: [RelationshipDescription("page", to: "Page", inverse: "steps")]),
      EntityDescription(
        "Link",
        relationships: [
          RelationshipDescription("next", to: "Link", inverse: "last", deleteRule: .cascade),
          RelationshipDescription("last", to: "Link", inverse: "next", deleteRule: .cascade),
        ]),
    ])
  }

  /// What a new context finds; relationships that lead nowhere have no value.
  private func values(_ stage: Stage, _ object: ObjectID, _ keys: [String]) throws -> [Value?] {
    let context = stage.context()
    defer { withExtendedLifetime(context) {} }
    let found = try context.existingObject(with: object)
    return keys.map { key in
      let value = found.value(forKey: key)
      let leadsNowhere =
        found.entity.relationships.contains { $0.name == key } && value.destinations.isEmpty
      return leadsNowhere ? nil : value
    }
  }

  @Test
  func `S43: relationships that nothing leads back to are set, changed and emptied by batches`()
    throws
  {
    let stage = try Stage(Self.model())
    let store = stage.store
    let tags = try store.batchInsert("Tag", (0..<3).map { ["name": .string("t\($0)")] }).objectIDs
    let references = tags.map { Value.reference($0) }
    let pages = try store.batchInsert(
      "Page",
      [
        ["main": references[0], "tags": .set(Set(references[...1]))],
        ["main": references[1], "tags": .array([references[2]])], ["tags": .set([])],
      ]
    ).objectIDs
    #expect(
      try values(stage, pages[0], ["main", "tags"]) == [references[0], .set(Set(references[...1]))])
    #expect(
      try values(stage, pages[1], ["main", "tags"]) == [references[1], .set([references[2]])])
    #expect(try values(stage, pages[2], ["main", "tags"]) == [nil, nil])
    try store.batchUpdate(
      FetchRequest("Page", where: "main.name == 't0'"),
      setting: ["main": references[2], "tags": .array([])])
    #expect(try values(stage, pages[0], ["main", "tags"]) == [references[2], nil])
    // What goes along goes whatever else leads to it.
    try store.batchDelete(FetchRequest("Page", where: "main.name == 't2'"))
    #expect(stage.objectIDs("Tag") == Array(tags[..<2]) && stage.objectIDs("Page").count == 2)
    #expect(try values(stage, pages[1], ["main"]) == [references[1]])
    #expect(try store.verify(deep: true) == [])
  }

  @Test func `S43: a batch puts members into an order, and takes them all out again`() throws {
    let stage = try Stage(Self.model())
    let store = stage.store
    let steps = try store.batchInsert("Step", (0..<3).map { ["rank": .integer($0)] }).objectIDs
    let order = [2, 0, 1].map { Value.reference(steps[$0]) }
    let page = try store.batchInsert("Page", [["title": "new"]]).objectIDs[0]
    try store.batchUpdate(FetchRequest("Page"), setting: ["steps": .array(order)])
    #expect(try values(stage, page, ["steps"]) == [.array(order)])
    #expect(try values(stage, steps[1], ["page"]) == [.reference(page)])
    #expect(
      throws: BatchError.valueRefused(
        row: nil, entity: "Page", key: "steps", .array([order[0], order[0]]),
        takes: "references to objects, each of them once")
    ) {
      try store.batchUpdate(
        FetchRequest("Page"), setting: ["steps": .array([order[0], order[0]])])
    }
    try store.batchUpdate(FetchRequest("Page"), setting: ["steps": .array([])])
    #expect(try values(stage, page, ["steps"]) == [nil])
    #expect(try values(stage, steps[1], ["page"]) == [nil])
    #expect(try store.verify(deep: true) == [] && stage.brokenEnds() == [])
  }

  @Test func `S44: a cascade that goes round ends, and all of the ring is gone`() throws {
    let stage = try Stage(Self.model())
    let store = stage.store
    var links = try store.batchInsert("Link", [[:]]).objectIDs
    for _ in 0..<3 {
      links += try store.batchInsert("Link", [["last": .reference(links.last ?? links[0])]])
        .objectIDs
    }
    try store.batchUpdate(
      FetchRequest("Link", sortedBy: ["objectID"], limit: 1),
      setting: ["last": .reference(links[3])])
    #expect(try values(stage, links[3], ["next"]) == [.reference(links[0])])
    let result = try store.batchDelete(FetchRequest("Link", sortedBy: ["objectID"], limit: 1))
    #expect(result.objectIDs == [links[0]] && stage.objectIDs("Link") == [])
    #expect(try store.verify(deep: true) == [])
  }

  @Test func `S43: a batch leads nowhere where there is no object, and says which`() throws {
    let stage = try Stage(Self.model())
    let tag = try stage.store.batchInsert("Tag", [[:]]).objectIDs[0]
    let missing = ObjectID(
      origin: tag.origin, entity: tag.entity, number: tag.number + 7, store: tag.store)
    #expect(
      throws: BatchError.destinationMissing(row: 1, entity: "Page", key: "main", missing)
    ) {
      try stage.store.batchInsert(
        "Page", [["main": .reference(tag)], ["main": .reference(missing)]]
      )
    }
    try stage.store.batchDelete(FetchRequest("Tag"))
    #expect(throws: BatchError.destinationMissing(row: 0, entity: "Page", key: "main", tag)) {
      try stage.store.batchInsert("Page", [["main": .reference(tag)]])
    }
    #expect(stage.objectIDs("Page") == [] && stage.store.lastCommit == 2)
  }

  @Test func `S62: an update of several commits ends at the first that is refused`() throws {
    let stage = try Stage(Self.model())
    let store = stage.store
    try store.batchInsert("Page", (0..<5).map { ["title": .string("p\($0)")] })
    let error = try #require(throws: ValidationErrors.self) {
      try store.batchUpdate(
        FetchRequest("Page"), setting: ["title": nil], options: BatchOptions(objectsPerCommit: 2))
    }
    #expect(error.failures.map(\.kind) == [.missing, .missing] && store.lastCommit == 1)
  }

  /// Teams that must have players, and rather two than one.
  private func teams() throws -> (Stage, players: [Value]) {
    let stage = try Stage(
      ManagedObjectModel(entities: [
        EntityDescription(
          "Team", attributes: [AttributeDescription("name", .string)],
          relationships: [
            RelationshipDescription(
              "players", to: "Player", inverse: "team", isToMany: true, isOptional: false,
              minCount: 2)
          ]),
        EntityDescription(
          "Player", relationships: [RelationshipDescription("team", to: "Team", inverse: "players")]
        ),
      ]))
    return (
      stage,
      try stage.store.batchInsert("Player", [[:], [:], [:], [:]]).objectIDs.map { .reference($0) }
    )
  }

  @Test func `S62: a row is refused that takes the members others must have`() throws {
    let (stage, players) = try teams()
    let store = stage.store
    let few = try #require(throws: BatchError.self) {
      try store.batchInsert("Team", [["players": .set([players[0]])]])
    }
    guard case .rowInvalid(0, let errors) = few else {
      Issue.record("\(few)")
      return
    }
    #expect(errors.failures.map(\.kind) == [.tooFew(1, minimum: 2)])
    let red = try store.batchInsert(
      "Team", [["name": "red", "players": .set(Set(players[...2]))]]
    ).objectIDs[0]
    let head = store.lastCommit
    let error = try #require(throws: ValidationErrors.self) {
      try store.batchInsert("Team", [["players": .set(Set(players[1...]))]])
    }
    #expect(error.failures.map(\.objectID) == [red])
    #expect(error.failures.map(\.kind) == [.tooFew(1, minimum: 2)] && store.lastCommit == head)
    #expect(try values(stage, red, ["players"]) == [.set(Set(players[...2]))])
    try store.batchInsert("Team", [["name": "blue", "players": .set(Set(players[2...]))]])
    #expect(try store.verify(deep: true) == [] && stage.brokenEnds() == [])
  }

  @Test(arguments: [
    (1, "leads to 1 objects and must to 2"), (0, "Team.players of"),
  ])
  func `S62: a row that takes what an earlier row of its batch must have is refused, too`(
    first: Int, words: String
  ) throws {
    let (stage, players) = try teams()
    let rows: [[String: Value]] = [
      ["name": "red", "players": .set(Set(players[...1]))],
      ["name": "blue", "players": .set(Set(players[first...]))],
    ]
    let error = #expect(throws: (any Error).self) { try stage.store.batchInsert("Team", rows) }
    #expect("\(error as Any)".contains(words), "\(error as Any)")
    #expect(stage.objectIDs("Team") == [] && stage.store.lastCommit == 1)
  }
}
