import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectQuery
import ObjectStore
import Testing

/// Commits without contexts: what they insert, change and delete, and what they refuse.
@Suite struct BatchTests {
  /// Blogs with posts and comments in a store.
  private func stage(posts count: Int) throws -> (Stage, blog: ObjectID, posts: [ObjectID]) {
    let stage = try Stage()
    let blog = try stage.store.batchInsert("Blog", [["name": "Swift"]]).objectIDs[0]
    let posts = try stage.store.batchInsert(
      "Post",
      (0..<count).map {
        ["title": .string("p\($0)"), "score": .integer($0), "blog": .reference(blog)]
      })
    return (stage, blog, posts.objectIDs)
  }

  @Test func `S67: a batch inserts rows as one commit, with author, message and defaults`() throws {
    let stage = try Stage()
    let result = try stage.store.batchInsert(
      "Post",
      [["title": "One", "score": 1], ["author": "ann"], ["likes": 3, "tags": .set(["a"])]],
      author: "ann", message: "import", options: BatchOptions(userInfo: ["from": "csv"]))
    #expect(result.commits == [1] && result.count == 3)
    let commit = try stage.store.commit(1)
    #expect(
      commit.author == "ann" && commit.message == "import" && commit.userInfo == ["from": "csv"])
    #expect(commit.changes.map(\.kind) == [.inserted, .inserted, .inserted])
    let context = stage.context()
    let posts = try result.objectIDs.map { try context.existingObject(with: $0) }
    #expect(posts.map { $0.value(forKey: "title") } == ["One", "Untitled", "Untitled"])
    #expect(posts[2].value(forKey: "likes") == .counter(3) && posts[0]["likes"] == .counter(0))
    #expect(posts[2].value(forKey: "tags") == .set(["a"]))
    #expect(try stage.store.verify(deep: true).isEmpty && stage.store.unsavedDrafts.isEmpty)
  }

  @Test func `S60: a batch that returned is there after the process was killed, and is no draft`()
    throws
  {
    let (stage, _, posts) = try stage(posts: 10)
    let again = try stage.killed()
    #expect(try again.context().count(FetchRequest("Post")) == 10)
    #expect(again.store.unsavedDrafts.isEmpty)
    #expect(try again.store.batchInsert("Post", [[:]]).objectIDs[0] > posts[9])
  }

  @Test func `S67: rows whose keys are the same need not name them`() throws {
    let stage = try Stage()
    let rows: [[Value?]] = [[1, "One"], [nil, "Two"]]
    let result = try stage.store.batchInsert("Post", keys: ["score", "title"], rows)
    let context = stage.context()
    let posts = try result.objectIDs.map { try context.existingObject(with: $0) }
    #expect(posts.map { $0.value(forKey: "title") } == ["One", "Two"])
    #expect(posts[0].value(forKey: "score") == 1 && posts[1].value(forKey: "score") == nil)
    #expect(throws: BatchError.keyTwice(entity: "Post", key: "title")) {
      try stage.store.batchInsert("Post", keys: ["title", "score", "title"], [["a", 1, "b"]])
    }
    #expect(throws: BatchError.valueCountWrong(row: 1, 1, keys: 2)) {
      try stage.store.batchInsert("Post", keys: ["score", "title"], [[1, "One"], [2]])
    }
    #expect(stage.store.lastCommit == 1)
  }

  @Test func `S67: a batch of several commits is bounded, and says what stays when it breaks off`()
    throws
  {
    let stage = try Stage()
    let options = BatchOptions(objectsPerCommit: 4)
    let result = try stage.store.batchInsert(
      "Post", (0..<10).map { ["score": .integer($0)] }, options: options)
    #expect(result.commits == [1, 2, 3] && result.count == 10)
    #expect(try stage.store.commits(since: 0).map(\.changes.count) == [4, 4, 2])
    let update = try stage.store.batchUpdate(
      FetchRequest("Post", where: "score > 2"), setting: ["author": "bob"], options: options)
    #expect(update.commits == [4, 5] && Set(update.objectIDs) == Set(result.objectIDs[3...]))
    let interrupted = try #require(throws: BatchInterrupted.self) {
      try stage.store.batchInsert(
        "Post", (0..<10).map { ["author": .string($0 == 6 ? "much too long a name" : "ann")] },
        options: options)
    }
    #expect(interrupted.done.commits == [6] && interrupted.done.count == 4)
    let deleted = try stage.store.batchDelete(FetchRequest("Post"), options: options)
    #expect(deleted.count == 14 && deleted.commits.count == 4)
    #expect(try stage.context().count(FetchRequest("Post")) == 0)
    #expect(try stage.store.verify(deep: true).isEmpty)
  }

  @Test func `S62: a batch is refused as a whole where a row is not as the model demands`() throws {
    let stage = try Stage()
    let rows: [[String: Value]] = [["title": "One"], ["author": "much too long a name"]]
    let error = try #require(throws: BatchError.self) {
      try stage.store.batchInsert("Post", rows)
    }
    guard case .rowInvalid(1, let errors) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(
      errors.failures.map(\.kind) == [.breaksRule("much too long a name", .maxLength(10))])
    let missing = try #require(throws: BatchError.self) {
      try stage.store.batchInsert("Post", [["title": .null]])
    }
    guard case .rowInvalid(0, let nothing) = missing else {
      Issue.record("\(missing)")
      return
    }
    #expect(nothing.failures.map(\.kind) == [.missing] && nothing.failures[0].key == "title")
    #expect(
      throws: BatchError.valueRefused(
        row: 0, entity: "Post", key: "title", 3, takes: "values of type string")
    ) { try stage.store.batchInsert("Post", [["title": 3]]) }
    #expect(throws: BatchError.keyMissing(entity: "Post", key: "titel", nearest: "title")) {
      try stage.store.batchInsert("Post", [["titel": "One"]])
    }
    #expect(throws: BatchError.keyNotStored(entity: "Post", key: "scratch")) {
      try stage.store.batchInsert("Post", [["scratch": "x"]])
    }
    #expect(throws: BatchError.entityMissing("Pots", nearest: "Post")) {
      try stage.store.batchInsert("Pots", [[:]])
    }
    #expect(stage.store.lastCommit == .none)
    let (full, _, _) = try self.stage(posts: 3)
    #expect(throws: ValidationErrors.self) {
      try full.store.batchUpdate(FetchRequest("Post"), setting: ["author": "much too long a name"])
    }
    #expect(throws: ValidationErrors.self) {
      try full.store.batchUpdate(FetchRequest("Post", where: "score == 1"), setting: ["title": nil])
    }
    #expect(full.store.lastCommit == 2)
  }

  @Test func `S22: dynamic attributes are taken where the options say so`() throws {
    let stage = try Stage()
    let options = BatchOptions(allowsDynamicKeys: true)
    let id = try stage.store.batchInsert(
      "Post", [["mood": "sunny", "stats": ["words": 3]]], options: options
    ).objectIDs[0]
    let changed = try stage.store.batchUpdate(
      FetchRequest("Post", where: "mood == 'sunny'"), setting: ["mood": "rainy", "stats": nil],
      options: options)
    #expect(changed.objectIDs == [id])
    let context = stage.context()
    let post = try context.existingObject(with: id)
    #expect(post["mood"] == "rainy" && post["stats"] == nil)
    #expect(
      throws: BatchError.valueRefused(
        row: 0, entity: "Post", key: "mood", .counter(1), takes: "property lists")
    ) { try stage.store.batchInsert("Post", [["mood": .counter(1)]], options: options) }
  }

  @Test func `S43: a batch keeps both sides of relationships`() throws {
    let (stage, blog, posts) = try stage(posts: 3)
    let context = stage.context()
    #expect(
      try context.existingObject(with: blog).value(forKey: "posts")
        == .set(Set(posts.map { .reference($0) })))
    // To many with an order, whose inverse is to one.
    let comments = try stage.store.batchInsert(
      "Comment", (0..<3).map { ["text": .string("c\($0)"), "post": .reference(posts[0])] }
    ).objectIDs
    let other = stage.context()
    #expect(
      try other.existingObject(with: posts[0]).value(forKey: "comments")
        == .array(comments.map { .reference($0) }))
    try stage.store.batchUpdate(
      FetchRequest("Comment", where: "text == 'c1'"), setting: ["post": .reference(posts[1])])
    other.refreshAllObjects()
    #expect(
      try other.existingObject(with: posts[0]).value(forKey: "comments")
        == .array([.reference(comments[0]), .reference(comments[2])]))
    // Many to many, and one to one, where the second takes the place of the first.
    let people = try stage.store.batchInsert(
      "Person",
      [
        ["reads": .set([.reference(posts[0]), .reference(posts[1])]), "edits": .reference(blog)],
        ["reads": .array([.reference(posts[0])]), "edits": .reference(blog)],
      ]
    ).objectIDs
    let last = stage.context()
    #expect(
      try last.existingObject(with: posts[0]).value(forKey: "readers")
        == .set(Set(people.map { .reference($0) })))
    #expect(try last.existingObject(with: blog).value(forKey: "editor") == .reference(people[1]))
    #expect(try last.existingObject(with: people[0]).value(forKey: "edits") == nil)
    // Moved from the other side.
    let second = try stage.store.batchInsert(
      "Blog", [["name": "Other", "posts": .set([.reference(posts[2])])]]
    ).objectIDs[0]
    last.refreshAllObjects()
    #expect(
      try last.existingObject(with: posts[2]).value(forKey: "blog") == .reference(second))
    #expect(
      throws: BatchError.destinationMissing(row: 0, entity: "Post", key: "blog", posts[0])
    ) { try stage.store.batchInsert("Post", [["blog": .reference(posts[0])]]) }
    #expect(try stage.store.verify(deep: true).isEmpty)
  }

  @Test func `S44: a batch deletes as the rules say: cascading, nullifying, or refused`() throws {
    let (stage, blog, posts) = try stage(posts: 4)
    let comments = try stage.store.batchInsert(
      "Comment", posts.map { ["post": .reference($0)] }
    ).objectIDs
    let person = try stage.store.batchInsert(
      "Person",
      [["reads": .set(Set(posts.map { .reference($0) })), "edits": .reference(blog)]]
    ).objectIDs[0]
    let head = stage.store.lastCommit
    let errors = try #require(throws: ValidationErrors.self) {
      try stage.store.batchDelete(FetchRequest("Person"))
    }
    #expect(errors.failures.map(\.kind) == [.denied([blog])] && stage.store.lastCommit == head)
    let result = try stage.store.batchDelete(FetchRequest("Post", where: "score >= 2"))
    #expect(result.objectIDs == [posts[2], posts[3]])
    let context = stage.context()
    #expect(try context.objectIDs(FetchRequest("Comment")) == [comments[0], comments[1]])
    #expect(
      try context.existingObject(with: person).value(forKey: "reads")
        == .set([.reference(posts[0]), .reference(posts[1])]))
    try stage.store.batchDelete(FetchRequest("Blog"))
    context.refreshAllObjects()
    #expect(try context.existingObject(with: posts[0]).value(forKey: "blog") == nil)
    #expect(try context.existingObject(with: person).value(forKey: "edits") == nil)
    try stage.store.batchDelete(FetchRequest("Person"))
    #expect(try stage.context().count(FetchRequest("Person")) == 0)
    #expect(try stage.store.verify(deep: true).isEmpty)
  }

  @Test func `S58: contexts come to a batch by merging and refreshing, and keep what they changed`()
    throws
  {
    let (stage, _, posts) = try stage(posts: 3)
    let context = stage.context()
    let post = try context.existingObject(with: posts[0])
    post.setValue("mine", forKey: "title")
    let rival = try context.existingObject(with: posts[1])
    #expect(rival.value(forKey: "author") == nil)
    try stage.store.batchUpdate(FetchRequest("Post"), setting: ["author": "ann"])
    context.merge(from: try stage.store.commit(stage.store.lastCommit))
    #expect(post.value(forKey: "author") == "ann" && post.value(forKey: "title") == "mine")
    #expect(rival.value(forKey: "author") == "ann")
    try context.save()
    // One that has not seen it is told of the conflict.
    post.setValue("again", forKey: "title")
    try stage.store.batchDelete(FetchRequest("Post", sortedBy: ["score"], limit: 1))
    #expect(throws: MergeConflicts.self) { try context.save() }
  }

  @Test func `a batch has no effect on the edits of contexts, and no edit tells of it`() throws {
    let (stage, _, _) = try stage(posts: 3)
    let context = stage.context()
    let post = context.insert("Post")
    post.setValue("new", forKey: "title")
    try stage.store.batchUpdate(FetchRequest("Post"), setting: ["score": 7])
    #expect(try context.save() != nil && post.value(forKey: "score") == nil)
    #expect(try stage.context().count(FetchRequest("Post", where: "score == 7")) == 3)
    let verified = try stage.store.verification(deep: true)
    #expect(verified.findings.isEmpty)
  }

  @Test func `S67: an identifier is given once`() throws {
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Thing", attributes: [AttributeDescription("name", .string, isIdentifier: true)])
    ])
    let stage = try Stage(model)
    try stage.store.batchInsert("Thing", [["name": "a"], ["name": "b"], [:], [:]])
    func taken(_ row: Int?, _ name: Value) -> BatchError {
      .identifierTaken(row: row, entity: "Thing", key: "name", name)
    }
    #expect(throws: taken(0, "b")) { try stage.store.batchInsert("Thing", [["name": "b"]]) }
    #expect(throws: taken(1, "c")) {
      try stage.store.batchInsert("Thing", [["name": "c"], ["name": "c"]])
    }
    #expect(throws: taken(nil, "d")) {
      try stage.store.batchUpdate(FetchRequest("Thing"), setting: ["name": "d"])
    }
    try stage.store.batchUpdate(FetchRequest("Thing", where: "name == 'a'"), setting: ["name": "a"])
    #expect(stage.store.lastCommit == 1)
  }
}
