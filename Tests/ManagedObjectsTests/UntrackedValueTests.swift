import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// Values that hooks set while nothing is tracked, under what is changed, saved and taken back over them.
@Suite struct UntrackedValueTests {
  /// A context that finds a post which has been saved, and whose hook makes a value that no save takes.
  private func withFetched(
    _ body: (Stage, ManagedObjectContext, Probe) throws -> Void
  ) throws {
    let stage = try Stage(Probe.model())
    let first = stage.context()
    let id = first.insert(Probe.self).objectID
    try first.save()
    let actions = Probe.Actions()
    actions.onCall["awakeFromFetch"] = { $0.setPrimitiveValue("fetched", forKey: "scratch") }
    try Probe.$actions.withValue(actions) {
      let context = stage.context()
      let post = try context.existingObject(with: id, as: Probe.self)
      #expect(post.value(forKey: "scratch") == "fetched" && !context.hasChanges)
      try body(stage, context, post)
    }
  }

  @Test func `S48: undo brings back a transient value that awakeFromFetch gave`() throws {
    try withFetched { _, context, post in
      for changed in [Value?.some("mine"), nil] {
        post.setValue(changed, forKey: "scratch")
        #expect(post.value(forKey: "scratch") == changed)
        context.undo()
        #expect(post.value(forKey: "scratch") == "fetched" && !context.hasChanges)
        context.redo()
        #expect(post.value(forKey: "scratch") == changed)
        context.undo()
      }
    }
  }

  @Test(arguments: [true, false])
  func `S48: undo leads back to nothing where nothing was set over what awakeFromFetch gave`(
    isRedone: Bool
  ) throws {
    try withFetched { _, context, post in
      func change(_ value: Value?) {
        post.setValue(value, forKey: "scratch")
        context.processPendingChanges()
      }
      context.levelsOfUndo = 3
      for author in ["a", "b", "c"] {
        post.setValue(.string(author), forKey: "author")
        context.processPendingChanges()
      }
      change(nil)
      if isRedone {
        context.undo()
        context.redo()
      }
      change("mine")
      context.undo()
      #expect(post.value(forKey: "scratch") == nil)
      context.undo()
      #expect(post.value(forKey: "scratch") == "fetched")
      // By another way, too, through a value.
      change("mine")
      change(nil)
      let shown: [Value?] = [nil, "mine", "fetched"]
      for _ in 0..<2 {
        for value in shown.dropFirst() {
          context.undo()
          #expect(post.value(forKey: "scratch") == value)
        }
        for value in shown.dropLast().reversed() {
          context.redo()
          #expect(post.value(forKey: "scratch") == value)
        }
      }
      #expect(post.value(forKey: "author") == "c")
    }
  }

  @Test func `S48: undo leads back to nothing that was set after a refresh had kept a change`()
    throws
  {
    try withFetched { _, context, post in
      func change(_ value: Value?) {
        post.setValue(value, forKey: "scratch")
        context.processPendingChanges()
      }
      change("mine")
      context.refresh(post, mergeChanges: true)
      change(nil)
      change("again")
      for shown in [nil, "mine", "fetched"] as [Value?] {
        context.undo()
        #expect(post.value(forKey: "scratch") == shown)
      }
      for shown in ["mine", nil, "again"] as [Value?] {
        context.redo()
        #expect(post.value(forKey: "scratch") == shown)
      }
    }
  }

  @Test(arguments: [false, true])
  func `S3: nothing set over what a hook gave is a change, also where undoing had led back to it`(
    isUndone: Bool
  ) throws {
    try withFetched { _, context, post in
      post.setValue(nil, forKey: "scratch")
      context.processPendingChanges()
      if isUndone {
        post.setValue("mine", forKey: "scratch")
        context.undo()
        #expect(post.value(forKey: "scratch") == nil)
        post.setValue(nil, forKey: "scratch")
      }
      post.reconcileChanges()
      #expect(post.hasChanges && post.value(forKey: "scratch") == nil)
    }
  }

  @Test(arguments: [true, false])
  func `S56: a refresh gives anew where only nothing was set over what awakeFromFetch gave`(
    isChangedByOthers: Bool
  ) throws {
    try withFetched { stage, context, post in
      post.setValue(nil, forKey: "scratch")
      if isChangedByOthers {
        let rival = stage.context()
        try rival.existingObject(with: post.objectID).setValue("x", forKey: "author")
        try rival.save()
      }
      context.refresh(post, mergeChanges: true)
      #expect(post.value(forKey: "scratch") == "fetched" && !context.hasChanges)
    }
  }

  @Test func `S12: a save ends what a hook gave, also where undo had led back over it`() throws {
    try withFetched { _, context, post in
      for changed in [Value?.some("mine"), nil, nil] {
        post.setValue(changed, forKey: "scratch")
        context.processPendingChanges()
      }
      context.undo()
      context.undo()
      post.setValue("x", forKey: "author")
      try context.save()
      context.rollback()
      #expect(post.value(forKey: "scratch") != "fetched")
    }
  }

  @Test func `S53: rolling back shows what a hook gave, though nothing can lead back to it`() throws
  {
    try withFetched { _, context, post in
      context.levelsOfUndo = 1
      for changed in [Value?.none, "mine"] {
        post.setValue(changed, forKey: "scratch")
        context.processPendingChanges()
      }
      context.undo()
      let other = context.insert(Probe.self)
      try context.save()
      #expect(post.value(forKey: "scratch") == nil && !post.hasChanges)
      context.rollback()
      #expect(post.value(forKey: "scratch") == "fetched" && !other.isDeleted)
    }
  }

