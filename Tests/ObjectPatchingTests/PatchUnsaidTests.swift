import Foundation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// Deletions and creations that do not say all of an object, joined and inverted.
@Suite struct PatchUnsaidTests {
  private let stage: PatchStage
  private let context: ManagedObjectContext
  private let model: ManagedObjectModel
  private let identity = PatchIdentity("Book", "guid", "b")

  init() throws {
    stage = try PatchStage()
    context = stage.context()
    model = try PatchStage.model()
    let (book, film) = (context.insert("Book"), context.insert("Film"))
    book.setValue("b", forKey: "guid")
    book.setValue("old name", forKey: "name")
    book.setValue(3, forKey: "score")
    book["mood"] = "sunny"
    film.setValue("f", forKey: "guid")
    book.setValue(.set([.reference(film.objectID)]), forKey: "friends")
    film.setValue(.reference(book.objectID), forKey: "parent")
    try context.save()
  }

  private var book: ManagedObject {
    get throws {
      try #require(try context.fetch(FetchRequest("Book", where: "guid == 'b'")).first)
    }
  }

  private func wholeDeletion() throws -> Patch {
    context.delete(try book)
    let patch = try Patch.difference(from: stage.store.asOf(.head), to: context)
    context.rollback()
    return patch
  }

  /// Applies two patches one after the other, and as one.
  private func checkJoined(_ one: Patch, _ other: Patch) throws -> Patch {
    let joined = try one.followed(by: other, model: model)
    var pictures: [GraphPicture] = []
    for patches in [[one, other], [joined]] {
      for patch in patches { try patch.apply(to: context) }
      pictures.append(try GraphPicture(context))
      context.rollback()
    }
    #expect(pictures[0].difference(from: pictures[1]) == nil, "\(joined)")
    return joined
  }

