import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// What a context refuses while a patch is being applied to it.
@Suite struct PatchRefusalTests {
  private typealias Meddling = (Scene) throws -> Void

  /// Does something in the midst of a patch: when an object is made, or when one is patched by hand.
  private struct Meddler: PatchDelegate {
    let isMaking: Bool
    let meddle: () throws -> Void

    func makeObject(
      for patch: ObjectPatch, at path: PatchPath, in context: ManagedObjectContext
    ) throws -> ManagedObject? {
      guard isMaking else { return nil }
      let object = context.insert(patch.entityName)
      try meddle()
      return object
    }

    func patchesByHand(entityNamed name: String) -> Bool { name == "Distance" }

    func patch(_ object: ManagedObject, with patch: ObjectPatch, at path: PatchPath) throws {
      object.setValue(patch.new?["value"], forKey: "value")
      if !isMaking { try meddle() }
    }
  }

  /// A context with something unsaved, and a patch that changes an object, one by hand, and makes one.
  private struct Scene {
    let store: JournaledStore
    let context: ManagedObjectContext
    let address: ManagedObject
    let way: ManagedObject
    let patch = Patch(objects: [
      ObjectPatch(
        updating: PatchIdentity("Address", "guid", "123"), old: ["city": "Townsville"],
        new: ["city": "Sometown"]),
      ObjectPatch(
        updating: PatchIdentity("Distance", "guid", "d1"), old: ["value": 3.0], new: ["value": 5.0]),
      ObjectPatch(creating: PatchIdentity("Child", "guid", "c1"), new: ["name": "n"]),
    ])

    init() throws {
      store = try JournaledStore(on: SimulatedDisk(seed: 1), at: "store", model: articleModel())
      context = ManagedObjectContext(store, isolation: nil)
      address = context.insert("Address")
      address.setValue("123", forKey: "guid")
      address.setValue("Townsville", forKey: "city")
      way = context.insert("Distance")
      way.setValue("d1", forKey: "guid")
      way.setValue(3.0, forKey: "value")
      try context.save()
      address.setValue("Main Street", forKey: "street")
      context.setActionName("Before")
      context.processPendingChanges()
    }

    func apply(isMaking: Bool = false, _ meddle: @escaping () throws -> Void) throws {
      try patch.apply(
        to: context, delegate: Meddler(isMaking: isMaking, meddle: meddle), named: "Patch")
    }

    /// That everything is as it was before the patch, what was not saved and what can be undone with it.
    func expectUntouched(_ what: Comment) throws {
      #expect(address.value(forKey: "city") == "Townsville", what)
      #expect(address.value(forKey: "street") == "Main Street", what)
      #expect(way.value(forKey: "value") == 3.0, what)
      #expect(try context.count(FetchRequest("Child")) == 0, what)
      #expect(context.insertedObjects.isEmpty && context.updatedObjects == [address], what)
      #expect(context.undoActionName == "Before" && context.undoSteps.count == 2, what)
      #expect(!context.canRedo && store.lastCommit == 1, what)
    }

