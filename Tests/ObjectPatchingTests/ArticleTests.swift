import DiskSimulation
import Foundation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// The cases of the article on patching objects, with its shapes.
@Suite struct ArticleTests {
  /// A person who lives in Townsville, with two children, and a context that shows them.
  private struct Household {
    let store: JournaledStore
    let context: ManagedObjectContext
    let person: ManagedObject
    let address: ManagedObject

    init() throws {
      store = try JournaledStore(on: SimulatedDisk(seed: 1), at: "store", model: articleModel())
      context = ManagedObjectContext(store, isolation: nil)
      person = context.insert("Person")
      person.setValue("p1", forKey: "guid")
      person.setValue("Ann", forKey: "name")
      address = context.insert("Address")
      address.setValue("123", forKey: "guid")
      address.setValue("Townsville", forKey: "city")
      person.setValue(.reference(address.objectID), forKey: "address")
      for (guid, name) in [("c1", "Bo"), ("c2", "Cy")] {
        let child = context.insert("Child")
        child.setValue(.string(guid), forKey: "guid")
        child.setValue(.string(name), forKey: "name")
        child.setValue(.reference(person.objectID), forKey: "carer")
      }
      let way = context.insert("Distance")
      way.setValue("d1", forKey: "guid")
      way.setValue(3.0, forKey: "value")
      way.setValue("km", forKey: "unit")
      person.setValue(.reference(way.objectID), forKey: "way")
      try context.save()
    }

    func find(_ entity: String, _ guid: String) throws -> ManagedObject? {
      try context.fetch(FetchRequest(entity, where: "guid == '\(guid)'")).first
    }

    func children() -> [String] {
      (person.value(forKey: "children")?.set ?? []).compactMap(\.reference)
        .map { context.object(with: $0).value(forKey: "name")?.string ?? "" }.sorted()
    }
  }

