import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

@Suite struct ChildContextTests {
  @Test func `S66: a child sees what its parent has not saved, and saves one level up as one step`()
    throws
  {
    let stage = try Stage()
    let parent = stage.context()
    let (saved, blog) = (parent.insert("Post"), parent.insert("Blog"))
    try parent.save()
    saved.setValue("Pending", forKey: "title")
    saved.setValue(blog.reference, forKey: "blog")
    saved["mood"] = "sunny"
    let new = parent.insert("Post")
    parent.processPendingChanges()
    let ids = [saved, blog, new].map(\.objectID)

    let child = ManagedObjectContext(parent: parent)
    #expect(child.parent === parent && Picture(ids, in: child) == Picture(ids, in: parent))
    let inChild = try child.existingObject(with: saved.objectID)
    inChild.setValue("Child", forKey: "title")
    child.object(with: new.objectID).setValue(blog.reference, forKey: "blog")
    let own = child.insert("Comment")
    own.setValue(new.reference, forKey: "post")
    #expect(saved.value(forKey: "title") == "Pending" && new.value(forKey: "blog") == nil)
    #expect(child.object(with: blog.objectID).value(forKey: "posts")?.set?.count == 2)
    #expect(inChild.committedValues(forKeys: ["title"]) == ["title": "Pending"])
    #expect(try child.save() == nil)
    #expect(!child.hasChanges && parent.hasChanges)
    let all = ids + [own.objectID]
    #expect(Picture(all, in: parent) == Picture(all, in: child))
    #expect(saved.value(forKey: "title") == "Child" && blog.value(forKey: "posts")?.set?.count == 2)
    #expect(parent.object(with: own.objectID).isInserted)
    #expect(try stage.store.commits(since: 0).count == 1)

    parent.undo()
    #expect(saved.value(forKey: "title") == "Pending" && new.value(forKey: "blog") == nil)
    #expect(parent.object(with: own.objectID).isDeleted)
    parent.redo()
    try parent.save()
    #expect(Picture(all, in: stage.context()) == Picture(all, in: child))
    #expect(try stage.store.verify().isEmpty)
  }

  @Test func `S66: a child undoes its own steps, and a child that is let go changes nothing`()
    throws
  {
    let stage = try Stage()
    let parent = stage.context()
    let post = parent.insert("Post")
    post.setValue("Parent", forKey: "title")
    parent.processPendingChanges()
    var child: ManagedObjectContext? = ManagedObjectContext(parent: parent)
    let inChild = try #require(child?.object(with: post.objectID))
    inChild.setValue("One", forKey: "title")
    child?.processPendingChanges()
    inChild.setValue("Two", forKey: "title")
    child?.undo()
    #expect(inChild.value(forKey: "title") == "One")
    child?.undo()
    #expect(inChild.value(forKey: "title") == "Parent" && child?.canUndo == false)
    child?.redo()
    child?.rollback()
    #expect(inChild.value(forKey: "title") == "Parent" && child?.hasChanges == false)
    inChild.setValue("Three", forKey: "title")
    child = nil
    #expect(post.value(forKey: "title") == "Parent")
    let drafts = try stage.killed().store.unsavedDrafts
    #expect(drafts.count == 1 && drafts[0].objectIDs == [post.objectID])
  }

  @Test func `S66: a child goes on after its save, and deletes what its parent has`() throws {
    let stage = try Stage()
    let parent = stage.context()
    let (post, comment) = (parent.insert("Post"), parent.insert("Comment"))
    comment.setValue(post.reference, forKey: "post")
    try parent.save()
    let child = ManagedObjectContext(parent: parent)
    let inChild = child.object(with: post.objectID)
    inChild.setValue("One", forKey: "title")
    inChild.setValue("kept", forKey: "scratch")
    try child.save()
    #expect(inChild.value(forKey: "title") == "One" && inChild.value(forKey: "scratch") == "kept")
    #expect(!child.canUndo)
    inChild.setValue("Two", forKey: "title")
    inChild.setValue(.counter(2), forKey: "likes")
    try child.save()
    #expect(post.value(forKey: "title") == "Two" && post.value(forKey: "scratch") == nil)
    child.delete(inChild)
    try child.save()
    #expect(post.isDeleted && comment.isDeleted)
    #expect(parent.deletedObjects == [post, comment])
    parent.undo()
    #expect(!post.isDeleted && post.value(forKey: "title") == "Two" && !comment.isDeleted)
    try parent.save()
    let found = try stage.context().existingObject(with: post.objectID)
    #expect(found.value(forKey: "title") == "Two" && found.value(forKey: "likes") == .counter(2))
  }

