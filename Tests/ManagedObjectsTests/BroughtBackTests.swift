import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// Objects that one context brings back while another does so, too.
@Suite struct BroughtBackTests {
  private let stage: Stage
  private let context: ManagedObjectContext
  private let other: ManagedObjectContext
  private let post: ManagedObject
  /// The commit that has deleted the post.
  private let deletion: CommitNumber

  init() throws {
    stage = try Stage()
    (context, other) = (stage.context(), stage.context())
    post = context.insert("Post")
    post.setValue("first", forKey: "title")
    try context.save()
    context.delete(post)
    deletion = try #require(try context.save()).number
  }

  /// Another context brings the post back, and saves it.
  private func bringBackElsewhere() throws {
    try other.revert(.commit(deletion))
    try other.existingObject(with: post.objectID).setValue("theirs", forKey: "title")
    try other.save()
  }

  private func expectSound(title: Value) throws {
    #expect(try stage.store.verify(deep: true) == [])
    let again = try stage.killed()
    #expect(try again.store.verify(deep: true) == [])
    let found = try again.context().existingObject(with: post.objectID).value(forKey: "title")
    #expect(found == title)
  }

  enum Way: CaseIterable { case undo, undoObject, undoStep }

  private func bringBack(_ way: Way) throws {
    switch way {
    case .undo: context.undo()
    case .undoObject: try context.undo(post)
    case .undoStep: try context.undo(step: context.undoSteps.count - 1)
    }
    #expect(!post.isDeleted && post.value(forKey: "title") == "first")
  }

  @Test(arguments: Way.allCases, [true, false])
  func `S49, S63: bringing back what somebody else has brought back is a conflict`(
    way: Way, isBefore: Bool
  ) throws {
    if isBefore { try bringBackElsewhere() }
    try bringBack(way)
    if !isBefore { try bringBackElsewhere() }
    #expect(throws: MergeConflicts.self) { try context.save() }
    try expectSound(title: "theirs")
    context.refresh(post, mergeChanges: true)
    try context.save()
    try expectSound(title: "first")
  }

  @Test(arguments: Way.allCases)
  func `S49, S63: what is brought back wins or loses as the policy says`(way: Way) throws {
    try bringBackElsewhere()
    try bringBack(way)
    context.mergePolicy = .mergeByPropertyObjectTrump
    try context.save()
    try expectSound(title: "first")
  }

  @Test func `S63, S66: a child brings back what its parent does not know is back`() throws {
    let parent = stage.context()
    let child = ManagedObjectContext(parent: parent)
    try child.revert(.commit(deletion))
    try bringBackElsewhere()
    try child.save()
    #expect(throws: MergeConflicts.self) { try parent.save() }
    parent.mergePolicy = .mergeByPropertyObjectTrump
    try parent.save()
    try expectSound(title: "first")
    withExtendedLifetime(child) {}
  }

  @Test(arguments: [true, false])
  func `S66, S76: a child brings back what its parent has deleted, and leaves a draft of it`(
    isSaved: Bool
  ) throws {
    try bringBackElsewhere()
    let parent = stage.context()
    let mine = try parent.existingObject(with: post.objectID)
    parent.delete(mine)
    if isSaved { try parent.save() }
    let child = ManagedObjectContext(parent: parent)
    child.name = "child"
    try child.revert(to: .commit(deletion.previous))
    let again = try child.existingObject(with: post.objectID)
    #expect(again.value(forKey: "title") == "first")
    again.setValue("the child's", forKey: "title")

    let killed = try stage.killed()
    #expect(try killed.store.verify(deep: true) == [])
    let draft = try #require(killed.store.unsavedDrafts.first { $0.contextName == "child" })
    #expect(draft.problem == nil)
    let recovered = try ManagedObjectContext(recovering: draft, in: killed.store)
    let found = try recovered.existingObject(with: post.objectID)
    #expect(found.value(forKey: "title") == "the child's")
    try recovered.save()
    #expect(try killed.store.verify(deep: true) == [])

    try child.save()
    #expect(!mine.isDeleted && mine.value(forKey: "title") == "the child's")
    try parent.save()
    try expectSound(title: "the child's")
  }

  @Test func `S58: all objects are refreshed, also those that somebody has brought back`() throws {
    try bringBackElsewhere()
    #expect(post.isDeleted)
    context.refreshAllObjects()
    #expect(!post.isDeleted && post.value(forKey: "title") == "theirs")
    post.setValue("ours", forKey: "title")
    try context.save()
    try expectSound(title: "ours")
  }

  @Test func `S43: what another context has made and not saved cannot be led to`() throws {
    let (comment, new) = (context.insert("Comment"), other.insert("Post"))
    comment.setValue(new.reference, forKey: "post")
    #expect(
      throws: ContextError.destinationUnsaved(
        comment.objectID, key: "post", destination: new.objectID)
    ) { try context.save() }
    #expect(comment.value(forKey: "post") == new.reference)
    try other.save()
    try context.save()
    #expect(comment.value(forKey: "post") == new.reference)
    #expect(try stage.store.verify(deep: true) == [])
  }
}