  @Test func `S48: undo leads back to what the store has where that was set over what a hook gave`()
    throws
  {
    let stage = try Stage(Probe.model())
    let first = stage.context()
    let saved = first.insert(Probe.self)
    saved.setValue("stored", forKey: "author")
    try first.save()
    let id = saved.objectID
    let actions = Probe.Actions()
    actions.onCall["awakeFromFetch"] = { $0.setPrimitiveValue("fetched", forKey: "author") }
    try Probe.$actions.withValue(actions) {
      let context = stage.context()
      let post = try context.existingObject(with: id, as: Probe.self)
      post.setValue("stored", forKey: "author")
      context.processPendingChanges()
      post.setValue("mine", forKey: "author")
      context.undo()
      #expect(post.value(forKey: "author") == "stored")
      context.undo()
      #expect(post.value(forKey: "author") == "fetched")
      context.redo()
      #expect(post.value(forKey: "author") == "stored")
    }
  }

  @Test func `S2: a transient value that was set over that of awakeFromFetch stays over a save`()
    throws
  {
    try withFetched { _, context, post in
      for changed in [Value?.some("mine"), nil] {
        post.setValue("x", forKey: "author")
        post.setValue(changed, forKey: "scratch")
        try context.save()
        #expect(post.value(forKey: "scratch") == changed)
      }
    }
  }

  @Test func `S53: rolling back leaves what hooks have set of objects with and without changes`()
    throws
  {
    try withFetched { _, context, post in
      let other = context.insert("Blog")
      post.setValue("x", forKey: "author")
      try context.save()
      other.setValue("x", forKey: "name")
      context.rollback()
      #expect(post.value(forKey: "scratch") == "fetched")
      post.setValue("mine", forKey: "scratch")
      post.setValue("y", forKey: "author")
      context.rollback()
      #expect(post.value(forKey: "scratch") == "fetched" && post.value(forKey: "author") == "x")
    }
  }

  @Test func `S53: rolling back uncovers what a hook has set where nothing was redone over it`()
    throws
  {
    try withFetched { _, context, post in
      var told: [Value?] = []
      let token = post.observe("scratch", [.new]) { told.append($0.new) }
      post.setValue(nil, forKey: "scratch")
      context.undo()
      context.redo()
      #expect(post.value(forKey: "scratch") == nil && !context.hasChanges)
      told = []
      context.rollback()
      #expect(post.value(forKey: "scratch") == "fetched" && told == ["fetched"])
      post.setValue(nil, forKey: "scratch")
      context.undo()
      #expect(post.value(forKey: "scratch") == "fetched")
      token.cancel()
    }
  }

  @Test func `S76: what a draft has changed stands over what awakeFromFetch sets on recovery`()
    throws
  {
    try withFetched { stage, context, post in
      post.setValue("mine", forKey: "scratch")
      post.setValue("x", forKey: "author")
      context.processPendingChanges()
      let again = Stage(killing: stage, try Probe.model())
      let draft = try #require(again.store.unsavedDrafts.first)
      let recovered = try ManagedObjectContext(recovering: draft, in: again.store)
      let found = try recovered.existingObject(with: post.objectID)
      #expect(found.value(forKey: "scratch") == "mine" && found.value(forKey: "author") == "x")
      recovered.undo()
      #expect(found.value(forKey: "scratch") == "fetched")
    }
  }

  @Test func `S12, S44: a fetch within awakeFromFetch leaves delete rules to who is tracked`()
    throws
  {
    let stage = try Stage(Probe.model())
    let first = stage.context()
    let (blog, post) = (first.insert("Blog"), first.insert(Probe.self))
    post.setValue(.reference(blog.objectID), forKey: "blog")
    let stranger = first.insert(Probe.self)
    try first.save()
    let context = stage.context()
    let actions = Probe.Actions()
    actions.onCall["awakeFromFetch"] = { _ = try? $0.context?.count(FetchRequest("Comment")) }
    try Probe.$actions.withValue(actions) {
      context.delete(try context.existingObject(with: blog.objectID))
      _ = try context.existingObject(with: stranger.objectID)
      try context.save()
    }
    let head = try stage.context().existingObject(with: post.objectID)
    #expect(head.value(forKey: "blog") == nil)
    let row = try stage.store.head.row(of: post.objectID)
    let key = try stage.store.key(named: "blog")
    #expect(row?[key] == nil)
  }

  @Test func `S27, S71: a getter keeps a transient value where nothing can be changed`() throws {
    try withFetched { stage, _, post in
      for context in [try stage.store.asOf(.head), ManagedObjectContext(reading: stage.store)] {
        let found = try context.existingObject(with: post.objectID)
        found.setPrimitiveValue("made", forKey: "scratch")
        #expect(found.value(forKey: "scratch") == "made" && !context.hasChanges)
      }
    }
  }

  @Test func `S10: a transient value does not keep its object`() throws {
    let stage = try Stage()
    let context = stage.context()
    context.disableUndoRegistration()
    var posts: [ManagedObject] = []
    for _ in 0..<200 {
      posts.append(context.insert("Post"))
      posts.last?.setValue("x", forKey: "scratch")
    }
    try context.save()
    #expect(posts.allSatisfy { $0.value(forKey: "scratch") == "x" })
    posts = []
    // A save lets go of what is not needed any more.
    context.insert("Blog")
    try context.save()
    #expect(context.registeredObjects.count < 100)
    let ids = try context.objectIDs(FetchRequest("Post"))
    for id in ids {
      let post = context.object(with: id)
      #expect(post.value(forKey: "scratch") == "x" && !post.hasChanges)
      post.setPrimitiveValue("y", forKey: "scratch")
    }
    #expect(context.registeredObjects.count < 100 && !context.hasChanges)
    #expect(ids.allSatisfy { context.object(with: $0).value(forKey: "scratch") == "y" })
  }
}
