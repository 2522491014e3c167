import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// Hooks of a save that look something up.
@Suite struct LookingHookTests {
  @Test(arguments: ["willSave", "validateForInsert", "validateForUpdate"])
  func `S46, S59: a hook that fetches has what it changes belong to the step that was saved`(
    hook: String
  ) throws {
    let stage = try Stage(Probe.model())
    let context = stage.context()
    let post = context.insert(Probe.self)
    post.setValue("one", forKey: "title")
    if hook == "validateForUpdate" { try context.save() }
    var isWanted = true
    post.onCall[hook] = { post in
      guard isWanted else { return }
      isWanted = false
      post.setValue(1, forKey: "score")
      _ = try? post.context?.count(FetchRequest("Post"))
      post.setValue("x", forKey: "author")
    }
    var tellings = 0
    if hook == "validateForUpdate" { post.setValue("two", forKey: "title") }
    let stepCount = context.undoSteps.count
    let token = context.onChange { _ in tellings += 1 }
    try context.save()
    token.cancel()
    // What hooks that validate change comes after the step, and goes with it.
    let extra = hook == "willSave" ? 0 : 1
    #expect(!isWanted && tellings == 2)
    #expect(context.undoSteps.count == max(1, stepCount) + extra)
    context.undo()
    if hook == "validateForUpdate" {
      #expect(post.value(forKey: "title") == "one" && post.value(forKey: "score") == nil)
      #expect(post.value(forKey: "author") == nil)
    } else {
      #expect(post.isDeleted)
    }
  }

  @Test func `S66, S67: a child's fetch finds what its parent will have saved`() throws {
    let parent = try Stage().context()
    let (post, comment) = (parent.insert("Post"), parent.insert("Comment"))
    comment.setValue(post.reference, forKey: "post")
    try parent.save()
    parent.delete(post)
    let child = ManagedObjectContext(parent: parent)
    #expect(try child.count(FetchRequest("Comment")) == 0)
    #expect(try child.fetch(FetchRequest("Comment")).isEmpty)
  }

  @Test func `S52, S66: a child reverts what its parent has not saved, too`() throws {
    let stage = try Stage()
    let parent = stage.context()
    let post = parent.insert("Post")
    post.setValue("saved", forKey: "title")
    try parent.save()
    post.setValue("pending", forKey: "title")
    let child = ManagedObjectContext(parent: parent)
    let mine = try child.existingObject(with: post.objectID)
    #expect(mine.value(forKey: "title") == "pending")
    try child.revert(to: .head)
    #expect(mine.value(forKey: "title") == "saved")
    try child.save()
    #expect(post.value(forKey: "title") == "saved")
  }

  @Test func `S12: what a hook makes has its values when it is saved`() throws {
    let stage = try Stage(Probe.model())
    let id = try {
      let context = stage.context()
      let post = context.insert("Post")
      try context.save()
      return post.objectID
    }()
    let context = stage.context()
    let post = try #require(context.object(with: id) as? Probe)
    var made: ManagedObject?
    post.onCall["awakeFromFetch"] = { post in
      guard made == nil else { return }
      made = post.context?.insert("Comment")
      made?.setValue("hello", forKey: "text")
    }
    _ = post.value(forKey: "title")
    try context.save()
    let comment = try #require(made)
    let found = try stage.context().existingObject(with: comment.objectID)
    #expect(found.value(forKey: "text") == "hello")
  }

  @Test func `S46: a name that was given to a step is forgotten with all else`() throws {
    let context = try Stage().context()
    context.setActionName("stale")
    context.reset()
    context.insert("Post")
    #expect(context.undoActionName == nil)
  }

  @Test func `S70: a batch does not give heirs values that they do not take`() throws {
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Vehicle", attributes: [AttributeDescription("plate", .string)]),
      EntityDescription(
        "Car", parent: "Vehicle", attributes: [AttributeDescription("doors", .integer)]),
    ])
    let stage = try Stage(model)
    let context = stage.context()
    context.insert("Car").setValue(4, forKey: "doors")
    try context.save()
    #expect(throws: BatchError.keyOfHeir(entity: "Vehicle", key: "doors", heir: "Car")) {
      try stage.store.batchUpdate(
        FetchRequest("Vehicle"), setting: ["doors": "many"],
        options: BatchOptions(allowsDynamicKeys: true))
    }
    #expect(try stage.store.verify(deep: true).isEmpty)
  }
}
