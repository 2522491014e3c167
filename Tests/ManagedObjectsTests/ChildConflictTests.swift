import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// Children whose parents have deleted meanwhile what they have changed.
@Suite struct ChildConflictTests {
  private struct Family {
    let stage: Stage
    let parent, child: ManagedObjectContext
    let post, inChild: ManagedObject

    /// A child has changed a post, with its comment and its reader, that its parent has deleted.
    init(isDeletionSaved: Bool = false) throws {
      stage = try Stage()
      parent = stage.context()
      post = parent.insert("Post")
      let (comment, reader) = (parent.insert("Comment"), parent.insert("Person"))
      comment.setValue(post.reference, forKey: "post")
      post.setValue(.set([reader.reference]), forKey: "readers")
      post.setValue("ann", forKey: "author")
      try parent.save()
      child = ManagedObjectContext(parent: parent)
      inChild = try child.existingObject(with: post.objectID)
      inChild.setValue("Child", forKey: "title")
      parent.delete(post)
      parent.processPendingChanges()
      if isDeletionSaved { try parent.save() }
    }
  }

  @Test(arguments: [false, true])
  func `S63, S66: a child whose side is to stand brings back what its parent has deleted`(
    _ isDeletionSaved: Bool
  ) throws {
    let policies: [MergePolicy] = [
      .mergeByPropertyObjectTrump, .overwrite,
      .custom { _ in .asUnder(.mergeByPropertyObjectTrump) },
    ]
    for policy in policies {
      let family = try Family(isDeletionSaved: isDeletionSaved)
      let (parent, child, post) = (family.parent, family.child, family.post)
      child.mergePolicy = policy
      let comment = child.insert("Comment")
      comment.setValue(post.reference, forKey: "post")
      let stepCount = parent.undoSteps.count
      try child.save()
      #expect(!family.inChild.isDeleted && family.inChild.value(forKey: "title") == "Child")
      #expect(!post.isDeleted && post.value(forKey: "title") == "Child")
      #expect(post.value(forKey: "author") == "ann")
      // The comment that went with it stays away.
      #expect(post.value(forKey: "comments") == .array([comment.reference]))
      let readers = post.value(forKey: "readers")?.set?.compactMap(\.reference) ?? []
      #expect(readers.count == 1)
      #expect(parent.object(with: readers[0]).value(forKey: "reads") == .set([post.reference]))
      #expect(parent.undoSteps.count == stepCount + 1)
      parent.undo()
      #expect(post.isDeleted)
      parent.redo()
      try parent.save()
      let last = try family.stage.context().existingObject(with: post.objectID)
      #expect(last.value(forKey: "title") == "Child")
      #expect(try family.stage.store.verify(deep: true).isEmpty)
    }
  }

  @Test func `S63, S66: a child's own policy is asked about what its parent has deleted`() throws {
    let family = try Family()
    family.child.mergePolicy = .custom { conflict in
      conflict.isDeletedInStore && conflict.keys["title"]?.ours == "Child"
        ? .values(["author": "both"]) : .deleted
    }
    try family.child.save()
    #expect(family.post.value(forKey: "title") == "Child")
    #expect(family.inChild.value(forKey: "author") == "both")
    let other = try Family()
    other.child.mergePolicy = .custom { _ in .asUnder(.error) }
    #expect(throws: MergeConflicts.self) { try other.child.save() }
    #expect(other.child.hasChanges)
    other.child.mergePolicy = .custom { _ in .deleted }
    try other.child.save()
    #expect(other.inChild.isDeleted && !other.child.hasChanges && other.post.isDeleted)
  }

  @Test func `S44, S66: what the parent's delete rules are yet to take is in conflict, too`() throws
  {
    let stage = try Stage()
    let parent = stage.context()
    let (post, comment) = (parent.insert("Post"), parent.insert("Comment"))
    comment.setValue(post.reference, forKey: "post")
    try parent.save()
    let child = ManagedObjectContext(parent: parent)
    try child.existingObject(with: comment.objectID).setValue("x", forKey: "text")
    parent.delete(post)
    let told = try #require(throws: MergeConflicts.self) { try child.save() }
    #expect(told.objects.map(\.objectID) == [comment.objectID])
  }

  @Test(arguments: [false, true])
  func `S48, S66: a child undoes its steps also where its parent has deleted what they changed`(
    _ isSavedBetween: Bool
  ) throws {
    let stage = try Stage()
    let parent = stage.context()
    let (post, other) = (parent.insert("Post"), parent.insert("Post"))
    try parent.save()
    let child = ManagedObjectContext(parent: parent)
    let inChild = try [post, other].map { try child.existingObject(with: $0.objectID) }
    if !isSavedBetween { inChild[1].setValue("One", forKey: "title") }
    child.processPendingChanges()
    inChild[0].setValue("Two", forKey: "title")
    child.processPendingChanges()
    parent.delete(post)
    parent.processPendingChanges()
    if isSavedBetween {
      try child.save(retrying: 1)
    } else {
      child.refresh(inChild[0], mergeChanges: true)
    }
    #expect(inChild[0].isDeleted)
    child.undo()
    #expect(inChild[0].isDeleted)
    child.undo()
    #expect(inChild[1].value(forKey: "title") == "Untitled" && !child.canUndo)
    child.redo()
    child.redo()
    inChild[1].setValue("Three", forKey: "title")
    try child.save()
    #expect(other.value(forKey: "title") == "Three" && post.isDeleted)
  }
}
