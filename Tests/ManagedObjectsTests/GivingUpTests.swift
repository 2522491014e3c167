import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// What is given up: by rolling back, by resetting, by deleting what was never saved.
@Suite struct GivingUpTests {
  @Test func `S53: rolling back restores what was committed and reads nothing`() throws {
    let stage = try Stage()
    let first = stage.context()
    let (post, doomed) = (first.insert("Post"), first.insert("Post"))
    let comment = first.insert("Comment")
    post.setValue(.array([comment.reference]), forKey: "comments")
    try first.save()
    try stage.store.checkpoint()
    let again = try stage.killed()
    let other = again.context()
    let same = try other.existingObject(with: post.objectID)
    #expect(same.value(forKey: "title") == "Untitled")
    same.setValue("x", forKey: "title")
    same.setValue(.array([]), forKey: "comments")
    other.delete(try other.existingObject(with: doomed.objectID))
    let new = other.insert("Post")
    other.processPendingChanges()
    let readCount = again.disk.trace.filter { $0.contains(" read ") }.count
    other.rollback()
    #expect(again.disk.trace.filter { $0.contains(" read ") }.count == readCount)
    #expect(!other.hasChanges && !other.canUndo && !other.canRedo && new.isDeleted)
    #expect(same.value(forKey: "title") == "Untitled")
    #expect(same.value(forKey: "comments") == .array([comment.reference]))
    #expect(try !other.existingObject(with: doomed.objectID).isDeleted)
    #expect(try other.save() == nil)
  }

  @Test func `S53: rolling back costs what was changed, and not what was read`() throws {
    func time(_ count: Int) throws -> UInt64 {
      let stage = try Stage()
      try stage.store.batchInsert("Person", (0..<count).map { _ in [:] })
      let context = stage.context()
      let people = try context.fetch(FetchRequest("Person"))
      for person in people { _ = person.value(forKey: "name") }
      let begin = threadTime()
      for number in 0..<20 {
        people[0].setValue(.string("\(number)"), forKey: "name")
        context.rollback()
      }
      let time = threadTime() - begin
      #expect(people[0].value(forKey: "name") == nil && context.registeredObjects.count == count)
      return time
    }
    let growth = try growth(from: 100, to: 5_000, of: time)
    #expect(growth < 3)
  }

  @Test func `S53: an object that is held over a reset says so when it is used`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stage = try Stage()
      let context = stage.context()
      let post = context.insert("Post")
      try context.save()
      context.reset()
      _ = post.value(forKey: "title")
    }
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("belongs to no context any more"))
  }

  @Test func `S46, S53: the name of a group goes with it when it is given up`() throws {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    try context.save()
    context.beginUndoGrouping()
    context.setActionName("Typing")
    post.setValue("one", forKey: "title")
    context.rollback()
    context.endUndoGrouping()
    post.setValue("two", forKey: "title")
    context.processPendingChanges()
    #expect(context.canUndo && context.undoActionName == nil)
  }

  @Test func `S53: a reset forgets all objects and what is not saved of them`() throws {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    try context.save()
    let id = post.objectID
    post.setValue("x", forKey: "title")
    context.insert("Post")
    context.reset()
    #expect(context.registeredObjects.isEmpty && !context.hasChanges && !context.canUndo)
    let found = try context.existingObject(with: id)
    #expect(found !== post && found.value(forKey: "title") == "Untitled")
    #expect(try context.save() == nil)
    #expect(try stage.killed().store.unsavedDrafts.isEmpty)
    withExtendedLifetime(post) {}
  }

  @Test
  func `S45: what was deleted before it was saved leaves nothing in the store but its events`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    let id = post.objectID
    post.setValue("x", forKey: "title")
    context.processPendingChanges()
    context.delete(post)
    #expect(try context.save() == nil)
    #expect(stage.store.lastCommit == .none && !context.hasChanges)
    #expect(try stage.store.head.stored(id) == nil)
    #expect(throws: ContextError.self) { try stage.context().existingObject(with: id) }
    let kinds = try stage.store.events().map(\.kind)
    #expect(kinds.contains(.inserted(id)) && kinds.contains(.deleted(id)))
    #expect(kinds.contains(.set(id, key: "title", "x")))
    #expect(try stage.store.verify(deep: true).isEmpty)
  }

  @Test func `S20, S53: what a reset has forgotten has no changes, and is a fault`() throws {
    let stage = try Stage()
    let context = stage.context()
    let (saved, new) = (context.insert("Post"), context.insert("Post"))
    try context.save()
    saved.setValue("changed", forKey: "title")
    let another = context.insert("Post")
    context.reset()
    for object in [saved, new, another] {
      #expect(object.isFault && !object.hasChanges && !object.isInserted && !object.isUpdated)
    }
  }
}
