import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

@Suite struct ProcessingTests {
  @Test @MainActor func `S46: on the main actor what is changed in one turn is one step`()
    async throws
  {
    let stage = try Stage()
    let context = stage.context(on: MainActor.shared)
    var events = 0
    let token = context.onChange { _ in events += 1 }
    let post = context.insert("Post")
    post.setValue("a", forKey: "title")
    #expect(events == 0)
    await turn()
    #expect(events == 1)
    post.setValue("b", forKey: "title")
    post.setValue("c", forKey: "title")
    await turn()
    #expect(events == 2)
    context.undo()
    #expect(post.value(forKey: "title") == "a" && events == 3)
    await turn()
    #expect(events == 3)
    withExtendedLifetime(token) {}
  }

  @Test @MainActor func `S46: a context elsewhere processes when it is told to`() async throws {
    let stage = try Stage()
    let context = stage.context(on: nil)
    let post = context.insert("Post")
    await turn()
    post.setValue("a", forKey: "title")
    context.undo()
    #expect(post.isDeleted)
  }

  @Test @MainActor func `S46: an open group is waited for, and not asked for each turn`()
    async throws
  {
    let stage = try Stage()
    let context = stage.context(on: MainActor.shared)
    context.beginUndoGrouping()
    context.insert("Post")
    await turn()
    #expect(context.schedulesNothing)
    context.insert("Post")
    #expect(!context.schedulesNothing)
    await turn()
    context.endUndoGrouping()
    #expect(context.undoSteps.count == 1)
  }

  @Test @MainActor
  func `S58: a context of the main actor that is idle is told of what others save`()
    async throws
  {
    let stage = try Stage()
    let (context, other) = (stage.context(on: MainActor.shared), stage.context(on: nil))
    let post = context.insert("Post")
    try await context.save()
    context.automaticallyMergesChanges = true
    var updated: [ObjectID] = []
    let token = context.onChange { updated += $0.refreshed.map(\.objectID) }
    for title: Value in ["one", "two"] {
      try save("title", title, of: post, in: other)
      await turn()
      #expect(post.value(forKey: "title") == title)
    }
    #expect(updated == [post.objectID, post.objectID])
    // An inner one follows, too.
    let inner = ManagedObjectContext(parent: context, isolation: MainActor.shared)
    let seen = try inner.existingObject(with: post.objectID)
    inner.automaticallyMergesChanges = true
    #expect(seen.value(forKey: "title") == "two")
    try save("title", "three", of: post, in: other)
    await turn()
    #expect(seen.value(forKey: "title") == "three")
    context.automaticallyMergesChanges = false
    try save("title", "four", of: post, in: other)
    await turn()
    #expect(post.value(forKey: "title") == "three")
    withExtendedLifetime(token) {}
  }

  @Test @MainActor func `S58: what others save while a save is awaited is brought in after it`()
    async throws
  {
    let stage = try Stage()
    let (context, other) = (stage.context(on: MainActor.shared), stage.context(on: nil))
    let (post, mine) = (context.insert("Post"), context.insert("Post"))
    try await context.save()
    context.automaticallyMergesChanges = true
    for number in 0..<20 {
      mine.setValue(.integer(number), forKey: "score")
      let saved = Task { @MainActor in _ = try await context.save(durability: .synced) }
      await Task.yield()
      try save("score", .integer(number), of: post, in: other)
      try await saved.value
      await turn()
      #expect(post.value(forKey: "score") == .integer(number))
    }
  }

  /// Saves a value of an object in another context, before anybody else has a turn.
  private func save(
    _ key: String, _ value: Value, of object: ManagedObject, in context: ManagedObjectContext
  ) throws {
    try context.existingObject(with: object.objectID).setValue(value, forKey: key)
    try context.save()
  }

  /// What was scheduled on the main actor has run when this returns.
  @MainActor private func turn() async {
    for _ in 0..<3 { await Task { @MainActor in }.value }
  }

