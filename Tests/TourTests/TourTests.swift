import Foundation
import Testing
import XJournal

struct Color: Hashable, Sendable {
  var red: Double
  var green: Double
  var blue: Double
}

struct NoColor: Error {}

struct ColorTransformer: ValueTransformer {
  func encode(_ color: Color) -> Value {
    [.real(color.red), .real(color.green), .real(color.blue)]
  }

  func decode(_ value: Value) throws -> Color {
    let parts = value.array?.compactMap(\.real) ?? []
    guard parts.count == 3 else { throw NoColor() }
    return Color(red: parts[0], green: parts[1], blue: parts[2])
  }
}

final class Blog: ManagedObject {
  @Attribute("name") var name: String?
  @Relationship("posts", inverse: "blog") var posts: Set<Post>
}

final class Comment: ManagedObject {
  @Attribute("text") var text: String?
  @Relationship("post", inverse: "comments") var post: Post?
}

final class Post: ManagedObject {
  @Attribute("title", .indexed) var title: String = "Untitled"
  @Attribute("author") var author: String?
  @Attribute("postDate") var postDate: Date?
  @Attribute("guid", .identifier) var guid: UUID?
  @Attribute("scratch", .transient) var scratch: String?
  @Attribute("cover", .transformed(by: ColorTransformer())) var cover: Color?
  @Attribute("bounds") var bounds: CGRect?
  @Counter("likes") var likes: Int
  @ValueSet("tags") var tags: Set<String>
  @Relationship("blog", inverse: "posts") var blog: Blog?
  @Relationship("comments", inverse: "post", deleteRule: .cascade) var comments: Set<Comment>

  var headline: String { "\(title) (\(author ?? "anonymous"))" }
  override class var virtualAttributes: [VirtualAttribute] {
    [VirtualAttribute("headline") { (post: Post) in post.headline }]
  }
}

/// What docs/tour.md shows, and what it says of it: each of its snippets stands here as it stands there.
@Suite struct TourTests {
  /// A store in a folder that goes with the test.
  private func withStore(_ body: (JournaledStore, URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tour-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "Notes.xjournal")
    let model = try ManagedObjectModel(Blog.self, Post.self, Comment.self)
    let store = try JournaledStore(at: url, model: model)
    try body(store, url)
  }

  @Test func `a model can be made at run time`() throws {
    let runtimeModel = try ManagedObjectModel(entities: [
      EntityDescription(
        "Person", attributes: [AttributeDescription("name", .string)],
        relationships: [
          RelationshipDescription("cars", to: "Car", inverse: "owner", isToMany: true)
        ]),
      EntityDescription(
        "Car",
        attributes: [
          AttributeDescription("plate", .string, isOptional: false),
          AttributeDescription("speed", .integer, defaultValue: 0, isTransient: true),
          AttributeDescription("maker", .string, validation: [.maxLength(40)]),
        ],
        relationships: [
          RelationshipDescription("owner", to: "Person", inverse: "cars", deleteRule: .nullify)
        ]),
    ])
    let folder = FileManager.default.temporaryDirectory.appending(path: "tour-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let context = ManagedObjectContext(try JournaledStore(at: folder, model: runtimeModel))
    let car = context.insert("Car")
    car.setValue("B-XJ 1", forKey: "plate")
    #expect(car.value(forKey: "plate") == "B-XJ 1" && car.value(forKey: "maker") == nil)
    #expect(try context.save()?.number == 1)
  }

  @Test func `what was edited can be saved, undone and redone`() throws {
    try withStore { store, _ in
      let context = ManagedObjectContext(store)
      context.name = "editor"

      let post = context.insert(Post.self)
      post.title = "Hello"
      post["mood"] = "sunny"
      post["stats"] = ["words": 120, "drafts": [1, 2, 3]]
      try context.save(author: "ann", message: "first post")
      context.undo()
      context.redo()
      #expect(post.title == "Hello" && post["stats"]?.dictionary?["words"] == 120)
      context.undo()
      #expect(context.hasChanges && post.isDeleted)
    }
  }

  @Test func `values of the program's own types come back`() throws {
    try withStore { store, _ in
      let context = ManagedObjectContext(store)
      let post = context.insert(Post.self)
      post.cover = Color(red: 1, green: 0.5, blue: 0)
      post.bounds = CGRect(x: 0, y: 1, width: 2, height: 3)
      post.tags = ["a", "b"]
      try context.save()
      let other = ManagedObjectContext(store)
      let found = try other.existingObject(with: post.objectID, as: Post.self)
      #expect(found.cover == Color(red: 1, green: 0.5, blue: 0) && found.tags == ["a", "b"])
      #expect(found.bounds == CGRect(x: 0, y: 1, width: 2, height: 3) && found.likes == 0)
    }
  }

  @Test func `two contexts that change one object keep what both have done`() throws {
    try withStore { store, _ in
      let first = ManagedObjectContext(store)
      let post = first.insert(Post.self)
      try first.save()

      let (a, b) = (ManagedObjectContext(store), ManagedObjectContext(store))
      let inA = try a.existingObject(with: post.objectID, as: Post.self)
      let inB = try b.existingObject(with: post.objectID, as: Post.self)
      (inA["foo"], inB["bar"]) = (1, 2)
      inA.likes += 3
      inB.likes += 4
      try a.save()
      do { try b.save() } catch let conflict as MergeConflicts {
        for each in conflict.objects { b.refresh(each.objectID, mergeChanges: true) }
        try b.save()
      }
      #expect(inB["foo"] == 1 && inB["bar"] == 2 && inB.likes == 7)

      a.refresh(inA, mergeChanges: true)
      (inA["foo"], inB["bar"]) = (3, 4)
      try a.save()
      try b.save(retrying: 5)
      #expect(inB["foo"] == 3 && inB["bar"] == 4)
    }
  }

  @Test func `a save can be awaited`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tour-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let model = try ManagedObjectModel(Blog.self, Post.self, Comment.self)
    let store = try JournaledStore(at: folder, model: model)
    let context = ManagedObjectContext(store)
    context.insert(Post.self)
    try await context.save(author: "ann")
    try await context.save(retrying: 5)
    #expect(store.lastCommit == 1 && !context.hasChanges)
  }

