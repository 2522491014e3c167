import ManagedObjects
import ObjectModel
import ObjectQuery
import ObjectStore
import Testing

/// What is deleted, here, in a child or by others, and what led to it.
@Suite struct GoneObjectTests {
  @Test(arguments: [0, 1, 2])
  func `S44: a deletion that is denied stays denied after a refresh or a merge`(_ way: Int) throws {
    let stage = try Stage(Clubs.model(deleteRule: .deny))
    let context = stage.context()
    let (club, member) = (context.insert("Club"), context.insert("Member"))
    member.setValue(club.reference, forKey: "club")
    try context.save()
    context.delete(club)
    #expect(throws: ValidationErrors.self) { try context.save() }
    switch way {
    case 0: context.refreshAllObjects()
    case 1: context.refresh(club, mergeChanges: true)
    default:
      let other = stage.context()
      try other.existingObject(with: club.objectID).setValue("x", forKey: "name")
      context.merge(from: try #require(try other.save()))
    }
    #expect(throws: ValidationErrors.self) { try context.save() }
    #expect(throws: Never.self) { try stage.context().existingObject(with: club.objectID) }
    withExtendedLifetime(context) {}
  }

  @Test
  func `S44, S49: what delete rules do at the save is undone together with the deletion`() throws {
    let stage = try Stage()
    let context = stage.context()
    context.propagatesDeletesAtEndOfEvent = false
    let (post, person) = (context.insert("Post"), context.insert("Person"))
    post.setValue(.set([person.reference]), forKey: "readers")
    try context.save()
    context.delete(post)
    try context.save()
    #expect(person.value(forKey: "reads") == .set([]))
    context.undo()
    #expect(!post.isDeleted && person.value(forKey: "reads") == .set([post.reference]))
    withExtendedLifetime(context) {}
  }

  @Test
  func `S44, S66: a child's deletion runs delete rules for what its parent has added`() throws {
    let stage = try Stage()
    let parent = stage.context()
    let (blog, post) = (parent.insert("Blog"), parent.insert("Post"))
    try parent.save()
    let child = ManagedObjectContext(parent: parent)
    let inChild = try [blog, post].map { try child.existingObject(with: $0.objectID) }
    _ = inChild[0].value(forKey: "posts")
    _ = inChild[1].value(forKey: "comments")
    let (new, comment) = (parent.insert("Post"), parent.insert("Comment"))
    new.setValue(blog.reference, forKey: "blog")
    comment.setValue(post.reference, forKey: "post")
    for object in inChild { child.delete(object) }
    try child.save()
    #expect(blog.isDeleted && post.isDeleted && comment.isDeleted)
    #expect(new.value(forKey: "blog") == nil)
    parent.undo()
    #expect(!blog.isDeleted && !post.isDeleted && !comment.isDeleted)
    #expect(new.value(forKey: "blog") == blog.reference)
    #expect(post.value(forKey: "comments") == .array([comment.reference]))
    parent.redo()
    try parent.save()
    let stored = stage.context()
    #expect(try stored.existingObject(with: new.objectID).value(forKey: "blog") == nil)
    #expect(throws: ContextError.self) { try stored.existingObject(with: comment.objectID) }
    withExtendedLifetime(child) {}
    withExtendedLifetime(parent) {}
  }

  @Test
  func `S43, S66: an object that child and parent have both moved is where one of them has put it`()
    throws
  {
    let stage = try Stage()
    let parent = stage.context()
    let (post, other, comment) = (
      parent.insert("Post"), parent.insert("Post"), parent.insert("Comment")
    )
    comment.setValue(post.reference, forKey: "post")
    try parent.save()
    let child = ManagedObjectContext(parent: parent)
    try child.existingObject(with: comment.objectID).setValue(nil, forKey: "post")
    comment.setValue(other.reference, forKey: "post")
    try child.save()
    #expect(comment.value(forKey: "post") == nil)
    #expect(post.value(forKey: "comments") == .array([]))
    #expect(other.value(forKey: "comments") == .array([]))
    withExtendedLifetime(child) {}
    withExtendedLifetime(parent) {}
  }

  @Test func `S43: what is led to an object that was deleted and saved is not stored`() throws {
    let stage = try Stage()
    let context = stage.context()
    let (post, blog) = (context.insert("Post"), context.insert("Blog"))
    let person = context.insert("Person")
    try context.save()
    context.delete(blog)
    context.delete(person)
    try context.save()
    post.setValue(blog.reference, forKey: "blog")
    post.setValue(.set([person.reference]), forKey: "readers")
    post.setValue("kept", forKey: "title")
    try context.save()
    #expect(post.value(forKey: "blog") == nil && post.value(forKey: "readers") == .set([]))
    let other = stage.context()
    let stored = try other.existingObject(with: post.objectID).committedValues()
    #expect(stored["blog"] == .null && stored["readers"] == .null && stored["title"] == "kept")
    #expect(try stage.store.verify(deep: true).isEmpty)
    withExtendedLifetime(context) {}
  }

  @Test
  func `S43: what is led to an object that others have deleted is not stored, and the rest is`()
    throws
  {
    let stage = try Stage()
    let first = stage.context()
    let (post, reader) = (first.insert("Post"), first.insert("Person"))
    try first.save()
    let context = stage.context()
    let seen = try context.existingObject(with: post.objectID)
    let comment = context.insert("Comment")
    comment.setValue(seen.reference, forKey: "post")
    try context.existingObject(with: reader.objectID)
      .setValue(.set([seen.reference]), forKey: "reads")
    first.delete(post)
    try first.save()
    try context.save(retrying: 1)
    #expect(comment.value(forKey: "post") == nil)
    let stored = stage.context()
    #expect(try stored.existingObject(with: comment.objectID).value(forKey: "post") == nil)
    #expect(try stored.existingObject(with: reader.objectID).value(forKey: "reads") == .set([]))
    #expect(try stage.store.verify(deep: true).isEmpty)
    withExtendedLifetime(context) {}
  }

  @Test func `S15: an object that deletes itself when it is about to be deleted is deleted once`()
    throws
  {
    let actions = Probe.Actions()
    actions.onCall["prepareForDeletion"] = { $0.context?.delete($0) }
    try Probe.$actions.withValue(actions) {
      let stage = try Stage(Probe.model())
      let context = stage.context()
      let post = context.insert(Probe.self)
      try context.save()
      context.delete(post)
      try context.save()
      #expect(post.isDeleted)
      #expect(actions.calls.filter { $0 == "prepareForDeletion" }.count == 1)
    }
  }

  @Test func `S15, S44: an object that its hook gives up takes along what goes with it`() throws {
    let actions = Probe.Actions()
    actions.onCall["prepareForDeletion"] = { $0.context?.refresh($0, mergeChanges: false) }
    try Probe.$actions.withValue(actions) {
      let stage = try Stage(Probe.model())
      let context = stage.context()
      let (post, comment) = (context.insert(Probe.self), context.insert("Comment"))
      post.setValue("title", forKey: "title")
      comment.setValue(post.reference, forKey: "post")
      try context.save()
      context.delete(post)
      try context.save()
      #expect(post.isDeleted && comment.isDeleted)
      context.undo()
      #expect(post.value(forKey: "title") == "title")
      #expect(post.value(forKey: "comments") == .array([comment.reference]))
      try context.save()
      #expect(try stage.store.verify(deep: true) == [])
    }
  }

  /// Two contexts that have both deleted a post which has been liked five times, and take that back.
  private func withBroughtBack(
    _ body: (ManagedObjectContext, ManagedObjectContext, ManagedObject) throws -> Void
  ) throws {
    let stage = try Stage()
    let (first, context) = (stage.context(), stage.context())
    let post = first.insert("Post")
    post.setValue(.counter(5), forKey: "likes")
    try first.save()
    let same = try context.existingObject(with: post.objectID)
    first.delete(post)
    try first.save()
    context.delete(same)
    try context.save()
    first.undo()
    try first.save()
    context.undo()
    try body(first, context, same)
    let likes = try stage.context().existingObject(with: post.objectID).value(forKey: "likes")
    #expect(likes == .counter(5))
    #expect(try stage.store.verify(deep: true) == [])
    withExtendedLifetime(post) {}
  }

  @Test func `S32, S49: what two contexts bring back counts once, saved or refreshed`() throws {
    try withBroughtBack { _, context, post in
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()
      #expect(post.value(forKey: "likes") == .counter(5))
    }
    try withBroughtBack { _, context, post in
      context.refresh(post, mergeChanges: true)
      #expect(post.value(forKey: "likes") == .counter(5))
      try context.save()
    }
  }

  @Test func `S32, S66: what a child and its parent bring back counts once`() throws {
    let parent = try Stage().context()
    let post = parent.insert("Post")
    post.setValue(.counter(5), forKey: "likes")
    try parent.save()
    let child = ManagedObjectContext(parent: parent)
    let same = try child.existingObject(with: post.objectID)
    child.delete(same)
    child.processPendingChanges()
    parent.delete(post)
    parent.processPendingChanges()
    child.refresh(same, mergeChanges: true)
    child.undo()
    parent.undo()
    try #require(!post.isDeleted && same.value(forKey: "likes") == .counter(5))
    try child.save()
    #expect(post.value(forKey: "likes") == .counter(5))
  }

  @Test func `S9, S39: what others have brought back is asked for its computed keys anew`() throws {
    let stage = try Stage(Headlines.model())
    let (context, other) = (stage.context(), stage.context())
    let post = other.insert("Post")
    post.setValue("a", forKey: "title")
    try other.save()
    let held = try context.existingObject(with: post.objectID)
    other.delete(post)
    try other.save()
    context.refresh(held, mergeChanges: true)
    #expect(held.isDeleted)
    other.undo()
    try other.save()
    let request = FetchRequest("Post", where: "headline == 'a (anonymous)'")
    #expect(try context.count(request) == 1)
    #expect(try context.fetch(request) == [held] && !held.isDeleted)
    withExtendedLifetime(other) {}
  }

  @Test
  func
    `S9, S49: an object whose deletion is saved stays deleted, has no values, and may come back`()
    throws
  {
    let context = try Stage().context()
    let post = context.insert("Post")
    let value = Value.string("It's \"a\"")
    post.setValue(value, forKey: "title")
    try context.save()
    let request = FetchRequest("Post", where: Filter(.init(.key("title"), .equal, .literal(value))))
    #expect(try context.fetch(request) == [post])
    context.delete(post)
    try context.save()
    #expect(post.isDeleted && post.context === context && post.value(forKey: "title") == nil)
    context.undo()
    #expect(post.isInserted && post.value(forKey: "title") == value)
    #expect(try context.fetch(request) == [post])
  }
}
