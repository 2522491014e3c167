import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// The statements on diff and patch (docs/semantics.md), but for that on JSON.
@Suite struct PatchStatementTests {
  private let stage: PatchStage
  private let context: ManagedObjectContext

  init() throws {
    stage = try PatchStage()
    context = stage.context()
  }

  private func make(_ entity: String, _ guid: String, name: Value? = nil) -> ManagedObject {
    let object = context.insert(entity)
    object.setValue(.string(guid), forKey: "guid")
    if let name { object.setValue(name, forKey: "name") }
    return object
  }

  private func identity(_ entity: String, _ guid: String) -> PatchIdentity {
    PatchIdentity(entity, "guid", .string(guid))
  }

  @Test func `S77: a difference has entity, identifier, old and new values, and what is nested`()
    throws
  {
    let (shelf, book) = (make("Film", "shelf"), make("Book", "book", name: "Old"))
    try context.save()
    book.setValue("New", forKey: "name")
    book["mood"] = "sunny"
    book.setValue("never", forKey: "scratch")
    book.setValue(.reference(shelf.objectID), forKey: "parent")
    try context.save()
    let changes = ObjectPatch(
      updating: identity("Book", "book"), old: ["name": "Old", "mood": nil],
      new: ["name": "New", "mood": "sunny"],
      relationships: [
        "parent": RelationshipPatch(.toOne, added: [.init(identity("Film", "shelf"))])
      ])
    // Two points in time.
    let moments = try Patch.difference(
      from: stage.store.asOf(.commit(1)), to: stage.store.asOf(.head))
    #expect(moments == Patch(objects: [changes]))
    #expect(try Patch(stage.store.commits(since: 1), of: stage.store) == moments)
    // Two contexts, of which one has not saved.
    context.undo()
    let contexts = try Patch.difference(from: context, to: stage.store.asOf(.head))
    #expect(contexts == moments)
    // Two objects, of whose relationships the one leads to the other.
    let now = try stage.store.asOf(.head)
    let objects = try Patch.difference(
      from: shelf, to: try now.existingObject(with: shelf.objectID))
    let nested = try #require(objects.objects.first)
    #expect(nested.identity == identity("Film", "shelf") && nested.new == [:])
    #expect(nested.relationships["children"]?.patches == [changes])
  }

  @Test func `S77: where anything differs all old attributes can be asked for`() throws {
    let book = make("Book", "book", name: "Old")
    book.setValue(3, forKey: "score")
    book["mood"] = "sunny"
    try context.save()
    book.setValue("New", forKey: "name")
    let patch = try Patch.difference(
      from: stage.store.asOf(.head), to: context, options: PatchOptions(wholeEntities: ["Book"]))
    let old = try #require(patch.objects.first?.old)
    #expect(old["name"] == "Old" && old["score"] == 3 && old["mood"] == "sunny")
    #expect(old["pages"] == .some(.null) && old["scratch"] == nil)
    #expect(patch.objects.first?.new == ["name": "New"])
    let back = try patch.inverted()
    #expect(back.objects.first?.new == ["name": "Old"])
    #expect(back.objects.first?.old?["name"] == "New" && back.objects.first?.old?["score"] == 3)
  }

  @Test func `S78: a patch updates, creates and deletes, in relationships to one and to many`()
    throws
  {
    let (owner, kept, gone) = (make("Film", "f"), make("Book", "kept"), make("Book", "gone"))
    owner.setValue(.array([.reference(gone.objectID)]), forKey: "items")
    gone.setValue(.reference(owner.objectID), forKey: "parent")
    try context.save()
    let patch = Patch(objects: [
      ObjectPatch(
        updating: identity("Film", "f"),
        relationships: [
          "items": RelationshipPatch(
            .ordered, removed: [.init(identity("Book", "gone"), position: 0)],
            added: [
              .init(identity("Book", "made"), position: 0),
              .init(identity("Book", "kept"), position: 1),
            ],
            patches: [
              ObjectPatch(deleting: identity("Book", "gone"), old: ["guid": "gone"]),
              ObjectPatch(
                creating: identity("Book", "made"), new: ["name": "Made"],
                relationships: [
                  "deputy": RelationshipPatch(.toOne, added: [.init(identity("Book", "kept"))])
                ]),
            ]),
          "children": RelationshipPatch(
            .toMany,
            patches: [
              ObjectPatch(
                updating: identity("Book", "kept"), old: ["score": nil], new: ["score": 7])
            ]),
        ])
    ])
    let report = try patch.apply(to: context, named: "Sort")
    #expect(Set(report.objects.map(\.kind)) == [.update, .creation, .deletion])
    #expect(gone.isDeleted)
    #expect(kept.value(forKey: "score") == 7)
    let items = owner.value(forKey: "items")?.array?.compactMap(\.reference) ?? []
    #expect(items.count == 2 && items.last == kept.objectID)
    let made = context.object(with: items[0])
    #expect(made.value(forKey: "guid") == "made" && made.value(forKey: "name") == "Made")
    #expect(kept.value(forKey: "boss") == .reference(made.objectID))
    #expect(context.undoActionName == "Sort")
    try context.save()
    context.undo()
    #expect(!gone.isDeleted && made.isDeleted)
    #expect(owner.value(forKey: "items") == .array([.reference(gone.objectID)]))
  }