  @Test func `a computed key is heard of on a change and on undo, until the token ends`() throws {
    try withStore { store, _ in
      let context = ManagedObjectContext(store)
      let post = context.insert(Post.self)
      post.title = "Hello"
      var heard: [Value?] = []
      let token = post.observe("headline", [.old, .new]) { change in heard.append(change.new) }
      post.author = "ann"
      context.processPendingChanges()
      context.undo()
      token.cancel()
      post.author = "nobody hears it"
      #expect(heard.first == "Hello (ann)" && heard.count == 2)
    }
  }

  @Test func `a predicate and a text find what they say`() throws {
    try withStore { store, _ in
      let context = ManagedObjectContext(store)
      for number in 0..<30 {
        let post = context.insert(Post.self)
        post.title = number % 2 == 0 ? "Hello \(number)" : "Other \(number)"
        post.likes = number
        if number % 3 == 0 { post["mood"] = "sunny" }
      }
      try context.save()

      let popular = try context.fetch(
        Post.self, where: #Predicate { $0.likes > 10 && $0.headline.contains("Hello") },
        sortedBy: [SortDescriptor(\.title)], limit: 20)
      let sunny = try context.fetch(
        FetchRequest("Post", where: "mood == 'sunny' AND likes > 3", sortedBy: ["-likes", "title"]))
      let count = try context.count(FetchRequest("Post"))
      #expect(popular.map(\.likes) == [12, 14, 16, 18, 20, 22, 24, 26, 28])
      #expect(sunny.count == 8 && sunny.first?["likes"] == .counter(27) && count == 30)
    }
  }