  @Test func `S58: a context that is told to brings in what others save when it processes changes`()
    throws
  {
    let stage = try Stage()
    let (context, other) = (stage.context(), stage.context())
    let post = context.insert("Post")
    let doomed = context.insert("Post")
    try context.save()
    let elsewhere = try other.existingObject(with: post.objectID)
    elsewhere.setValue("theirs", forKey: "title")
    try other.save()
    context.automaticallyMergesChanges = true
    post.setValue("mine", forKey: "author")
    #expect(post.value(forKey: "title") == "Untitled")
    context.processPendingChanges()
    #expect(post.value(forKey: "title") == "theirs" && post.value(forKey: "author") == "mine")
    try context.save()
    other.refreshAllObjects()
    let new = other.insert("Post")
    other.delete(try other.existingObject(with: doomed.objectID))
    try other.save()
    var inserted: Set<ObjectID> = []
    var deleted: Set<ObjectID> = []
    let token = context.onChange {
      inserted.formUnion($0.inserted.map(\.objectID))
      deleted.formUnion($0.deleted.map(\.objectID))
    }
    context.processPendingChanges()
    #expect(inserted == [new.objectID] && deleted == [doomed.objectID] && doomed.isDeleted)
    inserted = []
    context.processPendingChanges()
    #expect(inserted.isEmpty)
    withExtendedLifetime(token) {}
  }

  @Test
  func
    `S58: what both have changed is not in conflict where it was merged by itself, and mine stays`()
    throws
  {
    let stage = try Stage()
    let (context, other) = (stage.context(), stage.context())
    context.automaticallyMergesChanges = true
    let post = context.insert("Post")
    try context.save()
    let elsewhere = try other.existingObject(with: post.objectID)
    elsewhere.setValue("theirs", forKey: "title")
    elsewhere.setValue(1, forKey: "score")
    try other.save()
    post.setValue("mine", forKey: "title")
    try context.save()
    let found = try stage.context().existingObject(with: post.objectID)
    #expect(found.value(forKey: "title") == "mine" && found.value(forKey: "score") == 1)
  }

  @Test
  func
    `S20: changedValuesForCurrentEvent has what was there when the event began, whoever listens`()
    throws
  {
    for isListenedTo in [false, true] {
      let context = try Stage().context()
      let changes = isListenedTo ? context.changes : nil
      let (post, blog) = (context.insert("Post"), context.insert("Blog"))
      post.setValue("a", forKey: "title")
      #expect(post.changedValuesForCurrentEvent().isEmpty)
      context.processPendingChanges()
      post.setValue("b", forKey: "title")
      post.setValue("c", forKey: "title")
      post["mood"] = "sunny"
      post.setValue(.reference(blog.objectID), forKey: "blog")
      #expect(post.changedValuesForCurrentEvent() == ["title": "a", "mood": .null, "blog": .null])
      #expect(blog.changedValuesForCurrentEvent().isEmpty)
      context.processPendingChanges()
      #expect(post.changedValuesForCurrentEvent().isEmpty)
      context.beginUndoGrouping()
      post.setValue("d", forKey: "title")
      context.processPendingChanges()
      post.setValue("e", forKey: "title")
      #expect(post.changedValuesForCurrentEvent() == ["title": "d"])
      context.endUndoGrouping()
      withExtendedLifetime(changes) {}
    }
  }

  @Test func `S42, S58: what a context has saved before it follows others is not told as theirs`()
    throws
  {
    let stage = try Stage()
    let (context, other) = (stage.context(), stage.context())
    let held = context.insert("Blog")
    try context.save()
    context.disableUndoRegistration()
    let own = context.insert("Post").objectID
    try context.save()
    context.enableUndoRegistration()
    #expect(context.registeredObject(for: own) == nil)
    let theirs = other.insert("Post")
    try other.save()
    var inserted: Set<ObjectID> = []
    let token = context.onChange { inserted.formUnion($0.inserted.map(\.objectID)) }
    context.automaticallyMergesChanges = true
    context.processPendingChanges()
    #expect(inserted == [theirs.objectID])
    context.insert("Person")
    try context.save()
    inserted = []
    context.processPendingChanges()
    #expect(inserted.isEmpty)
    withExtendedLifetime((held, token)) {}
  }
}
