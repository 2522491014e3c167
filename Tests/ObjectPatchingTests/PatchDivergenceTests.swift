import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// What was done here and elsewhere: ends that lead elsewhere since, removals that have happened, names that are taken.
@Suite struct PatchDivergenceTests {
  private let stage: PatchStage
  private let context: ManagedObjectContext
  private let book: ManagedObject

  init() throws {
    stage = try PatchStage()
    context = stage.context()
    book = Self.make("b", context)
    for guid in ["A", "B", "C"] { _ = Self.make(guid, context) }
    try context.save()
  }

  private static func make(_ guid: String, _ context: ManagedObjectContext) -> ManagedObject {
    let object = context.insert("Book")
    object.setValue(.string(guid), forKey: "guid")
    return object
  }

  private func find(_ guid: String) throws -> ManagedObject {
    try #require(try context.fetch(FetchRequest("Book", where: "guid == '\(guid)'")).first)
  }

  private func reference(_ guid: String) throws -> Value { .reference(try find(guid).objectID) }

  private func identity(_ guid: String) -> PatchIdentity {
    PatchIdentity("Book", "guid", .string(guid))
  }

  private func update(
    _ guid: String, _ key: String, _ kind: RelationshipPatch.Kind, from: String? = nil,
    to: String? = nil
  ) -> ObjectPatch {
    let patch = RelationshipPatch(
      kind, removed: from.map { [.init(identity($0))] } ?? [],
      added: to.map { [.init(identity($0))] } ?? [])
    return ObjectPatch(updating: identity(guid), relationships: [key: patch])
  }

  // MARK: Ends

