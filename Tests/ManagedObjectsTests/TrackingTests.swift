import ManagedObjects
import ObjectModel
import ObjectStore
import Observation
import Synchronization
import Testing

@Suite struct TrackingTests {
  /// How often a closure was called.
  private final class Count: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }
    func add() { count.add(1, ordering: .relaxed) }
  }

  @Test
  func `S41: withObservationTracking hears once of a change of what was read, and of nothing else`()
    throws
  {
    let context = try Stage(Headlines.model()).context()
    let post = context.insert("Post")
    let count = Count()
    withObservationTracking {
      _ = post.value(forKey: "headline")
    } onChange: {
      count.add()
    }
    post.setValue(3, forKey: "score")
    #expect(count.value == 0)
    post.setValue("a", forKey: "title")
    post.setValue("b", forKey: "title")
    #expect(count.value == 1)
  }

  @Test func `S41: a dynamic attribute that nobody has set is tracked as well`() throws {
    let context = try Stage().context()
    let post = context.insert("Post")
    let count = Count()
    withObservationTracking {
      _ = post["mood"]
    } onChange: {
      count.add()
    }
    post["weather"] = "rain"
    #expect(count.value == 0)
    post["mood"] = "sunny"
    #expect(count.value == 1)
  }

  @Test
  func `S41: undo, and what leads back, are heard of; what is read after the tracking is not`()
    throws
  {
    let context = try Stage().context()
    let (blog, post) = (context.insert("Blog"), context.insert("Post"))
    context.processPendingChanges()
    post.setValue("a", forKey: "title")
    context.processPendingChanges()
    let (title, posts) = (Count(), Count())
    withObservationTracking {
      _ = post.value(forKey: "title")
    } onChange: {
      title.add()
    }
    withObservationTracking {
      _ = blog.value(forKey: "posts")
    } onChange: {
      posts.add()
    }
    _ = post.value(forKey: "author")
    post.setValue("x", forKey: "author")
    post.setValue(.reference(blog.objectID), forKey: "blog")
    #expect(title.value == 0 && posts.value == 1)
    context.undo()
    context.undo()
    #expect(title.value == 1)
  }

  @Test(arguments: [false, true])
  func `S41: what was read across a relationship is heard of, though nobody holds where it leads`(
    isElsewhere: Bool
  ) throws {
    let stage = try Stage(Headlines.model())
    let first = stage.context()
    let (blog, made) = (first.insert("Blog"), first.insert("Post"))
    made.setValue(blog.reference, forKey: "blog")
    try first.save()
    let context = stage.context()
    let post = try context.existingObject(with: made.objectID)
    let count = Count()
    withObservationTracking {
      _ = post.value(forKey: "place")
    } onChange: {
      count.add()
    }
    func rename(_ name: Value) throws {
      if !isElsewhere {
        return try context.existingObject(with: blog.objectID).setValue(name, forKey: "name")
      }
      blog.setValue(name, forKey: "name")
      context.merge(from: try #require(try first.save()))
    }
    try rename("a")
    try rename("b")
    #expect(count.value == 1)
    #expect(post.value(forKey: "place") == "b")
  }

  /// A store with so many blogs, each with a long name, a context on it, and the blogs.
  private func blogs(_ count: Int) throws -> (Stage, ManagedObjectContext, [ObjectID]) {
    let stage = try Stage()
    let first = stage.context()
    let blogs = (0..<count).map { _ in
      let blog = first.insert("Blog")
      blog.setValue(.string(String(repeating: "long ", count: 200)), forKey: "name")
      return blog
    }
    try first.save()
    return (stage, first, blogs.map(\.objectID))
  }

  @Test func `S10: what is read while Observation is tracking is kept by nobody, and is told of`()
    throws
  {
    let (stage, first, ids) = try blogs(1_000)
    let context = stage.context()
    let count = Count()
    weak var read: ManagedObject?
    withObservationTracking {
      for id in ids {
        let blog = context.object(with: id)
        _ = blog.value(forKey: "name")
        read = blog
      }
    } onChange: {
      count.add()
    }
    // Of the objects, and of what they had, nothing is left but that somebody waits.
    #expect(read == nil && context.registeredObjects.isEmpty)
    #expect(context.watchedObjectCount == ids.count)
    first.object(with: ids[500]).setValue("a", forKey: "name")
    let commit = try #require(try first.save())
    #expect(count.value == 0)
    context.merge(from: commit)
    #expect(count.value == 1)
    #expect(context.registeredObjects.isEmpty && context.watchedObjectCount == ids.count - 1)
    context.reset()
    #expect(context.watchedObjectCount == 0)
  }

  @Test func `S41: what nobody holds is told of when it is changed here, and once`() throws {
    let (stage, _, ids) = try blogs(1)
    let context = stage.context()
    let (name, editor) = (Count(), Count())
    withObservationTracking {
      _ = context.object(with: ids[0]).value(forKey: "name")
    } onChange: {
      name.add()
    }
    withObservationTracking {
      _ = context.object(with: ids[0]).value(forKey: "editor")
    } onChange: {
      editor.add()
    }
    #expect(context.registeredObjects.isEmpty)
    let blog = context.object(with: ids[0])
    blog.setValue("a", forKey: "name")
    blog.setValue("b", forKey: "name")
    #expect(name.value == 1 && editor.value == 0)
    blog.setValue(context.insert("Person").reference, forKey: "editor")
    #expect(name.value == 1 && editor.value == 1 && context.watchedObjectCount == 0)
  }

  @Test func `S41: what leads back to an object that nobody holds is told of`() throws {
    let (stage, _, ids) = try blogs(2)
    let context = stage.context()
    let counts = ids.map { _ in Count() }
    for (id, count) in zip(ids, counts) {
      withObservationTracking {
        _ = context.object(with: id).value(forKey: "posts")
      } onChange: {
        count.add()
      }
    }
    let post = context.insert("Post")
    post.setValue(.reference(ids[0]), forKey: "blog")
    #expect(counts.map(\.value) == [1, 0])
    post.setValue(.reference(ids[1]), forKey: "blog")
    #expect(counts.map(\.value) == [1, 1])
  }

  @Test(arguments: [false, true])
  func `S41: what nobody holds is told of where others lead something back to it`(isMoved: Bool)
    throws
  {
    let (stage, first, ids) = try blogs(2)
    let post = first.insert("Post")
    if isMoved { post.setValue(.reference(ids[1]), forKey: "blog") }
    try first.save()
    let context = stage.context()
    let counts = ids.map { _ in Count() }
    for (id, count) in zip(ids, counts) {
      withObservationTracking {
        _ = context.object(with: id).value(forKey: "posts")
      } onChange: {
        count.add()
      }
    }
    post.setValue(.reference(ids[0]), forKey: "blog")
    context.merge(from: try #require(try first.save()))
    #expect(counts.map(\.value) == [1, isMoved ? 1 : 0])
  }

  @Test func `S41: what was let go and read again is told of when the change is brought in`() throws
  {
    let (stage, first, ids) = try blogs(3)
    let context = stage.context()
    let counts = ids.map { _ in Count() }
    for (id, count) in zip(ids, counts) {
      withObservationTracking {
        _ = context.object(with: id).value(forKey: "name")
      } onChange: {
        count.add()
      }
    }
    first.object(with: ids[0]).setValue("a", forKey: "name")
    first.delete(first.object(with: ids[1]))
    let commit = try #require(try first.save())
    // Here it has what the commit made of it before anybody was told.
    let blog = context.object(with: ids[0])
    #expect(blog.value(forKey: "name") == "a")
    context.merge(from: commit)
    #expect(counts.map(\.value) == [1, 1, 0])
    context.merge(from: commit)
    #expect(counts.map(\.value) == [1, 1, 0])
    // Where all is read anew, all may have changed.
    context.refreshAllObjects()
    #expect(counts.map(\.value) == [1, 1, 1] && context.watchedObjectCount == 0)
    withExtendedLifetime(blog) {}
  }

  @Test func `S41: a context within another tells of what nobody holds there`() throws {
    let (_, first, ids) = try blogs(1)
    let child = ManagedObjectContext(parent: first)
    child.automaticallyMergesChanges = true
    let count = Count()
    withObservationTracking {
      _ = child.object(with: ids[0]).value(forKey: "name")
    } onChange: {
      count.add()
    }
    first.object(with: ids[0]).setValue("a", forKey: "name")
    first.processPendingChanges()
    child.processPendingChanges()
    #expect(count.value == 1 && child.watchedObjectCount == 0)
  }

  @Test func `S41: what is read again while its change is told is heard of again`() throws {
    let context = try Stage().context()
    let post = context.insert("Post")
    nonisolated(unsafe) let unsafePost = post
    let count = Count()
    @Sendable func track(_ left: Int) {
      withObservationTracking {
        _ = unsafePost.value(forKey: "title")
      } onChange: {
        count.add()
        if left > 0 { track(left - 1) }
      }
    }
    track(2)
    for title in ["a", "b", "c", "d"] { post.setValue(.string(title), forKey: "title") }
    #expect(count.value == 3)
  }

  @Test @MainActor func `S41: Observations on the main actor gives the values one after the other`()
    async throws
  {
    let stage = try Stage(Headlines.model())
    let context = stage.context()
    let post = context.insert("Post")
    let values = Observations { post.value(forKey: "headline")?.string ?? "" }
    var seen: [String] = []
    for await value in values {
      seen.append(value)
      switch seen.count {
      case 1: post.setValue("a", forKey: "title")
      case 2: post.setValue("ann", forKey: "author")
      default: break
      }
      if seen.count == 3 { break }
    }
    #expect(seen == ["Untitled (anonymous)", "a (anonymous)", "a (ann)"])
  }
}
