import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

@Suite struct ResumingTests {
  @Test func `S50: a session that was saved and closed is resumed with its undo history`() throws {
    let stage = try Stage()
    let context = stage.context()
    context.name = "editor"
    let post = context.insert("Post")
    try context.save()
    post.setValue("Changed", forKey: "title")
    context.setActionName("retitle")
    try context.save()
    context.close()
    #expect(stage.store.unsavedDrafts.isEmpty)
    let session = try #require(stage.store.sessions.last)
    #expect(session.contextName == "editor" && session.endDate != nil)
    let resumed = try ManagedObjectContext(resuming: session, in: stage.store)
    #expect(!resumed.hasChanges && resumed.undoActionName == "retitle")
    resumed.undo()
    let found = try resumed.existingObject(with: post.objectID)
    #expect(found.value(forKey: "title") == "Untitled" && found.isUpdated)
    try resumed.save()
    resumed.redo()
    #expect(found.value(forKey: "title") == "Changed")
    #expect(throws: StoreError.self) {
      try ManagedObjectContext(resuming: session, in: stage.store)
    }
  }

  @Test func `S50: closing gives up what is not saved, and the session goes on from its last save`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    try context.save()
    post.setValue("Unsaved", forKey: "title")
    context.close()
    #expect(post.context == nil)
    #expect(throws: ContextError.closed) { try context.save() }
    let again = try stage.killed()
    #expect(again.store.unsavedDrafts.isEmpty)
    let session = try #require(again.store.sessions.first)
    let resumed = try ManagedObjectContext(resuming: session, in: again.store)
    let found = try resumed.existingObject(with: post.objectID)
    #expect(found.value(forKey: "title") == "Untitled" && !resumed.hasChanges)
    resumed.undo()
    #expect(found.isDeleted)
  }

  @Test
  func `S76: a context that is let go leaves a draft where something is unsaved, and else ends`()
    throws
  {
    let stage = try Stage()
    var context: ManagedObjectContext? = stage.context()
    let post = try #require(context?.insert("Post")).objectID
    try context?.save()
    context = nil
    #expect(try stage.killed().store.unsavedDrafts.isEmpty)
    #expect(try stage.store.events().last?.kind == .ended)
    context = stage.context()
    context?.object(with: post).setValue("Left", forKey: "title")
    context = nil
    let again = try stage.killed()
    let recovered = try RecoveringTests.recovered(again)
    #expect(recovered.object(with: post).value(forKey: "title") == "Left")
  }

  @Test func `S76b: compaction leaves what a context with unsaved work stands on`() throws {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    try context.save()
    post.setValue("Changed", forKey: "title")
    context.processPendingChanges()
    let rival = stage.context()
    for number in 0..<5 {
      try rival.existingObject(with: post.objectID).setValue(.integer(number), forKey: "score")
      try rival.save()
    }
    #expect(try stage.store.compact(keeping: .latest))
    let again = try stage.killed()
    let recovered = try RecoveringTests.recovered(again)
    for each in [context, recovered] {
      let found = try each.existingObject(with: post.objectID)
      #expect(found.value(forKey: "title") == "Changed" && found.value(forKey: "score") == nil)
      #expect(try each.conflicts.count == 1)
      each.undo()
      #expect(found.value(forKey: "title") == "Untitled")
      each.redo()
      each.mergePolicy = .mergeByPropertyObjectTrump
      try each.save()
      #expect(found.value(forKey: "title") == "Changed" && found.value(forKey: "score") == 4)
      each.undo()
      each.undo()
      #expect(found.isDeleted)
    }
  }
}
