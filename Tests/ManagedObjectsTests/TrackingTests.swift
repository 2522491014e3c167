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
