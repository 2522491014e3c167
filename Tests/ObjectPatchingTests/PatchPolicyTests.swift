import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// What becomes of a patch that does not fit what is there, and of one that a delegate breaks off.
@Suite struct PatchPolicyTests {
  private let stage: PatchStage
  private let context: ManagedObjectContext
  private let book: ManagedObject
  private let film: ManagedObject
  /// Made of what was there; then others have changed that.
  private let patch: Patch

  init() throws {
    stage = try PatchStage()
    context = stage.context()
    book = context.insert("Book")
    book.setValue("b", forKey: "guid")
    book.setValue(.counter(10), forKey: "likes")
    book.setValue(["x", "y"].asSet, forKey: "tags")
    film = context.insert("Film")
    film.setValue("f", forKey: "guid")
    film.setValue(["k": 1], forKey: "facts")
    try context.save()
    book.setValue(.counter(13), forKey: "likes")
    book.setValue(["y", "z"].asSet, forKey: "tags")
    book.setValue("theirs", forKey: "name")
    film.setValue(["k": 1, "l": 2], forKey: "facts")
    film.setValue(.set([.reference(book.objectID)]), forKey: "friends")
    patch = try Patch.difference(from: stage.store.asOf(.head), to: context)
    context.undo()
  }

  private func changeElsewhere() {
    book.setValue(.counter(20), forKey: "likes")
    book.setValue(["x", "w"].asSet, forKey: "tags")
    film.setValue(["k": 5], forKey: "facts")
    context.processPendingChanges()
  }

