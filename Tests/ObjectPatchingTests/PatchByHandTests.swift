import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// Objects whose attributes a delegate patches by hand.
@Suite struct PatchByHandTests {
  private let store: JournaledStore
  private let context: ManagedObjectContext
  private let person: ManagedObject

  init() throws {
    store = try JournaledStore(on: SimulatedDisk(seed: 1), at: "store", model: articleModel())
    context = ManagedObjectContext(store, isolation: nil)
    person = context.insert("Person")
    person.setValue("p", forKey: "guid")
    for (guid, value) in [("d1", 1.0), ("d2", 2.0)] {
      let way = context.insert("Distance")
      way.setValue(.string(guid), forKey: "guid")
      way.setValue(.real(value), forKey: "value")
      way.setValue("km", forKey: "unit")
    }
    person.setValue(.reference(try way("d1").objectID), forKey: "way")
    try context.save()
  }

  private func way(_ guid: String) throws -> ManagedObject {
    try #require(try context.fetch(FetchRequest("Distance", where: "guid == '\(guid)'")).first)
  }

  @Test(arguments: [[], ["Distance"]] as [Set<String>])
  func `what is patched by hand keeps its values where only a relationship changes`(
    wholeEntities: Set<String>
  ) throws {
    person.setValue(.reference(try way("d2").objectID), forKey: "way")
    let patch = try Patch.difference(
      from: store.asOf(.head), to: context, options: PatchOptions(wholeEntities: wholeEntities))
    context.undo()
    // Somebody has changed a value meanwhile.
    try way("d2").setValue(7.0, forKey: "value")
    context.processPendingChanges()
    let report = try patch.apply(to: context, delegate: RecipeTests.Measures())
    #expect(person.value(forKey: "way") == .reference(try way("d2").objectID))
    #expect(try way("d1").value(forKey: "value") == 1.0)
    #expect(try way("d2").value(forKey: "value") == 7.0)
    #expect(try way("d2").value(forKey: "unit") == "km")
    #expect(report.objects.allSatisfy { !$0.keys.isEmpty })
  }

  @Test func `what is patched by hand gets its new identifier, and passes the old one on`() throws {
    let way = try way("d1")
    let patch = Patch(objects: [
      ObjectPatch(
        updating: PatchIdentity("Distance", "guid", "d1"), old: ["guid": "d1"], new: ["guid": "d3"]),
      ObjectPatch(
        creating: PatchIdentity("Distance", "guid", "d1"), new: ["value": 5.0, "unit": "m"]),
    ])
    try patch.apply(to: context, delegate: RecipeTests.Measures())
    #expect(way.value(forKey: "guid") == "d3")
    #expect(way.value(forKey: "value") == 1.0 && way.value(forKey: "unit") == "km")
    #expect(try self.way("d1").value(forKey: "value") == 5.0)
    #expect(try context.count(FetchRequest("Distance", where: "guid == 'd1'")) == 1)
  }

  @Test func `the recipe leaves alone what the patch does not say`() throws {
    let patch = Patch(objects: [
      ObjectPatch(
        updating: PatchIdentity("Distance", "guid", "d1"), old: ["value": 1.0],
        new: ["value": 5.0])
    ])
    try patch.apply(to: context, delegate: RecipeTests.Measures())
    #expect(try way("d1").value(forKey: "value") == 5.0)
    #expect(try way("d1").value(forKey: "unit") == "km")
  }

  @Test func `what is missing comes to be by hand with what it had elsewhere, under force`() throws
  {
    let patch = Patch(objects: [
      ObjectPatch(
        updating: PatchIdentity("Distance", "guid", "d9"),
        old: ["guid": "d9", "value": 3.0, "unit": "km"], new: ["value": 5.0])
    ])
    try patch.apply(to: context, policy: .force, delegate: RecipeTests.Measures())
    #expect(try way("d9").value(forKey: "value") == 5.0)
    #expect(try way("d9").value(forKey: "unit") == "km")
  }

  @Test func `a delegate that gives one object for two is refused`() throws {
    struct Sharing: PatchDelegate {
      let shared: ManagedObject

      func makeObject(
        for patch: ObjectPatch, at path: PatchPath, in context: ManagedObjectContext
      ) throws -> ManagedObject? { shared }
    }
    let (one, other) = (
      PatchIdentity("Distance", "guid", "d8"), PatchIdentity("Distance", "guid", "d9")
    )
    let patch = Patch(objects: [
      ObjectPatch(creating: one, new: ["value": 8.0]), ObjectPatch(creating: other, new: [:]),
    ])
    let error = try #require(throws: PatchError.self) {
      try patch.apply(to: context, delegate: Sharing(shared: way("d2")))
    }
    #expect(error.code == .repeatedObject && error.path.description == "/1")
    #expect(try way("d2").value(forKey: "value") == 2.0 && !context.hasChanges)
  }
}
