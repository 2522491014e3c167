import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// Applying is one step: all of it, or nothing.
@Suite struct PatchStepTests {
  private struct Refusal: Error {}

  /// Looks something up before it does anything, and then perhaps throws.
  private struct Searching: PatchDelegate {
    var throwsWhenPatching = false
    var throwsWhenMaking = false

    func makeObject(
      for patch: ObjectPatch, at path: PatchPath, in context: ManagedObjectContext
    ) throws -> ManagedObject? {
      let count = try context.count(FetchRequest("Child"))
      if throwsWhenMaking, count > 0 { throw Refusal() }
      return throwsWhenMaking ? context.insert("Child") : nil
    }

    func patchesByHand(entityNamed name: String) -> Bool { name == "Distance" }

    func patch(_ object: ManagedObject, with patch: ObjectPatch, at path: PatchPath) throws {
      _ = try object.context?.fetch(FetchRequest("Person"))
      if throwsWhenPatching { throw Refusal() }
      object.setValue(patch.new?["value"], forKey: "value")
    }
  }

  private let disk = SimulatedDisk(seed: 1)
  private let store: JournaledStore
  private let context: ManagedObjectContext
  private let address: ManagedObject
  private let way: ManagedObject
  private let patch: Patch

  init() throws {
    store = try JournaledStore(on: disk, at: "store", model: articleModel())
    context = ManagedObjectContext(store, isolation: nil)
    address = context.insert("Address")
    address.setValue("123", forKey: "guid")
    address.setValue("Townsville", forKey: "city")
    way = context.insert("Distance")
    way.setValue("d1", forKey: "guid")
    way.setValue(3.0, forKey: "value")
    try context.save()
    patch = Patch(objects: [
      ObjectPatch(
        updating: PatchIdentity("Address", "guid", "123"), old: ["city": "Townsville"],
        new: ["city": "Sometown"]),
      ObjectPatch(
        updating: PatchIdentity("Distance", "guid", "d1"), old: ["value": 3.0], new: ["value": 5.0]),
    ])
  }

  @Test func `a delegate that fetches makes no second step`() throws {
    try patch.apply(to: context, delegate: Searching(), named: "Move")
    #expect(address.value(forKey: "city") == "Sometown" && way.value(forKey: "value") == 5.0)
    #expect(context.undoActionName == "Move")
    context.undo()
    #expect(address.value(forKey: "city") == "Townsville" && way.value(forKey: "value") == 3.0)
  }

  @Test func `what a delegate throws after it fetched takes all back, and leaves no trace`() throws
  {
    context.setActionName("Before")
    address.setValue("Main Street", forKey: "street")
    context.processPendingChanges()
    let steps = context.undoSteps.count
    var larger = patch
    for guid in ["c1", "c2"] {
      larger.objects.append(
        ObjectPatch(creating: PatchIdentity("Child", "guid", .string(guid)), new: ["name": "n"]))
    }
    for delegate in [Searching(throwsWhenPatching: true), Searching(throwsWhenMaking: true)] {
      #expect(throws: Refusal.self) { try larger.apply(to: context, delegate: delegate) }
      #expect(address.value(forKey: "city") == "Townsville" && way.value(forKey: "value") == 3.0)
      #expect(try context.count(FetchRequest("Child")) == 0)
      #expect(context.undoSteps.count == steps && context.undoActionName == "Before")
      #expect(!context.canRedo)
      #expect(context.insertedObjects.isEmpty && context.updatedObjects == [address])
    }
    context.undo()
    #expect(address.value(forKey: "street") == nil && !context.hasChanges)
    context.redo()
    #expect(address.value(forKey: "street") == "Main Street" && !context.canRedo)
  }

  @Test func `a context without changes has none after a delegate threw, nor has its journal`()
    throws
  {
    let delegate = Searching(throwsWhenPatching: true)
    #expect(throws: Refusal.self) { try patch.apply(to: context, delegate: delegate) }
    #expect(!context.hasChanges)
    #expect(try context.save() == nil)
    address.setValue("Elsewhere", forKey: "city")
    #expect(context.undoActionName == nil)
    try context.save()
    #expect(try store.asOf(.head).existingObject(with: way.objectID).value(forKey: "value") == 3.0)
  }

  @Test func `a draft that is resumed knows nothing of a patch that a delegate broke off`() throws {
    address.setValue("Main Street", forKey: "street")
    context.setActionName("Before")
    context.processPendingChanges()
    #expect(throws: Refusal.self) {
      try patch.apply(to: context, delegate: Searching(throwsWhenPatching: true))
    }
    let again = try JournaledStore(
      on: disk.imageAfterProcessDeath(), at: "store", model: articleModel())
    let draft = try #require(again.unsavedDrafts.first)
    let resumed = try ManagedObjectContext(recovering: draft, in: again)
    #expect(resumed.undoSteps.count == context.undoSteps.count)
    #expect(resumed.undoActionName == "Before")
    // What may be left to redo there does nothing.
    resumed.redo()
    #expect(try resumed.existingObject(with: way.objectID).value(forKey: "value") == 3.0)
  }

  @Test func `a patch that finds all as it is to be makes no step and leaves no name`() throws {
    let stage = try PatchStage()
    let context = stage.context()
    let (one, two) = (context.insert("Book"), context.insert("Book"))
    one.setValue("1", forKey: "guid")
    two.setValue("2", forKey: "guid")
    one.setValue(.set([.reference(two.objectID)]), forKey: "friends")
    try context.save()
    let steps = context.undoSteps.count
    let friends = RelationshipPatch(.toMany, added: [.init(PatchIdentity("Book", "guid", "2"))])
    let patch = Patch(objects: [
      ObjectPatch(
        updating: PatchIdentity("Book", "guid", "1"), relationships: ["friends": friends])
    ])
    let report = try patch.apply(to: context, policy: .merge)
    #expect(report.objects.isEmpty)
    #expect(!context.hasChanges && context.undoSteps.count == steps)
    one.setValue("n", forKey: "name")
    #expect(context.undoActionName == nil)
  }

  /// Changes itself when it is brought back, as a class should not.
  private final class Restless: ManagedObject {
    @Attribute("guid", .identifier) var guid: String?
    @Attribute("name") var name: String?

    override func awake(from reason: AwakeReason) {
      guard case .undoOfUpdate = reason else { return }
      name = "restless"
      context?.processPendingChanges()
    }
  }

  private struct Breaking: PatchDelegate {
    func makeObject(
      for patch: ObjectPatch, at path: PatchPath, in context: ManagedObjectContext
    ) throws -> ManagedObject? {
      for object in try context.fetch(FetchRequest("Restless")) {
        object.setValue("changed", forKey: "name")
      }
      throw Refusal()
    }
  }

  @Test func `what others change while a patch is taken back is told of, with why it was`() throws {
    let store = try JournaledStore(
      on: SimulatedDisk(seed: 7), at: "store", model: ManagedObjectModel(Restless.self))
    let context = ManagedObjectContext(store, isolation: nil)
    let object = context.insert(Restless.self)
    object.guid = "r"
    try context.save()
    let patch = Patch(objects: [
      ObjectPatch(creating: PatchIdentity("Restless", "guid", "s"), new: [:])
    ])
    let error = #expect(throws: ContextError.self) {
      try patch.apply(to: context, delegate: Breaking())
    }
    guard case .patchNotTakenBack(let reason, let failure) = error else {
      Issue.record("it is \(String(describing: error))")
      return
    }
    #expect(reason.contains("Refusal") && failure.contains("meanwhile"))
    #expect(object.name == "restless")
  }
}
