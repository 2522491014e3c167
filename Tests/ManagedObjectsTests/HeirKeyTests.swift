import ManagedObjects
import ObjectModel
import ObjectQuery
import Testing

/// Keys that objects of an heir have otherwise than those of the entity it inherits from.
@Suite struct HeirKeyTests {
  private let context: ManagedObjectContext

  /// Two vehicles, of which one is a truck that tells its plate in a way of its own and has a note that no save takes.
  init() throws {
    let stage = try Stage(
      ManagedObjectModel(
        entities: [
          EntityDescription("Vehicle", attributes: [AttributeDescription("plate", .string)]),
          EntityDescription(
            "Truck", parent: "Vehicle",
            attributes: [
              AttributeDescription("note", .string, isTransient: true),
              AttributeDescription("load", .integer),
            ]),
        ], classes: [],
        virtualAttributes: [
          "Truck": [
            VirtualAttribute("plate") { (truck: ManagedObject) in
              "T \(truck.primitiveValue(forKey: "plate")?.string ?? "")"
            }
          ]
        ]))
    context = stage.context()
    context.insert("Vehicle").setValue("B-1", forKey: "plate")
    let truck = context.insert("Truck")
    truck.setPrimitiveValue("B-2", forKey: "plate")
    truck.setValue("fragile", forKey: "note")
    truck.setValue(7, forKey: "load")
    // What is no key of the entity may be a dynamic attribute of its objects.
    let other = context.insert("Vehicle")
    other.setValue("B-3", forKey: "plate")
    other["note"] = "fragile"
    try context.save()
  }

  private func plates(_ text: String, pending: Bool = true) throws -> [String] {
    var request = FetchRequest("Vehicle", where: text, sortedBy: ["plate"])
    request.includesPendingChanges = pending
    return try context.fetch(request).compactMap { $0["plate"]?.string }
  }

  @Test(arguments: [true, false])
  func `S39: an heir's accessor of a stored key hides it of the heir's objects, and of no others`(
    pending: Bool
  ) throws {
    #expect(try plates("plate == 'B-1'", pending: pending) == ["B-1"])
    #expect(try plates("plate == 'T B-2'", pending: pending) == ["T B-2"])
    #expect(try plates("plate == 'B-2'", pending: pending) == [])
    #expect(try plates("plate != null", pending: pending) == ["B-1", "B-3", "T B-2"])
    let request = FetchRequest("Vehicle", where: "plate BEGINSWITH 'B'", sortedBy: ["-plate"])
    #expect(try context.count(request) == 2)
    #expect(try context.values(of: ["plate"], request).map { $0["plate"] } == ["B-3", "B-1"])
  }

  @Test func `S67: a transient key of an heir is found by a fetch of what it inherits from`() throws
  {
    let truck = try #require(try context.fetch(FetchRequest("Truck")).first)
    #expect(truck.value(forKey: "note") == "fragile")
    #expect(try plates("note == 'fragile'") == ["B-3", "T B-2"])
    #expect(try plates("note == null") == ["B-1"])
    #expect(try plates("load == 7") == ["T B-2"])
    truck.setValue("sturdy", forKey: "note")
    #expect(try plates("note == 'sturdy'") == ["T B-2"])
    let sorted = try context.fetch(
      FetchRequest("Vehicle", where: "note != null", sortedBy: ["-note"]))
    #expect(sorted.first == truck && sorted.count == 2)
  }
}
