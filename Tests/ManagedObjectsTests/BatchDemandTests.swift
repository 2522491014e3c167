import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectQuery
import ObjectStore
import Testing

/// What the model demands of relationships is demanded of batches, and what they cannot be about is refused.
@Suite struct BatchDemandTests {
  private static func model(isRequired: Bool = true) throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Thing", isAbstract: true, attributes: [AttributeDescription("name", .string)]),
      EntityDescription(
        "Team", parent: "Thing",
        relationships: [
          RelationshipDescription(
            "players", to: "Player", inverse: "team", isToMany: true, minCount: 1, maxCount: 2)
        ]),
      EntityDescription(
        "Player", parent: "Thing",
        relationships: [
          RelationshipDescription(
            "team", to: "Team", inverse: "players", isOptional: !isRequired),
          RelationshipDescription(
            "coaches", to: "Player", inverse: "coached", isToMany: true, maxCount: 1),
          RelationshipDescription("coached", to: "Player", inverse: "coaches", isToMany: true),
        ]),
    ])
  }

  private func kinds(_ error: (any Error)?) -> [ValidationFailure.Kind] {
    switch error {
    case let errors as ValidationErrors: errors.failures.map(\.kind)
    case BatchError.rowInvalid(_, let errors)?: errors.failures.map(\.kind)
    default: []
    }
  }

  @Test
  func `S62: rows are refused that lead to too few or too many, and the store stays as it was`()
    throws
  {
    let stage = try Stage(Self.model())
    let store = stage.store
    let team = try store.batchInsert("Team", [["name": "red"]]).objectIDs[0]
    let missing = #expect(throws: BatchError.self) {
      try store.batchInsert("Player", [["name": "ann"]])
    }
    #expect(kinds(missing) == [.missing])
    let players = try store.batchInsert(
      "Player", [["team": .reference(team)], ["team": .reference(team)]]
    ).objectIDs
    let many = #expect(throws: (any Error).self) {
      try store.batchInsert("Player", [["team": .reference(team)]])
    }
    #expect(kinds(many) == [.tooMany(3, maximum: 2)])
    let coaches: Value = .set(Set(players.map { .reference($0) }))
    let coached = #expect(throws: BatchError.self) {
      try store.batchInsert("Player", [["team": .reference(team), "coaches": coaches]])
    }
    #expect(kinds(coached).contains(.tooMany(2, maximum: 1)))
    #expect(store.lastCommit == 2)
    let update = #expect(throws: ValidationErrors.self) {
      try store.batchUpdate(FetchRequest("Player"), setting: ["team": nil])
    }
    #expect(kinds(update) == [.missing, .missing] && store.lastCommit == 2)
    #expect(try stage.brokenEnds() == [] && store.verify(deep: true) == [])
  }

  @Test func `S62: an update is refused that takes the last of as many as there must be`() throws {
    let stage = try Stage(Self.model(isRequired: false))
    let store = stage.store
    let team = try store.batchInsert("Team", [["name": "red"]]).objectIDs[0]
    let players = try store.batchInsert(
      "Player", [["team": .reference(team)], ["team": .reference(team)]]
    ).objectIDs
    let context = stage.context()
    #expect(
      try context.existingObject(with: team).value(forKey: "players").destinations == players)
    // One of two may go, also by a request that has an order.
    try store.batchUpdate(
      FetchRequest("Player", sortedBy: ["-objectID"], limit: 1), setting: ["team": nil])
    context.refreshAllObjects()
    #expect(
      try context.existingObject(with: team).value(forKey: "players").destinations == [players[0]])
    let both = try store.batchUpdate(
      FetchRequest("Team"), setting: ["players": .set(Set(players.map { .reference($0) }))])
    #expect(both.objectIDs == [team])
    context.refreshAllObjects()
    #expect(
      try context.existingObject(with: players[1]).value(forKey: "team") == .reference(team))
    // What it leads to already is no change.
    let head = store.lastCommit
    try store.batchUpdate(FetchRequest("Player"), setting: ["team": .reference(team)])
    #expect(store.lastCommit == head)
    #expect(try stage.brokenEnds() == [] && store.verify(deep: true) == [])
  }

  @Test func `S67: what a batch cannot be about is refused with a word, and nothing is committed`()
    throws
  {
    let stage = try Stage(Self.model())
    let abstract = #expect(throws: BatchError.entityAbstract("Thing")) {
      try stage.store.batchInsert("Thing", [["name": "x"]])
    }
    #expect(
      abstract?.description
        == "Thing is abstract; insert objects of an entity that inherits from it.")
    #expect(stage.store.lastCommit == .none)
    let other = try Stage(Headlines.model())
    #expect(throws: BatchError.keyNotStored(entity: "Post", key: "byline")) {
      try other.store.batchInsert("Post", [["byline": "x"]])
    }
    let empty = try JournaledStore(on: SimulatedDisk(seed: 1), at: "store", model: nil)
    let none = #expect(throws: ContextError.noModel) {
      try empty.batchInsert("Thing", [["name": "x"]])
    }
    #expect(none?.description == "The store has no model yet; open it with one.")
    #expect(empty.lastCommit == .none && empty.unsavedDrafts.isEmpty)
    #expect(throws: ContextError.noModel) {
      try ManagedObjectContext(empty, isolation: nil).fetch(FetchRequest("Thing"))
    }
  }

  @Test func `S70: a class that the model does not have is named where it is asked for`() throws {
    let stage = try Stage(Self.model())
    let context = stage.context()
    let error = #expect(throws: ContextError.self) {
      try stage.store.batchDelete(Probe.self, where: "title == 'x'")
    }
    guard case .classNotInModel(let name)? = error else {
      Issue.record("\(error.map { "\($0)" } ?? "nothing was thrown")")
      return
    }
    #expect(name == "Probe" && "\(ContextError.classNotInModel(name))".contains("The class Probe"))
    #expect(throws: ContextError.classNotInModel(name)) {
      try context.fetch(Probe.self, where: "title == 'x'")
    }
    let probes = try Stage(Probe.model())
    try probes.store.batchInsert(Probe.self, [["title": "a"], ["title": "b"]])
    let deleted = try probes.store.batchDelete(Probe.self, where: "title == 'a'")
    #expect(deleted.count == 1)
    #expect(try probes.context().count(FetchRequest("Post")) == 1)
  }
}

