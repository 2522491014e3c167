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

  @Test func `S10: what Observation has been told of is kept by the context no more`() throws {
    let stage = try Stage()
    let first = stage.context()
    let id = first.insert("Blog").objectID
    try first.save()
    let context = stage.context()
    withObservationTracking {
      _ = context.object(with: id).value(forKey: "name")
    } onChange: {
    }
    #expect(context.registeredObject(for: id) != nil && context.watchedObjectCount == 1)
    first.object(with: id).setValue("a", forKey: "name")
    context.merge(from: try #require(try first.save()))
    #expect(context.registeredObject(for: id) == nil && context.watchedObjectCount == 0)
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
