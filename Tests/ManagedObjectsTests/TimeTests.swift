import FoundationEssentials
import ManagedObjects
import ObjectModel
import ObjectQuery
import ObjectStore
import Testing

/// What the tour says of time, line by line.
@Suite struct TimeTests {
  @Test
  func `S73: a commit tells its number, date, author, message and what changed from what to what`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    try context.save()
    post.setValue("Second", forKey: "title")
    post["mood"] = "sunny"
    try context.save(author: "bob", message: "another title", userInfo: ["ticket": 7])
    let commit = try #require(try stage.store.commits(since: 0).last)
    #expect(commit.number == 2 && commit.author == "bob" && commit.message == "another title")
    #expect(commit.userInfo == ["ticket": 7])
    let change = try #require(commit.changes.first)
    #expect(
      change.objectID == post.objectID && change.entityName == "Post" && change.kind == .updated)
    #expect(change.values["title"]?.old == "Untitled" && change.values["title"]?.new == "Second")
    #expect(change.values["mood"]?.old == nil && change.values["mood"]?.new == "sunny")
    #expect(try stage.store.commits(since: 1) == [commit])
    #expect(try stage.store.commits(since: commit.number).isEmpty)
    #expect(try stage.store.commit(at: .date(commit.date)) == 2)
  }

  @Test
  func `S72: the history of a key tells every value it had, and blame who set each that is there`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    context.name = "editor"
    let post = context.insert("Post")
    try context.save(author: "ann", message: "first post")
    post.setValue("Second", forKey: "title")
    try context.save(author: "bob", message: "another title")
    let titles = try stage.store.history(of: post.objectID, key: "title")
    #expect(titles.map(\.new) == ["Untitled", "Second"] && titles.map(\.old) == [nil, "Untitled"])
    #expect(titles.map(\.author) == ["ann", "bob"] && titles.map(\.commit) == [1, 2])
    #expect(titles.map(\.message) == ["first post", "another title"])
    #expect(titles.allSatisfy { $0.contextName == "editor" })
    let blame = try stage.store.blame(post.objectID)
    #expect(blame["title"]?.author == "bob" && blame["likes"]?.author == "ann")
  }

  @Test func `S71: the past is fetched from as the present is`() throws {
    let stage = try Stage()
    let context = stage.context()
    let posts = (0..<3).map { _ in context.insert("Post") }
    for (number, post) in posts.enumerated() {
      post.setValue(.string("p\(number)"), forKey: "title")
      post.setValue(.integer(number), forKey: "score")
    }
    try context.save()
    posts[0].setValue(9, forKey: "score")
    context.delete(posts[1])
    context.insert("Post")
    try context.save()
    try stage.store.tag("v1", 1)
    let past = try stage.store.asOf(.tag("v1"))
    #expect(try past.count(FetchRequest("Post")) == 3)
    let high = FetchRequest("Post", where: "score >= 1", sortedBy: ["-score"])
    #expect(try past.objectIDs(high) == [posts[2].objectID, posts[1].objectID])
    #expect(try past.fetch(high).map { $0.value(forKey: "title") } == ["p2", "p1"])
    #expect(try stage.store.asOf(.head).objectIDs(high) == [posts[0].objectID, posts[2].objectID])
    #expect(!past.hasChanges)
  }

  @Test func `S74: events tell what was done, in its order, over all contexts`() throws {
    let stage = try Stage()
    let (a, b) = (stage.context(), stage.context())
    a.name = "a"
    b.name = "b"
    let post = a.insert("Post")
    try a.save()
    post.setValue("One", forKey: "title")
    let inB = try b.existingObject(with: post.objectID)
    inB["mood"] = "sunny"
    a.undo()
    a.redo()
    b.refresh(inB, mergeChanges: true)
    try b.save()
    let events = try stage.store.events()
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.date <= $1.date })
    func told(_ name: String) -> [String] {
      events.filter { $0.context?.name == name }.compactMap { event in
        switch event.kind {
        case .inserted: "insert"
        case .set(_, let key, _): "set \(key)"
        case .undone: "undo"
        case .redone: "redo"
        case .refreshed(_, let keepingChanges, _): "refresh \(keepingChanges)"
        case .saved(let number): "save \(number)"
        default: nil
        }
      }
    }
    #expect(told("a") == ["insert", "save 1", "set title", "undo", "redo"])
    #expect(told("b") == ["set mood", "refresh true", "save 2"])
  }

  @Test func `S74: an event tells what undoing and redoing have given back`() throws {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    try context.save()
    post.setValue("One", forKey: "title")
    post["mood"] = "sunny"
    context.undo()
    context.redo()
    context.delete(post)
    context.undo()
    context.redo()
    let told = try stage.store.events().flatMap { event -> [StoreEvent.Restored] in
      switch event.kind {
      case .undone(let restored), .redone(let restored): restored
      default: []
      }
    }
    #expect(told.allSatisfy { $0.objectID == post.objectID })
    #expect(told.map(\.kind) == [.updated, .updated, .inserted, .deleted])
    #expect(told[0].values == ["title": "Untitled", "mood": .null])
    #expect(told[1].values == ["title": "One", "mood": "sunny"])
    #expect(told[2].values["title"] == "One" && told[2].values["likes"] == .counter(0))
    #expect(told[3].values.isEmpty)
  }

  @Test func `S71: a tag stands for the state that was the last when it was given`() throws {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    try context.save()
    try stage.store.tag("v1")
    post.setValue("Second", forKey: "title")
    try context.save()
    #expect(stage.store.tags == ["v1": 1])
    let past = try stage.store.asOf(.tag("v1"))
    #expect(try past.existingObject(with: post.objectID).value(forKey: "title") == "Untitled")
  }

  @Test func `S66: a child's fetch finds what its parent has not saved`() throws {
    let stage = try Stage()
    let parent = stage.context()
    let (one, two) = (parent.insert("Post"), parent.insert("Post"))
    try parent.save()
    one.setValue(5, forKey: "score")
    let new = parent.insert("Post")
    new.setValue(6, forKey: "score")
    parent.delete(two)
    parent.processPendingChanges()
    let child = ManagedObjectContext(parent: parent)
    let request = FetchRequest("Post", where: "score > 4", sortedBy: ["score"])
    #expect(try child.objectIDs(request) == [one.objectID, new.objectID])
    child.object(with: one.objectID).setValue(1, forKey: "score")
    #expect(try child.objectIDs(request) == [new.objectID])
    #expect(try child.count(FetchRequest("Post")) == 2)
  }
}