  @Test func `under keepOurs what we had lead elsewhere stays, whichever end the patch says it at`()
    throws
  {
    let cases: [(String, [ObjectPatch])] = [
      (
        "parent",
        [
          update("A", "children", .toMany, from: "b"), update("B", "children", .toMany, to: "b"),
        ]
      ),
      (
        "parent",
        [
          update("b", "parent", .toOne, from: "A", to: "B"),
          update("B", "children", .toMany, to: "b"),
        ]
      ),
      (
        "whole",
        [
          update("b", "whole", .toOne, from: "A", to: "B"), update("B", "parts", .ordered, to: "b"),
        ]
      ),
      (
        "boss",
        [
          update("b", "boss", .toOne, from: "A", to: "B"), update("B", "deputy", .toOne, to: "b"),
        ]
      ),
    ]
    for (key, objects) in cases {
      for objects in [objects, objects.reversed()] {
        book.setValue(try reference("C"), forKey: key)
        context.processPendingChanges()
        let patch = Patch(objects: objects)
        let report = try patch.apply(to: context, policy: .keepOurs)
        #expect(try book.value(forKey: key) == reference("C"), "\(patch)")
        #expect(!report.conflicts.isEmpty && report.objects.isEmpty, "\(patch)")
        #expect(throws: PatchConflicts.self, "\(patch)") {
          try patch.apply(to: context, policy: .merge)
        }
        // Where it is as the patch says, it is done.
        book.setValue(try reference("A"), forKey: key)
        context.processPendingChanges()
        try patch.apply(to: context, policy: .keepOurs)
        #expect(try book.value(forKey: key) == reference("B"), "\(patch)")
        book.setValue(nil, forKey: key)
      }
    }
  }

  @Test func `under force what the patch says stands, whichever end it says it at`() throws {
    book.setValue(try reference("C"), forKey: "parent")
    let patch = Patch(objects: [
      update("A", "children", .toMany, from: "b"), update("B", "children", .toMany, to: "b"),
    ])
    let report = try patch.apply(to: context, policy: .force)
    #expect(try book.value(forKey: "parent") == reference("B"))
    #expect(report.conflicts.map(\.path.description) == ["/0/children"])
  }

  // MARK: Removals

  @Test func `what has gone on both sides is merged`() throws {
    let gone = try find("C")
    book.setValue(.set([.reference(gone.objectID)]), forKey: "friends")
    book.setValue(.array([.reference(gone.objectID)]), forKey: "items")
    book.setValue(.reference(gone.objectID), forKey: "parent")
    try context.save()
    let patch = Patch(objects: [
      ObjectPatch(
        updating: identity("b"), old: ["name": "new"], new: ["name": "theirs"],
        relationships: [
          "friends": RelationshipPatch(.toMany, removed: [.init(identity("C"))]),
          "items": RelationshipPatch(.ordered, removed: [.init(identity("C"), position: 0)]),
          "parent": RelationshipPatch(.toOne, removed: [.init(identity("C"))]),
        ]),
      ObjectPatch(deleting: identity("C"), old: ["guid": "C"]),
    ])
    context.delete(gone)
    context.processPendingChanges()
    let error = #expect(throws: PatchConflicts.self) { try patch.apply(to: context) }
    #expect(error?.conflicts.count == 4)
    let report = try patch.apply(to: context, policy: .merge)
    #expect(report.objects.map(\.identity) == [identity("b")] && report.conflicts.isEmpty)
    #expect(book.value(forKey: "name") == "theirs")
    // What is to be changed is not there: that is no removal.
    let update = Patch(objects: [ObjectPatch(updating: identity("C"), new: ["name": "x"])])
    #expect(throws: PatchConflicts.self) { try update.apply(to: context, policy: .merge) }
  }

  // MARK: Names

  private func naming(_ guid: String, _ name: String) -> ObjectPatch {
    ObjectPatch(
      updating: identity(guid), old: ["guid": .string(guid), "score": nil],
      new: ["guid": .string(name), "score": 7])
  }

  @Test func `a name that another has is a conflict, which the policy decides`() throws {
    let patch = Patch(objects: [naming("b", "A"), naming("C", "b")])
    for policy in [PatchPolicy.refuse, .merge] {
      let error = #expect(throws: PatchConflicts.self) {
        try patch.apply(to: context, policy: policy)
      }
      let conflict = try #require(error?.conflicts.first)
      #expect(error?.conflicts.count == 1)
      #expect(conflict.kind == .objectExists && conflict.identity == identity("A"))
      #expect(conflict.path.description == "/0/guid" && conflict.key == "guid")
    }
    let (b, c) = (try find("b"), try find("C"))
    let report = try patch.apply(to: context, policy: .keepOurs)
    // The name that was not given away is not free, either.
    #expect(report.conflicts.map(\.identity) == [identity("A"), identity("b")])
    #expect(b.value(forKey: "guid") == "b" && c.value(forKey: "guid") == "C")
    #expect(b.value(forKey: "score") == 7 && c.value(forKey: "score") == 7)
    context.undo()
    // No policy gives it twice.
    let error = #expect(throws: PatchError.self) { try patch.apply(to: context, policy: .force) }
    #expect(error?.code == .ambiguousObject && b.value(forKey: "score") == nil)
  }

  @Test func `under keepOurs a name stays with what is not changed, and nothing else gets it`()
    throws
  {
    let patch = Patch(objects: [
      ObjectPatch(
        updating: identity("b"), old: ["guid": "b", "name": "theirs"], new: ["guid": "d"]),
      ObjectPatch(creating: identity("b"), new: ["score": 1]),
    ])
    let report = try patch.apply(to: context, policy: .keepOurs)
    #expect(report.objects.isEmpty && report.conflicts.map(\.kind) == [.value, .objectExists])
    #expect(try context.count(FetchRequest("Book", where: "guid == 'b'")) == 1)
  }

  @Test func `what comes under an ID with a name that another has is that other`() throws {
    let id = context.insert("Book").objectID
    context.rollback()
    let patch = Patch(objects: [
      ObjectPatch(creating: PatchIdentity("Book", id), new: ["guid": "b", "score": 1])
    ])
    let error = #expect(throws: PatchConflicts.self) { try patch.apply(to: context) }
    #expect(error?.conflicts.map(\.kind) == [.objectExists])
    #expect(try patch.apply(to: context, policy: .keepOurs).objects.isEmpty)
    try patch.apply(to: context, policy: .force)
    #expect(try find("b").value(forKey: "score") == 1)
    #expect(try context.count(FetchRequest("Book")) == 4)
  }
}
