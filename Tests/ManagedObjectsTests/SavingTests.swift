import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

@Suite struct SavingTests {
  @Test func `S60: what is saved is there after the process was killed`() throws {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    post.setValue("Hello", forKey: "title")
    post["mood"] = "sunny"
    let commit = try #require(try context.save(author: "ann", message: "first post"))
    #expect(commit.author == "ann" && commit.message == "first post" && commit.number == 1)
    #expect(!context.hasChanges && !post.hasChanges)
    let again = try stage.killed()
    let other = again.context()
    let found = try other.existingObject(with: post.objectID)
    #expect(found.value(forKey: "title") == "Hello" && found["mood"] == "sunny")
    #expect(again.store.unsavedDrafts.isEmpty)
  }

  @Test func `S49: undo after a save makes the objects dirty again, an insert becomes a delete`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    post.setValue("Hello", forKey: "title")
    try context.save()
    post.setValue("Hello again", forKey: "title")
    try context.save()
    context.undo()
    #expect(post.value(forKey: "title") == "Hello" && post.isUpdated)
    context.undo()
    #expect(post.isDeleted && context.deletedObjects == [post])
    try context.save()
    #expect(throws: ContextError.objectMissing(post.objectID)) {
      try stage.context().existingObject(with: post.objectID)
    }
    context.redo()
    #expect(!post.isDeleted && post.isInserted && post.value(forKey: "title") == "Hello")
    context.redo()
    #expect(post.value(forKey: "title") == "Hello again")
    try context.save()
    let found = try stage.context().existingObject(with: post.objectID)
    #expect(found.value(forKey: "title") == "Hello again")
  }

  @Test func `S24: save, on conflict refresh with merge, save again keeps what both have set`()
    throws
  {
    let stage = try Stage()
    let first = stage.context()
    let post = first.insert("Post")
    try first.save()
    let (a, b) = (stage.context(), stage.context())
    let inA = try a.existingObject(with: post.objectID)
    let inB = try b.existingObject(with: post.objectID)
    inA["foo"] = 1
    inB["bar"] = 2
    try a.save()
    let conflicts = try #require(throws: MergeConflicts.self) { try b.save() }
    #expect(conflicts.objects.map(\.objectID) == [post.objectID])
    #expect(conflicts.objects[0].keys["foo"]?.theirs == 1)
    #expect(inB["foo"] == nil && inB["bar"] == 2 && b.hasChanges)
    for each in conflicts.objects { b.refresh(each.objectID, mergeChanges: true) }
    #expect(inB["foo"] == 1 && inB["bar"] == 2)
    try b.save()
    let last = stage.context()
    let found = try last.existingObject(with: post.objectID)
    #expect(found["foo"] == 1 && found["bar"] == 2)
  }

  @Test func `S43: setting one side of a relationship sets the other at once`() throws {
    let stage = try Stage()
    let context = stage.context()
    let (one, two) = (context.insert("Blog"), context.insert("Blog"))
    let post = context.insert("Post")
    let reference = Value.reference(post.objectID)
    post.setValue(.reference(one.objectID), forKey: "blog")
    #expect(one.value(forKey: "posts") == .set([reference]))
    two.setValue(.set([reference]), forKey: "posts")
    #expect(one.value(forKey: "posts") == .set([]))
    #expect(post.value(forKey: "blog") == .reference(two.objectID))
    let comments = (0..<3).map { _ in context.insert("Comment") }
    post.setValue(.array(comments.map { .reference($0.objectID) }), forKey: "comments")
    #expect(comments.allSatisfy { $0.value(forKey: "post") == reference })
    comments[1].setValue(nil, forKey: "post")
    #expect(
      post.value(forKey: "comments")
        == .array([comments[0], comments[2]].map { .reference($0.objectID) }))
    let person = context.insert("Person")
    person.setValue(.set([reference]), forKey: "reads")
    #expect(post.value(forKey: "readers") == .set([.reference(person.objectID)]))
    try context.save()
    let other = stage.context()
    let found = try other.existingObject(with: two.objectID)
    #expect(found.value(forKey: "posts") == .set([reference]))
    context.undo()
    #expect(context.hasChanges)
  }

  @Test func `S44: deleting nullifies, cascades, or is denied as the rules say`() throws {
    let stage = try Stage()
    let context = stage.context()
    let (blog, post, comment) = (
      context.insert("Blog"), context.insert("Post"), context.insert("Comment")
    )
    let person = context.insert("Person")
    post.setValue(.reference(blog.objectID), forKey: "blog")
    comment.setValue(.reference(post.objectID), forKey: "post")
    blog.setValue(.reference(person.objectID), forKey: "editor")
    try context.save()
    context.delete(person)
    let errors = try #require(throws: ValidationErrors.self) { try context.save() }
    #expect(errors.failures.map(\.kind) == [.denied([blog.objectID])])
    context.undo()
    #expect(!person.isDeleted && person.value(forKey: "edits") == .reference(blog.objectID))
    context.delete(post)
    context.processPendingChanges()
    #expect(comment.isDeleted && blog.value(forKey: "posts") == .set([]))
    context.undo()
    #expect(!comment.isDeleted && blog.value(forKey: "posts") == .set([.reference(post.objectID)]))
    context.delete(blog)
    context.processPendingChanges()
    #expect(post.value(forKey: "blog") == nil)
    try context.save()
    #expect(try stage.context().existingObject(with: post.objectID).value(forKey: "blog") == nil)
  }
}