  @Test func `S80: what goes and comes again has nothing left but what the patches say`() throws {
    let creation = Patch(objects: [ObjectPatch(creating: identity, new: ["score": 5])])
    // The deletion does not say all, and the creation neither.
    for old in [[:], ["guid": "b"], ["guid": "b", "name": "old name"]] as [[String: Value]] {
      let deletion = Patch(objects: [ObjectPatch(deleting: identity, old: old)])
      let joined = try checkJoined(deletion, creation)
      #expect(Set(joined.objects.map(\.kind)) == [.deletion, .creation])
      let third = Patch(objects: [
        ObjectPatch(updating: identity, old: ["score": 5], new: ["score": 6])
      ])
      _ = try checkJoined(joined, third)
      _ = try checkJoined(deletion, creation.followed(by: third, model: model))
    }
    // It says all: what comes again is another all the same.
    let joined = try checkJoined(wholeDeletion(), creation)
    let kinds = joined.objects.filter { $0.identity == identity }.map(\.kind)
    #expect(Set(kinds) == [.deletion, .creation])
    try joined.apply(to: context)
    #expect(try book.value(forKey: "name") == "new" && book.value(forKey: "score") == 5)
    try joined.inverted(model: model).apply(to: context)
    #expect(try book.value(forKey: "name") == "old name" && book.value(forKey: "score") == 3)
    context.rollback()
    // Under its ID it is the same, and is changed; it begins as any new object where nothing is said.
    let note = context.insert("Note")
    note.setValue("old text", forKey: "text")
    try context.save()
    let same = PatchIdentity("Note", note.objectID)
    let change = try #require(
      checkJoined(
        Patch(objects: [ObjectPatch(deleting: same, old: ["text": "old text"])]),
        Patch(objects: [ObjectPatch(creating: same, new: [:])])
      ).objects.first)
    #expect(change.kind == .update && change.old == ["text": "old text"])
    #expect(change.new == ["text": nil])
  }

  @Test func `S80: what leads to what goes and comes again is led there again, if a patch says so`()
    throws
  {
    let film = PatchIdentity("Film", "guid", "f")
    let deletion = Patch(objects: [
      ObjectPatch(deleting: identity, old: [:]),
      ObjectPatch(
        updating: film,
        relationships: ["parent": RelationshipPatch(.toOne, removed: [.init(identity)])]),
    ])
    let creation = Patch(objects: [
      ObjectPatch(creating: identity, new: ["score": 5]),
      ObjectPatch(
        updating: film,
        relationships: ["parent": RelationshipPatch(.toOne, added: [.init(identity)])]
      ),
    ])
    _ = try checkJoined(deletion, creation)
  }

  @Test func `S80: what goes and comes again comes elsewhere, at whichever ends that is said`()
    throws
  {
    let other = context.insert("Book")
    other.setValue("o", forKey: "guid")
    try context.save()
    let before = try GraphPicture(context)
    let found = try #require(try context.fetch(FetchRequest("Film")).first)
    var values: [String: Value] = [:]
    for key in ["guid", "name", "score", "likes", "tags", "shade", "still", "id", "facts"] {
      values[key] = found.value(forKey: key) ?? .null
    }
    let (film, target) = (PatchIdentity("Film", "guid", "f"), PatchIdentity("Book", "guid", "o"))
    let friends = RelationshipPatch(.toMany, removed: [.init(film)])
    for isSaidByFilm in [(true, true), (true, false), (false, true), (false, false)] {
      var (deletion, leaving) = (
        ObjectPatch(deleting: film, old: values),
        ObjectPatch(updating: identity, relationships: ["friends": friends])
      )
      if isSaidByFilm.0 {
        deletion.relationships["parent"] = RelationshipPatch(.toOne, removed: [.init(identity)])
      } else {
        leaving.relationships["children"] = RelationshipPatch(.toMany, removed: [.init(film)])
      }
      var (creation, coming) = (
        ObjectPatch(creating: film, new: values), ObjectPatch(updating: target)
      )
      if isSaidByFilm.1 {
        creation.relationships["parent"] = RelationshipPatch(.toOne, added: [.init(target)])
      } else {
        coming.relationships["children"] = RelationshipPatch(.toMany, added: [.init(film)])
      }
      let joined = try checkJoined(
        Patch(objects: [deletion, leaving]), Patch(objects: [creation, coming]))
      try joined.apply(to: context)
      try joined.inverted().apply(to: context)
      #expect(try GraphPicture(context).difference(from: before) == nil, "\(joined)")
      context.rollback()
    }
  }

  @Test func `patches that do not follow each other are not joined, whatever they do`() throws {
    let creation = Patch(objects: [
      ObjectPatch(creating: PatchIdentity("Book", "guid", "n"), new: ["score": 5])
    ])
    let deletion = Patch(objects: [
      ObjectPatch(deleting: PatchIdentity("Book", "guid", "n"), old: ["score": 6])
    ])
    let misfit = #expect(throws: PatchError.self) {
      try creation.followed(by: deletion, model: model)
    }
    #expect(misfit?.code == .doesNotFollow && misfit?.path.description == "/0/score")
    // Two objects cannot have one ID.
    let note = context.insert("Note")
    try context.save()
    let name = PatchIdentity("Note", note.objectID)
    let unsaid = #expect(throws: PatchError.self) {
      try Patch(objects: [ObjectPatch(deleting: name, old: [:])]).followed(
        by: Patch(objects: [ObjectPatch(creating: name, new: ["text": "t"])]), model: model)
    }
    #expect(unsaid?.code == .doesNotFollow && unsaid?.path.description == "/0")
  }

  @Test func `S80: a deletion that does not say all is not inverted`() throws {
    func expectRefused(
      _ deletion: ObjectPatch, _ path: String, _ model: ManagedObjectModel? = nil
    ) {
      let child = RelationshipPatch(.toMany, patches: [deletion])
      let patch = Patch(objects: [
        ObjectPatch(
          updating: PatchIdentity("Film", "guid", "f"), relationships: ["children": child])
      ])
      let error = #expect(throws: PatchError.self) { try patch.inverted(model: model) }
      #expect(error?.code == .notInvertible)
      #expect(error?.path.description == "/0/children/0/\(path)")
    }
    expectRefused(ObjectPatch(deleting: identity, old: [:]), "guid")
    expectRefused(ObjectPatch(deleting: identity, old: ["name": "old name"]), "guid")
    let some = ObjectPatch(deleting: identity, old: ["guid": "b", "name": "old name"])
    expectRefused(some, "score", model)
    let before = try GraphPicture(context)
    let patch = try wholeDeletion()
    try patch.apply(to: context)
    try patch.inverted(model: model).apply(to: context)
    #expect(try GraphPicture(context).difference(from: before) == nil)
  }

  @Test func `S80: what an operation removes says all that it was, and comes again as that`() throws
  {
    try book.setValue(nil, forKey: "name")
    try book.setValue(nil, forKey: "score")
    let before = try GraphPicture(context)
    let operations = Data(#"[{"op":"remove","path":"/Book/b"}]"#.utf8)
    let patch = try Patch(jsonPatch: operations, against: context)
    #expect(patch.objects.first?.old?["name"] == .some(.null))
    try patch.apply(to: context)
    try patch.inverted(model: model).apply(to: context)
    let left = try GraphPicture(context).difference(from: before)
    // The pointers of others are theirs.
    #expect(left?.contains("name") != true && left?.contains("score") != true, "\(left ?? "")")
    // Nor does it take along what the document does not have it lead to.
    let note = context.insert("Note")
    note.setValue(.reference(try book.objectID), forKey: "about")
    context.processPendingChanges()
    let again = try Patch(jsonPatch: operations, against: context)
    let error = #expect(throws: PatchConflicts.self) { try again.apply(to: context) }
    #expect(error?.conflicts.map(\.key) == ["notes"])
    try again.apply(to: context, policy: .force)
    #expect(note.isDeleted)
  }
}
