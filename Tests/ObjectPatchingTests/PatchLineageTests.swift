import DiskSimulation
import Foundation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// Objects that are named by their IDs: in their store, in copies of it, and in others.
@Suite struct PatchLineageTests {
  private let stage: PatchStage
  private let context: ManagedObjectContext

  init() throws {
    stage = try PatchStage()
    context = stage.context()
    context.insert("Note").setValue("first", forKey: "text")
    try context.save()
  }

  private func notes(_ store: JournaledStore) throws -> [ObjectID: Value?] {
    let context = ManagedObjectContext(store, isolation: nil)
    let all = try context.fetch(FetchRequest("Note"))
    return Dictionary(uniqueKeysWithValues: all.map { ($0.objectID, $0.value(forKey: "text")) })
  }

  private func sinceFirst() throws -> Patch {
    try Patch(stage.store.commits(since: 1), of: stage.store)
  }

  @Test func `S78: a creation by an ID of another lineage is refused, whatever the policy`() throws
  {
    let json = """
      {"patch":1,"objects":[{"entity":"Note","id":"xjournal://0123456789abcdef/0/4/17","new":{"text":"x"}}]}
      """
    let patch = try Patch(json: Data(json.utf8), model: PatchStage.model())
    for policy in PatchPolicy.allCases {
      let error = #expect(throws: PatchError.self) { try patch.apply(to: context, policy: policy) }
      #expect(error?.code == .otherLineage && error?.path.description == "/0")
    }
    #expect(try context.count(FetchRequest("Note")) == 1 && !context.hasChanges)
  }

  @Test func `what a copy would follow with is told of one that can only be read`() throws {
    let copy = try stage.copy()
    context.insert("Note")
    try context.save()
    let reading = ManagedObjectContext(reading: copy)
    let report = try sinceFirst().report(applyingTo: reading)
    #expect(report.objects.count == 1)
    #expect(report == (try sinceFirst().report(applyingTo: ManagedObjectContext(copy))))
    withExtendedLifetime(reading) {}
  }

  @Test func `a copy follows with objects that have no identifiers, under their IDs`() throws {
    let copy = try stage.copy()
    let made = context.insert("Note")
    made.setValue("second", forKey: "text")
    try context.save()
    let creation = try sinceFirst()
    try creation.apply(to: copy)
    #expect(try notes(copy) == notes(stage.store))
    // Twice is a conflict, and makes no other.
    let conflicts = #expect(throws: PatchConflicts.self) { try creation.apply(to: copy) }
    #expect(conflicts?.conflicts.map(\.kind) == [.objectExists])
    made.setValue("changed", forKey: "text")
    try context.save()
    try Patch(stage.store.commits(since: 2), of: stage.store).apply(to: copy)
    #expect(try notes(copy) == notes(stage.store))
    try creation.inverted().apply(to: copy, policy: .force)
    #expect(try notes(copy).count == 1)
  }

  @Test func `an ID that was taken over is given to no other object, also after opening`() throws {
    let copy = try stage.copy()
    // More than were reserved when the copy was made.
    for number in 0..<200 { context.insert("Note").setValue(.string("\(number)"), forKey: "text") }
    try context.save()
    let taken = try sinceFirst()
    let other = ManagedObjectContext(copy, isolation: nil)
    try taken.apply(to: other)
    let own = other.insert("Note").objectID
    #expect(try notes(stage.store)[own] == nil)
    try other.save()
    other.undo()
    other.undo()
    #expect(try other.count(FetchRequest("Note")) == 1)
    other.redo()
    #expect(try other.count(FetchRequest("Note")) == 201)
    try other.save()
    #expect(try copy.verify().isEmpty)
  }

  // MARK: IDs that were given here

  private func creation(of object: ObjectID) -> Patch {
    Patch(objects: [
      ObjectPatch(creating: PatchIdentity("Note", object), new: ["text": "theirs"])
    ])
  }

