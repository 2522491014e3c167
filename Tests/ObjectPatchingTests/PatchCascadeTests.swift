import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// What goes with an object that a patch deletes, and what is to stay.
@Suite struct PatchCascadeTests {
  private let stage: PatchStage
  private let context: ManagedObjectContext
  private let whole: ManagedObject

  init() throws {
    stage = try PatchStage()
    context = stage.context()
    whole = context.insert("Film")
    whole.setValue("w", forKey: "guid")
    try context.save()
  }

  private func make(_ guid: String, in owner: ManagedObject? = nil) -> ManagedObject {
    let object = context.insert("Book")
    object.setValue(.string(guid), forKey: "guid")
    object.setValue(owner.map { .reference($0.objectID) }, forKey: "whole")
    return object
  }

  private func identity(_ guid: String) -> PatchIdentity {
    PatchIdentity(guid == "w" ? "Film" : "Book", "guid", .string(guid))
  }

  /// What a deletion here would do elsewhere.
  private func patch(deleting object: ManagedObject) throws -> Patch {
    try context.save()
    context.delete(object)
    let patch = try Patch.difference(from: stage.store.asOf(.head), to: context)
    context.rollback()
    return patch
  }

  @Test func `what was added since is told before a deletion takes it along`() throws {
    let patch = try patch(deleting: whole)
    let (part, note) = (make("p", in: whole), context.insert("Note"))
    note.setValue(.reference(whole.objectID), forKey: "about")
    context.processPendingChanges()
    for policy in [PatchPolicy.refuse, .merge] {
      let error = #expect(throws: PatchConflicts.self) {
        try patch.apply(to: context, policy: policy)
      }
      let conflicts = error?.conflicts ?? []
      #expect(Set(conflicts.map(\.key)) == ["parts", "notes"])
      #expect(conflicts.map(\.objectID) == [whole.objectID, whole.objectID])
      #expect(
        Set(conflicts.map(\.current)) == [
          .array([.reference(part.objectID)]), .set([.reference(note.objectID)]),
        ])
    }
    let report = try patch.apply(to: context, policy: .keepOurs)
    #expect(report.objects.isEmpty && report.conflicts.count == 2)
    #expect(!whole.isDeleted && !part.isDeleted && !note.isDeleted)
    try patch.apply(to: context, policy: .force)
    #expect(whole.isDeleted && part.isDeleted && note.isDeleted)
    context.undo()
    context.delete(part)
    context.delete(note)
    try patch.apply(to: context)
    #expect(whole.isDeleted)
  }

  @Test func `a deletion that does not say all takes along what the model says`() throws {
    let part = make("p", in: whole)
    try context.save()
    let deletion = ObjectPatch(deleting: identity("w"), old: ["guid": "w"])
    try Patch(objects: [deletion]).apply(to: context)
    #expect(whole.isDeleted && part.isDeleted)
  }

  @Test func `under keepOurs what is kept is kept by all that it goes with`() throws {
    let part = make("p", in: whole)
    let detail = make("d", in: part)
    let patch = try patch(deleting: whole)
    detail.setValue("ours", forKey: "name")
    context.processPendingChanges()
    let report = try patch.apply(to: context, policy: .keepOurs)
    #expect(report.objects.isEmpty)
    #expect(Set(report.conflicts.map(\.key)) == ["name", "parts"])
    for object in [whole, part, detail] { #expect(!object.isDeleted) }
    #expect(detail.value(forKey: "whole") == .reference(part.objectID))
    // Also where the patch does not speak of what is between.
    let ends = Patch(objects: [
      ObjectPatch(deleting: identity("w"), old: ["guid": "w"]),
      ObjectPatch(deleting: identity("d"), old: ["guid": "d", "name": "theirs"]),
      // Nor does another come in its place.
      ObjectPatch(creating: identity("w"), new: ["score": 1]),
    ])
    let left = try ends.apply(to: context, policy: .keepOurs)
    #expect(left.objects.isEmpty && left.conflicts.map(\.kind).contains(.objectExists))
    for object in [whole, part, detail] { #expect(!object.isDeleted) }
    #expect(try context.count(FetchRequest("Film")) == 1)
    try patch.apply(to: context, policy: .force)
    for object in [whole, part, detail] { #expect(object.isDeleted) }
  }

  @Test func `what the patch has leave before is not taken along`() throws {
    let (part, other) = (make("p", in: whole), make("o"))
    try context.save()
    part.setValue(.reference(other.objectID), forKey: "whole")
    context.delete(whole)
    let patch = try Patch.difference(from: stage.store.asOf(.head), to: context)
    context.rollback()
    try patch.apply(to: context)
    #expect(whole.isDeleted && part.value(forKey: "whole") == .reference(other.objectID))
    context.undo()
    // Said by the other owner alone.
    var bare = patch
    bare.objects = bare.objects.flatMap(\.flattened).filter { $0.identity != identity("p") }
    try bare.apply(to: context)
    #expect(whole.isDeleted && part.value(forKey: "whole") == .reference(other.objectID))
  }

  @Test func `what has left by a relationship without inverse stays, as the difference says`()
    throws
  {
    let guid = AttributeDescription("guid", .string, isIdentifier: true)
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Box", attributes: [guid],
        relationships: [
          RelationshipDescription("items", to: "Item", isToMany: true, deleteRule: .cascade)
        ]),
      EntityDescription("Item", attributes: [guid]),
    ])
    let store = try JournaledStore(on: SimulatedDisk(seed: 1), at: "store", model: model)
    let context = ManagedObjectContext(store, isolation: nil)
    let (box, gone, kept) = (
      context.insert("Box"), context.insert("Item"), context.insert("Item")
    )
    for (object, guid) in [(box, "b"), (gone, "g"), (kept, "k")] {
      object.setValue(.string(guid), forKey: "guid")
    }
    box.setValue(.set([.reference(gone.objectID), .reference(kept.objectID)]), forKey: "items")
    try context.save()
    box.setValue(.set([.reference(gone.objectID)]), forKey: "items")
    context.delete(box)
    let patch = try Patch.difference(from: store.asOf(.head), to: context)
    context.rollback()
    try patch.apply(to: context)
    #expect(box.isDeleted && gone.isDeleted && !kept.isDeleted)
    try context.save()
    #expect(try context.count(FetchRequest("Item")) == 1)
  }

  /// A patch by hand that deletes the whole and speaks of what would go with that.
  private func patch(_ part: ObjectPatch) -> Patch {
    Patch(objects: [ObjectPatch(deleting: identity("w"), old: ["guid": "w"]), part])
  }

  @Test(arguments: [true, false], [true, false])
  func `what a patch has be there afterwards is not taken along unsaid`(
    isCreated: Bool, isDeep: Bool
  ) throws {
    let part = make("p", in: isDeep ? make("between", in: whole) : whole)
    try context.save()
    let before = try GraphPicture(context)
    let patch = patch(
      isCreated
        ? ObjectPatch(creating: identity("p"), new: ["score": 7])
        : ObjectPatch(updating: identity("p"), new: ["score": 7]))
    for policy in [PatchPolicy.refuse, .merge] {
      let error = #expect(throws: PatchConflicts.self) {
        try patch.apply(to: context, policy: policy)
      }
      #expect(error?.conflicts.contains { $0.key == "parts" } ?? false)
      #expect(try GraphPicture(context).difference(from: before) == nil && !context.hasChanges)
    }
    try patch.apply(to: context, policy: .keepOurs)
    #expect(!whole.isDeleted && !part.isDeleted)
    context.rollback()
    let report = try patch.apply(to: context, policy: .force)
    #expect(report.conflicts.contains { $0.key == "parts" })
    #expect(report.objects.map(\.keys) == [[], ["score", "whole"]])
    #expect(whole.isDeleted && !part.isDeleted)
    #expect(part.value(forKey: "score") == 7 && part.value(forKey: "whole") == nil)
    #expect(try GraphPicture(context).objects.count == 1)
    context.undo()
    #expect(try GraphPicture(context).difference(from: before) == nil)
  }

  @Test(arguments: [true, false])
  func `what a patch brings to an object that goes with another is not taken along unsaid`(
    isCreated: Bool
  ) throws {
    let between = make("between", in: whole)
    if !isCreated { _ = make("p") }
    try context.save()
    let before = try GraphPicture(context)
    var part =
      isCreated
      ? ObjectPatch(creating: identity("p"), new: [:]) : ObjectPatch(updating: identity("p"))
    part.relationships = ["whole": RelationshipPatch(.toOne, added: [.init(identity("between"))])]
    let patch = patch(part)
    for policy in [PatchPolicy.refuse, .merge] {
      let error = #expect(throws: PatchConflicts.self) {
        try patch.apply(to: context, policy: policy)
      }
      #expect(error?.conflicts.contains { $0.key == "parts" } ?? false)
      #expect(try GraphPicture(context).difference(from: before) == nil && !context.hasChanges)
    }
    try patch.apply(to: context, policy: .keepOurs)
    #expect(!whole.isDeleted && !between.isDeleted)
    #expect(try GraphPicture(context).objects["Book p"]?.links["whole"] == ["Book between"])
    context.rollback()
    let report = try patch.apply(to: context, policy: .force)
    #expect(report.conflicts.contains { $0.key == "parts" })
    #expect(whole.isDeleted && between.isDeleted)
    #expect(try GraphPicture(context).objects.keys.sorted() == ["Book p"])
    context.undo()
    #expect(try GraphPicture(context).difference(from: before) == nil)
  }

  @Test func `the difference of two objects has all that goes with another, however deep`() throws {
    let owner = make("owner")
    let part = make("p", in: whole)
    whole.setValue(.reference(owner.objectID), forKey: "parent")
    try context.save()
    context.delete(whole)
    let past = try stage.store.asOf(.head)
    let patch = try Patch.difference(
      from: past.existingObject(with: owner.objectID), to: owner, options: PatchOptions(depth: 1))
    context.rollback()
    try patch.apply(to: context)
    #expect(whole.isDeleted && part.isDeleted)
  }
}

extension ObjectPatch {
  /// The patch and all that is nested in it, not nested.
  fileprivate var flattened: [ObjectPatch] {
    var own = self
    for key in relationships.keys { own.relationships[key]?.patches = [] }
    return [own] + relationships.values.flatMap { $0.patches.flatMap(\.flattened) }
  }
}
