import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// Values that hooks give objects which are deleted, and may be there again.
@Suite struct DeletedValueTests {
  /// A context that finds a post which has been saved, and which `awakeFromFetch` gives an author and a transient value.
  private func withFetched(
    _ body: (Stage, ManagedObjectContext, ManagedObject) throws -> Void
  ) throws {
    let stage = try Stage(GivenPost.model())
    let first = stage.context()
    let id = first.insert(GivenPost.self).objectID
    try first.save()
    let context = stage.context()
    let post = try context.existingObject(with: id)
    #expect(post.value(forKey: "author") == "nobody")
    #expect(post.value(forKey: "scratch") == "of Untitled" && !context.hasChanges)
    try body(stage, context, post)
  }

  @Test(arguments: [false, true], [false, true])
  func `S12, S63: a deletion that a policy gives up hides nothing that others have saved`(
    isProcessed: Bool, isGroup: Bool
  ) throws {
    let isOneStep = isGroup || !isProcessed
    try withFetched { stage, context, post in
      if isGroup { context.beginUndoGrouping() }
      post.setValue("mine", forKey: "author")
      if isProcessed { context.processPendingChanges() }
      context.delete(post)
      let rival = stage.context()
      try rival.existingObject(with: post.objectID).setValue("theirs", forKey: "author")
      try rival.save()
      context.mergePolicy = .rollback
      #expect(try context.save() == nil)
      #expect(!post.isDeleted && !context.hasChanges)
      // Over what was given nothing was set but the author.
      #expect(post.value(forKey: "author") == "theirs")
      #expect(post.value(forKey: "scratch") == "of Untitled")
      // What was done can be taken back, as after any save.
      context.undo()
      if !isOneStep {
        #expect(post.value(forKey: "author") == "mine")
        context.undo()
      }
      #expect(post.value(forKey: "author") == nil && post.hasChanges)
      context.rollback()
      #expect(post.value(forKey: "author") == "nobody")
    }
  }

  @Test func `S12, S63: a deletion that a policy gives up shows what was given again`() throws {
    try withFetched { stage, context, post in
      // Nothing of it is left when the post is deleted, and nothing can redo it.
      post.setValue("mine", forKey: "author")
      context.undo()
      post.setValue("Mine", forKey: "title")
      context.processPendingChanges()
      context.delete(post)
      let rival = stage.context()
      try rival.existingObject(with: post.objectID).setValue("theirs", forKey: "author")
      try rival.save()
      context.mergePolicy = .mergeByPropertyStoreTrump
      try context.save()
      #expect(!post.isDeleted && post.value(forKey: "title") == "Untitled")
      #expect(post.value(forKey: "author") == "nobody")
    }
  }

  @Test(arguments: [false, true])
  func `S48: undoing a deletion leads back to nothing that was set over what a hook gave`(
    isSaved: Bool
  ) throws {
    try withFetched { _, context, post in
      for key in ["author", "scratch"] { post.setValue(nil, forKey: key) }
      context.processPendingChanges()
      context.delete(post)
      if isSaved { try context.save() }
      for _ in 0..<2 {
        context.undo()
        #expect(!post.isDeleted && post.value(forKey: "author") == nil)
        #expect(post.value(forKey: "scratch") == nil)
        context.undo()
        #expect(post.value(forKey: "author") == "nobody")
        #expect(post.value(forKey: "scratch") == "of Untitled")
        context.redo()
        #expect(post.value(forKey: "author") == nil && post.value(forKey: "scratch") == nil)
        context.redo()
        #expect(post.isDeleted)
      }
    }
  }

  @Test func `S48: undoing a deletion leads back to what a hook gave where that was shown`() throws
  {
    try withFetched { _, context, post in
      post.setValue(nil, forKey: "author")
      context.undo()
      post.setValue("Mine", forKey: "title")
      context.processPendingChanges()
      // What is set in the step that deletes goes with that.
      post.setValue(nil, forKey: "scratch")
      context.delete(post)
      context.undo()
      #expect(post.value(forKey: "title") == "Mine" && post.value(forKey: "author") == "nobody")
      #expect(post.value(forKey: "scratch") == "of Untitled")
    }
  }

  @Test func `S9, S16: a deleted object has what was set over what a hook gave until it is saved`()
    throws
  {
    try withFetched { _, context, post in
      post.setValue("mine", forKey: "author")
      context.delete(post)
      #expect(post.value(forKey: "author") == "mine")
      #expect(post.value(forKey: "scratch") == "of Untitled")
      try context.save()
      #expect(post.value(forKey: "author") == nil && post.value(forKey: "scratch") == nil)
    }
  }

  @Test func `S9: an object that others have brought back is given nothing from before`() throws {
    try withFetched { stage, context, post in
      context.delete(post)
      try context.save()
      let rival = stage.context()
      try rival.revert(.commit(2))
      let again = try rival.existingObject(with: post.objectID)
      again.setValue("theirs", forKey: "author")
      try rival.save()
      #expect(try context.existingObject(with: post.objectID) === post)
      #expect(post.value(forKey: "author") == "theirs")
    }
  }

  @Test func `S12, S66: a save of a child ends what a hook gave where something was set over it`()
    throws
  {
    try withFetched { _, parent, post in
      let child = ManagedObjectContext(parent: parent)
      let inChild = try child.existingObject(with: post.objectID)
      #expect(inChild.value(forKey: "author") == "nobody")
      inChild.setValue("mine", forKey: "author")
      inChild.setValue(nil, forKey: "scratch")
      try child.save()
      #expect(post.value(forKey: "author") == "mine")
      #expect(inChild.value(forKey: "author") == "mine" && inChild.value(forKey: "scratch") == nil)
    }
  }

  @Test func `S12, S66: what a child sets is saved also where its parent shows it for a hook`()
    throws
  {
    try withFetched { stage, parent, post in
      let child = ManagedObjectContext(parent: parent)
      let inChild = try child.existingObject(with: post.objectID)
      inChild.setValue("nobody", forKey: "author")
      try child.save()
      #expect(post.value(forKey: "author") == "nobody" && post.hasChanges)
      try parent.save()
      let saved = try #require(try stage.store.commits(since: stage.store.lastCommit.previous).last)
      #expect(saved.changes.map { $0.values["author"]?.new } == ["nobody"])
    }
  }
}
