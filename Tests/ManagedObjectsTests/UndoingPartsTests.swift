import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

@Suite struct UndoingPartsTests {
  @Test func `S51: undoing an object takes back what the last step did to it, and nothing else`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let (one, two) = (context.insert("Post"), context.insert("Post"))
    try context.save()
    one.setValue("One", forKey: "title")
    two.setValue("Two", forKey: "title")
    context.processPendingChanges()
    two.setValue("ann", forKey: "author")
    context.processPendingChanges()
    try context.undo(one)
    #expect(one.value(forKey: "title") == "Untitled" && two.value(forKey: "title") == "Two")
    context.undo()
    #expect(one.value(forKey: "title") == "One")
    try context.undo(two, steps: 2)
    #expect(two.value(forKey: "title") == "Untitled" && two.value(forKey: "author") == nil)
    #expect(one.value(forKey: "title") == "One")
    try context.save()
    let found = try stage.context().existingObject(with: two.objectID)
    #expect(found.value(forKey: "title") == "Untitled")
    let other = stage.context()
    let untouched = try other.existingObject(with: one.objectID)
    #expect(throws: ContextError.nothingToUndo) { try other.undo(untouched) }
  }

  @Test func `S51: undoing an object that was inserted or deleted has it go or come back`() throws {
    let stage = try Stage()
    let context = stage.context()
    let (blog, post) = (context.insert("Blog"), context.insert("Post"))
    post.setValue(blog.reference, forKey: "blog")
    try context.save()
    context.delete(post)
    context.processPendingChanges()
    try context.undo(post)
    #expect(!post.isDeleted && post.value(forKey: "blog") == blog.reference)
    #expect(blog.value(forKey: "posts") == .set([post.reference]))
    let error = try #require(throws: ContextError.self) { try context.undo(blog) }
    guard case .laterChanges(let keys) = error else { throw error }
    #expect(keys.map(\.objectID) == [post.objectID] && keys.map(\.key) == ["blog"])
    post.setValue(nil, forKey: "blog")
    try context.undo(blog)
    #expect(blog.isDeleted && !post.isDeleted)
    try context.save()
    #expect(throws: ContextError.self) {
      try stage.context().existingObject(with: blog.objectID)
    }
  }

  @Test func `S51: an older step is taken back by itself, unless later ones touched the same keys`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    try context.save()
    func step(_ name: String, _ body: () -> Void) {
      body()
      context.setActionName(name)
      context.processPendingChanges()
    }
    step("title") { post.setValue("One", forKey: "title") }
    step("author") { post.setValue("ann", forKey: "author") }
    step("tags") { post.setValue(.set(["a"]), forKey: "tags") }
    step("title again") { post.setValue("Two", forKey: "title") }
    #expect(
      context.undoSteps.map(\.name) == [nil, "title", "author", "tags", "title again"])
    #expect(context.undoSteps[2].keys == [post.objectID: ["author"]])
    #expect(context.undoSteps[0].insertedOrDeletedObjects == [post.objectID])
    try context.undo(stepNamed: "author")
    #expect(post.value(forKey: "author") == nil && post.value(forKey: "title") == "Two")
    #expect(context.undoActionName == "author" && context.undoSteps.count == 6)
    let error = try #require(throws: ContextError.self) { try context.undo(step: 1) }
    guard case .laterChanges(let keys) = error else { throw error }
    #expect(keys.map(\.objectID) == [post.objectID] && keys.map(\.key) == ["title"])
    #expect("\(error)".contains("title of"))
    #expect(post.value(forKey: "title") == "Two")
    try context.undo(step: 4)
    #expect(post.value(forKey: "title") == "One" && post.value(forKey: "tags") == .set(["a"]))
    context.undo()
    context.undo()
    #expect(post.value(forKey: "author") == "ann" && post.value(forKey: "title") == "Two")
    #expect(context.redoSteps.count == 2)
    #expect(throws: ContextError.nothingToUndo) { try context.undo(step: 9) }
    #expect(throws: ContextError.nothingToUndo) { try context.undo(stepNamed: "nothing") }
  }

  @Test(arguments: [false, true])
  func `S51: what others have changed since, or nobody can undo, is not taken back with a part`(
    isRecovered: Bool
  ) throws {
    let stage = try Stage()
    let other = stage.context()
    let (post, gone) = (other.insert("Post"), other.insert("Post"))
    try other.save()
    var context = stage.context()
    func here(_ object: ManagedObject) -> ManagedObject { context.object(with: object.objectID) }
    func step(_ key: String, _ value: Value?, _ object: ManagedObject? = nil) {
      here(object ?? post).setValue(value, forKey: key)
      context.processPendingChanges()
    }
    func expectRefusal(_ keys: Set<String>, _ undo: () throws -> Void) throws {
      let title = here(post).value(forKey: "title")
      let error = try #require(throws: ContextError.self) { try undo() }
      guard case .laterChanges(let later) = error else { throw error }
      #expect(Set(later.map(\.key)) == keys)
      #expect(here(post).value(forKey: "title") == title)
    }
    step("title", "One")
    step("author", "ann")
    step("likes", .counter(3))
    step("author", "ann", gone)
    // In one step with what is saved and brought in meanwhile.
    context.beginUndoGrouping()
    here(gone).setValue("two", forKey: "title")
    other.merge(from: try #require(try context.save()))
    post.setValue("Theirs", forKey: "title")
    post.setValue(.counter(7), forKey: "likes")
    gone.setValue("theirs", forKey: "title")
    context.merge(from: try #require(try other.save()))
    here(gone)["mood"] = "calm"
    context.endUndoGrouping()
    if isRecovered {
      here(post)["unsaved"] = true
      context.processPendingChanges()
      context = try RecoveringTests.recovered(stage.killed())
    }
    try expectRefusal(["title"]) { try context.undo(step: 0) }
    try expectRefusal(["title"]) { try context.undo(step: 4) }
    try context.undo(step: 2)
    #expect(here(post).value(forKey: "likes") == .counter(4))
    try context.undo(step: 1)
    #expect(here(post).value(forKey: "author") == nil)
    context.undo()
    func setForGood(_ author: Value?) {
      context.disableUndoRegistration()
      here(post).setValue(author, forKey: "author")
      context.enableUndoRegistration()
    }
    setForGood("bob")
    try expectRefusal(["author"]) { try context.undo(step: 1) }
    try expectRefusal(["title", "author"]) { try context.undo(here(post), steps: 20) }
    // What is as it was before is taken back from nobody.
    setForGood(nil)
    try context.undo(step: 1)
    context.disableUndoRegistration()
    context.delete(here(gone))
    context.enableUndoRegistration()
    try expectRefusal(["author"]) { try context.undo(step: 3) }
  }

  @Test
  func `S51: what others have brought back and changed is not made what it was before it went`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    try context.save()
    context.delete(post)
    let deletion = try #require(try context.save())
    let other = stage.context()
    try other.revert(.commit(deletion.number))
    other.object(with: post.objectID).setValue("Theirs", forKey: "title")
    context.merge(from: try #require(try other.save()))
    #expect(post.value(forKey: "title") == "Theirs")
    let error = try #require(throws: ContextError.self) { try context.undo(step: 1) }
    guard case .laterChanges(let keys) = error else { throw error }
    #expect(keys.map(\.key) == ["title"] && post.value(forKey: "title") == "Theirs")
  }

  @Test
  func `S51: what was added to a counter in one step is taken back from what later ones added`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    try context.save()
    post.setValue(.counter(3), forKey: "likes")
    context.processPendingChanges()
    post.setValue(.counter(7), forKey: "likes")
    try context.undo(step: 1)
    #expect(post.value(forKey: "likes") == .counter(4))
  }

  @Test func `S51: different members of one relationship are undone apart`() throws {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    let people = (0..<3).map { _ in context.insert("Person") }
    post.setValue(.set([people[2].reference]), forKey: "readers")
    try context.save()
    for person in people[..<2] {
      post.setValue(
        .set((post.value(forKey: "readers")?.set ?? []).union([person.reference])),
        forKey: "readers")
      context.processPendingChanges()
    }
    try context.undo(step: 1)
    #expect(
      post.value(forKey: "readers") == .set([people[1].reference, people[2].reference]))
    #expect(people[0].value(forKey: "reads")?.set ?? [] == [])
  }

  @Test func `S51: what was undone in parts is a draft that undoes as the context would`() throws {
    let stage = try Stage()
    let (context, ids) = try RecoveringTests.work(in: stage)
    try context.undo(step: context.undoSteps.count - 1)
    try context.undo(context.object(with: ids[0]))
    let recovered = try RecoveringTests.recovered(stage.killed())
    #expect(Picture(ids, in: recovered) == Picture(ids, in: context))
    while context.canUndo {
      context.undo()
      recovered.undo()
      #expect(Picture(ids, in: recovered) == Picture(ids, in: context))
    }
  }

  @Test(arguments: [0, -1, Int.min])
  func `S51: undoing no step of an object, or fewer, is refused`(_ count: Int) throws {
    let context = try Stage().context()
    let post = context.insert("Post")
    try context.save()
    post.setValue("One", forKey: "title")
    context.processPendingChanges()
    #expect(throws: ContextError.nothingToUndo) { try context.undo(post, steps: count) }
    #expect(throws: ContextError.nothingToUndo) { try context.undo(step: -1) }
    #expect(post.value(forKey: "title") == "One" && context.undoSteps.count == 2)
  }

  @Test func `S38, S40: who watches what comes back is told what was shown before`() throws {
    let stage = try Stage()
    let context = stage.context()
    let (post, blog) = (context.insert("Post"), context.insert("Blog"))
    post.setValue(.reference(blog.objectID), forKey: "blog")
    post.setValue("a title", forKey: "title")
    try context.save()
    context.delete(post)
    context.processPendingChanges()
    context.delete(blog)
    context.processPendingChanges()
    var told: [String: [[Value?]]] = [:]
    let tokens = ["blog", "title"].map { key in
      post.observe(key, [.old, .new]) { told[key, default: []].append([$0.old, $0.new]) }
    }
    try context.undo(step: context.undoSteps.count - 2)
    #expect(post.value(forKey: "blog") == nil && post.value(forKey: "title") == "a title")
    #expect(told["blog"] == [[.reference(blog.objectID), nil]])
    #expect(told["title"] == [["a title", "a title"]])
    withExtendedLifetime(tokens) {}
  }
}
