import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

private final class Ship: ManagedObject {
  @Attribute("name") var name: String?
  @Attribute("speed", .transient) var speed: Int = 5
  @Counter("passes", .transient) var passes: Int
  @ValueSet("flags", .transient) var flags: Set<String>

  static func model() throws -> ManagedObjectModel { try ManagedObjectModel(Ship.self) }
}

/// What transient attributes have of which nothing was set.
@Suite struct TransientDefaultTests {
  private static let defaults: [(key: String, value: Value)] = [
    ("speed", 5), ("level", 3), ("passes", .counter(0)), ("flags", .set([])),
  ]

  private static func stage() throws -> Stage {
    try Stage(
      ManagedObjectModel(entities: [
        EntityDescription(
          "X",
          attributes: [
            AttributeDescription("name", .string),
            AttributeDescription(
              "speed", .integer, isOptional: false, defaultValue: 5, isTransient: true),
            AttributeDescription("level", .integer, defaultValue: 3, isTransient: true),
            AttributeDescription("passes", .counter, isOptional: false, isTransient: true),
            AttributeDescription("flags", .set, isOptional: false, isTransient: true),
          ])
      ]))
  }

  private static func hasDefaults(_ object: ManagedObject) -> Bool {
    defaults.allSatisfy { object.value(forKey: $0.key) == $0.value && object[$0.key] == $0.value }
  }

  @Test func `S2: a transient attribute has its default wherever nothing was set of it`() throws {
    let stage = try Self.stage()
    let context = stage.context()
    let one = context.insert("X")
    #expect(Self.hasDefaults(one))
    let commit = try #require(try context.save())
    #expect(commit.changes.map(\.values.count) == [0])
    #expect(Self.hasDefaults(one))
    for keepingChanges in [true, false] {
      context.refresh(one, mergeChanges: keepingChanges)
      #expect(Self.hasDefaults(one) && !context.hasChanges)
    }
    let other = stage.context()
    let seen = try other.existingObject(with: one.objectID)
    #expect(Self.hasDefaults(seen) && seen.changedValues().isEmpty)
    seen.setValue("x", forKey: "name")
    #expect(try other.save() != nil)
    #expect(try stage.store.history(of: one.objectID, key: "speed").isEmpty)
    #expect(try other.fetch(FetchRequest("X", where: "speed == 5 AND level == 3")).count == 1)
    let past = try stage.store.asOf(.head)
    #expect(Self.hasDefaults(try past.existingObject(with: one.objectID)))
    other.delete(seen)
    try other.save()
    other.undo()
    #expect(Self.hasDefaults(seen))
    #expect(try other.save() != nil)
  }

  @Test func `S2: what is set over a transient default is undone to it, and given up to it`() throws
  {
    let stage = try Self.stage()
    let context = stage.context()
    let id = context.insert("X").objectID
    try context.save()
    let other = stage.context()
    let one = try other.existingObject(with: id)
    one.setValue(7, forKey: "level")
    other.processPendingChanges()
    one.setValue(nil, forKey: "level")
    other.processPendingChanges()
    one.setValue(8, forKey: "level")
    #expect(one.changedValues() == ["level": 8])
    other.undo()
    #expect(one.value(forKey: "level") == nil)
    other.undo()
    #expect(one.value(forKey: "level") == 7)
    other.undo()
    #expect(one.value(forKey: "level") == 3 && !other.hasChanges)
    other.redo()
    other.redo()
    #expect(one.value(forKey: "level") == nil)
    #expect(try other.save() == nil)
    #expect(one.value(forKey: "level") == nil && !other.hasChanges)
    other.refresh(one, mergeChanges: true)
    #expect(one.value(forKey: "level") == nil)
    other.refresh(one, mergeChanges: false)
    #expect(one.value(forKey: "level") == 3)
    one.setValue(9, forKey: "level")
    let killed = Stage(killing: stage, try #require(stage.store.model))
    let draft = try #require(killed.store.unsavedDrafts.first)
    let recovered = try ManagedObjectContext(recovering: draft, in: killed.store)
    let again = try recovered.existingObject(with: id)
    #expect(again.value(forKey: "level") == 9)
    recovered.undo()
    #expect(again.value(forKey: "level") == 3)
  }

  @Test func `S2, S62: who has read an object can save it without what no save takes`() throws {
    let stage = try Stage(
      ManagedObjectModel(entities: [
        EntityDescription(
          "X",
          attributes: [
            AttributeDescription("name", .string),
            AttributeDescription("mood", .string, isOptional: false, isTransient: true),
          ],
          relationships: [
            RelationshipDescription("friend", to: "X", isOptional: false, isTransient: true)
          ])
      ]))
    let context = stage.context()
    let one = context.insert("X")
    #expect(throws: ValidationErrors.self) { try context.save() }
    one.setValue("calm", forKey: "mood")
    #expect(throws: ValidationErrors.self) { try context.save() }
    one.setValue(.reference(one.objectID), forKey: "friend")
    try context.save()
    let other = stage.context()
    let seen = try other.existingObject(with: one.objectID)
    seen.setValue("x", forKey: "name")
    #expect(try other.save() != nil)
    seen.setValue("calm", forKey: "mood")
    try other.save()
    seen.setValue(nil, forKey: "mood")
    #expect(throws: ValidationErrors.self) { try other.save() }
  }

  @Test func `S2: the properties of a class have their transient defaults in every context`() throws
  {
    let stage = try Stage(Ship.model())
    let context = stage.context()
    let ship = context.insert(Ship.self)
    ship.speed = 9
    ship.passes += 2
    ship.flags.insert("a")
    try context.save()
    #expect(ship.speed == 9 && ship.passes == 2 && ship.flags == ["a"])
    let other = stage.context()
    let seen = try other.existingObject(with: ship.objectID, as: Ship.self)
    #expect(seen.speed == 5 && seen.value(forKey: "speed") == 5)
    #expect(seen.passes == 0 && seen.flags.isEmpty)
    seen.name = "x"
    #expect(try other.save() != nil)
    seen.passes += 1
    seen.name = "y"
    #expect(try other.save() != nil)
    #expect(seen.passes == 1)
    context.refresh(ship, mergeChanges: false)
    ship.name = "z"
    #expect(ship.speed == 5)
    #expect(try context.save() != nil)
  }

  @Test func `S2: a child has transient defaults, and keeps what was set over them`() throws {
    let stage = try Self.stage()
    let context = stage.context()
    let one = context.insert("X")
    try context.save()
    let child = ManagedObjectContext(parent: context)
    let seen = try child.existingObject(with: one.objectID)
    #expect(Self.hasDefaults(seen))
    seen.setValue(7, forKey: "speed")
    seen.setValue("x", forKey: "name")
    try child.save()
    #expect(seen.value(forKey: "speed") == 7 && one.value(forKey: "speed") == 5)
    #expect(seen.value(forKey: "level") == 3)
    #expect(try context.save() != nil)
  }

  @Test func `S2, S67: rows that a batch inserts have no transient defaults`() throws {
    let stage = try Self.stage()
    let id = try stage.store.batchInsert("X", [["name": "x"]]).objectIDs[0]
    #expect(try stage.store.history(of: id, key: "speed").isEmpty)
    #expect(Self.hasDefaults(try stage.context().existingObject(with: id)))
  }
}