  @Test
  func
    `S66: what parent and child both changed has the child's values and the sum of the counters`()
    throws
  {
    let stage = try Stage()
    let parent = stage.context()
    let post = parent.insert("Post")
    parent.processPendingChanges()
    let child = ManagedObjectContext(parent: parent)
    let inChild = try child.existingObject(with: post.objectID)
    inChild.setValue("Child", forKey: "title")
    inChild.setValue(.counter(3), forKey: "likes")
    post.setValue("Parent", forKey: "title")
    post.setValue("ann", forKey: "author")
    post.setValue(.counter(4), forKey: "likes")
    #expect(inChild.value(forKey: "author") == nil)
    child.refresh(inChild, mergeChanges: true)
    #expect(inChild.value(forKey: "author") == "ann" && inChild.value(forKey: "title") == "Child")
    #expect(inChild.value(forKey: "likes") == .counter(7))
    post.setValue(.counter(5), forKey: "likes")
    try child.save()
    #expect(post.value(forKey: "title") == "Child" && post.value(forKey: "author") == "ann")
    #expect(post.value(forKey: "likes") == .counter(8))
    #expect(inChild.value(forKey: "likes") == .counter(8))
  }

  @Test func `S66: a save to a parent that has deleted the object tells it`() throws {
    let stage = try Stage()
    let parent = stage.context()
    let post = parent.insert("Post")
    try parent.save()
    let child = ManagedObjectContext(parent: parent)
    let inChild = try child.existingObject(with: post.objectID)
    inChild.setValue("Child", forKey: "title")
    parent.delete(post)
    parent.processPendingChanges()
    #expect(try child.conflicts.map(\.objectID) == [post.objectID])
    let told = try #require(throws: MergeConflicts.self) { try child.save() }
    #expect(told.objects[0].isDeletedInStore && child.hasChanges)
    child.mergePolicy = .mergeByPropertyStoreTrump
    try child.save()
    #expect(inChild.isDeleted && post.isDeleted && !child.hasChanges)
  }

  @Test func `S66: grandchildren save to children`() throws {
    let stage = try Stage()
    let parent = stage.context()
    let post = parent.insert("Post")
    let child = ManagedObjectContext(parent: parent)
    child.object(with: post.objectID).setValue("Child", forKey: "title")
    let grandchild = ManagedObjectContext(parent: child)
    let inGrandchild = grandchild.object(with: post.objectID)
    #expect(inGrandchild.value(forKey: "title") == "Child")
    inGrandchild.setValue("Grandchild", forKey: "title")
    let comment = grandchild.insert("Comment")
    comment.setValue(post.reference, forKey: "post")
    try grandchild.save()
    #expect(post.value(forKey: "title") == "Untitled")
    try child.save()
    #expect(post.value(forKey: "title") == "Grandchild")
    #expect(post.value(forKey: "comments") == .array([comment.reference]))
    try parent.save()
    let found = try stage.context().existingObject(with: comment.objectID)
    #expect(found.value(forKey: "post") == post.reference)
  }

  @Test func `S66: after a crash a child's work comes back by itself, with what it stood on`()
    throws
  {
    let stage = try Stage()
    let parent = stage.context()
    parent.name = "parent"
    let (saved, blog) = (parent.insert("Post"), parent.insert("Blog"))
    try parent.save()
    saved.setValue("Pending", forKey: "title")
    let new = parent.insert("Post")
    new.setValue("New", forKey: "title")
    new.setValue(blog.reference, forKey: "blog")
    let child = ManagedObjectContext(parent: parent)
    child.name = "child"
    child.object(with: saved.objectID).setValue("ann", forKey: "author")
    child.processPendingChanges()
    child.object(with: new.objectID).setValue("bob", forKey: "author")
    let ids = [saved, blog, new].map(\.objectID)
    let again = try stage.killed()
    let drafts = again.store.unsavedDrafts
    #expect(Set(drafts.map(\.contextName)) == ["parent", "child"])
    #expect(drafts.allSatisfy { $0.problem == nil })
    let draft = try #require(drafts.first { $0.contextName == "child" })
    let recovered = try ManagedObjectContext(recovering: draft, in: again.store)
    #expect(recovered.parent == nil && Picture(ids, in: recovered) == Picture(ids, in: child))
    recovered.undo()
    child.undo()
    #expect(Picture(ids, in: recovered) == Picture(ids, in: child))
    recovered.undo()
    child.undo()
    #expect(Picture(ids, in: recovered) == Picture(ids, in: child))
    for each in [recovered, child] {
      each.redo()
      each.redo()
    }
    try recovered.save()
    #expect(Picture(ids, in: again.context()) == Picture(ids, in: child))
  }

  @Test func `S66: a child that has saved to its parent is no draft any more, and goes on as one`()
    throws
  {
    let stage = try Stage()
    let parent = stage.context()
    parent.name = "parent"
    let post = parent.insert("Post")
    let child = ManagedObjectContext(parent: parent)
    child.name = "child"
    let inChild = child.object(with: post.objectID)
    inChild.setValue("One", forKey: "title")
    try child.save()
    #expect(try stage.killed().store.unsavedDrafts.map(\.contextName) == ["parent"])
    inChild.setValue("Two", forKey: "title")
    let again = try stage.killed()
    let draft = try #require(again.store.unsavedDrafts.first { $0.contextName == "child" })
    #expect(draft.problem == nil)
    let recovered = try ManagedObjectContext(recovering: draft, in: again.store)
    #expect(recovered.object(with: post.objectID).value(forKey: "title") == "Two")
    recovered.undo()
    #expect(recovered.object(with: post.objectID).value(forKey: "title") == "One")
  }
}
