import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// What others have saved while nobody had a context is not passed over by undoing in it.
@Suite struct ResumedUndoTests {
  private let stage: Stage
  private let post: ObjectID
  private let other: ObjectID

  init() throws {
    stage = try Stage()
    let context = stage.context()
    (post, other) = (context.insert("Post").objectID, context.insert("Post").objectID)
    try context.save()
    context.close()
  }

  /// A context that has saved a title, and is let go with or without something unsaved of another object.
  private func edit(leavingDraft: Bool, redoable: Bool = false) throws {
    var context: ManagedObjectContext? = stage.context()
    context?.object(with: post).setValue("Edited", forKey: "title")
    try context?.save()
    if redoable {
      context?.undo()
      try context?.save()
    } else if leavingDraft {
      context?.object(with: other).setValue("Left", forKey: "title")
    }
    context = nil
  }

  private func saveAsRival(_ title: Value, _ key: String = "title") throws {
    let rival = stage.context()
    try rival.existingObject(with: post).setValue(title, forKey: key)
    try rival.save()
  }

  private func expectConflict(_ context: ManagedObjectContext, _ stage: Stage) throws {
    let conflicts = try context.conflicts
    #expect(conflicts.map(\.objectID) == [post] && conflicts.first?.keys.keys.sorted() == ["title"])
    #expect(throws: MergeConflicts.self) { try context.save() }
    let found = try stage.context().existingObject(with: post)
    #expect(found.value(forKey: "title") == "Rival")
    context.mergePolicy = .mergeByPropertyStoreTrump
    try context.save()
    #expect(context.object(with: post).value(forKey: "title") == "Rival")
  }

  @Test func `S50: undo in a resumed session tells what others have saved over it since`() throws {
    try edit(leavingDraft: false)
    let again = try stage.killed()
    let session = try #require(again.store.sessions.last)
    let rival = again.context()
    try rival.existingObject(with: post).setValue("Rival", forKey: "title")
    try rival.save()
    let context = try ManagedObjectContext(resuming: session, in: again.store)
    #expect(!context.hasChanges && context.canUndo)
    context.undo()
    #expect(context.object(with: post).value(forKey: "title") == "Untitled")
    try expectConflict(context, again)
  }

  @Test func `S50: redo in a resumed session tells it as well`() throws {
    try edit(leavingDraft: false, redoable: true)
    let session = try #require(stage.store.sessions.last)
    try saveAsRival("Rival")
    let context = try ManagedObjectContext(resuming: session, in: stage.store)
    context.redo()
    #expect(context.object(with: post).value(forKey: "title") == "Edited")
    try expectConflict(context, stage)
  }

  @Test func `S76: undo across a save in a recovered draft tells what others have saved over it`()
    throws
  {
    try edit(leavingDraft: true)
    try saveAsRival("Rival")
    let again = try stage.killed()
    let context = try RecoveringTests.recovered(again)
    #expect(try context.conflicts.isEmpty)
    context.undo()
    #expect(context.object(with: other).value(forKey: "title") == "Untitled")
    context.undo()
    try expectConflict(context, again)
  }

  @Test func `S50: undo in a resumed session keeps what others have saved under other keys`() throws
  {
    try edit(leavingDraft: false)
    let session = try #require(stage.store.sessions.last)
    try saveAsRival(7, "score")
    let context = try ManagedObjectContext(resuming: session, in: stage.store)
    context.mergePolicy = .mergeByPropertyObjectTrump
    context.undo()
    try context.save()
    let found = try stage.context().existingObject(with: post)
    #expect(found.value(forKey: "title") == "Untitled" && found.value(forKey: "score") == 7)
  }

  @Test func `S50: a resumed session takes no insert back that others have built on`() throws {
    let context = stage.context()
    let new = context.insert("Post").objectID
    try context.save()
    let session = try #require(stage.store.sessions.last)
    context.close()
    let rival = stage.context()
    try rival.existingObject(with: new).setValue("Rival", forKey: "title")
    try rival.save()
    let resumed = try ManagedObjectContext(resuming: session, in: stage.store)
    resumed.undo()
    #expect(throws: MergeConflicts.self) { try resumed.save() }
    let found = try stage.context().existingObject(with: new)
    #expect(found.value(forKey: "title") == "Rival")
  }

  @Test func `S50: a deletion that was saved is undone in a resumed session`() throws {
    let context = stage.context()
    context.delete(try context.existingObject(with: post))
    try context.save()
    let session = try #require(stage.store.sessions.last)
    context.close()
    let resumed = try ManagedObjectContext(resuming: session, in: stage.store)
    resumed.undo()
    try resumed.save()
    #expect(try stage.context().existingObject(with: post).value(forKey: "title") == "Untitled")
  }

  @Test func `S55: what a resumed session refreshes is had as it is now, and undone from there`()
    throws
  {
    try edit(leavingDraft: false)
    let session = try #require(stage.store.sessions.last)
    try saveAsRival("Rival")
    let context = try ManagedObjectContext(resuming: session, in: stage.store)
    let object = context.object(with: post)
    #expect(object.value(forKey: "title") == "Edited")
    context.refresh(object, mergeChanges: true)
    #expect(object.value(forKey: "title") == "Rival")
    context.undo()
    #expect(try object.value(forKey: "title") == "Untitled" && context.conflicts.isEmpty)
  }
}