  @Test func `many objects are inserted, changed and deleted by one commit each`() throws {
    try withStore { store, _ in
      let context = ManagedObjectContext(store)
      let blog = context.insert(Blog.self)
      try context.save()

      let rows: [[String: Value]] = [
        ["title": "One", "likes": 20], ["title": "Two", "blog": .reference(blog.objectID)],
      ]
      try store.batchInsert(Post.self, rows, author: "ann", message: "import")
      try store.batchUpdate(Post.self, where: "likes > 10", setting: ["author": "ann"])
      try store.batchDelete(Post.self, where: #Predicate { $0.title == "Two" })
      let past = try store.asOf(.commit(2))
      #expect(try past.fetch(Post.self).compactMap(\.blog).count == 1)
      context.refreshAllObjects()
      #expect(blog.posts.isEmpty && store.lastCommit == 4)
      #expect(try context.fetch(Post.self).map(\.author) == ["ann"])
    }
  }

  @Test func `the past can be shown, told and taken back`() throws {
    try withStore { store, _ in
      let context = ManagedObjectContext(store)
      let post = context.insert(Post.self)
      post.title = "First"
      try context.save(author: "ann")
      try store.tag("v1")
      post.title = "Second"
      try context.save(author: "bob", message: "a better title")

      let past = try store.asOf(.tag("v1"))
      let titles = try past.fetch(Post.self).map(\.title)
      let history = try store.history(of: post.objectID, key: "title")
      let author = try store.blame(post.objectID)["title"]?.author
      try context.revert(.commit(2))
      try context.save()
      #expect(titles == ["First"] && history.map(\.new) == ["First", "Second"] && author == "bob")
      #expect(post.title == "First" && store.lastCommit == 3)
    }
  }

  @Test func `work that was never saved comes back after a crash`() throws {
    try withStore { killed, url in
      let context = ManagedObjectContext(killed)
      let post = context.insert(Post.self)
      post.title = "Kept"
      try context.save()
      post.title = "Never saved"
      context.processPendingChanges()
      post.author = "bob"
      // What a process leaves that was killed: its folder, as it is.
      let copy = url.deletingLastPathComponent().appending(path: "Crashed.xjournal")
      try FileManager.default.copyItem(at: url, to: copy)
      let store = try JournaledStore(
        at: copy, model: try ManagedObjectModel(Blog.self, Post.self, Comment.self))
      #expect(store.unsavedDrafts.count == 1)

      for draft in store.unsavedDrafts {
        let recovered = try ManagedObjectContext(recovering: draft, in: store)
        recovered.undo()
        try recovered.save()
      }
      let last = ManagedObjectContext(store)
      let found = try last.existingObject(with: post.objectID, as: Post.self)
      #expect(found.title == "Never saved" && found.author == nil)
    }
  }

  @Test func `what came between two moments is carried to another store and taken back there`()
    throws
  {
    struct Delegate: PatchDelegate {}
    let myDelegate = Delegate()
    try withStore { store, _ in
      try withStore { second, _ in
        let guid = UUID()
        let contexts = [ManagedObjectContext(store), ManagedObjectContext(second)]
        for context in contexts {
          let post = context.insert(Post.self)
          post.guid = guid
          post.title = "First"
          try context.save()
        }
        let post = try #require(try contexts[0].fetch(Post.self).first)
        post.title = "Second"
        post.postDate = Date(timeIntervalSinceReferenceDate: 0)
        try contexts[0].save()
        let other = contexts[1]
        let model = try #require(store.model)
        let carried = try #require(try other.fetch(Post.self).first)

        let patch = try Patch.difference(from: store.asOf(.commit(1)), to: store.asOf(.head))
        let json = try patch.json()
        try Patch(json: json, model: model).apply(to: other, delegate: myDelegate)
        try patch.inverted().apply(to: other)
        #expect(carried.title == "First" && carried.postDate == nil)
        other.undo()
        #expect(carried.title == "Second" && carried.postDate == post.postDate)
        other.undo()
        #expect(carried.title == "First" && !json.isEmpty)
      }
    }
  }

  @Test func `each snippet of the page stands in these tests`() throws {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    func lines(_ path: String) throws -> [String] {
      let text = try String(contentsOfFile: "/\(root)/\(path)", encoding: .utf8)
      return text.split(separator: "\n", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
    }
    let source = try lines("Tests/TourTests/TourTests.swift").filter { !$0.isEmpty }
      .joined(separator: "\n")
    var (snippet, isOpen, count) = ([String](), false, 0)
    for line in try lines("docs/tour.md") {
      if line.hasPrefix("```") {
        if isOpen {
          let text = snippet.filter { !$0.isEmpty }.joined(separator: "\n")
          #expect(source.contains(text), "this is not compiled: \(text)")
          (snippet, count) = ([], count + 1)
        }
        isOpen = line == "```swift"
      } else if isOpen {
        snippet.append(line)
      }
    }
    #expect(count >= 9)
  }
}
