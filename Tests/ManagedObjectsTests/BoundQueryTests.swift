// What a context has bound once it need not bind again; nobody notices but by the time it takes.

import ManagedObjects
import ObjectModel
import ObjectQuery
import ObjectStore
import Testing

@Suite struct BoundQueryTests {
  private func post(_ score: Int, in context: ManagedObjectContext) -> ManagedObject {
    let post = context.insert("Post")
    post.setValue(.string("post \(score)"), forKey: "title")
    post.setValue(.integer(score), forKey: "score")
    return post
  }

  @Test func `S67: a request that is made again finds what has changed meanwhile`() throws {
    let stage = try Stage()
    let (context, other) = (stage.context(), stage.context())
    let texts = FetchRequest("Post", where: "score > 5", sortedBy: ["score"])
    let filters = FetchRequest("Post", where: try Filter("score > 5"), sortedBy: ["score"])
    func scores(_ context: ManagedObjectContext) throws -> [Int?] {
      let found = try context.fetch(texts)
      #expect(try context.fetch(filters) == found && context.count(texts) == found.count)
      return found.map { $0.value(forKey: "score")?.integer }
    }
    #expect(try scores(context) == [])
    let seven = post(7, in: context)
    #expect(try scores(context) == [7])
    try context.save()
    #expect(try scores(context) == [7] && scores(other) == [7])
    let nine = post(9, in: other)
    try other.save()
    #expect(try scores(context) == [7, 9] && scores(other) == [7, 9])
    seven.setValue(3, forKey: "score")
    other.delete(nine)
    #expect(try scores(context) == [9] && scores(other) == [7])
  }

  @Test func `S67: of many requests each gets its own answer, however often they are made`() throws
  {
    let stage = try Stage()
    let context = stage.context()
    for score in 0..<30 { _ = post(score, in: context) }
    try context.save()
    for _ in 0..<3 {
      for bound in 0..<30 {
        var request = FetchRequest("Post", where: "score >= \(bound)", sortedBy: ["score"])
        func scores() throws -> [Int] {
          try context.fetch(request).compactMap { $0.value(forKey: "score")?.integer }
        }
        #expect(try scores() == Array(bound..<30))
        #expect(try scores() == Array(bound..<30))
        request.limit = 2
        #expect(try scores() == Array((bound..<30).prefix(2)))
        request.offset = 1
        #expect(try scores() == Array((bound..<30).dropFirst().prefix(2)))
        request.sortKeys = ["-score"]
        #expect(try scores() == Array((bound..<30).reversed().dropFirst().prefix(2)))
      }
    }
  }

  @Test func `S26: a dynamic key that gets its number between two requests is found`() throws {
    let stage = try Stage()
    let (context, other) = (stage.context(), stage.context())
    _ = post(1, in: context)
    try context.save()
    let request = FetchRequest("Post", where: "whim == 'fine'")
    #expect(try context.count(request) == 0 && context.count(request) == 0)
    let new = post(2, in: other)
    new["whim"] = "fine"
    try other.save()
    #expect(try context.count(request) == 1 && context.count(request) == 1)
  }

  @Test func `S67: what cannot be read is told each time`() throws {
    let stage = try Stage()
    let context = stage.context()
    for text in ["score >", "score == 'nine'"] {
      let request = FetchRequest("Post", where: text)
      for _ in 0..<2 { #expect(throws: QueryError.self) { try context.count(request) } }
    }
  }

  @Test func `S67: texts that only look alike are not the same request`() throws {
    let stage = try Stage()
    let context = stage.context()
    let (composed, decomposed) = ("\u{e9}", "e\u{301}")
    #expect(composed == decomposed)
    let post = context.insert("Post")
    post.setValue(.string(composed), forKey: "title")
    try context.save()
    for (name, count) in [(composed, 1), (decomposed, 0), (composed, 1)] {
      #expect(try context.count(FetchRequest("Post", where: "title == '\(name)'")) == count)
      let filter = Filter(Filter.Comparison(.key("title"), .equal, .literal(.string(name))))
      #expect(try context.count(FetchRequest("Post", where: filter)) == count)
    }
  }

  @Test func `S39: what objects compute is computed each time it is asked for`() throws {
    let stage = try Stage(try Headlines.model())
    let context = stage.context()
    let (posts, comment) = try Headlines.postsOfThree(in: context)
    let (found, sorted, led) = (
      FetchRequest("Post", where: "byline == 'by c'"), FetchRequest("Post", sortedBy: ["byline"]),
      FetchRequest("Comment", where: "post.byline == 'by c'")
    )
    for _ in 0..<2 {
      #expect(try context.fetch(found) == [posts[1]])
      #expect(try context.fetch(sorted) == [posts[2], posts[0], posts[1]])
      #expect(try context.fetch(led) == [comment])
    }
    posts[1].setValue("A", forKey: "author")
    #expect(try context.fetch(found) == [] && context.fetch(led) == [])
    #expect(try context.fetch(sorted) == [posts[1], posts[2], posts[0]])
  }

  @Test func `S67: contexts of now, of the past and within others each answer for themselves`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let request = FetchRequest("Post", where: "score > 5")
    _ = post(7, in: context)
    try context.save()
    let before = stage.store.lastCommit
    _ = post(8, in: context)
    try context.save()
    let past = try stage.store.asOf(.commit(before))
    let child = ManagedObjectContext(parent: context)
    _ = post(9, in: child)
    for _ in 0..<2 {
      #expect(try context.count(request) == 2)
      #expect(try past.count(request) == 1)
      #expect(try child.count(request) == 3)
    }
  }

  @Test func `S67: what holds many values is answered as everything else`() throws {
    let stage = try Stage()
    let context = stage.context()
    for score in 0..<9 { _ = post(score, in: context) }
    try context.save()
    let many = Filter.Operand.list((3..<3_000).map { .literal(.integer($0)) })
    let request = FetchRequest(
      "Post", where: Filter(Filter.Comparison(.key("score"), .isIn, many)))
    for _ in 0..<2 { #expect(try context.count(request) == 6) }
  }
}