    /// That the patch was applied as one step, which can be undone.
    func expectWhole(_ what: Comment) throws {
      #expect(
        address.value(forKey: "city") == "Sometown" && way.value(forKey: "value") == 5.0, what)
      #expect(context.undoActionName == "Patch" && store.lastCommit == 1, what)
      context.undo()
      #expect(
        address.value(forKey: "city") == "Townsville" && way.value(forKey: "value") == 3.0, what)
      #expect(try context.count(FetchRequest("Child")) == 0, what)
      #expect(context.undoActionName == "Before", what)
    }
  }

  @Test func `what cannot throw does nothing in the midst of a patch, and the patch is refused`()
    throws
  {
    let meddlings: [(name: Comment, Meddling)] = [
      ("undo", { $0.context.undo() }), ("redo", { $0.context.redo() }),
      ("roll back", { $0.context.rollback() }), ("reset", { $0.context.reset() }),
      ("close", { $0.context.close() }), ("end a group", { $0.context.endUndoGrouping() }),
      ("begin a group", { $0.context.beginUndoGrouping() }),
      ("refresh all", { $0.context.refreshAllObjects() }),
      ("merge", { $0.context.merge(from: try $0.store.commit(1)) }),
      ("refresh", { $0.context.refresh($0.address, mergeChanges: false) }),
      ("refresh by ID", { $0.context.refresh($0.address.objectID, mergeChanges: true) }),
      (
        "end two groups",
        {
          $0.context.beginUndoGrouping()
          $0.context.endUndoGrouping()
          $0.context.endUndoGrouping()
        }
      ),
      (
        "undo, then fetch",
        {
          $0.context.undo()
          _ = try $0.context.fetch(FetchRequest("Person"))
        }
      ),
    ]
    for (name, meddle) in meddlings {
      for isMaking in [true, false] {
        let scene = try Scene()
        let error = #expect(throws: ContextError.self, name) {
          try scene.apply(isMaking: isMaking) { try meddle(scene) }
        }
        #expect(error == .isPatching, name)
        try scene.expectUntouched(name)
        // It is refused in the midst of a patch only.
        try scene.apply {}
        try scene.expectWhole(name)
      }
    }
  }

  @Test func `what can throw throws in the midst of a patch, to who asked for it`() throws {
    let meddlings: [(name: Comment, Meddling)] = [
      ("save", { try $0.context.save() }),
      ("save again and again", { try $0.context.save(retrying: 2) }),
      ("revert", { try $0.context.revert(.commit(1), isForced: true) }),
      ("revert to", { try $0.context.revert(to: .commit(1)) }),
      ("undo a step", { try $0.context.undo(step: 1) }),
      ("undo a named step", { try $0.context.undo(stepNamed: "Before") }),
      ("undo an object", { try $0.context.undo($0.address) }),
    ]
    for (name, meddle) in meddlings {
      for isMaking in [true, false] {
        let scene = try Scene()
        let error = #expect(throws: ContextError.self, name) {
          try scene.apply(isMaking: isMaking) { try meddle(scene) }
        }
        #expect(error == .isPatching, name)
        try scene.expectUntouched(name)
        // Who takes the refusal may go on, as nothing was done.
        try scene.apply(isMaking: isMaking) {
          #expect(throws: ContextError.isPatching, name) { try meddle(scene) }
        }
        try scene.expectWhole(name)
        try meddle(scene)
      }
    }
  }

  @Test func `observers and who listens are refused as a delegate is`() throws {
    let scene = try Scene()
    let observation = scene.address.observe("city", [.new]) { _ in scene.context.undo() }
    #expect(throws: ContextError.isPatching) { try scene.patch.apply(to: scene.context) }
    observation.cancel()
    try scene.expectUntouched("observed")
    // Who listens to the context is told when the patch is whole, and not before, and may save then.
    var (updates, commits): ([Int], [CommitNumber]) = ([], [])
    let token = scene.context.onChange { changes in
      updates.append(changes.updated.count)
      do {
        if let commit = try scene.context.save() { commits.append(commit.number) }
      } catch {
        Issue.record(error)
      }
    }
    try scene.apply {
      _ = try scene.context.fetch(FetchRequest("Person"))
      scene.context.processPendingChanges()
      #expect(updates.isEmpty)
    }
    token.cancel()
    #expect(updates == [2] && commits == [2])
    #expect(try scene.store.commit(2).changes.count == 3)
    #expect(!scene.context.hasChanges)
  }

  @Test func `undo that is switched off in the midst of a patch stays on for the patch`() throws {
    struct Refusal: Error {}
    for (isLeft, isRefused) in [(false, true), (true, true), (false, false), (true, false)] {
      let scene = try Scene()
      let meddle = {
        scene.context.disableUndoRegistration()
        scene.way.setValue("km", forKey: "unit")
        if !isLeft { scene.context.enableUndoRegistration() }
        if isRefused { throw Refusal() }
      }
      if isRefused {
        #expect(throws: Refusal.self) { try scene.apply(meddle) }
        try scene.expectUntouched("switched off")
      } else {
        try scene.apply(meddle)
        try scene.expectWhole("switched off")
      }
      #expect(scene.way.value(forKey: "unit") == nil)
      // From then on it is off, for who has left it so.
      let count = scene.context.undoSteps.count
      scene.address.setValue("Elsewhere", forKey: "city")
      scene.context.processPendingChanges()
      #expect(scene.context.undoSteps.count == (isLeft ? count : count + 1))
      if isLeft { scene.context.enableUndoRegistration() }
    }
  }

  @Test func `what others save is brought in when a patch is whole, and not in its midst`() throws {
    let scene = try Scene()
    scene.context.automaticallyMergesChanges = true
    try scene.apply {
      let other = ManagedObjectContext(scene.store, isolation: nil)
      try other.existingObject(with: scene.address.objectID).setValue("Theirs", forKey: "city")
      try other.save()
      _ = try scene.context.fetch(FetchRequest("Person"))
    }
    #expect(scene.address.value(forKey: "city") == "Sometown")
    scene.context.undo()
    #expect(scene.address.value(forKey: "city") == "Townsville")
  }

  @Test func `what cannot be taken back by itself stays whole, and the next save tells`() throws {
    let scene = try Scene()
    let observation = scene.address.observe("city", [.new]) { _ in
      scene.context.rollback()
    }
    scene.context.beginUndoGrouping()
    try scene.patch.apply(to: scene.context)
    observation.cancel()
    #expect(scene.address.value(forKey: "city") == "Sometown")
    #expect(try scene.context.count(FetchRequest("Child")) == 1)
    scene.context.endUndoGrouping()
    #expect(throws: ContextError.isPatching) { try scene.context.save() }
    #expect(try scene.context.save()?.number == 2)
  }

  @Test func `a patch within a patch is a part of it, and ends nothing`() throws {
    let scene = try Scene()
    let inner = Patch(objects: [
      ObjectPatch(
        updating: PatchIdentity("Distance", "guid", "d1"), old: ["unit": .null], new: ["unit": "m"])
    ])
    try scene.apply { try inner.apply(to: scene.context) }
    #expect(scene.way.value(forKey: "unit") == "m")
    try scene.expectWhole("within")
    #expect(scene.way.value(forKey: "unit") == nil)
    #expect(throws: ContextError.isPatching) {
      try scene.apply {
        try inner.apply(to: scene.context)
        scene.context.undo()
      }
    }
    #expect(scene.way.value(forKey: "unit") == nil && scene.context.undoActionName == "Before")
  }
}
