import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

@Suite struct RecoveringTests {
  @Test func `S76: a draft comes back with its objects dirty, and saves`() throws {
    let stage = try Stage()
    let context = stage.context()
    context.name = "editor"
    let (kept, gone) = (context.insert("Post"), context.insert("Post"))
    try context.save()
    kept.setValue("Changed", forKey: "title")
    kept.setValue(.counter(5), forKey: "likes")
    kept.setValue(.set(["a", "b"]), forKey: "tags")
    kept["stats"] = ["words": 120]
    context.delete(gone)
    let new = context.insert("Comment")
    new.setValue(kept.reference, forKey: "post")
    let ids = [kept.objectID, gone.objectID, new.objectID]
    context.processPendingChanges()
    let before = Picture(ids, in: context)

    let again = try stage.killed()
    let draft = try #require(again.store.unsavedDrafts.first)
    #expect(draft.contextName == "editor" && draft.objectIDs == ids.sorted())
    let recovered = try ManagedObjectContext(recovering: draft, in: again.store)
    #expect(recovered.name == "editor" && recovered.hasChanges)
    #expect(recovered.insertedObjects.map(\.objectID) == [new.objectID])
    #expect(recovered.updatedObjects.map(\.objectID) == [kept.objectID])
    #expect(recovered.deletedObjects.map(\.objectID) == [gone.objectID])
    #expect(Picture(ids, in: recovered) == before)
    let found = try recovered.existingObject(with: kept.objectID)
    #expect(found.committedValues(forKeys: ["title"]) == ["title": "Untitled"])
    #expect(found.changedValues()["likes"] == .counter(5))
    #expect(try recovered.conflicts.isEmpty)
    try recovered.save()
    #expect(Picture(ids, in: again.context()) == before)
    #expect(try again.killed().store.unsavedDrafts.isEmpty)
  }

  @Test func `S50: a recovered context undoes step by step as the one that died would have`() throws
  {
    let stage = try Stage()
    let (context, ids) = try Self.work(in: stage)
    let recovered = try Self.recovered(stage.killed())
    #expect(Picture(ids, in: recovered) == Picture(ids, in: context))
    #expect(recovered.undoActionName == context.undoActionName)
    var undone = 0
    while context.canUndo {
      context.undo()
      recovered.undo()
      undone += 1
      #expect(Picture(ids, in: recovered) == Picture(ids, in: context), "after \(undone) steps")
      #expect(recovered.hasChanges == context.hasChanges)
      #expect(recovered.redoActionName == context.redoActionName)
    }
    #expect(undone == 6 && !recovered.canUndo)
    while context.canRedo {
      context.redo()
      recovered.redo()
      #expect(Picture(ids, in: recovered) == Picture(ids, in: context))
    }
    #expect(!recovered.canRedo)
  }

  @Test
  func
    `S50: what was undone before the crash can be redone after it, and killed again it still can`()
    throws
  {
    let stage = try Stage()
    let (context, ids) = try Self.work(in: stage)
    context.undo()
    context.undo()
    var again = try stage.killed()
    var recovered = try Self.recovered(again)
    context.redo()
    recovered.redo()
    #expect(Picture(ids, in: recovered) == Picture(ids, in: context))
    again = try again.killed()
    recovered = try Self.recovered(again)
    context.redo()
    recovered.redo()
    #expect(Picture(ids, in: recovered) == Picture(ids, in: context) && !recovered.canRedo)
    for _ in 0..<3 {
      context.undo()
      recovered.undo()
    }
    #expect(Picture(ids, in: recovered) == Picture(ids, in: context))
  }

  @Test func `S50: a recovered context that was saved and killed again undoes across its saves`()
    throws
  {
    let stage = try Stage()
    let (context, ids) = try Self.work(in: stage)
    var again = try stage.killed()
    var recovered = try Self.recovered(again)
    try context.save()
    try recovered.save()
    for each in [context, recovered] {
      each.object(with: ids[0]).setValue("Later", forKey: "title")
      each.processPendingChanges()
    }
    again = try again.killed()
    recovered = try Self.recovered(again)
    while context.canUndo {
      context.undo()
      recovered.undo()
      #expect(Picture(ids, in: recovered) == Picture(ids, in: context))
    }
    try context.save()
    try recovered.save()
    #expect(Picture(ids, in: again.context()) == Picture(ids, in: stage.context()))
  }

