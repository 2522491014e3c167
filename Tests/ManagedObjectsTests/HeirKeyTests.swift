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

  /// Vehicles of which only cars and lorries have owners, trailers have a text by that name, and ships lead elsewhere.
  private func fleet() throws -> ManagedObjectContext {
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Vehicle", attributes: [AttributeDescription("plate", .string)]),
      EntityDescription(
        "Car", parent: "Vehicle",
        relationships: [
          RelationshipDescription("owner", to: "Person", inverse: "cars"),
          RelationshipDescription("wheels", to: "Wheel", inverse: "car", isToMany: true),
        ]),
      EntityDescription("Van", parent: "Car"),
      EntityDescription(
        "Lorry", parent: "Vehicle",
        attributes: [AttributeDescription("crew", .integer)],
        relationships: [RelationshipDescription("owner", to: "Firm", inverse: "lorries")]),
      EntityDescription(
        "Ship", parent: "Vehicle",
        relationships: [
          RelationshipDescription("crew", to: "Person", inverse: "ships", isToMany: true)
        ]
      ),
      EntityDescription("Party", attributes: [AttributeDescription("title", .string)]),
      EntityDescription(
        "Person", parent: "Party",
        relationships: [
          RelationshipDescription("cars", to: "Car", inverse: "owner", isToMany: true),
          RelationshipDescription("ships", to: "Ship", inverse: "crew", isToMany: true),
        ]),
      EntityDescription(
        "Firm", parent: "Party",
        relationships: [
          RelationshipDescription("lorries", to: "Lorry", inverse: "owner", isToMany: true)
        ]
      ),
      EntityDescription(
        "Wheel", attributes: [AttributeDescription("size", .integer)],
        relationships: [RelationshipDescription("car", to: "Car", inverse: "wheels")]),
    ])
    let context = try Stage(model).context()
    let (person, firm) = (context.insert("Person"), context.insert("Firm"))
    person.setValue("a", forKey: "title")
    firm.setValue("b", forKey: "title")
    for (entity, plate, owner) in [
      ("Vehicle", "1", nil), ("Car", "2", person), ("Van", "3", person), ("Lorry", "4", firm),
      ("Car", "5", nil),
    ] {
      let vehicle = context.insert(entity)
      vehicle.setValue(.string(plate), forKey: "plate")
      if let owner { vehicle.setValue(owner.reference, forKey: "owner") }
      guard plate == "3" else { continue }
      for size in [3, 4] {
        let wheel = context.insert("Wheel")
        wheel.setValue(.integer(size), forKey: "size")
        wheel.setValue(vehicle.reference, forKey: "car")
      }
    }
    try context.save()
    return context
  }

  @Test(arguments: [true, false])
  func `S67: a relationship of heirs is followed by a fetch of what they inherit from`(
    pending: Bool
  ) throws {
    let context = try fleet()
    func plates(_ text: String) throws -> String {
      var request = FetchRequest("Vehicle", where: text, sortedBy: ["plate"])
      request.includesPendingChanges = pending
      return try context.fetch(request).compactMap { $0["plate"]?.string }.joined()
    }
    #expect(try plates("owner.title == 'a'") == "23")
    #expect(try plates("owner.title == 'b'") == "4")
    #expect(try plates("owner.title != null") == "234")
    #expect(try plates("owner.title == null") == "15")
    #expect(try plates("owner == null") == "15")
    #expect(try plates("ANY owner.cars.plate == '3'") == "23")
    #expect(try plates("owner.cars.@count == 2") == "23")
    #expect(try plates("ANY wheels.size == 4") == "3")
    #expect(try plates("ANY wheels (size == 3)") == "3")
    #expect(try plates("NONE wheels.size == 4") == "1245")
    #expect(try plates("wheels.@count == 2") == "3")
    #expect(try plates("wheels.@count == 0") == "1245")
    let sorted = FetchRequest(
      "Vehicle", where: "owner != null", sortedBy: ["-owner.title", "plate"])
    #expect(
      try context.values(of: ["plate", "owner.title"], sorted).map {
        "\($0["plate"]?.string ?? "")\($0["owner.title"]?.string ?? "")"
      } == ["4b", "2a", "3a"])
    let person = try #require(try context.fetch(FetchRequest("Person")).first)
    person.setValue("c", forKey: "title")
    #expect(try plates("owner.title == 'c'") == (pending ? "23" : ""))
  }

  @Test func `S68: what leads elsewhere of one heir than of another is refused where it stands`()
    throws
  {
    let context = try fleet()
    for (text, column) in [
      ("plate == 'x' OR crew.title == 'a'", 17), ("ANY crew.title == 'a'", 5),
      ("crew.@count == 1", 1), ("crew == 3", 1),
    ] {
      let error = #expect(throws: QueryError.self) {
        try context.fetch(FetchRequest("Vehicle", where: text))
      }
      #expect(error?.place?.column == column, "\(text): \(String(describing: error))")
    }
  }
}