  private func expectRefused(
    _ object: ObjectID, in context: ManagedObjectContext,
    _ location: SourceLocation = #_sourceLocation
  ) {
    for policy in PatchPolicy.allCases {
      let error = #expect(throws: PatchError.self, sourceLocation: location) {
        try creation(of: object).apply(to: context, policy: policy)
      }
      #expect(error?.code == .ambiguousObject, sourceLocation: location)
      #expect(error?.path.description == "/0", sourceLocation: location)
    }
  }

  @Test
  func `an ID that another context has given to what it has not saved is refused, and then not`()
    throws
  {
    let made = context.insert("Note")
    made.setValue("ours", forKey: "text")
    let object = made.objectID
    let other = stage.context()
    expectRefused(object, in: other)
    // There, and in a context within, it is just there.
    let child = ManagedObjectContext(parent: context, isolation: nil)
    for context in [context, child] {
      let conflicts = #expect(throws: PatchConflicts.self) {
        try creation(of: object).apply(to: context)
      }
      #expect(conflicts?.conflicts.map(\.kind) == [.objectExists])
    }
    context.rollback()
    try creation(of: object).apply(to: other)
    try other.save()
    #expect(try notes(stage.store)[object] == .some("theirs"))
  }

  @Test
  func `an ID is refused of what another context has taken back, and made again after a save`()
    throws
  {
    try #require(context.fetch(FetchRequest("Note")).first).setValue("changed", forKey: "text")
    context.processPendingChanges()
    let object = context.insert("Note").objectID
    context.undo()
    try context.save()
    let other = stage.context()
    try creation(of: object).apply(to: other)
    other.rollback()
    context.redo()
    #expect(context.registeredObject(for: object)?.isDeleted == false)
    expectRefused(object, in: other)
  }

  @Test func `an ID is not refused of what a context has made that was let go`() throws {
    var gone: ManagedObjectContext? = stage.context()
    let object = try #require(gone?.insert("Note").objectID)
    expectRefused(object, in: context)
    gone = nil
    try creation(of: object).apply(to: context)
    #expect(try context.count(FetchRequest("Note")) == 2)
  }

  /// Makes another note beside each that a patch creates.
  private struct Doubling: PatchDelegate {
    func makeObject(
      for patch: ObjectPatch, at path: PatchPath, in context: ManagedObjectContext
    ) throws -> ManagedObject? {
      context.insert(patch.entityName).setValue("beside", forKey: "text")
      return nil
    }
  }

  @Test func `what a delegate makes is given none of the IDs that the patch creates objects under`()
    throws
  {
    let copy = try stage.copy()
    // More than were reserved when the copy was made.
    for number in 0..<200 { context.insert("Note").setValue(.string("\(number)"), forKey: "text") }
    try context.save()
    try sinceFirst().apply(to: copy, delegate: Doubling())
    let notes = try notes(copy)
    #expect(notes.count == 401)
    for (object, text) in try self.notes(stage.store) { #expect(notes[object] == text) }
  }

  @Test func `IDs that are taken over are given to nobody else, and those given before are told`()
    throws
  {
    let tag = try #require(context.fetch(FetchRequest("Note")).first).objectID
    func object(_ number: UInt64) -> ObjectID {
      ObjectID(origin: tag.origin, entity: tag.entity, number: number, store: tag.store)
    }
    let farther = (tag.number + 1...tag.number + 100).map(object)
    #expect(try stage.store.takeOver([tag] + farther.reversed()) == [tag])
    #expect(try stage.store.takeOver(farther) == Set(farther))
    #expect(try stage.store.newObject(of: tag.entity) == object(tag.number + 101))
  }

  @Test func `an ID far beyond those that were given is refused`() throws {
    let tag = try #require(context.fetch(FetchRequest("Note")).first).objectID.uri
    for number in ["68719476735", "0"] {
      let uri =
        tag.split(separator: "/").dropLast().joined(separator: "/")
        .replacing("xjournal:/", with: "xjournal://") + "/\(number)"
      guard let object = try? ObjectID(uri: uri) else { continue }
      let patch = Patch(objects: [ObjectPatch(creating: PatchIdentity("Note", object), new: [:])])
      let error = #expect(throws: PatchError.self) { try patch.apply(to: context) }
      #expect(error?.code == .wrongIdentifier)
    }
    #expect(try context.count(FetchRequest("Note")) == 1)
  }

  @Test func `what comes with an identifier is known by that, whatever ID it is named by`() throws {
    let named = context.insert("Book")
    try context.save()
    named.setValue("b", forKey: "guid")
    try context.save()
    let model = try PatchStage.model()
    let (one, two) = (
      try Patch([stage.store.commit(2)], of: stage.store),
      try Patch([stage.store.commit(3)], of: stage.store)
    )
    let both = try one.followed(by: two, model: model)
    let other = try PatchStage(seed: 2)
    try both.apply(to: other.store)
    let conflicts = #expect(throws: PatchConflicts.self) { try both.apply(to: other.store) }
    #expect(conflicts?.conflicts.map(\.kind) == [.objectExists])
    #expect(try other.context().count(FetchRequest("Book")) == 1)
  }

  @Test func `an attribute that is a reference stays one to that object of that store`() throws {
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Mark",
        attributes: [
          AttributeDescription("guid", .string, isIdentifier: true),
          AttributeDescription("of", .reference),
        ])
    ])
    let here = try JournaledStore(on: SimulatedDisk(seed: 5), at: "store", model: model)
    let there = try JournaledStore(on: SimulatedDisk(seed: 6), at: "store", model: model)
    let context = ManagedObjectContext(here, isolation: nil)
    let (one, other) = (context.insert("Mark"), context.insert("Mark"))
    one.setValue("one", forKey: "guid")
    other.setValue("other", forKey: "guid")
    one.setValue(.reference(other.objectID), forKey: "of")
    try context.save()
    let patch = try Patch(here.commits(since: 0), of: here)
    let back = try Patch(json: patch.json(), model: model)
    #expect(back == patch)
    try back.apply(to: there)
    let follower = ManagedObjectContext(there, isolation: nil)
    let all = try follower.fetch(FetchRequest("Mark", where: "guid == 'one'"))
    #expect(all.map { $0.value(forKey: "of") } == [.reference(other.objectID)])
    #expect(throws: (any Error).self) { try follower.existingObject(with: other.objectID) }
  }

  @Test func `an object without identifier that is taken for another is what leads there`() throws {
    let copy = try stage.copy()
    let there = ManagedObjectContext(copy, isolation: nil)
    let (other, child) = (there.insert("Note"), there.insert("Note"))
    other.setValue("other", forKey: "text")
    child.setValue("child", forKey: "text")
    other.setValue(.reference(child.objectID), forKey: "next")
    try there.save()
    let one = try #require(try context.fetch(FetchRequest("Note")).first)
    let patch = try Patch.difference(from: one, to: other)
    try patch.apply(to: context)
    #expect(one.value(forKey: "text") == "other")
    let next = try context.existingObject(with: child.objectID)
    #expect(one.value(forKey: "next") == .reference(next.objectID))
    #expect(next.value(forKey: "previous") == .reference(one.objectID))
    #expect(try context.count(FetchRequest("Note")) == 2)
    withExtendedLifetime(there) {}
  }
}