  @Test func `S76: two drafts come back apart, and one of them is declined`() throws {
    let stage = try Stage()
    let (first, second) = (stage.context(), stage.context())
    let post = first.insert("Post")
    try first.save()
    post.setValue("First", forKey: "title")
    first.name = "first"
    let inSecond = try second.existingObject(with: post.objectID)
    inSecond.setValue("Second", forKey: "title")
    second.name = "second"
    let again = try stage.killed()
    let drafts = again.store.unsavedDrafts
    #expect(Set(drafts.map(\.contextName)) == ["first", "second"])
    let draft = try #require(drafts.first { $0.contextName == "first" })
    let other = try #require(drafts.first { $0.contextName == "second" })
    try again.store.discard(other)
    let recovered = try ManagedObjectContext(recovering: draft, in: again.store)
    #expect(throws: StoreError.self) {
      try ManagedObjectContext(recovering: draft, in: again.store)
    }
    try recovered.save()
    #expect(
      try again.context().existingObject(with: post.objectID).value(forKey: "title") == "First")
    let events = try again.store.events()
    #expect(events.contains { $0.kind == .discarded && $0.context?.name == "second" })
    #expect(try again.killed().store.unsavedDrafts.isEmpty)
  }

  @Test
  func
    `S76: where the store has moved on the conflicts are named, and the save goes by the policy`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let (post, other) = (context.insert("Post"), context.insert("Post"))
    try context.save()
    post.setValue("Mine", forKey: "title")
    other.setValue(.counter(3), forKey: "likes")
    let rival = stage.context()
    let inRival = try rival.existingObject(with: post.objectID)
    inRival.setValue("Theirs", forKey: "title")
    inRival.setValue("bob", forKey: "author")
    try rival.existingObject(with: other.objectID).setValue(.counter(4), forKey: "likes")
    try rival.save()
    let again = try stage.killed()
    let recovered = try Self.recovered(again)
    let conflicts = try recovered.conflicts
    #expect(conflicts.map(\.objectID) == [post.objectID])
    let sides = try #require(conflicts.first?.keys["title"])
    #expect(sides.base == "Untitled" && sides.ours == "Mine" && sides.theirs == "Theirs")
    let told = try #require(throws: MergeConflicts.self) { try recovered.save() }
    #expect(told.objects == conflicts)
    recovered.mergePolicy = .mergeByPropertyObjectTrump
    try recovered.save()
    let found = try again.context().existingObject(with: post.objectID)
    #expect(found.value(forKey: "title") == "Mine" && found.value(forKey: "author") == "bob")
    let counted = try again.context().existingObject(with: other.objectID)
    #expect(counted.value(forKey: "likes") == .counter(7))
    #expect(try recovered.conflicts.isEmpty)
  }

  @Test(arguments: [false, true])
  func `S44: a crash between a deletion and its rules loses neither`(isSaved: Bool) throws {
    let stage = try Stage()
    let context = stage.context()
    let (blog, post) = (context.insert("Blog"), context.insert("Post"))
    let (comment, person) = (context.insert("Comment"), context.insert("Person"))
    post.setValue(blog.reference, forKey: "blog")
    comment.setValue(post.reference, forKey: "post")
    person.setValue(.set([post.reference]), forKey: "reads")
    let left = context.insert("Comment")
    left.setValue(post.reference, forKey: "post")
    let ids = [blog, post, comment, person, left].map(\.objectID)
    context.processPendingChanges()
    if isSaved { try context.save() }
    // What has left it before is not deleted with it.
    left.setValue(nil, forKey: "post")
    context.delete(post)
    let again = try stage.killed()
    let recovered = try Self.recovered(again)
    context.processPendingChanges()
    #expect(Picture(ids, in: recovered) == Picture(ids, in: context))
    #expect(!Picture(ids, in: recovered).has(comment.objectID))
    #expect(Picture(ids, in: recovered).has(left.objectID))
    #expect(recovered.object(with: person.objectID).value(forKey: "reads") == .set([]))
    context.undo()
    recovered.undo()
    #expect(Picture(ids, in: recovered) == Picture(ids, in: context))
    recovered.redo()
    try recovered.save()
    #expect(Picture(ids, in: again.context()) == Picture(ids, in: recovered))
  }

  @Test func `S76: a draft made under an earlier model comes back under the new one`() throws {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    try context.save()
    post.setValue("Changed", forKey: "title")
    post.setValue("ann", forKey: "author")
    let blog = context.insert("Blog")
    post.setValue(blog.reference, forKey: "blog")
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Post",
        attributes: [
          AttributeDescription(
            "headline", .string, isOptional: false, defaultValue: "", renamingIdentifier: "title"),
          AttributeDescription("author", .string),
          AttributeDescription("rank", .integer, defaultValue: 3),
        ])
    ])
    let again = try stage.killed(model)
    let recovered = try Self.recovered(again)
    let found = try recovered.existingObject(with: post.objectID)
    #expect(found.value(forKey: "headline") == "Changed" && found.value(forKey: "author") == "ann")
    #expect(recovered.updatedObjects == [found] && recovered.insertedObjects.isEmpty)
    #expect(try recovered.conflicts.isEmpty)
    recovered.undo()
    #expect(found.value(forKey: "headline") == "Untitled" && found.value(forKey: "author") == nil)
    recovered.redo()
    try recovered.save()
    let other = try again.context().existingObject(with: post.objectID)
    #expect(other.value(forKey: "headline") == "Changed")
  }

  @Test func `S46, S50: what a bound on levels has forgotten is known again after recovery`() throws
  {
    let stage = try Stage()
    let context = stage.context()
    context.levelsOfUndo = 1
    let post = context.insert("Post")
    for likes in [1, 3, 6] {
      context.processPendingChanges()
      post.setValue(.counter(likes), forKey: "likes")
    }
    context.undo()
    #expect(!context.canUndo && post.value(forKey: "likes") == .counter(3))
    let again = try stage.killed()
    let draft = try #require(again.store.unsavedDrafts.first)
    let recovered = try ManagedObjectContext(recovering: draft, in: again.store)
    let found = try recovered.existingObject(with: post.objectID)
    for likes in [1, 0] {
      recovered.undo()
      #expect(found.value(forKey: "likes") == .counter(likes))
    }
    for likes in [1, 3, 6] {
      recovered.redo()
      #expect(found.value(forKey: "likes") == .counter(likes))
    }
    #expect(!recovered.canRedo)
  }

  @Test(arguments: [true, false])
  func `S44, S50: what was led to an object after it was deleted is recovered as it was`(
    isNew: Bool
  ) throws {
    let stage = try Stage()
    let context = stage.context()
    let (post, blog) = (context.insert("Post"), context.insert("Blog"))
    let known = context.insert("Comment")
    let readers = (0..<2).map { _ in context.insert("Person") }
    readers[0].setValue(.set([post.reference]), forKey: "reads")
    try context.save()
    context.delete(post)
    context.processPendingChanges()
    let comment = isNew ? context.insert("Comment") : known
    comment.setValue(post.reference, forKey: "post")
    readers[1].setValue(.set([post.reference]), forKey: "reads")
    context.processPendingChanges()
    let ids = [post, blog, known, comment].map(\.objectID) + readers.map(\.objectID)
    let before = Picture(ids, in: context)
    let recovered = try Self.recovered(stage.killed())
    #expect(Picture(ids, in: recovered) == before)
    try recovered.save()
    let saved = try recovered.existingObject(with: comment.objectID)
    #expect(!saved.isDeleted && saved.value(forKey: "post") == nil)
  }

  @Test(arguments: ["Post", "Blog", "Person"])
  func `S44, S50: what others have led to a deleted object since is no step of who recovers it`(
    _ entity: String
  ) throws {
    let stage = try Stage()
    let (context, rival) = (stage.context(), stage.context())
    let owner = context.insert(entity)
    let (edited, member) = (
      context.insert("Comment"), context.insert(entity == "Blog" ? "Post" : "Comment")
    )
    let (blog, post) = (context.insert("Blog"), context.insert("Post"))
    try context.save()
    context.delete(owner)
    context.processPendingChanges()
    for text in ["once", "again"] {
      edited.setValue(.string(text), forKey: "text")
      context.processPendingChanges()
    }
    context.undo()
    switch entity {
    case "Post":
      try rival.existingObject(with: member.objectID).setValue(owner.reference, forKey: "post")
    case "Blog":
      try rival.existingObject(with: member.objectID).setValue(owner.reference, forKey: "blog")
    default:
      try rival.existingObject(with: blog.objectID).setValue(owner.reference, forKey: "editor")
      try rival.existingObject(with: post.objectID)
        .setValue(.set([owner.reference]), forKey: "readers")
    }
    try rival.save()
    let recovered = try Self.recovered(stage.killed())
    #expect(recovered.undoSteps.count == context.undoSteps.count && recovered.canRedo)
    #expect(recovered.deletedObjects.map(\.objectID) == [owner.objectID])
    #expect(recovered.updatedObjects.map(\.objectID) == [edited.objectID])
    recovered.redo()
    #expect(recovered.object(with: edited.objectID).value(forKey: "text") == "again")
    recovered.undo()
    recovered.undo()
    #expect(recovered.object(with: edited.objectID).value(forKey: "text") == nil)
    recovered.undo()
    #expect(!recovered.hasChanges)
  }

  @Test func `S50: undo that was switched off is on again after recovery`() throws {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    context.processPendingChanges()
    context.disableUndoRegistration()
    post.setValue("Silent", forKey: "title")
    let recovered = try Self.recovered(stage.killed())
    let found = recovered.object(with: post.objectID)
    found.setValue("Loud", forKey: "title")
    recovered.undo()
    #expect(found.value(forKey: "title") == "Silent")
  }

  // MARK: Work

  /// A context that has saved, with six steps, of which three are unsaved.
  static func work(in stage: Stage) throws -> (ManagedObjectContext, [ObjectID]) {
    let context = stage.context()
    let blog = context.insert("Blog")
    let posts = (0..<3).map { _ in context.insert("Post") }
    for post in posts { post.setValue(blog.reference, forKey: "blog") }
    context.setActionName("make")
    context.processPendingChanges()
    posts[0].setValue(.counter(3), forKey: "likes")
    posts[0].setValue(.set(["a", "b"]), forKey: "tags")
    posts[1]["mood"] = "sunny"
    try context.save()
    context.delete(posts[2])
    context.setActionName("delete")
    try context.save()
    // What another has saved comes in between.
    let rival = stage.context()
    try rival.existingObject(with: posts[0].objectID).setValue("bob", forKey: "author")
    try rival.save()
    context.refresh(posts[0], mergeChanges: true)
    posts[0].setValue(.counter(8), forKey: "likes")
    posts[0].setValue(.set(["b", "c"]), forKey: "tags")
    posts[1]["stats"] = ["words": 1]
    context.setActionName("edit")
    context.processPendingChanges()
    let comment = context.insert("Comment")
    posts[1].setValue(.array([comment.reference]), forKey: "comments")
    posts[1].setValue("scratched", forKey: "scratch")
    context.processPendingChanges()
    posts[0].setValue(nil, forKey: "blog")
    context.delete(posts[1])
    context.processPendingChanges()
    let ids = [blog, posts[0], posts[1], posts[2], comment].map(\.objectID)
    // Step by step, and the first is the first of all.
    return (context, [ids[1], ids[0], ids[2], ids[3], ids[4]])
  }

  static func recovered(_ stage: Stage) throws -> ManagedObjectContext {
    let draft = try #require(stage.store.unsavedDrafts.first)
    return try ManagedObjectContext(recovering: draft, in: stage.store)
  }
}
