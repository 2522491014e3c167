import ManagedObjects
import ObjectModel
import ObjectQuery
import ObjectStore
import Testing

/// Relationships that no save takes.
@Suite struct TransientRelationshipTests {
  private static func stage() throws -> Stage {
    try Stage(model())
  }

  /// Objects that lead to others of their kind, by relationships of each form.
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "X", attributes: [AttributeDescription("name", .string)],
        relationships: [
          RelationshipDescription("friend", to: "X", isTransient: true),
          RelationshipDescription("boss", to: "X", inverse: "team", isTransient: true),
          RelationshipDescription(
            "team", to: "X", inverse: "boss", isToMany: true, isTransient: true),
          RelationshipDescription(
            "queue", to: "X", isToMany: true, isOrdered: true, isTransient: true),
        ])
    ])
  }

  private static let keys = ["friend", "boss", "team", "queue"]

  private static func value(_ key: String, _ object: ManagedObject) -> Value {
    switch key {
    case "team": .set([.reference(object.objectID)])
    case "queue": .array([.reference(object.objectID)])
    default: .reference(object.objectID)
    }
  }

  private static func isEmpty(_ value: Value?) -> Bool {
    value == nil || value == .set([]) || value == .array([])
  }

  @Test(arguments: keys) func `S2: a transient relationship is never saved`(key: String) throws {
    let stage = try Self.stage()
    let (context, other) = (stage.context(), stage.context())
    let (one, two) = (context.insert("X"), context.insert("X"))
    try context.save()
    one.setValue(Self.value(key, two), forKey: key)
    #expect(context.hasChanges && !one.hasPersistentChangedValues)
    #expect(try context.save() == nil)
    #expect(one.value(forKey: key) == Self.value(key, two) && !context.hasChanges)
    one.setValue("x", forKey: "name")
    let commit = try #require(try context.save())
    #expect(commit.changes.map { Set($0.values.keys) } == [["name"]])
    #expect(one.value(forKey: key) == Self.value(key, two))
    for object in [one, two] {
      let seen = try other.existingObject(with: object.objectID)
      for key in Self.keys {
        #expect(Self.isEmpty(seen.value(forKey: key)))
        #expect(try stage.store.history(of: object.objectID, key: key).isEmpty)
      }
    }
    #expect(try stage.store.verify(deep: true).isEmpty)
  }

  @Test(arguments: keys)
  func `S2, S54: a refresh that gives up changes gives up transient relationships`(
    key: String
  ) throws {
    let context = try Self.stage().context()
    let (one, two) = (context.insert("X"), context.insert("X"))
    one.setValue(Self.value(key, two), forKey: key)
    try context.save()
    context.refresh(one, mergeChanges: true)
    #expect(one.value(forKey: key) == Self.value(key, two))
    context.refresh(one, mergeChanges: false)
    #expect(Self.isEmpty(one.value(forKey: key)))
  }

  @Test func `S2, S43, S44: both sides of a transient relationship are kept in step`() throws {
    let context = try Self.stage().context()
    let (boss, one, two) = (context.insert("X"), context.insert("X"), context.insert("X"))
    try context.save()
    one.setValue(.reference(boss.objectID), forKey: "boss")
    try context.save()
    two.setValue(.reference(boss.objectID), forKey: "boss")
    let team: Set<Value> = [.reference(one.objectID), .reference(two.objectID)]
    #expect(boss.value(forKey: "team") == .set(team))
    context.undo()
    #expect(boss.value(forKey: "team") == .set([.reference(one.objectID)]))
    #expect(two.value(forKey: "boss") == nil)
    context.redo()
    #expect(boss.value(forKey: "team") == .set(team))
    context.delete(boss)
    let commit = try #require(try context.save())
    #expect(commit.changes.map(\.objectID) == [boss.objectID])
    #expect(one.value(forKey: "boss") == nil && two.value(forKey: "boss") == nil)
    #expect(!context.hasChanges)
  }

  @Test func `S2, S76: a draft has the members that a transient relationship has been given since`()
    throws
  {
    let stage = try Self.stage()
    let context = stage.context()
    let (one, two, three) = (context.insert("X"), context.insert("X"), context.insert("X"))
    for key in ["team", "queue"] { one.setValue(Self.value(key, two), forKey: key) }
    try context.save()
    one.setValue(.set([.reference(two.objectID), .reference(three.objectID)]), forKey: "team")
    one.setValue(.array([.reference(two.objectID), .reference(three.objectID)]), forKey: "queue")
    let killed = try stage.killed(Self.model())
    let draft = try #require(killed.store.unsavedDrafts.first)
    let recovered = try ManagedObjectContext(recovering: draft, in: killed.store)
    let again = try recovered.existingObject(with: one.objectID)
    for key in ["team", "queue"] {
      #expect(again.value(forKey: key) == one.value(forKey: key))
    }
    #expect(try recovered.save() == nil)
  }

  @Test
  func
    `S2, S44: what a transient relationship leads to may be gone, and keeps nothing from being saved`()
    throws
  {
    let stage = try Self.stage()
    let (context, other) = (stage.context(), stage.context())
    let one = context.insert("X")
    try context.save()
    let (new, old) = (other.insert("X"), other.insert("X"))
    // Others know nothing of what is not saved.
    one.setValue(.reference(new.objectID), forKey: "friend")
    one.setValue("x", forKey: "name")
    #expect(try context.save() != nil)
    try other.save()
    one.setValue(.reference(old.objectID), forKey: "friend")
    try stage.store.batchDelete(FetchRequest("X", where: "name == nil"))
    one.setValue("y", forKey: "name")
    #expect(try context.save()?.changes.map(\.objectID) == [one.objectID])
    #expect(one.value(forKey: "friend") == .reference(old.objectID))
    #expect(try stage.store.verify(deep: true).isEmpty)
  }

  @Test func `S2, S68: a filter cannot follow a transient relationship`() throws {
    let context = try Self.stage().context()
    context.insert("X")
    for filter in ["friend.name == 'x'", "friend == nil", "team.@count > 0"] {
      #expect(throws: QueryError.self, "\(filter)") {
        try context.fetch(FetchRequest("X", where: filter))
      }
    }
  }

  @Test func `S2, S43: a relationship that is saved cannot have a transient inverse`() throws {
    let error = #expect(throws: ModelError.self) {
      try ManagedObjectModel(entities: [
        EntityDescription(
          "A", relationships: [RelationshipDescription("b", to: "B", inverse: "a")]),
        EntityDescription(
          "B",
          relationships: [
            RelationshipDescription("a", to: "A", inverse: "b", isToMany: true, isTransient: true)
          ]),
      ])
    }
    #expect(
      error?.description
        == "A.b: its inverse a is transient, and so has this one to be; or neither is.")
  }
}
