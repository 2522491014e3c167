import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// What the naive model has found out about relationships, one by one.
@Suite struct RelatingTests {
  private let stage: Stage
  private let context: ManagedObjectContext
  private let (blog, post, comment): (ManagedObject, ManagedObject, ManagedObject)
  private var aboutPost: Value { .reference(post.objectID) }
  private var aboutBlog: Value { .reference(blog.objectID) }

  /// A saved blog, post and comment, which do not know each other.
  init() throws {
    stage = try Stage()
    context = stage.context()
    (blog, post, comment) = (
      context.insert("Blog"), context.insert("Post"), context.insert("Comment")
    )
    try context.save()
  }

  @Test func `S43: a relationship to many leads to none where it was never set`() {
    #expect(
      post.value(forKey: "comments") == .array([]) && post.value(forKey: "readers") == .set([]))
  }

  @Test func `S43: members that came and went have changed nothing`() throws {
    let person = context.insert("Person")
    try context.save()
    post.setValue(.set([.reference(person.objectID)]), forKey: "readers")
    post.setValue(.set([]), forKey: "readers")
    comment.setValue(aboutPost, forKey: "post")
    comment.setValue(nil, forKey: "post")
    #expect(post.changedValues().isEmpty && person.changedValues().isEmpty)
    #expect(try context.save() == nil)
  }

  @Test func `S43: a member that led back already is a member when it is set again`() throws {
    post.setValue(aboutBlog, forKey: "blog")
    try context.save()
    let other = stage.context()
    let late = try other.existingObject(with: post.objectID)
    #expect(late.value(forKey: "blog") == aboutBlog)
    post.setValue(nil, forKey: "blog")
    try context.save()
    let owner = try other.existingObject(with: blog.objectID)
    owner.setValue(.set([aboutPost]), forKey: "posts")
    #expect(owner.value(forKey: "posts") == .set([aboutPost]))
  }

  @Test func `S54: an object that has become a fault stays a member`() throws {
    post.setValue(aboutBlog, forKey: "blog")
    try context.save()
    #expect(blog.value(forKey: "posts") == .set([aboutPost]))
    context.refresh(post, mergeChanges: false)
    #expect(blog.value(forKey: "posts") == .set([aboutPost]))
    #expect(post.value(forKey: "blog") == aboutBlog)
    #expect(blog.value(forKey: "posts") == .set([aboutPost]))
  }

  @Test func `S54: what is given up is a member again where it was, also before it is read`() throws
  {
    let stage = try Stage()
    let context = stage.context()
    let (first, second) = (context.insert("Blog"), context.insert("Blog"))
    let post = context.insert("Post")
    post.setValue(first.reference, forKey: "blog")
    try context.save()
    #expect(first.value(forKey: "posts") == .set([post.reference]))
    post.setValue(second.reference, forKey: "blog")
    #expect(second.value(forKey: "posts") == .set([post.reference]))
    context.refresh(post, mergeChanges: false)
    #expect(post.isFault)
    #expect(first.value(forKey: "posts") == .set([post.reference]))
    #expect(second.value(forKey: "posts") == .set([]))
    #expect(post.isFault && post.value(forKey: "blog") == first.reference)
  }

  @Test func `S58: to bring in an older commit puts nothing where a later one has taken it from`()
    throws
  {
    let stage = try Stage()
    let (context, other) = (stage.context(), stage.context())
    let (post, gone) = (other.insert("Post"), other.insert("Post"))
    let blogs = (0..<3).map { _ in other.insert("Blog") }
    post.setValue(blogs[0].reference, forKey: "blog")
    gone.setValue(blogs[0].reference, forKey: "blog")
    try other.save()
    let same = try blogs.map { try context.existingObject(with: $0.objectID) }
    #expect(same[0].value(forKey: "posts") == .set([post.reference, gone.reference]))
    post.setValue(blogs[1].reference, forKey: "blog")
    let commit = try #require(try other.save())
    post.setValue(blogs[2].reference, forKey: "blog")
    other.delete(gone)
    let last = try #require(try other.save())
    #expect(same[1].value(forKey: "posts") == .set([]))
    #expect(same[2].value(forKey: "posts") == .set([post.reference]))
    let fault = context.object(with: gone.objectID)
    context.merge(from: commit)
    #expect(same[0].value(forKey: "posts") == .set([gone.reference]))
    #expect(same[1].value(forKey: "posts") == .set([]))
    #expect(same[2].value(forKey: "posts") == .set([post.reference]))
    context.merge(from: last)
    #expect(fault.isDeleted && same[0].value(forKey: "posts") == .set([]))
    withExtendedLifetime(other) {}
  }

  @Test func `S20: the committed members of an owner are those without what was changed here`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let (blog, other) = (context.insert("Blog"), context.insert("Blog"))
    let posts = (0..<3).map { _ in context.insert("Post") }
    func committed(_ blog: ManagedObject) -> Value? {
      let values = blog.committedValues()
      #expect(blog.committedValues(forKeys: ["posts"])["posts"] == values["posts"])
      return values["posts"]
    }
    for post in posts { post.setValue(blog.reference, forKey: "blog") }
    #expect(committed(blog) == .null)
    try context.save()
    let all = Value.set(Set(posts.map(\.reference)))
    posts[0].setValue(other.reference, forKey: "blog")
    context.delete(posts[1])
    posts[2].setValue("x", forKey: "title")
    context.insert("Post").setValue(blog.reference, forKey: "blog")
    #expect(committed(blog) == all && committed(other) == .null)
    context.processPendingChanges()
    #expect(committed(blog) == all)
    try context.save()
    #expect(committed(blog) == blog.value(forKey: "posts"))
    #expect(committed(other) == .set([posts[0].reference]))
    withExtendedLifetime(context) {}
  }

  /// Of the members some are changed here before their owner is asked for them, and some after.
  @Test(arguments: [0, 3, 40])
  func `S43: members are those of the store but for what was changed here, however many they are`(
    count: Int
  ) throws {
    let stage = try Stage()
    let context = stage.context()
    let blogs = [context.insert("Blog"), context.insert("Blog")]
    let posts = (0..<count + 3).map { place in
      let post = context.insert("Post")
      post.setValue(blogs[place == 0 ? 1 : 0].reference, forKey: "blog")
      return post
    }
    try context.save()
    let other = stage.context()
    let owner = other.object(with: blogs[0].objectID)
    func post(_ place: Int) -> ManagedObject { other.object(with: posts[place].objectID) }
    func members() -> Set<ObjectID> {
      let typed = Set(owner.value(forKey: "posts").destinations)
      #expect(owner.value(forKey: "posts")?.set?.count == typed.count)
      return typed
    }
    var expected = Set(posts.dropFirst(3).map(\.objectID))
    post(0).setValue(owner.reference, forKey: "blog")
    expected.insert(posts[0].objectID)
    other.delete(post(1))
    post(2).setValue(nil, forKey: "blog")
    let new = other.insert("Post")
    new.setValue(owner.reference, forKey: "blog")
    expected.insert(new.objectID)
    #expect(members() == expected)
    owner.remove(new, from: "posts")
    owner.insert(post(2), into: "posts")
    owner.insert(post(2), into: "posts")
    expected.remove(new.objectID)
    expected.insert(posts[2].objectID)
    #expect(members() == expected)
    #expect(
      Set(owner.committedValues(forKeys: ["posts"])["posts"].destinations)
        == Set(posts.dropFirst().map(\.objectID)))
    try other.save()
    #expect(members() == expected)
    let again = stage.context()
    #expect(
      Set(again.object(with: owner.objectID).value(forKey: "posts").destinations) == expected)
  }

  @Test func `S43: members are found among what is unsaved, whatever has made it what it is`()
    throws
  {
    let stage = try Stage()
    let (context, other) = (stage.context(), stage.context())
    let blogs = (0..<5).map { _ in context.insert("Blog") }
    let post = context.insert("Post")
    post.setValue(blogs[0].reference, forKey: "blog")
    try context.save()
    func lead(to blog: Int) {
      post.setValue(blogs[blog].reference, forKey: "blog")
      context.processPendingChanges()
    }
    let alone = Value.set([post.reference])
    // What is unsaved is looked through here, and kept in step from here on.
    lead(to: 1)
    #expect(blogs[4].value(forKey: "posts") == .set([]))
    lead(to: 2)
    #expect(blogs[2].value(forKey: "posts") == alone)
    context.undo()
    #expect(blogs[1].value(forKey: "posts") == alone)
    context.redo()
    context.refresh(blogs[2], mergeChanges: false)
    #expect(blogs[2].value(forKey: "posts") == alone)
    let same = try other.existingObject(with: post.objectID)
    same.setValue(blogs[3].reference, forKey: "blog")
    try other.save()
    context.refresh(post, mergeChanges: true)
    #expect(blogs[0].committedValues()["posts"] == .null)
    #expect(blogs[3].committedValues()["posts"] == alone)
    #expect(blogs[3].value(forKey: "posts") == .set([]))
    context.delete(post)
    context.undo()
    context.refresh(blogs[2], mergeChanges: false)
    #expect(blogs[2].value(forKey: "posts") == alone)
    context.rollback()
    context.refresh(blogs[2], mergeChanges: false)
    #expect(blogs[2].value(forKey: "posts") == .set([]))
    #expect(blogs[3].value(forKey: "posts") == alone)
    withExtendedLifetime(other) {}
  }

  @Test func `S43: a member that others have deleted, or led elsewhere, can be taken out`() throws {
    let stage = try Stage()
    let (context, other) = (stage.context(), stage.context())
    let (gone, moved, blog) = (other.insert("Post"), other.insert("Post"), other.insert("Blog"))
    for post in [gone, moved] { post.setValue(blog.reference, forKey: "blog") }
    try other.save()
    let same = try context.existingObject(with: blog.objectID)
    #expect(same.value(forKey: "posts") == .set([gone.reference, moved.reference]))
    other.delete(gone)
    moved.setValue(nil, forKey: "blog")
    try other.save()
    var told = 0
    let token = same.observe("posts", [.old, .new]) { _ in told += 1 }
    same.setValue(.set([]), forKey: "posts")
    #expect(same.value(forKey: "posts") == .set([]) && told > 0 && !context.hasChanges)
    withExtendedLifetime(token) {}
    withExtendedLifetime(other) {}
  }

  @Test func `S54: an object that is read puts itself into relationships that were read before`()
    throws
  {
    let other = stage.context()
    let owner = try other.existingObject(with: blog.objectID)
    #expect(owner.value(forKey: "posts") == .set([]))
    post.setValue(aboutBlog, forKey: "blog")
    try context.save()
    #expect(try other.existingObject(with: post.objectID).value(forKey: "blog") == aboutBlog)
    #expect(owner.value(forKey: "posts") == .set([aboutPost]))
  }

  @Test func `S44: a cascade leaves alone what was moved away before it ran`() throws {
    let safe = context.insert("Post")
    comment.setValue(aboutPost, forKey: "post")
    try context.save()
    context.delete(post)
    comment.setValue(.reference(safe.objectID), forKey: "post")
    try context.save()
    #expect(
      !comment.isDeleted && safe.value(forKey: "comments") == .array([.reference(comment.objectID)])
    )
  }

  @Test func `S44: a deletion is denied no longer when what it led to was led elsewhere`() throws {
    let (editor, heir) = (context.insert("Person"), context.insert("Person"))
    blog.setValue(.reference(editor.objectID), forKey: "editor")
    try context.save()
    context.delete(editor)
    #expect(throws: ValidationErrors.self) { try context.save() }
    blog.setValue(.reference(heir.objectID), forKey: "editor")
    try context.save()
    #expect(throws: ContextError.objectMissing(editor.objectID)) {
      try stage.context().existingObject(with: editor.objectID)
    }
  }

  @Test func `S44: a refresh before the rules have run does not keep them from running`() throws {
    let person = context.insert("Person")
    post.setValue(aboutBlog, forKey: "blog")
    try context.save()
    person.setValue(aboutBlog, forKey: "edits")
    context.delete(blog)
    context.refreshAllObjects()
    context.processPendingChanges()
    #expect(post.value(forKey: "blog") == nil && person.value(forKey: "edits") == nil)
    context.undo()
    #expect(blog.value(forKey: "posts") == .set([aboutPost]))
  }

  @Test func `S55: what two have taken away is no value after a refresh`() throws {
    let other = stage.context()
    comment.setValue(aboutPost, forKey: "post")
    try context.save()
    let same = try other.existingObject(with: post.objectID)
    same.setValue(.array([]), forKey: "comments")
    post.setValue(.array([]), forKey: "comments")
    try context.save()
    other.refresh(same, mergeChanges: true)
    #expect(same.changedValues().isEmpty && same.value(forKey: "comments") == .array([]))
  }

  @Test func `S3: taking away a dynamic attribute that nobody ever had counts as a change`() throws
  {
    post["never heard of"] = nil
    #expect(post.hasChanges && post.changedValues() == ["never heard of": .null])
    #expect(try context.save() == nil)
  }
}
