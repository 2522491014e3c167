import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// Where objects stand whose changes were given up or taken back, while others save.
@Suite struct StandingTests {
  @Test func `S54, S63: what is read again after a refresh stands where it was read`() throws {
    let stage = try Stage()
    let (context, other) = (stage.context(), stage.context())
    let post = context.insert("Post")
    try context.save()
    post.setValue("x", forKey: "title")
    context.refresh(post, mergeChanges: false)
    let same = try other.existingObject(with: post.objectID)
    same.setValue("rival", forKey: "author")
    try other.save()
    #expect(post.value(forKey: "author") == "rival")
    post.setValue("y", forKey: "title")
    #expect(post.value(forKey: "author") == "rival")
    try context.save()
    #expect(post.value(forKey: "author") == "rival" && post.value(forKey: "title") == "y")
    #expect(
      try stage.context().existingObject(with: post.objectID).value(forKey: "author") == "rival")
  }

  @Test func `S58, S63: what was changed and undone conflicts with what was not brought in`() throws
  {
    let stage = try Stage()
    let (context, other, third) = (stage.context(), stage.context(), stage.context())
    let (x, y) = (context.insert("Post"), context.insert("Post"))
    try context.save()
    x.setValue("t", forKey: "title")
    context.undo()
    try other.existingObject(with: x.objectID).setValue("rival", forKey: "title")
    try other.save()
    try third.existingObject(with: y.objectID).setValue("other", forKey: "title")
    let commit = try #require(try third.save())
    context.merge(from: commit)
    x.setValue("mine", forKey: "author")
    #expect(x.value(forKey: "title") == "Untitled")
    #expect(throws: MergeConflicts.self) { try context.save() }
  }

  @Test func `S58: an older commit that is brought in moves nothing back`() throws {
    let stage = try Stage()
    let (context, other) = (stage.context(), stage.context())
    let old = other.insert("Post")
    let commit = try #require(try other.save())
    old.setValue("second", forKey: "title")
    try other.save()
    let new = context.insert("Post")
    try context.save()
    new.setValue("t", forKey: "title")
    context.undo()
    context.merge(from: commit)
    new.setValue("mine", forKey: "author")
    #expect(new.value(forKey: "title") == "Untitled")
    try context.save()
    #expect(new.value(forKey: "author") == "mine")
  }

  @Test func `S58: faults that somebody has deleted are deleted, and that is told`() throws {
    let stage = try Stage()
    let (context, other) = (stage.context(), stage.context())
    let (gone, back) = (other.insert("Post"), other.insert("Post"))
    try other.save()
    let faults = try context.fetch(FetchRequest("Post"))
    #expect(faults.allSatisfy { $0.isFault })
    other.delete(gone)
    other.delete(back)
    let commit = try #require(try other.save())
    other.undo()
    other.delete(gone)
    try other.save()
    var deleted: Set<ObjectID> = []
    let token = context.onChange { deleted.formUnion($0.deleted.map(\.objectID)) }
    context.merge(from: commit)
    #expect(deleted == [gone.objectID])
    #expect(faults.filter(\.isDeleted).map(\.objectID) == [gone.objectID])
    withExtendedLifetime(token) {}
  }

  @Test func `S5, S7: an object whose deletion another has taken back is fetched as it is there`()
    throws
  {
    let stage = try Stage()
    let (context, other) = (stage.context(), stage.context())
    let post = context.insert("Post")
    post.setValue("kept", forKey: "title")
    try context.save()
    let id = post.objectID
    for isFetched in [true, false] {
      let same = try other.existingObject(with: id)
      context.delete(try context.existingObject(with: id))
      try context.save()
      #expect(post.isDeleted)
      #expect(throws: ContextError.self) { try context.existingObject(with: id) }
      #expect(try context.fetch(FetchRequest("Post")).isEmpty)
      other.refresh(same, mergeChanges: true)
      try other.revert(.commit(stage.store.lastCommit))
      try other.save()
      let found =
        try isFetched
        ? context.fetch(FetchRequest("Post")).first : context.existingObject(with: id)
      #expect(found === post && !post.isDeleted && post.value(forKey: "title") == "kept")
      post.setValue("\(isFetched)", forKey: "author")
      try context.save()
      other.refresh(same, mergeChanges: true)
    }
    #expect(try stage.store.verify(deep: true).isEmpty)
  }

  @Test(arguments: [0, 1, 2])
  func `S24, S55: what two have brought back is saved after a refresh, as anything else`(
    _ way: Int
  ) throws {
    let stage = try Stage()
    let (a, b) = (stage.context(), stage.context())
    let post = a.insert("Post")
    post.setValue("ann", forKey: "author")
    try a.save()
    let inB = try b.existingObject(with: post.objectID)
    inB.setValue("B", forKey: "title")
    inB["mood"] = "sunny"
    a.delete(post)
    try a.save()
    b.mergePolicy = .mergeByPropertyObjectTrump
    try b.save()
    a.undo()
    #expect(post.isInserted)
    switch way {
    case 0: try a.save(retrying: 1)
    case 1:
      a.refreshAllObjects()
      try a.save()
    default:
      a.refresh(post, mergeChanges: false)
      #expect(!post.hasChanges && post.value(forKey: "title") == "B")
    }
    #expect(post["mood"] == "sunny" && post.value(forKey: "author") == "ann")
    #expect(try stage.store.verify(deep: true).isEmpty)
    // What nobody else has cannot be read again.
    let new = a.insert("Post")
    a.refresh(new, mergeChanges: false)
    a.delete(post)
    try a.save()
    a.undo()
    a.refresh(post, mergeChanges: false)
    #expect(new.value(forKey: "title") == "Untitled" && post.isInserted)
  }

  @Test func `S59: what an observer changes while something is rolled back is saved as any change`()
    throws
  {
    let stage = try Stage(Probe.model())
    let context = stage.context()
    let (post, doomed) = (context.insert(Probe.self), context.insert(Probe.self))
    let blog = context.insert("Blog")
    doomed.setValue(.reference(blog.objectID), forKey: "blog")
    try context.save()
    post.setValue("x", forKey: "title")
    var isFirst = true
    let token = post.observe("title") { _ in
      guard isFirst else { return }
      isFirst = false
      post.setValue("seen", forKey: "author")
      context.delete(blog)
    }
    context.rollback()
    #expect(context.hasChanges && context.updatedObjects == [post])
    post.calls = []
    try context.save()
    #expect(post.calls.contains("willSave") && post.calls.contains("didSave"))
    #expect(post.value(forKey: "author") == "seen" && !post.hasChanges)
    #expect(doomed.value(forKey: "blog") == nil)
    post.setValue("y", forKey: "author")
    try context.save()
    withExtendedLifetime(token) {}
  }
}