  @Test func `S78: objects are found by their identifier, saved or not, and by nothing else`()
    throws
  {
    let saved = make("Book", "saved")
    try context.save()
    let unsaved = make("Book", "unsaved")
    saved.setValue("renamed", forKey: "guid")
    func patch(_ guid: String) -> Patch {
      Patch(objects: [
        ObjectPatch(updating: identity("Book", guid), old: ["score": nil], new: ["score": 1])
      ])
    }
    try patch("renamed").apply(to: context)
    try patch("unsaved").apply(to: context)
    #expect(saved.value(forKey: "score") == 1 && unsaved.value(forKey: "score") == 1)
    let missing = #expect(throws: PatchConflicts.self) { try patch("saved").apply(to: context) }
    #expect(missing?.conflicts.map(\.kind) == [.objectMissing])
    _ = make("Book", "unsaved")
    let error = #expect(throws: PatchError.self) { try patch("unsaved").apply(to: context) }
    #expect(error?.code == .ambiguousObject)
  }

  @Test func `S80: a conflict is told of each object and key, and nothing of a patch is applied`()
    throws
  {
    let (one, two) = (make("Book", "1", name: "a"), make("Book", "2", name: "b"))
    try context.save()
    let patch = Patch(objects: [
      ObjectPatch(
        updating: identity("Book", "1"), old: ["name": "a", "score": 5],
        new: ["name": "c", "score": 6]),
      ObjectPatch(updating: identity("Book", "2"), old: ["name": "x"], new: ["name": "y"]),
      ObjectPatch(deleting: identity("Book", "3"), old: [:]),
    ])
    let error = #expect(throws: PatchConflicts.self) { try patch.apply(to: context) }
    #expect(error?.conflicts.map(\.path.description) == ["/0/score", "/1/name", "/2"])
    #expect(error?.conflicts.first?.objectID == one.objectID)
    #expect(error?.conflicts.first?.old == 5 && error?.conflicts.first?.current == .some(.null))
    #expect(!context.hasChanges && !context.canRedo)
    #expect(one.value(forKey: "name") == "a" && two.value(forKey: "name") == "b")
    try patch.apply(to: context, policy: .force)
    #expect(one.value(forKey: "score") == 6 && two.value(forKey: "name") == "y")
  }

  @Test func `S80: an inverted patch takes back what the patch has done`() throws {
    let one = make("Book", "1", name: "a")
    let two = make("Film", "2")
    try context.save()
    let before = try GraphPicture(context)
    one.setValue("b", forKey: "name")
    one.setValue("renamed", forKey: "guid")
    context.delete(two)
    let made = make("Film", "3")
    made.setValue(.set([.reference(one.objectID)]), forKey: "friends")
    try context.save()
    let patch = try Patch.difference(in: stage.store, from: .commit(1))
    try patch.inverted().apply(to: stage.store, author: "ann")
    #expect(try GraphPicture(stage.context()) == before)
    #expect(try stage.store.commit(3).author == "ann")
    let handmade = Patch(objects: [
      ObjectPatch(updating: identity("Book", "1"), new: ["name": "z"])
    ])
    let error = #expect(throws: PatchError.self) { try handmade.inverted() }
    #expect(error?.code == .notInvertible && error?.path.description == "/0/name")
  }

