import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// What a save of a context within another leaves there, and tells.
@Suite struct SavedChildTests {
  /// As it is in a context on a store: LeftValueTests, `S4`, `S56`.
  @Test func `S4, S56: a refresh of a child leaves a transient value that was there when it saved`()
    throws
  {
    let stage = try Stage()
    let parent = stage.context()
    let post = parent.insert("Post")
    try parent.save()
    let child = ManagedObjectContext(parent: parent)
    let own = try child.existingObject(with: post.objectID)
    own.setValue("kept", forKey: "scratch")
    own.setValue("Child", forKey: "title")
    try child.save()
    #expect(!own.hasChanges && own.value(forKey: "scratch") == "kept")
    child.refresh(own, mergeChanges: true)
    #expect(own.value(forKey: "title") == "Child")
    #expect(own.value(forKey: "scratch") == "kept")
  }

  @Test
  func `S4, S58: what a parent changes takes no transient value away from a child that follows`()
    throws
  {
    let stage = try Stage()
    let parent = stage.context()
    let post = parent.insert("Post")
    try parent.save()
    let child = ManagedObjectContext(parent: parent)
    child.automaticallyMergesChanges = true
    let own = try child.existingObject(with: post.objectID)
    own.setValue("kept", forKey: "scratch")
    try child.save()
    post.setValue("Parent", forKey: "title")
    parent.processPendingChanges()
    child.processPendingChanges()
    #expect(own.value(forKey: "title") == "Parent")
    #expect(own.value(forKey: "scratch") == "kept")
  }

  @Test(arguments: [false, true])
  func `S18, S66: a save leaves what was set primitively of what it does not save, in a child too`(
    isChild: Bool
  ) throws {
    let stage = try Stage()
    let first = stage.context()
    let (quiet, loud) = (first.insert("Post"), first.insert("Post"))
    try first.save()
    let context = isChild ? ManagedObjectContext(parent: first) : stage.context()
    let own = try context.existingObject(with: quiet.objectID)
    let other = try context.existingObject(with: loud.objectID)
    own.setPrimitiveValue("quiet", forKey: "author")
    other.setValue("loud", forKey: "author")
    #expect(!own.hasChanges)
    try context.save()
    #expect(own.value(forKey: "author") == "quiet")
  }

  @Test func `S40, S42, S66: who watches a child is told of no change by its save`() throws {
    let stage = try Stage()
    let parent = stage.context()
    let post = parent.insert("Post")
    try parent.save()
    let child = ManagedObjectContext(parent: parent)
    let own = try child.existingObject(with: post.objectID)
    own.setValue("new", forKey: "title")
    child.processPendingChanges()
    var (told, updated) = (0, 0)
    let tokens = [
      own.observe("title") { _ in told += 1 }, own.observe("author") { _ in told += 1 },
      child.onChange { updated += $0.updated.count },
    ]
    try child.save()
    child.processPendingChanges()
    #expect(own.value(forKey: "title") == "new")
    #expect(told == 0, "nothing has changed in the child")
    #expect(updated == 0, "nothing has changed in the child")
    withExtendedLifetime(tokens) {}
  }

  @Test func `S40, S66: who watches the parent is told of the keys that a child has changed`()
    throws
  {
    let stage = try Stage()
    let parent = stage.context()
    let post = parent.insert("Post")
    try parent.save()
    let child = ManagedObjectContext(parent: parent)
    try child.existingObject(with: post.objectID).setValue("new", forKey: "title")
    var told: [String] = []
    let tokens = ["title", "author", "mood"].map { key in
      post.observe(key) { told.append($0.key) }
    }
    try child.save()
    #expect(told == ["title"])
    withExtendedLifetime(tokens) {}
  }
}
