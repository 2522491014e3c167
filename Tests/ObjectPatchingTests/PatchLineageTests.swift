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
}
