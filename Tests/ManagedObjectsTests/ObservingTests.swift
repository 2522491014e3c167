import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

@Suite struct ObservingTests {
  @Test func `S37, S40: what a path across relationships leads to is told like a key`() async throws
  {
    let stage = try Stage()
    let context = stage.context()
    let (comment, post) = (context.insert("Comment"), context.insert("Post"))
    let blogs = (0..<2).map { _ in context.insert("Blog") }
    blogs[0].setValue("One", forKey: "name")
    blogs[1].setValue("Two", forKey: "name")
    var told: [[Value?]] = []
    let tokens = [
      comment.observe("post.blog.name", [.old, .new, .initial]) { told.append([$0.old, $0.new]) },
      comment.observe("post.mood", [.new]) { told.append([$0.new]) },
    ]
    comment.setValue(post.reference, forKey: "post")
    #expect(told == [[nil, nil], [nil, nil], [nil]])
    post.setValue(blogs[0].reference, forKey: "blog")
    blogs[0].setValue("Uno", forKey: "name")
    context.processPendingChanges()
    post.setValue(blogs[1].reference, forKey: "blog")
    post["mood"] = "sunny"
    context.undo()
    #expect(
      told.dropFirst(3) == [
        [nil, "One"], ["One", "Uno"], ["Uno", "Two"], ["sunny"], ["Two", "Uno"], [nil],
      ])
    // A dynamic attribute may be called so.
    let token = comment.observe("any.key", [.new]) { told.append([$0.new]) }
    comment["any.key"] = 1
    #expect(told.last == [1])
    withExtendedLifetime((tokens, token)) {}
    await #expect(processExitsWith: .failure) {
      let context = try Stage().context()
      _ = context.insert("Blog").observe("posts.title") { _ in }
    }
  }

  @Test func `S25, S40: a member that goes while it is told of comes to no owner`() throws {
    let context = try Stage().context()
    let (post, comment) = (context.insert("Blog"), context.insert("Post"))
    #expect(post.value(forKey: "posts") == .set([]))
    let token = comment.observe("blog", [.prior]) { change in
      if change.isPrior { context.delete(comment) }
    }
    post.setValue(.set([comment.reference]), forKey: "posts")
    #expect(comment.isDeleted && post.value(forKey: "posts") == .set([]))
    withExtendedLifetime(token) {}
  }

  @Test func `S40: an observer is told the old and the new value of a key of the model`() throws {
    let context = try Stage().context()
    let post = context.insert("Post")
    let told = Told()
    let token = post.observe("title", [.old, .new]) { told.changes.append($0) }
    post.setValue("a", forKey: "title")
    post.setValue("b", forKey: "title")
    post.setValue("x", forKey: "author")
    #expect(told.lines == ["title Untitled a", "title a b"])
    #expect(told.changes[0].object === post)
    token.cancel()
    post.setValue("c", forKey: "title")
    #expect(told.changes.count == 2)
  }

  @Test
  func `S40: initial tells at once, prior before each change, and only what was asked for is told`()
    throws
  {
    let context = try Stage().context()
    let post = context.insert("Post")
    let (told, bare) = (Told(), Told())
    let token = post.observe("title", [.old, .new, .initial, .prior]) { told.changes.append($0) }
    let other = post.observe("title") { bare.changes.append($0) }
    post.setValue("a", forKey: "title")
    #expect(told.lines == ["title - Untitled", "will title Untitled -", "title Untitled a"])
    #expect(bare.lines == ["title - -"])
    withExtendedLifetime((token, other)) {}
  }

  @Test
  func `S40: a dynamic key is observed that nobody has set yet, and nothing is written for it`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    try context.save()
    let count = try stage.store.events().count
    let told = Told()
    let token = post.observe("mood", [.old, .new, .initial]) { told.changes.append($0) }
    #expect(try stage.store.events().count == count)
    post["mood"] = "sunny"
    post["mood"] = nil
    context.processPendingChanges()
    context.undo()
    #expect(told.lines == ["mood - -", "mood - sunny", "mood sunny -", "mood - -"])
    withExtendedLifetime(token) {}
  }

  @Test
  func
    `S40: observers of relationships hear what leads back, of the child, the old and the new owner`()
    throws
  {
    let context = try Stage().context()
    let (one, two) = (context.insert("Blog"), context.insert("Blog"))
    let post = context.insert("Post")
    post.setValue(.reference(one.objectID), forKey: "blog")
    let told = Told()
    let tokens = [
      one.observe("posts", [.old, .new]) { told.changes.append($0) },
      two.observe("posts", [.old, .new]) { told.changes.append($0) },
      post.observe("blog", [.old, .new]) { told.changes.append($0) },
    ]
    let reference = Value.reference(post.objectID)
    post.setValue(.reference(two.objectID), forKey: "blog")
    #expect(told.changes.count == 3)
    let ofOne = try #require(told.changes.first { $0.object === one })
    let ofTwo = try #require(told.changes.first { $0.object === two })
    #expect(ofOne.old == .set([reference]) && ofOne.new == .set([]))
    #expect(ofTwo.old == .set([]) && ofTwo.new == .set([reference]))
    told.changes = []
    context.processPendingChanges()
    context.delete(post)
    context.processPendingChanges()
    #expect(told.changes.map(\.key) == ["posts"] && told.changes[0].new == .set([]))
    context.undo()
    #expect(told.changes.filter { $0.object === two }.map(\.new) == [.set([]), .set([reference])])
    withExtendedLifetime(tokens) {}
  }

  @Test func `S40: undo, redo and rollback tell observers of the keys that change, and no others`()
    throws
  {
    let context = try Stage().context()
    let post = context.insert("Post")
    try context.save()
    let told = Told()
    let tokens = ["title", "author", "likes"].map { key in
      post.observe(key, [.old, .new]) { told.changes.append($0) }
    }
    post.setValue("a", forKey: "title")
    context.processPendingChanges()
    post.setValue("x", forKey: "author")
    told.changes = []
    context.undo()
    context.undo()
    context.redo()
    #expect(told.lines == ["author x -", "title a Untitled", "title Untitled a"])
    context.rollback()
    #expect(told.lines.last == "title a Untitled" && told.changes.count == 4)
    withExtendedLifetime(tokens) {}
  }

  @Test func `S40: observers that end themselves or others, or begin some, are told as they stood`()
    throws
  {
    let context = try Stage().context()
    let post = context.insert("Post")
    var calls: [String] = []
    var tokens: [String: ObservationToken] = [:]
    tokens["first"] = post.observe("title") { _ in
      calls.append("first")
      tokens["first"]?.cancel()
      tokens["second"]?.cancel()
      tokens["third"] = post.observe("title") { _ in calls.append("third") }
    }
    tokens["second"] = post.observe("title") { _ in calls.append("second") }
    post.setValue("a", forKey: "title")
    #expect(calls == ["first"])
    post.setValue("b", forKey: "title")
    #expect(calls == ["first", "third"])
    tokens = [:]
    post.setValue("c", forKey: "title")
    #expect(calls.count == 2)
  }

  @Test func `S40: an observer that sets the key again has each change told once`() throws {
    let context = try Stage().context()
    let post = context.insert("Post")
    var values: [Value?] = []
    let token = post.observe("title", [.new]) { change in
      values.append(change.new)
      if change.new == "a" { post.setValue("b", forKey: "title") }
    }
    post.setValue("a", forKey: "title")
    #expect(values == ["a", "b"])
    withExtendedLifetime(token) {}
  }

  @Test func `S40: an observer keeps neither object nor context, and may throw the object away`()
    throws
  {
    let stage = try Stage(Headlines.model())
    var context: ManagedObjectContext? = stage.context()
    weak let weakContext = context
    let id = try #require(context?.insert(Probe.self).objectID)
    try context?.save()
    context?.reset()
    var post = context?.object(with: id)
    weak let weakPost = post
    var calls = 0
    let tokens = ["title", "headline"].map { key in
      post?.observe(key) { _ in
        calls += 1
        post = nil
        context?.rollback()
      }
    }
    post?.setValue("a", forKey: "title")
    // Rolled back within the first, so each is told twice.
    #expect(calls > 1 && weakPost == nil)
    context = nil
    #expect(weakContext == nil)
    withExtendedLifetime(tokens) {}
  }

  @Test func `S40: nobody is called after the context was reset or has ended`() throws {
    let stage = try Stage(Headlines.model())
    let context = stage.context()
    let post = context.insert("Post")
    var calls = 0
    let tokens = ["title", "headline", "mood"].map { key in post.observe(key) { _ in calls += 1 } }
    context.reset()
    let other = context.insert("Post")
    other.setValue("a", forKey: "title")
    #expect(calls == 0)
    for token in tokens { token.cancel() }
    let token = other.observe("title") { _ in calls += 1 }
    other.setValue("b", forKey: "title")
    #expect(calls == 1)
    withExtendedLifetime(token) {}
  }

  @Test func `S40: of ten thousand observers that have ended nothing is left`() throws {
    let stage = try Stage(Headlines.model())
    let context = stage.context()
    let blog = context.insert("Blog")
    let posts = (0..<1_000).map { _ in context.insert("Post") }
    for post in posts { post.setValue(.reference(blog.objectID), forKey: "blog") }
    try context.save()
    Captured.living = 0
    var calls = 0
    var tokens: [ObservationToken] = []
    for post in posts {
      for key in [
        "title", "author", "mood", "headline", "byline", "place", "summary", "temper", "blog",
        "tags",
      ] {
        let captured = Captured()
        tokens.append(
          post.observe(key, [.old, .new]) { _ in
            calls += 1
            captured.touch()
          })
      }
    }
    #expect(Captured.living == 10_000 && context.watchedObjectCount > 1_000)
    blog.setValue("Here", forKey: "name")
    #expect(calls == 2_000)
    tokens = []
    #expect(Captured.living == 0 && context.watchedObjectCount == 0)
    blog.setValue("There", forKey: "name")
    #expect(calls == 2_000)
  }

  /// Something that a closure holds.
  private final class Captured {
    nonisolated(unsafe) static var living = 0
    init() { Self.living += 1 }
    deinit { Self.living -= 1 }
    func touch() {}
  }
}
