import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// What goes with a deletion, and what keeps it from being made, when it is redone.
@Suite struct RedoneDeletionTests {
  private let stage: Stage
  private let context: ManagedObjectContext

  init() throws {
    stage = try Stage()
    context = stage.context()
  }

  @Test func `S44, S48: a deletion that is denied is denied when it is redone`() throws {
    let (blog, person) = (context.insert("Blog"), context.insert("Person"))
    try context.save()
    blog.setValue(person.reference, forKey: "editor")
    context.processPendingChanges()
    context.delete(person)
    context.processPendingChanges()
    #expect(throws: (any Error).self) { try context.save() }
    context.undo()
    context.redo()
    #expect(throws: (any Error).self) { try context.save() }
    #expect(blog.value(forKey: "editor") == person.reference)
  }

  @Test(arguments: [true, false])
  func `S44, S48: what goes with an object goes when that is redone`(atEndOfEvent: Bool) throws {
    context.propagatesDeletesAtEndOfEvent = atEndOfEvent
    let (post, comment) = (context.insert("Post"), context.insert("Comment"))
    try context.save()
    comment.setValue(post.reference, forKey: "post")
    context.processPendingChanges()
    context.delete(post)
    context.processPendingChanges()
    context.undo()
    context.redo()
    try context.save()
    #expect(stage.objectIDs("Comment").isEmpty)
    #expect(try stage.store.verify(deep: true).isEmpty)
  }

  @Test func `S48: what was deleted shows what it had, also when that is redone`() throws {
    let post = context.insert("Post")
    post.setValue("stored", forKey: "title")
    try context.save()
    post.setValue("later", forKey: "title")
    context.processPendingChanges()
    context.delete(post)
    #expect(post.value(forKey: "title") == "later")
    context.undo()
    context.redo()
    #expect(post.isDeleted && post.value(forKey: "title") == "later")
  }

  @Test
  func
    `S44, S50, S76: rules that wait for the save run of what was never saved after a crash, too`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    context.propagatesDeletesAtEndOfEvent = false
    let (post, comment) = (context.insert("Post"), context.insert("Comment"))
    comment.setValue(.reference(post.objectID), forKey: "post")
    context.processPendingChanges()
    context.delete(post)
    context.processPendingChanges()
    context.insert("Blog")
    context.processPendingChanges()
    let again = try stage.killed()
    let draft = try #require(again.store.unsavedDrafts.first)
    let recovered = try ManagedObjectContext(recovering: draft, in: again.store)
    try context.save()
    try recovered.save()
    #expect(stage.objectIDs("Comment").isEmpty && again.objectIDs("Comment").isEmpty)
  }
}
