import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

@Suite struct HookTests {
  private func stage() throws -> Stage { try Stage(Probe.model()) }

  @Test func `S11: awakeFromInsert runs once, and primitive values set there cannot be undone`()
    throws
  {
    let actions = Probe.Actions()
    actions.onCall["awakeFromInsert"] = { $0.setPrimitiveValue("begun", forKey: "author") }
    try Probe.$actions.withValue(actions) {
      let context = try stage().context()
      let post = context.insert(Probe.self)
      #expect(post.value(forKey: "author") == "begun")
      context.processPendingChanges()
      #expect(context.undoSteps.count == 1)
      post.setValue("changed", forKey: "author")
      context.processPendingChanges()
      context.undo()
      #expect(post.value(forKey: "author") == "begun")
      context.undo()
      #expect(post.isDeleted && !context.canUndo)
      context.redo()
      #expect(post.value(forKey: "author") == "begun")
      context.redo()
      #expect(post.value(forKey: "author") == "changed")
      try context.save()
      #expect(actions.calls.filter { $0 == "awakeFromInsert" }.count == 1)
    }
  }

  @Test
  func `S12: setters in awakeFromFetch neither dirty nor keep inverses, and nothing is written`()
    throws
  {
    let stage = try stage()
    let first = stage.context()
    let post = first.insert(Probe.self)
    let blog = first.insert("Blog")
    try first.save()
    let eventCount = try stage.store.events().count
    let other = stage.context()
    let actions = Probe.Actions()
    let reference = Value.reference(blog.objectID)
    actions.onCall["awakeFromFetch"] = {
      $0.setValue("fetched", forKey: "author")
      $0.setValue("scratched", forKey: "scratch")
      $0.setValue(reference, forKey: "blog")
    }
    try Probe.$actions.withValue(actions) {
      let found = try other.existingObject(with: post.objectID)
      #expect(
        found.value(forKey: "author") == "fetched" && found.value(forKey: "blog") == reference)
      #expect(found.value(forKey: "scratch") == "scratched")
      #expect(!found.hasChanges && !other.hasChanges)
      let itsBlog = try other.existingObject(with: blog.objectID)
      #expect(itsBlog.value(forKey: "posts") == .set([]))
    }
    #expect(try stage.store.events().count == eventCount)
  }

  @Test func `S13: awake tells why an object has other values`() throws {
    let stage = try stage()
    let context = stage.context()
    let post = context.insert(Probe.self)
    context.processPendingChanges()
    post.setValue("a", forKey: "author")
    context.processPendingChanges()
    context.undo()
    context.undo()
    context.redo()
    context.redo()
    try context.save()
    context.delete(post)
    context.undo()
    post.setValue("b", forKey: "author")
    context.rollback()
    context.refresh(post, mergeChanges: true)
    #expect(
      post.calls.filter { $0.hasPrefix("awake ") } == [
        "awake undoOfUpdate", "awake undoOfInsert", "awake redoOfInsert", "awake redoOfUpdate",
        "awake undoOfDelete", "awake rollback", "awake refresh",
      ])
  }

  @Test func `S13: an object that undoing or redoing has taken away is told why`() throws {
    let context = try stage().context()
    let post = context.insert(Probe.self)
    var deletedWhenTold: [Bool] = []
    for reason in ["undoOfInsert", "redoOfDelete"] {
      post.onCall["awake \(reason)"] = { deletedWhenTold.append($0.isDeleted) }
    }
    context.undo()
    context.redo()
    try context.save()
    context.delete(post)
    context.undo()
    context.redo()
    context.undo()
    try context.undo(post, steps: 4)
    #expect(
      post.calls.filter { $0.hasPrefix("awake ") } == [
        "awake undoOfInsert", "awake redoOfInsert", "awake undoOfDelete", "awake redoOfDelete",
        "awake undoOfDelete", "awake undoOfInsert",
      ])
    #expect(deletedWhenTold == [true, true, true])
  }

  @Test
  func
    `S14: an object that becomes a fault is told before, with its values, and after, without transients`()
    throws
  {
    let stage = try stage()
    let context = stage.context()
    let post = context.insert(Probe.self)
    try context.save()
    post.setValue("kept", forKey: "scratch")
    var seen: [Value?] = []
    post.onCall["willTurnIntoFault"] = { seen.append($0.primitiveValue(forKey: "scratch")) }
    post.onCall["didTurnIntoFault"] = { seen.append(.some(.boolean($0.isFault))) }
    context.refresh(post, mergeChanges: false)
    #expect(seen == ["kept", true] && post.isFault && !post.hasChanges)
    #expect(post.value(forKey: "scratch") == nil)
  }

  @Test func `S15: prepareForDeletion sees the relationships as they were`() throws {
    let stage = try stage()
    let context = stage.context()
    let post = context.insert(Probe.self)
    let comment = context.insert("Comment")
    comment.setValue(.reference(post.objectID), forKey: "post")
    var seen: Value?
    post.onCall["prepareForDeletion"] = { seen = $0.value(forKey: "comments") }
    context.delete(post)
    context.processPendingChanges()
    #expect(seen == .array([.reference(comment.objectID)]) && comment.isDeleted)
  }

  @Test
  func `S16: a public set in willSave calls it again, a primitive one does not, and it is bounded`()
    throws
  {
    let stage = try stage()
    let context = stage.context()
    let post = context.insert(Probe.self)
    post.onCall["willSave"] = { post in
      post.setPrimitiveValue("primitive", forKey: "author")
      if post.value(forKey: "score") == nil { post.setValue(1, forKey: "score") }
    }
    try context.save()
    #expect(post.calls.filter { $0 == "willSave" }.count == 2)
    let other = stage.context()
    let found = try other.existingObject(with: post.objectID)
    #expect(found.value(forKey: "author") == "primitive" && found.value(forKey: "score") == 1)
    post.onCall["willSave"] = { $0.setValue(.integer(2), forKey: "score") }
    post.setValue("again", forKey: "title")
    #expect(throws: ContextError.willSaveDoesNotEnd(post.objectID)) { try context.save() }
    post.onCall = [:]
    try context.save()
    context.delete(post)
    post.calls = []
    try context.save()
    #expect(post.calls.filter { $0.hasSuffix("Save") } == ["willSave", "didSave"])
  }

  @Test func `S59: a save processes changes, calls willSave, validates, writes, and calls didSave`()
    throws
  {
    let stage = try stage()
    let context = stage.context()
    let post = context.insert(Probe.self)
    post.calls = []
    try context.save()
    #expect(post.calls == ["willSave", "validateForInsert", "didSave"])
    post.calls = []
    post.setValue("x", forKey: "title")
    try context.save()
    #expect(post.calls == ["willSave", "validateForUpdate", "didSave"])
    post.calls = []
    context.delete(post)
    try context.save()
    #expect(post.calls == ["prepareForDeletion", "willSave", "validateForDelete", "didSave"])
  }

  @Test
  func `S61: a failed save changes nothing but what hooks have set, and a second try succeeds`()
    throws
  {
    let stage = try stage()
    let context = stage.context()
    let post = context.insert(Probe.self)
    post.setValue("far too long a name", forKey: "author")
    post.onCall["willSave"] = { $0.setPrimitiveValue("set by the hook", forKey: "scratch") }
    let errors = try #require(throws: ValidationErrors.self) { try context.save() }
    #expect(
      errors.failures.map(\.kind) == [.breaksRule("far too long a name", .maxLength(10))])
    #expect(post.isInserted && context.hasChanges && context.canUndo)
    #expect(post.value(forKey: "scratch") == "set by the hook")
    #expect(stage.store.lastCommit == .none)
    post.setValue("short", forKey: "author")
    #expect(try context.save()?.number == 1)
  }

  @Test func `S57: a failed save and a refresh show the store's data, not what was prepared`()
    throws
  {
    let stage = try stage()
    let first = stage.context()
    let post = first.insert(Probe.self)
    post.setValue("saved", forKey: "author")
    try first.save()
    let (context, rival) = (stage.context(), stage.context())
    let found = try #require(try context.existingObject(with: post.objectID) as? Probe)
    found.onCall["willSave"] = { $0.setPrimitiveValue("prepared, too long", forKey: "author") }
    found.setValue("changed", forKey: "title")
    #expect(throws: ValidationErrors.self) { try context.save() }
    let same = try rival.existingObject(with: post.objectID)
    same.setValue("rival", forKey: "author")
    try rival.save()
    var fetched: Value?
    found.onCall["awakeFromFetch"] = { fetched = $0.primitiveValue(forKey: "author") }
    context.refresh(found, mergeChanges: true)
    #expect(fetched == "rival" && found.committedValues(forKeys: ["author"]) == ["author": "rival"])
    context.refresh(found, mergeChanges: false)
    #expect(found.value(forKey: "author") == "rival" && found.value(forKey: "title") == "Untitled")
  }
}