  @Test func `merging adds amounts, members and keys, and tells what cannot be merged`() throws {
    changeElsewhere()
    try patch.apply(to: context, policy: .merge)
    #expect(book.value(forKey: "likes") == .counter(23))
    #expect(book.value(forKey: "tags") == ["w", "z"].asSet)
    #expect(book.value(forKey: "name") == "theirs")
    #expect(film.value(forKey: "facts") == ["k": 5, "l": 2])
    #expect(film.value(forKey: "friends") == .set([.reference(book.objectID)]))
    context.undo()
    book.setValue("ours", forKey: "name")
    let error = #expect(throws: PatchConflicts.self) {
      try patch.apply(to: context, policy: .merge)
    }
    #expect(error?.conflicts.map(\.key) == ["name"])
    #expect(book.value(forKey: "likes") == .counter(20))
  }

  @Test func `S80: all values that differ are told of, also beside one that is only said`() throws {
    let said = Patch(objects: [
      ObjectPatch(
        updating: PatchIdentity("Book", "guid", "b"),
        old: ["name": "was", "likes": .counter(1)], new: ["likes": .counter(2)])
    ])
    for policy in [PatchPolicy.refuse, .merge] {
      let error = #expect(throws: PatchConflicts.self) {
        try said.apply(to: context, policy: policy)
      }
      let told = (error?.conflicts ?? []).map(\.key)
      #expect(
        told.sorted { $0 ?? "" < $1 ?? "" } == (policy == .merge ? ["name"] : ["likes", "name"]))
    }
    #expect(book.value(forKey: "likes") == .counter(10))
    #expect(try said.conflicts(with: context).map(\.key).count == 2)
  }

  @Test func `S81: the ID of an object of another entity is refused wherever it stands`() throws {
    let other = PatchIdentity("Book", film.objectID)
    for relationship in [
      RelationshipPatch(.toMany, removed: [.init(other)]),
      RelationshipPatch(.toMany, added: [.init(other)]),
    ] {
      let wrong = Patch(objects: [
        ObjectPatch(
          updating: PatchIdentity("Film", "guid", "f"), new: [:],
          relationships: ["friends": relationship])
      ])
      let error = #expect(throws: PatchError.self) { try wrong.apply(to: context, policy: .merge) }
      #expect(error?.code == .wrongIdentifier)
    }
  }

  @Test func `S32: what both added to a counter counts twice, also where it is the same`() throws {
    book.setValue(.counter(13), forKey: "likes")
    try patch.apply(to: context, policy: .merge)
    #expect(book.value(forKey: "likes") == .counter(16))
    #expect(book.value(forKey: "name") == "theirs")
  }

  @Test func `S32: counters that both sides have made with an object are not added`() throws {
    let creation = { (likes: Int) in
      Patch(objects: [
        ObjectPatch(
          creating: PatchIdentity("Book", "guid", "n"),
          new: ["likes": .counter(likes), "tags": ["t\(likes)"].asSet])
      ])
    }
    try creation(6).apply(to: context)
    let error = #expect(throws: PatchConflicts.self) {
      try creation(5).apply(to: context, policy: .merge)
    }
    #expect(error?.conflicts.map(\.key) == ["likes"])
    let made = try #require(try context.fetch(FetchRequest("Book", where: "guid == 'n'")).first)
    var same = creation(5)
    same.objects[0].new?["likes"] = .counter(6)
    try same.apply(to: context, policy: .merge)
    #expect(made.value(forKey: "likes") == .counter(6))
    #expect(made.value(forKey: "tags") == ["t5", "t6"].asSet)
  }

  @Test func `S77, S80: what is set together is not set where what belongs to it is another`()
    throws
  {
    let distance = PatchIdentity("Book", "guid", "b")
    let patch = Patch(objects: [
      ObjectPatch(updating: distance, old: ["score": 3, "name": "km"], new: ["score": 5])
    ])
    book.setValue(3, forKey: "score")
    book.setValue("m", forKey: "name")
    context.processPendingChanges()
    for policy in [PatchPolicy.refuse, .merge] {
      let error = #expect(throws: PatchConflicts.self) {
        try patch.apply(to: context, policy: policy)
      }
      #expect(error?.conflicts.map(\.key) == ["name"])
    }
    try patch.apply(to: context, policy: .keepOurs)
    #expect(book.value(forKey: "score") == 3)
    try patch.apply(to: context, policy: .force)
    #expect(book.value(forKey: "score") == 5 && book.value(forKey: "name") == "m")
    book.setValue(3, forKey: "score")
    book.setValue("km", forKey: "name")
    try patch.apply(to: context)
    #expect(book.value(forKey: "score") == 5)
  }

  @Test func `what is created has its ordered members at their places`() throws {
    let members = [1, 0].map { place in
      RelationshipPatch.Member(
        PatchIdentity(place == 0 ? "Book" : "Film", "guid", place == 0 ? "b" : "f"),
        position: place)
    }
    var shelf = ObjectPatch(creating: PatchIdentity("Book", "guid", "shelf"), new: [:])
    shelf.relationships["items"] = RelationshipPatch(.ordered, added: members)
    try Patch(objects: [shelf]).apply(to: context)
    let made = try context.fetch(FetchRequest("Book", where: "guid == 'shelf'")).first
    #expect(
      made?.value(forKey: "items")
        == .array([.reference(book.objectID), .reference(film.objectID)]))
  }

  @Test func `under keepOurs nothing gets the identifier of what is kept`() throws {
    let (a, b) = (PatchIdentity("Book", "guid", "b"), PatchIdentity("Book", "guid", "c"))
    let other = context.insert("Book")
    other.setValue("c", forKey: "guid")
    let gone = ObjectPatch(deleting: a, old: ["guid": "b", "name": "another"])
    let renaming = Patch(objects: [
      gone, ObjectPatch(updating: b, old: ["guid": "c"], new: ["guid": "b"]),
    ])
    let left = try renaming.apply(to: context, policy: .keepOurs)
    #expect(left.objects.isEmpty && left.conflicts.map(\.kind) == [.value, .objectExists])
    #expect(other.value(forKey: "guid") == "c")
    let creating = Patch(objects: [gone, ObjectPatch(creating: a, new: ["score": 1])])
    let report = try creating.apply(to: context, policy: .keepOurs)
    #expect(report.objects.isEmpty)
    #expect(report.conflicts.map(\.kind) == [.value, .objectExists])
    #expect(try context.count(FetchRequest("Book", where: "guid == 'b'")) == 1)
    // A name that an object keeps for a conflict is not free, either.
    let kept = Patch(objects: [
      ObjectPatch(
        updating: PatchIdentity("Book", other.objectID), old: ["guid": "x"], new: ["guid": "y"]),
      ObjectPatch(updating: a, old: ["guid": "b"], new: ["guid": "c"]),
    ])
    #expect(try kept.apply(to: context, policy: .keepOurs).objects.isEmpty)
    #expect(try context.count(FetchRequest("Book", where: "guid == 'c'")) == 1)
  }

  @Test func `what is there stays under keepOurs, and the rest is applied`() throws {
    changeElsewhere()
    let report = try patch.apply(to: context, policy: .keepOurs)
    #expect(Set(report.conflicts.map(\.key)) == ["likes", "tags", "facts"])
    #expect(book.value(forKey: "likes") == .counter(20))
    #expect(book.value(forKey: "name") == "theirs")
    #expect(film.value(forKey: "friends") == .set([.reference(book.objectID)]))
  }

  @Test func `what the patch says stands under force`() throws {
    changeElsewhere()
    let report = try patch.apply(to: context, policy: .force)
    #expect(report.conflicts.count == 3)
    #expect(book.value(forKey: "likes") == .counter(13))
    #expect(book.value(forKey: "tags") == ["y", "z"].asSet)
    context.delete(book)
    try patch.apply(to: context, policy: .force)
    let again = try context.fetch(FetchRequest("Book", where: "guid == 'b'"))
    #expect(again.first?.value(forKey: "name") == "theirs")
  }

  @Test func `a dry run tells what applying would do, and does nothing`() throws {
    let events = try stage.store.events().count
    let report = try patch.report(applyingTo: context)
    #expect(report.objects.map(\.identity.entityName).sorted() == ["Book", "Film"])
    #expect(Set(report.objects.flatMap(\.keys)).isSuperset(of: ["likes", "name", "friends"]))
    #expect(report.objects.allSatisfy { $0.kind == .update && $0.objectID != nil })
    #expect(try patch.conflicts(with: context).isEmpty)
    #expect(try stage.store.events().count == events)
    #expect(try patch.apply(to: context) == report)
  }

  @Test func `what a delegate throws takes everything back`() throws {
    struct Refusal: Error {}
    struct Refusing: PatchDelegate {
      func makeObject(
        for patch: ObjectPatch, at path: PatchPath, in context: ManagedObjectContext
      ) throws -> ManagedObject? {
        context.insert("Film").setValue("stray", forKey: "guid")
        return nil
      }
      func patchesByHand(entityNamed name: String) -> Bool { name == "Film" }
      func patch(_ object: ManagedObject, with patch: ObjectPatch, at path: PatchPath) throws {
        object.setValue("half", forKey: "name")
        throw Refusal()
      }
    }
    var larger = patch
    larger.objects.append(
      ObjectPatch(creating: PatchIdentity("Book", "guid", "new"), new: ["name": "n"]))
    let before = try GraphPicture(context)
    #expect(throws: Refusal.self) { try larger.apply(to: context, delegate: Refusing()) }
    #expect(try GraphPicture(context) == before)
    #expect(throws: Refusal.self) { try larger.apply(to: stage.store, delegate: Refusing()) }
    #expect(try GraphPicture(stage.context()) == before)
    #expect(stage.store.lastCommit == 1)
    context.beginUndoGrouping()
    let error = #expect(throws: PatchError.self) {
      try larger.apply(to: context, delegate: Refusing())
    }
    #expect(error?.code == .openUndoGroup)
    try larger.apply(to: context)
    context.endUndoGrouping()
    #expect(try context.count(FetchRequest("Book")) == 2)
  }

  @Test func `a context for looking only takes no patch`() throws {
    let past = try stage.store.asOf(.head)
    let error = #expect(throws: PatchError.self) { try patch.apply(to: past) }
    #expect(error?.code == .readOnly)
  }

  @Test func `an object without identifier is named by its ID, in its own store and its past`()
    throws
  {
    let note = context.insert("Note")
    note.setValue("a", forKey: "text")
    note.setValue(.reference(film.objectID), forKey: "about")
    try context.save()
    context.delete(note)
    try context.save()
    let patch = try Patch.difference(in: stage.store, from: .head(-1))
    #expect(patch.objects.map(\.identity) == [PatchIdentity("Note", note.objectID)])
    try patch.inverted().apply(to: stage.store)
    let again = try stage.context().existingObject(with: note.objectID)
    #expect(again.value(forKey: "text") == "a")
    #expect(again.value(forKey: "about") == .reference(film.objectID))
    let other = try PatchStage(seed: 3)
    let error = #expect(throws: PatchError.self) { try patch.apply(to: other.store) }
    #expect(error?.code == .otherLineage && error?.path.description == "/0")
  }

  @Test func `patches that do not follow each other are not joined`() throws {
    let model = try PatchStage.model()
    let error = #expect(throws: PatchError.self) { try patch.followed(by: patch, model: model) }
    #expect(error?.code == .doesNotFollow)
    #expect(try patch.followed(by: patch.inverted(), model: model).isEmpty)
  }

  @Test func `what comes, goes and moves in an order is said by its position`() throws {
    let films = (0..<4).map { index in
      let film = context.insert("Film")
      film.setValue(.string("f\(index)"), forKey: "guid")
      return Value.reference(film.objectID)
    }
    book.setValue(.array([films[0], films[1], films[2]]), forKey: "items")
    try context.save()
    book.setValue(.array([films[2], films[0], films[3]]), forKey: "items")
    let patch = try Patch.difference(from: stage.store.asOf(.head), to: context)
    func member(_ index: Int, _ position: Int) -> RelationshipPatch.Member {
      .init(PatchIdentity("Film", "guid", .string("f\(index)")), position: position)
    }
    let items = patch.objects.first { $0.entityName == "Book" }?.relationships["items"]
    #expect(items?.removed == [member(1, 1), member(2, 2)])
    #expect(items?.added == [member(2, 0), member(3, 2)])
  }
}

extension [String] {
  fileprivate var asSet: Value { .set(Set(map { .string($0) })) }
}