  @Test func `the address whose city changed is an entity, a guid, and an old and a new city`()
    throws
  {
    let house = try Household()
    house.address.setValue("Sometown", forKey: "city")
    try house.context.save()
    let patch = try Patch.difference(in: house.store, from: .head(-1))
    #expect(
      patch
        == Patch(objects: [
          ObjectPatch(
            updating: PatchIdentity("Address", "guid", "123"), old: ["city": "Townsville"],
            new: ["city": "Sometown"])
        ]))
    try patch.inverted().apply(to: house.context)
    #expect(house.address.value(forKey: "city") == "Townsville")
    try patch.apply(to: house.context)
    #expect(house.address.value(forKey: "city") == "Sometown")
  }

  @Test func `changes of sub-objects are nested under what leads to them`() throws {
    let house = try Household()
    let before = try house.store.asOf(.head)
    let old = try before.existingObject(with: house.person.objectID)
    house.address.setValue("Sometown", forKey: "city")
    let patch = try Patch.difference(from: old, to: house.person)
    let person = try #require(patch.objects.first)
    #expect(patch.objects.count == 1)
    #expect(person.identity == PatchIdentity("Person", "guid", "p1"))
    #expect(person.new == [:])
    #expect(person.relationships["address"]?.patches.first?.new == ["city": "Sometown"])
    house.context.undo()
    try patch.apply(to: house.context)
    #expect(house.address.value(forKey: "city") == "Sometown")
  }

  @Test func `one to many is patched as a set, with an update, a creation and a deletion`() throws {
    let house = try Household()
    let children = RelationshipPatch(
      .toMany,
      patches: [
        ObjectPatch(
          updating: PatchIdentity("Child", "guid", "c1"), old: ["name": "Bo"], new: ["name": "Bob"]
        ),
        ObjectPatch(creating: PatchIdentity("Child", "guid", "c3"), new: ["name": "Di"]),
        ObjectPatch(deleting: PatchIdentity("Child", "guid", "c2"), old: ["name": "Cy"]),
      ])
    let patch = Patch(objects: [
      ObjectPatch(
        updating: PatchIdentity("Person", "guid", "p1"), relationships: ["children": children])
    ])
    try patch.apply(to: house.context, named: "Family")
    #expect(house.children() == ["Bob", "Di"])
    #expect(house.context.undoActionName == "Family")
    let made = try Patch.difference(in: house.store, from: .head)
    #expect(made.isEmpty)
    let saved = try #require(try house.context.save())
    let difference = try Patch([saved], of: house.store)
    let kinds = difference.objects.map(\.kind)
    #expect(Set(kinds) == [.update, .creation, .deletion])
    house.context.undo()
    #expect(house.children() == ["Bo", "Cy"])
  }

  @Test func `the delegate creates what is missing, with its children`() throws {
    struct Maker: PatchDelegate {
      func makeObject(
        for patch: ObjectPatch, at path: PatchPath, in context: ManagedObjectContext
      ) throws -> ManagedObject? {
        guard patch.entityName == "Child" else { return nil }
        let child = context.insert("Child")
        child.setValue("made", forKey: "name")
        for guid in ["t1", "t2"] {
          let toy = context.insert("Toy")
          toy.setValue(.string(guid), forKey: "guid")
          toy.setValue("from the delegate", forKey: "kind")
          toy.setValue(.reference(child.objectID), forKey: "owner")
        }
        return child
      }
    }
    let house = try Household()
    let toys = RelationshipPatch(
      .toMany,
      patches: [ObjectPatch(creating: PatchIdentity("Toy", "guid", "t1"), new: ["kind": "ball"])])
    let patch = Patch(objects: [
      ObjectPatch(
        updating: PatchIdentity("Person", "guid", "p1"),
        relationships: [
          "children": RelationshipPatch(
            .toMany,
            patches: [
              ObjectPatch(
                creating: PatchIdentity("Child", "guid", "c9"), new: [:],
                relationships: ["toys": toys])
            ])
        ])
    ])
    try patch.apply(to: house.context, delegate: Maker())
    #expect(house.children() == ["Bo", "Cy", "made"])
    #expect(try house.context.count(FetchRequest("Toy")) == 2)
    #expect(try house.find("Toy", "t1")?.value(forKey: "kind") == "ball")
    #expect(try house.find("Toy", "t2")?.value(forKey: "kind") == "from the delegate")
    house.context.undo()
    #expect(house.children() == ["Bo", "Cy"])
    #expect(try house.context.count(FetchRequest("Toy")) == 0)
  }

  @Test func `the delegate creates what a relationship to one is to lead to and nobody has`() throws
  {
    final class Maker: PatchDelegate {
      var paths: [String] = []

      func makeObject(
        for patch: ObjectPatch, at path: PatchPath, in context: ManagedObjectContext
      ) throws -> ManagedObject? {
        paths.append(path.description)
        let address = context.insert("Address")
        address.setValue("Delegate Street", forKey: "street")
        return address
      }
    }
    let house = try Household()
    let wanted = PatchIdentity("Address", "guid", "999")
    func patch(_ address: ObjectPatch) -> Patch {
      let relationship = RelationshipPatch(
        .toOne, removed: [.init(PatchIdentity("Address", "guid", "123"))], added: [.init(wanted)],
        patches: [address])
      return Patch(objects: [
        ObjectPatch(
          updating: PatchIdentity("Person", "guid", "p1"),
          relationships: ["address": relationship])
      ])
    }
    let maker = Maker()
    let creation = patch(ObjectPatch(creating: wanted, new: ["city": "Newville"]))
    try creation.apply(to: house.context, delegate: maker)
    let made = try #require(try house.find("Address", "999"))
    #expect(house.person.value(forKey: "address") == .reference(made.objectID))
    #expect(made.value(forKey: "resident") == .reference(house.person.objectID))
    #expect(made.value(forKey: "street") == "Delegate Street")
    #expect(made.value(forKey: "city") == "Newville")
    #expect(house.address.value(forKey: "resident") == nil)
    house.context.undo()
    #expect(house.person.value(forKey: "address") == .reference(house.address.objectID))
    // Also where the patch takes it for one that is there.
    let update = patch(ObjectPatch(updating: wanted, new: ["city": "Newville"]))
    #expect(throws: PatchConflicts.self) {
      try update.apply(to: house.context, delegate: maker)
    }
    try update.apply(to: house.context, policy: .force, delegate: maker)
    #expect(try house.find("Address", "999")?.value(forKey: "street") == "Delegate Street")
    #expect(maker.paths == ["/0/address", "/0/address"])
  }

  @Test func `a value and its unit are kept together by patching by hand`() throws {
    struct Measures: PatchDelegate {
      func patchesByHand(entityNamed name: String) -> Bool { name == "Distance" }
      func patch(_ object: ManagedObject, with patch: ObjectPatch, at path: PatchPath) throws {
        let all = (patch.old ?? [:]).merging(patch.new ?? [:]) { $1 }
        object.setValue(all["value"], forKey: "value")
        object.setValue(all["unit"], forKey: "unit")
      }
    }
    let house = try Household()
    let way = try #require(try house.find("Distance", "d1"))
    way.setValue(5.0, forKey: "value")
    let old = try house.store.asOf(.head)
    let patch = try Patch.difference(
      from: old, to: house.context, options: PatchOptions(wholeEntities: ["Distance"]))
    #expect(patch.objects.first?.old == ["guid": "d1", "value": 3.0, "unit": "km"])
    #expect(patch.objects.first?.new == ["value": 5.0])
    // Somebody has changed the unit meanwhile: both are set, and agree.
    way.setValue(3_000.0, forKey: "value")
    way.setValue("m", forKey: "unit")
    try patch.apply(to: house.context, delegate: Measures())
    #expect(way.value(forKey: "value") == 5.0)
    #expect(way.value(forKey: "unit") == "km")
  }

  @Test func `dates and data that arrive as strings are converted by the delegate`() throws {
    struct Converter: PatchDelegate {
      func value(
        for value: Value, of attribute: AttributeDescription, in entityName: String,
        at path: PatchPath
      ) throws -> Value? {
        switch attribute.type {
        case .date:
          guard let text = value.string, let year = Int(text.prefix(4)) else { return nil }
          return .date(Date(timeIntervalSinceReferenceDate: Double(year - 2001) * 31_556_952))
        case .data: return value.string.flatMap { Data(base64Encoded: $0) }.map { .data($0) }
        default: return nil
        }
      }
    }
    let house = try Household()
    let patch = Patch(objects: [
      ObjectPatch(
        updating: PatchIdentity("Person", "guid", "p1"), old: ["born": .null, "portrait": .null],
        new: ["born": "2001-01-01", "portrait": "AQID"])
    ])
    let error = #expect(throws: PatchError.self) { try patch.apply(to: house.context) }
    #expect(error?.code == .wrongType)
    #expect(house.person.value(forKey: "born") == nil)
    let within = Patch(objects: [
      ObjectPatch(
        updating: PatchIdentity("Person", "guid", "p1"), old: ["note": .null],
        new: ["note": .dictionary(["a": .array([1, .null])])])
    ])
    let misfit = #expect(throws: PatchError.self) { try within.apply(to: house.context) }
    #expect(misfit?.path.components.suffix(3) == ["note", "a", "1"])
    #expect(misfit?.description.contains("no null within") == true)
    try patch.apply(to: house.context, delegate: Converter())
    #expect(
      house.person.value(forKey: "born") == .date(Date(timeIntervalSinceReferenceDate: 0)))
    #expect(house.person.value(forKey: "portrait") == .data(Data([1, 2, 3])))
  }
}
