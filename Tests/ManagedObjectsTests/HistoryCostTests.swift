import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// What a context does costs what is concerned, and not what was done before.
@Suite struct HistoryCostTests {
  @Test func `S55, S76: the first edits of what others have saved cost each what one costs`() throws
  {
    let growth = try growth(from: 250, to: 2_000) { count in
      let stage = try Stage()
      let (context, other) = (stage.context(), stage.context())
      // The context stands on an earlier commit.
      context.insert("Blog")
      try context.save()
      let ids = (0..<count).map { _ in other.insert("Post").objectID }
      try other.save()
      let posts = try ids.map(context.existingObject(with:))
      return threadTime { for post in posts { post.setValue("x", forKey: "title") } }
    }
    #expect(growth < 27)
  }

  @Test(arguments: [true, false])
  func `S44, S50: recovering many deletions costs each what one costs`(isStep: Bool) throws {
    let growth = try growth(from: 250, to: 2_000) { count in
      let stage = try Stage()
      let context = stage.context()
      let posts = (0..<count).map { _ in context.insert("Post") }
      try context.save()
      for post in posts { context.delete(post) }
      if isStep {
        context.processPendingChanges()
        // What came later has to be told from that.
        for _ in 0..<count { context.insert("Blog") }
      }
      let killed = try stage.killed()
      let draft = try #require(killed.store.unsavedDrafts.first)
      var recovered: ManagedObjectContext?
      let time = try threadTime {
        recovered = try ManagedObjectContext(recovering: draft, in: killed.store)
      }
      #expect(recovered?.deletedObjects.count == count)
      return time
    }
    #expect(growth < 27)
  }

  @Test func `S49: a save costs no more for what was saved and can be undone`() throws {
    let context = try Stage().context()
    // One that only the oldest step is about stays held.
    let early = context.insert("Blog")
    try context.save()
    let post = context.insert("Post")
    func rounds(_ count: Int) throws -> UInt64 {
      try threadTime {
        for number in 0..<count {
          post.setValue(.integer(number), forKey: "score")
          try context.save()
        }
      }
    }
    let first = try rounds(300)
    _ = try rounds(2_400)
    let last = try rounds(300)
    #expect(last < 3 * first, "300 saves took \(first) ns, and then \(last) ns")
    #expect(context.undoSteps.count > 2_900)
    withExtendedLifetime(early) {}
  }

  @Test func `S58, S59: bringing in many commits costs what they hold, whatever is unsaved`() throws
  {
    let growth = try growth(from: 250, to: 2_000) { count in
      let stage = try Stage()
      let (context, other) = (stage.context(), stage.context())
      for _ in 0..<count { context.insert("Post") }
      context.automaticallyMergesChanges = true
      let blogs = (0..<count).map { _ in other.insert("Blog") }
      for blog in blogs {
        blog.setValue("x", forKey: "name")
        try other.save()
      }
      let time = threadTime { context.processPendingChanges() }
      let merged = try context.fetch(FetchRequest("Blog")).count
      #expect(merged == count)
      return time
    }
    #expect(growth < 27)
  }

  @Test func `S51: undoing an old step of many objects costs what it holds, whatever came later`()
    throws
  {
    let growth = try growth(from: 250, to: 2_000) { count in
      let context = try Stage().context()
      let posts = (0..<count).map { _ in context.insert("Post") }
      context.processPendingChanges()
      for post in posts { post.setValue("x", forKey: "title") }
      context.processPendingChanges()
      for post in posts { post.setValue(1, forKey: "score") }
      context.processPendingChanges()
      let time = try threadTime { try context.undo(step: 1) }
      #expect(posts.allSatisfy { $0.value(forKey: "title") == "Untitled" })
      return time
    }
    #expect(growth < 27)
  }

  @Test func `S20: what one object had before the event is told without looking at all others`()
    throws
  {
    let growth = try growth(from: 250, to: 2_000) { count in
      let context = try Stage().context()
      let posts = (0..<count).map { _ in context.insert("Post") }
      try context.save()
      for post in posts { post.setValue("x", forKey: "title") }
      return threadTime {
        for post in posts {
          #expect(post.changedValuesForCurrentEvent()["title"] == "Untitled")
        }
      }
    }
    #expect(growth < 27)
  }
}
