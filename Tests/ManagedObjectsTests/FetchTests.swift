import ManagedObjects
import ObjectModel
import ObjectQuery
import ObjectStore
import Testing

@Suite struct FetchTests {
  /// Twenty posts in two blogs, saved.
  private func stage() throws -> (Stage, ManagedObjectContext, [ManagedObject]) {
    let stage = try Stage()
    let context = stage.context()
    let blogs = ["north", "south"].map { name in
      let blog = context.insert("Blog")
      blog.setValue(.string(name), forKey: "name")
      return blog
    }
    let posts = (0..<20).map { number in
      let post = context.insert("Post")
      post.setValue(.string("post \(number)"), forKey: "title")
      post.setValue(.integer(number % 7), forKey: "score")
      post.setValue(.reference(blogs[number % 2].objectID), forKey: "blog")
      if number % 3 == 0 { post["mood"] = "sunny" }
      return post
    }
    try context.save()
    return (stage, context, posts)
  }

  @Test func `S67: a fetch filters, sorts, limits and skips, and sees what is not saved`() throws {
    let (stage, context, posts) = try stage()
    let other = stage.context()
    let request = FetchRequest(
      "Post", where: "score >= 5 AND blog.name == 'north'", sortedBy: ["-score", "title"])
    let titles = try other.fetch(request).map { $0.value(forKey: "title")?.string }
    #expect(titles == ["post 6", "post 12"])
    var limited = FetchRequest("Post", sortedBy: ["-score", "title"], limit: 2, offset: 1)
    #expect(
      try other.fetch(limited).map { $0.value(forKey: "title")?.string } == ["post 6", "post 12"])
    posts[0].setValue(9, forKey: "score")
    context.delete(posts[13])
    let new = context.insert("Post")
    new.setValue(8, forKey: "score")
    limited.offset = 0
    #expect(try context.fetch(limited) == [posts[0], new])
    limited.includesPendingChanges = false
    #expect(try context.fetch(limited) == [posts[13], posts[6]])
    #expect(try context.count(FetchRequest("Post")) == 20)
  }

  @Test func `S67: what is not saved is left out of what computed keys are computed of, too`()
    throws
  {
    let stage = try Stage(Headlines.model())
    let context = stage.context()
    let (one, two, three) = (context.insert("Post"), context.insert("Post"), context.insert("Post"))
    for post in [one, two, three] { post.setValue("ann", forKey: "author") }
    try context.save()
    one.setValue("bob", forKey: "author")
    context.delete(two)
    three["mood"] = "sunny"
    _ = context.insert("Post")
    func found(_ text: String, pending: Bool) throws -> [ObjectID] {
      var request = FetchRequest("Post", where: text)
      request.includesPendingChanges = pending
      return try context.objectIDs(request).sorted()
    }
    #expect(try found("byline == \"by bob\"", pending: true) == [one.objectID])
    #expect(try found("byline == \"by bob\"", pending: false) == [])
    #expect(
      try found("byline == \"by ann\"", pending: false)
        == [one, two, three].map(\.objectID).sorted())
    #expect(try found("temper == \"sunny!\"", pending: false) == [])
    #expect(one.value(forKey: "byline") == "by bob" && two.isDeleted)
  }

  @Test func `S67: a fetch finds objects of entities that inherit from the one asked for`() throws {
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Vehicle", attributes: [AttributeDescription("plate", .string)]),
      EntityDescription("Car", parent: "Vehicle"),
    ])
    let stage = try Stage(model)
    let context = stage.context()
    let (car, vehicle) = (context.insert("Car"), context.insert("Vehicle"))
    #expect(Set(try context.fetch(FetchRequest("Vehicle"))) == [car, vehicle])
    try context.save()
    #expect(Set(try context.fetch(FetchRequest("Vehicle"))) == [car, vehicle])
    #expect(try context.fetch(FetchRequest("Car")) == [car])
  }

  @Test func `S26: dynamic keys can be fetched and sorted by, though no model has them`() throws {
    let (stage, context, posts) = try stage()
    let sunny = try stage.context().count(FetchRequest("Post", where: "mood == 'sunny'"))
    #expect(sunny == 7)
    posts[1]["mood"] = "sunny"
    posts[1]["rank"] = 5
    posts[2]["rank"] = 3
    let sorted = try context.fetch(
      FetchRequest("Post", where: "rank != null", sortedBy: ["rank"]))
    #expect(sorted == [posts[2], posts[1]])
    #expect(try context.count(FetchRequest("Post", where: "mood == 'sunny'")) == 8)
  }

  @Test
  func `S26: a dynamic key that nobody has used has no value, and one like a known key is refused`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let posts = [context.insert("Post"), context.insert("Post")]
    try context.save()
    let none = FetchRequest("Post", where: "mood == 'sunny'", sortedBy: ["rank", "objectID"])
    #expect(try context.fetch(none).isEmpty)
    let without = FetchRequest("Post", where: "mood == null", sortedBy: ["rank", "objectID"])
    #expect(try context.fetch(without) == posts)
    let values = try context.values(of: ["rank", "author"], FetchRequest("Post"))
    #expect(values.map { $0["rank"] } == values.map { $0["author"] } && values.count == 2)
    #expect(throws: QueryError.self) { try context.fetch(FetchRequest("Post", where: "scor > 1")) }
    posts[1]["scor"] = 2
    #expect(try context.fetch(FetchRequest("Post", where: "scor > 1")) == [posts[1]])
  }

  @Test func `S68: a text that does not parse points at the column, a closure is asked of each`()
    throws
  {
    let (_, context, posts) = try stage()
    let error = try #require(throws: QueryError.self) {
      try context.fetch(FetchRequest("Post", where: "score === 3"))
    }
    #expect("\(error)".contains("column"))
    let misspelt = try #require(throws: QueryError.self) {
      try context.fetch(FetchRequest("Post", where: "score > 3 AND titel == 'a'"))
    }
    #expect("\(misspelt)".contains("did you mean title?"))
    let request = FetchRequest("Post", where: "score > 5", sortedBy: ["title"])
    #expect(try context.fetch(request) == [posts[13], posts[6]])
  }

  @Test func `S70: counts, IDs and chosen values come without objects`() throws {
    let (stage, _, posts) = try stage()
    let other = stage.context()
    let request = FetchRequest("Post", where: "score == 6", sortedBy: ["title"])
    #expect(try other.count(request) == 2)
    #expect(try other.objectIDs(request) == [posts[13].objectID, posts[6].objectID])
    let rows = try other.values(of: ["title", "blog.name"], request)
    #expect(rows.map { $0["title"] } == ["post 13", "post 6"])
    #expect(rows.map { $0["blog.name"] } == ["south", "north"])
    #expect(other.registeredObjects.isEmpty)
  }

  @Test func `S26: a dynamic key can be observed and depended on`() throws {
    let stage = try Stage(try Headlines.model())
    let context = stage.context()
    let post = context.insert("Post")
    var heard: [String] = []
    let own = post.observe("mood", [.new]) { heard.append("mood \($0.new?.string ?? "-")") }
    let computed = post.observe("temper", [.new]) {
      heard.append("temper \($0.new?.string ?? "-")")
    }
    post["mood"] = "sunny"
    #expect(heard.sorted() == ["mood sunny", "temper sunny!"])
    own.cancel()
    computed.cancel()
  }

  @Test func `S39: a computed key sorts, and finds across a relationship`() throws {
    let stage = try Stage(try Headlines.model())
    let context = stage.context()
    let (posts, comment) = try Headlines.postsOfThree(in: context)
    let other = stage.context()
    let sorted = try other.fetch(FetchRequest("Post", sortedBy: ["-byline"]))
    #expect(sorted.map(\.objectID) == [posts[1], posts[0], posts[2]].map(\.objectID))
    let found = try other.fetch(FetchRequest("Comment", where: "post.byline == 'by c'"))
    #expect(found.map(\.objectID) == [comment.objectID])
  }
}
