import DiskAccess
import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// What a crash leaves of contexts that stand in others, where these have changed what they stand on.
@Suite struct ChildDraftTests {
  private static let long = String(repeating: "long, long ago, ", count: 10)

  private let stage: Stage
  private let parent: ManagedObjectContext
  private let child: ManagedObjectContext

  init() throws {
    stage = try Stage()
    parent = stage.context()
    child = ManagedObjectContext(parent: parent)
    child.name = "child"
  }

  /// Checks what the draft of the child has of a post after a crash.
  private func expectDraft(_ post: ObjectID, _ values: [String: Value]) throws {
    let again = try stage.killed()
    let draft = try #require(again.store.unsavedDrafts.first { $0.contextName == "child" })
    #expect(draft.problem == nil, "\(draft.problem.map { "\($0)" } ?? "")")
    let recovered = try ManagedObjectContext(recovering: draft, in: again.store)
    let found = try recovered.existingObject(with: post)
    for (key, value) in values { #expect(found.value(forKey: key) == value, "\(key)") }
    withExtendedLifetime(recovered) {}
  }

  private func saved(_ title: String) throws -> (mine: ManagedObject, theirs: ManagedObject) {
    let theirs = parent.insert("Post")
    theirs.setValue(.string(title), forKey: "title")
    try parent.save()
    return (try child.existingObject(with: theirs.objectID), theirs)
  }

  @Test(arguments: [true, false])
  func `S66, S76: a child that undid, refreshed and went on in what its parent inserted is a draft`(
    isUndone: Bool
  ) throws {
    let theirs = parent.insert("Post")
    let mine = try child.existingObject(with: theirs.objectID)
    mine.setValue("once", forKey: "title")
    child.processPendingChanges()
    child.undo()
    if !isUndone { mine.setValue(mine.value(forKey: "title"), forKey: "title") }
    child.refresh(mine, mergeChanges: true)
    mine.setValue("again", forKey: "title")
    try expectDraft(theirs.objectID, ["title": "again"])
  }

  @Test func `S66, S76: what a child types in a long text that its parent took back is a draft`()
    throws
  {
    let (mine, theirs) = try saved(Self.long)
    parent.processPendingChanges()
    theirs.setValue(.string(Self.long + "P"), forKey: "title")
    parent.processPendingChanges()
    child.refresh(mine, mergeChanges: true)
    mine.setValue(.string(Self.long + "PC"), forKey: "title")
    child.processPendingChanges()
    child.undo()
    parent.undo()
    child.refresh(mine, mergeChanges: true)
    #expect(mine.value(forKey: "title") == .string(Self.long))
    mine.setValue(.string(Self.long + "D"), forKey: "title")
    mine.setValue(.string(Self.long + "DE"), forKey: "title")
    try expectDraft(theirs.objectID, ["title": .string(Self.long + "DE")])
  }

  @Test func `S66, S76: a draft of a child has nothing that the child has no more`() throws {
    let (mine, theirs) = try saved("A")
    theirs.setValue("P", forKey: "title")
    parent.processPendingChanges()
    child.refresh(mine, mergeChanges: true)
    mine.setValue("P", forKey: "title")
    child.processPendingChanges()
    theirs.setValue("Q", forKey: "title")
    try parent.save()
    child.refresh(mine, mergeChanges: true)
    let shown = mine.value(forKey: "title")
    mine.setValue("me", forKey: "author")
    try expectDraft(theirs.objectID, ["title": shown ?? .null, "author": "me"])
  }

  @Test(arguments: ["short", long])
  func `S56, S76: who is told before a value is set may save, and the draft stands where it did`(
    title: String
  ) throws {
    let (_, post) = try saved(title)
    let other = parent.insert("Post")
    let rival = stage.context()
    try rival.existingObject(with: post.objectID).setValue(.string(title + "R"), forKey: "title")
    try rival.save()
    #expect(post.value(forKey: "title") == .string(title))
    var failure: (any Error)?
    let token = post.observe("title", [.prior]) { [parent] change in
      guard change.isPrior, other.hasChanges else { return }
      do { try parent.save() } catch { failure = error }
    }
    post.setValue(.string(title + "M"), forKey: "title")
    token.cancel()
    #expect(failure == nil)
    let again = try stage.killed()
    let draft = try #require(again.store.unsavedDrafts.first)
    #expect(draft.problem == nil, "\(draft.problem.map { "\($0)" } ?? "")")
    let recovered = try ManagedObjectContext(recovering: draft, in: again.store)
    #expect(
      try recovered.existingObject(with: post.objectID).value(forKey: "title")
        == .string(title + "M"))
    #expect(throws: MergeConflicts.self) { try recovered.save() }
    withExtendedLifetime((parent, rival)) {}
  }
}