  @Test func `S81: what cannot be a patch of the model is told with its path, and changes nothing`()
    throws
  {
    let book = make("Book", "1")
    _ = make("Film", "2")
    try context.save()
    let events = try stage.store.events().count
    func patch(_ objects: ObjectPatch...) -> Patch {
      let last = RelationshipPatch(.toMany, patches: objects)
      return Patch(objects: [
        ObjectPatch(updating: identity("Book", "1"), new: ["name": "changed"]),
        ObjectPatch(updating: identity("Film", "2"), relationships: ["children": last]),
      ])
    }
    func related(_ key: String, _ patch: RelationshipPatch) -> ObjectPatch {
      ObjectPatch(updating: identity("Book", "3"), relationships: [key: patch])
    }
    let film = RelationshipPatch.Member(identity("Film", "2"))
    let cases: [(Patch, PatchError.Code, String)] = [
      (patch(ObjectPatch(updating: identity("Boat", "3"), new: ["a": 1])), .unknownEntity, ""),
      (patch(ObjectPatch(creating: identity("Thing", "3"), new: [:])), .unknownEntity, ""),
      (
        patch(ObjectPatch(updating: identity("Book", "3"), new: ["name": 1])), .wrongType, "/name"
      ),
      (
        patch(ObjectPatch(updating: identity("Book", "3"), new: ["boss": "x"])), .unknownKey,
        "/boss"
      ),
      (
        patch(ObjectPatch(updating: identity("Book", "3"), new: ["scratch": "x"])), .unknownKey,
        "/scratch"
      ),
      (
        patch(ObjectPatch(updating: identity("Book", "3"), new: ["free": .counter(1)])),
        .wrongType, "/free"
      ),
      (
        patch(ObjectPatch(updating: PatchIdentity("Book", "name", "new"), new: ["score": 1])),
        .wrongIdentifier, ""
      ),
      (
        patch(ObjectPatch(updating: PatchIdentity("Book", "guid", 3), new: ["score": 1])),
        .wrongType, "/guid"
      ),
      (
        patch(related("nothing", RelationshipPatch(.toOne, added: [film]))), .unknownKey, "/nothing"
      ),
      (patch(related("boss", RelationshipPatch(.toMany, added: [film]))), .wrongType, "/boss"),
      (patch(related("notes", RelationshipPatch(.toMany, added: [film]))), .wrongEntity, "/notes"),
      (
        patch(ObjectPatch(updating: identity("Book", "1"), new: ["score": 1])), .repeatedObject, ""
      ),
      (
        patch(ObjectPatch(creating: identity("Book", "3"), new: ["guid": "1"])), .wrongIdentifier,
        "/guid"
      ),
      (
        patch(ObjectPatch(creating: identity("Book", "3"), new: ["guid": nil])), .wrongIdentifier,
        "/guid"
      ),
    ]
    for (patch, code, end) in cases {
      let error = #expect(throws: PatchError.self) { try patch.apply(to: context) }
      #expect(error?.code == code, "\(String(describing: error))")
      #expect(error?.path.description == "/1/children/0\(end)")
    }
    #expect(book.value(forKey: "name") == "new" && !context.hasChanges)
    #expect(try stage.store.events().count == events)
  }

  @Test func `S81: objects that lead to each other in a circle are patched once each`() throws {
    let (one, two) = (make("Book", "1"), make("Book", "2"))
    one.setValue(.reference(two.objectID), forKey: "boss")
    two.setValue(.reference(one.objectID), forKey: "boss")
    one.setValue(.set([.reference(one.objectID), .reference(two.objectID)]), forKey: "friends")
    try context.save()
    let patch = try Patch.difference(in: stage.store, from: .commit(0))
    let other = try PatchStage(seed: 2)
    try patch.apply(to: other.store)
    #expect(try GraphPicture(other.context()) == GraphPicture(context))
    // The same changes of an object in a circle of nested patches stand in two places.
    let own = ObjectPatch(updating: identity("Book", "1"), new: ["score": 1])
    let circle = Patch(objects: [
      ObjectPatch(
        updating: identity("Book", "1"), new: ["score": 1],
        relationships: [
          "boss": RelationshipPatch(
            .toOne,
            patches: [
              ObjectPatch(
                updating: identity("Book", "2"),
                relationships: ["boss": RelationshipPatch(.toOne, patches: [own])])
            ])
        ])
    ])
    let error = #expect(throws: PatchError.self) { try circle.apply(to: context) }
    #expect(error?.code == .repeatedObject && error?.path.description == "/0/boss/boss")
  }
}