/// A batch whose objects others change while it is made.
@Suite(.serialized) struct BatchRivalTests {
  private final class Note: ManagedObject {
    @Attribute("text") var text: String?
    @Attribute("rank") var rank: Int = 0
    nonisolated(unsafe) static var onLook: () -> Void = {}
    override class var virtualAttributes: [VirtualAttribute] {
      [
        VirtualAttribute("shout") { (note: Note) in
          onLook()
          return note.text?.uppercased()
        }
      ]
    }
  }

  @Test func `S65: a batch is made anew of what there is when others have come before`() throws {
    let stage = try Stage(ManagedObjectModel(Note.self))
    let ids = try stage.store.batchInsert(
      Note.self, [["text": "a"], ["text": "a"], ["text": "b"]]
    ).objectIDs
    var count = 0
    Note.onLook = {
      count += 1
      // While the objects are looked for, and again while the commit is made of those that were found.
      guard count < 8, let id = ids.first else { return }
      let other = ManagedObjectContext(stage.store, isolation: nil)
      try? other.existingObject(with: id, as: Note.self).text = count < 5 ? "a" : "c"
      try? other.existingObject(with: id, as: Note.self).rank = 10 + count
      _ = try? other.save()
      other.close()
    }
    defer { Note.onLook = {} }
    let result = try stage.store.batchUpdate(
      FetchRequest("Note", where: "shout == 'A'"), setting: ["rank": 5])
    Note.onLook = {}
    let context = stage.context()
    let ranks = try ids.map { try context.existingObject(with: $0, as: Note.self).rank }
    #expect(count > 3 && ranks[1] == 5 && ranks[2] == 0, "\(count) \(ranks)")
    // It was changed by the batch only if it still passed.
    #expect((ranks[0] == 5) == result.objectIDs.contains(ids[0]), "\(ranks) \(result.objectIDs)")
    #expect(try stage.store.verify(deep: true) == [])
  }
}
