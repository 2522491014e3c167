import ObjectModel
import ObjectQuery
import Testing

/// Filters and queries against a model: what is refused, where, and in which words.
struct BindingTests {
  @Test(arguments: [
    ("likes > 3 AND titel == 'a'", 15, "Post has no key titel; did you mean title?"),
    ("blog.titel == 'a'", 6, "Blog has no key titel; did you mean title?"),
    ("title == 'a' OR blog.tilte == 'b'", 22, "Blog has no key tilte; did you mean title?"),
    ("dubble = 3", 1, "Post has no key dubble; did you mean double?"),
    (
      "ANY comments (text = 'a' AND lieks > 3)", 30, "Comment has no key lieks; did you mean likes?"
    ),
    ("likes == 'a'", 1, "likes is of type integer and cannot be compared with \"a\"."),
    (
      "likes > 1 AND likes IN {2, 'a'}", 15,
      "likes is of type integer and cannot be compared with \"a\"."
    ),
    ("postDate < 'soon'", 1, "postDate is of type date and cannot be compared with \"soon\"."),
    ("'x' == flag", 8, "flag is of type boolean and cannot be compared with \"x\"."),
    ("blog < null", 1, "blog is of type object, for which there is no <."),
    ("likes LIKE 'a'", 1, "likes is of type integer, for which there is no LIKE."),
    (
      "comments.likes > 3", 1,
      "comments.likes leads to many objects; say ANY, ALL or NONE before it, or count them by @count."
    ),
    ("ANY title == 'a'", 5, "title leads to one value, so ANY, ALL and NONE say nothing of it."),
    ("title.length > 3", 7, "Post.title holds values of type string, in which there are no keys."),
    (
      "title MATCHES '('", 1,
      "‘(’ is no regular expression, or has what is not matched here: see MATCHES in docs/query.md."
    ),
    ("title + 1 > 3", 1, "title is no number, so nothing can be calculated with it."),
    ("likes BETWEEN {1}", 1, "BETWEEN needs two values, as in likes BETWEEN {1, 10}."),
  ])
  func `what can never be is refused at its key, in a sentence`(
    text: String, column: Int, message: String
  ) throws {
    let model = try strict()
    let entity = try #require(model.entity(named: "Post"))
    let filter = try Filter(text)
    let error = #expect(throws: QueryError.self) {
      try filter.bound(to: entity, of: model, BlogKeys(), text: text)
    }
    #expect(error?.message == message)
    #expect(error?.place?.column == column, "\(error?.description ?? "")")
  }

  @Test func `a query points at unknown entities and sort keys too`() throws {
    let model = try strict()
    for (text, column, message) in [
      ("Pots where likes > 3", 1, "The model has no entity Pots; did you mean Post?"),
      (
        "Post where title = 'a' sort likes, -tilte", 37,
        "Post has no key tilte; did you mean title?"
      ),
      ("Post where lieks = 3 sort likes", 12, "Post has no key lieks; did you mean likes?"),
    ] {
      let query = try Query(text)
      let error = #expect(throws: QueryError.self) {
        try query.bound(to: model, BlogKeys(), text: text)
      }
      #expect(
        error?.message == message && error?.place?.column == column, "\(error?.description ?? "")")
    }
  }

  @Test func `what is known without an object is worked out once`() throws {
    #expect(try Filter("1 + 1 == 2 OR likes > 3").bound().constant == true)
    #expect(try Filter("likes > 3 AND 'a' == 'b'").bound().constant == false)
    #expect(try Filter("NOT false").bound().constant == true)
    #expect(try Filter("likes > 3").bound().constant == nil)
  }

  @Test func `a filter made too deep by a program is refused`() throws {
    var filter = Filter(.init(.key("likes"), .equal, 1))
    for _ in 0..<200 { filter = .not(.and([filter, .all])) }
    let error = #expect(throws: QueryError.self) { try filter.bound() }
    #expect(error?.code == .tooLarge)
  }

  /// The model of blogs, with no key allowed that it does not have.
  private func strict() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      entities: Blogs.model().descriptions.map { description in
        var description = description
        description.allowsAnyKey = false
        return description
      })
  }
}
