import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

@Suite struct RefreshTellingTests {
  @Test(arguments: [true, false])
  func `S14, S55: what becomes a fault has neither transients nor changes when it is told`(
    keepingChanges: Bool
  ) throws {
    let stage = try Stage(Probe.model())
    let context = stage.context()
    let post = context.insert(Probe.self)
    try context.save()
    post.setValue("x", forKey: "scratch")
    post.setValue("changed", forKey: "title")
    var seen: [Value?] = []
    post.onCall["didTurnIntoFault"] = { post in
      seen = ["scratch", "title"].map { post.primitiveValue(forKey: $0) }
    }
    context.refresh(post, mergeChanges: keepingChanges)
    #expect(seen == [nil, nil])
    #expect(post.value(forKey: "scratch") == (keepingChanges ? "x" : nil))
    #expect(post.value(forKey: "title") == (keepingChanges ? "changed" : "Untitled"))
  }

  @Test
  func `S55: a refresh with merge tells of every property before it begins and after it has ended`()
    throws
  {
    let stage = try Stage(Probe.model())
    let first = stage.context()
    let id = first.insert(Probe.self).objectID
    try first.save()
    let context = stage.context()
    let post = try context.existingObject(with: id, as: Probe.self)
    post.setValue("mine", forKey: "author")
    first.object(with: id).setValue("theirs", forKey: "title")
    try first.save()
    let keys = [
      "title", "author", "likes", "tags", "score", "scratch", "blog", "comments", "readers",
    ]
    var calls: [String] = []
    let tokens = keys.reversed().map { key in
      post.observe(key, [.old, .new, .prior]) { change in
        calls.append("\(change.isPrior ? "will" : "did") \(key)")
        if key == "title", change.isPrior { #expect(change.old == "Untitled") }
        if key == "title", !change.isPrior {
          #expect(change.old == "Untitled" && change.new == "theirs")
        }
        if key == "author", !change.isPrior {
          #expect(change.old == "mine" && change.new == "mine")
        }
      }
    }
    for hook in ["willTurnIntoFault", "didTurnIntoFault", "awakeFromFetch", "awake refresh"] {
      post.onCall[hook] = { _ in calls.append(hook) }
    }
    context.refresh(post, mergeChanges: true)
    #expect(
      calls == keys.map { "will \($0)" } + [
        "willTurnIntoFault", "didTurnIntoFault", "awakeFromFetch",
      ]
        + keys.map { "did \($0)" } + ["awake refresh"])
    withExtendedLifetime(tokens) {}
  }

  @Test func `S42, S55: what an observer sets while its object is refreshed is told as changed`()
    throws
  {
    let stage = try Stage()
    let (context, other) = (stage.context(), stage.context())
    let (post, plain) = (context.insert("Post"), context.insert("Post"))
    try context.save()
    try other.existingObject(with: post.objectID).setValue("new", forKey: "title")
    try other.save()
    var (updated, refreshed): (Set<ObjectID>, Set<ObjectID>) = ([], [])
    let listening = context.onChange {
      updated.formUnion($0.updated.map(\.objectID))
      refreshed.formUnion($0.refreshed.map(\.objectID))
    }
    let token = post.observe("title") { _ in
      if post.value(forKey: "author") == nil { post.setValue("seen", forKey: "author") }
    }
    context.refreshAllObjects()
    context.processPendingChanges()
    #expect(post.hasChanges && updated == [post.objectID] && refreshed == [plain.objectID])
    withExtendedLifetime((listening, token)) {}
  }

  @Test(arguments: [true, false])
  func `S55: what an observer sets before its object is refreshed stays, and is told as changed`(
    isChild: Bool
  ) throws {
    let stage = try Stage()
    let parent = stage.context()
    let saved = parent.insert("Post")
    try parent.save()
    let context = isChild ? ManagedObjectContext(parent: parent) : stage.context()
    let post = try context.existingObject(with: saved.objectID)
    #expect(post.value(forKey: "title") == "Untitled")
    saved.setValue("new", forKey: "title")
    try parent.save()
    var (updated, refreshed): (Set<ObjectID>, Set<ObjectID>) = ([], [])
    let listening = context.onChange {
      updated.formUnion($0.updated.map(\.objectID))
      refreshed.formUnion($0.refreshed.map(\.objectID))
    }
    let token = post.observe("title", [.prior]) { change in
      if change.isPrior { post.setValue("seen", forKey: "author") }
    }
    context.refresh(post, mergeChanges: true)
    context.processPendingChanges()
    #expect(post.value(forKey: "title") == "new" && post.value(forKey: "author") == "seen")
    #expect(post.hasChanges && updated == [post.objectID] && refreshed.isEmpty)
    try context.save()
    if isChild { try parent.save() }
    #expect(
      try stage.context().existingObject(with: saved.objectID).value(forKey: "author") == "seen")
    withExtendedLifetime((listening, token)) {}
  }

  @Test
  func
    `S56: a transient that was nil keeps what awakeFromFetch gave it, and one that was set is untouched`()
    throws
  {
    let stage = try Stage(Probe.model())
    let first = stage.context()
    let id = first.insert(Probe.self).objectID
    try first.save()
    for mine in [Value?.none, "mine"] {
      let context = stage.context()
      let post = try context.existingObject(with: id, as: Probe.self)
      if let mine { post.setValue(mine, forKey: "scratch") }
      post.onCall["awakeFromFetch"] = { $0.setValue("fetched", forKey: "scratch") }
      let told = Told()
      let token = post.observe("scratch", [.old, .new]) { told.changes.append($0) }
      context.refresh(post, mergeChanges: true)
      #expect(post.value(forKey: "scratch") == mine ?? "fetched")
      #expect(told.lines == [mine == nil ? "scratch - fetched" : "scratch mine mine"])
      withExtendedLifetime(token) {}
    }
  }

  @Test func `S54: a refresh without merge leaves a fault that no owner has lost`() throws {
    let stage = try Stage()
    let context = stage.context()
    let (blog, post) = (context.insert("Blog"), context.insert("Post"))
    post.setValue(.reference(blog.objectID), forKey: "blog")
    try context.save()
    let reference = Value.reference(post.objectID)
    #expect(blog.value(forKey: "posts") == .set([reference]))
    context.refresh(post, mergeChanges: false)
    #expect(post.isFault && blog.value(forKey: "posts") == .set([reference]))
  }
}
