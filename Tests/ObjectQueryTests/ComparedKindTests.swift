import FoundationEssentials
import ObjectModel
import ObjectQuery
import Testing

/// What comparisons make of values that are seldom met: reals and decimals that are calculated with, members, lists of
/// keys, and literals that must become what a key holds.
struct ComparedKindTests {
  private static let url = "https://example.org/A"

  private func post() throws -> [String: Value] {
    [
      "flag": true, "likes": 7, "score": 1.5, "price": .decimal(Decimal(5) / 2), "title": "Hello",
      "bytes": .data(Data([1])), "postDate": .date(Date(timeIntervalSinceReferenceDate: 0)),
      "link": .url(try #require(URL(string: Self.url))), "settings": ["theme": ["deep": 1]],
      "views": .counter(2), "tags": .set(["A", "b"]), "shape": ["x", "y"],
      "mood": ["one", "two"],
    ]
  }

  @Test(arguments: [
    "score + 1 == 2.5", "score - 1 == 0.5", "score * 2.0 == 3", "score / 2 == 0.75",
    "price + 1 == 3.5", "price - 1 == 1.5", "price * 2 == 5", "price / 2 == 1.25",
    "-score == -1.5", "-price < -2", "-views == -2", "-(rank ?? 3) == -3",
  ])
  func `reals and decimals are calculated with as such`(text: String) throws {
    #expect(try admits(text, try post()), "\(text)")
  }

  @Test(arguments: [
    "score % 2 == 0", "price % 2 == 0", "score / 0 == 0", "price / 0 == 0",
    "score * 1e308 * 10 > 0",
    "-mood == 0", "price + shape > 0", "score + shape > 0", "-shape == 0",
  ])
  func `what has no result is null, which is like nothing but null`(text: String) throws {
    #expect(try !admits(text, try post()), "\(text)")
    let left = text.prefix { !"=>".contains($0) }
    #expect(try admits("\(left) == null", try post()), "\(text)")
  }

  @Test(arguments: [
    "likes IN {views, 7}", "likes BETWEEN {views, 10}", "likes BETWEEN {1, likes}",
    "'A' IN tags", "['Hello', 'x'] CONTAINS title", "'y' IN shape", "mood CONTAINS 'one'",
    "ANY mood == 'two'", "NONE mood == 'three'", "ANY tags ==[c] 'a'", "ALL shape != 'z'",
    "link ==[c] 'HTTPS://EXAMPLE.ORG/a'", "tags ==[c] {'a', 'B'}", "'a' IN[c] tags",
    "settings.theme.deep == 1", "settings.title.deep == null", "settings.theme.deep.more == null",
    "mood.@count == 2", "null ?? 3 == 3", "3 ?? likes == 3",
    "(rank ?? likes) == 7", "(score ?? likes) == 1.5",
    "flag != 0", "flag == 1", "views == 2.0", "score >= 1", "price == 2.5", "postDate < 2001-01-02",
    "title >= 'H' AND 'I' > title", "3 <= likes AND 8 >= likes AND 9 != likes", "1 IN {1, 2}",
    "title MATCHES title",
  ])
  func `members, lists and literals on either side are compared as what they are`(
    text: String
  ) throws {
    #expect(try admits(text, try post()), "\(text)")
  }

  @Test(arguments: [
    "likes IN {views, 8}", "likes BETWEEN {views, 3}", "'c' IN tags",

    "title MATCHES shape", "title LIKE shape", "title BEGINSWITH shape", "title ENDSWITH shape",
    "mood BEGINSWITH 'one'", "mood ENDSWITH 'one'", "mood LIKE 'one'", "mood MATCHES 'one'",
    "mood BETWEEN {1, 2}", "rank CONTAINS 'a'", "title CONTAINS shape", "likes IN mood",
    "title == 'hello'", "price < decimal('nan')", "price > decimal('nan')", "1 IN {2, 3}",
  ])
  func `what is not so is not so, whatever kinds meet`(text: String) throws {
    #expect(try !admits(text, try post()), "\(text)")
  }

  @Test(arguments: [
    ("flag == 2", "flag is of type boolean and cannot be compared with 2."),
    ("settings == 'a'", "settings is of type dictionary and cannot be compared with \"a\"."),
    ("tags == 3", "tags is of type set and cannot be compared with 3."),
    ("blog == 3", "blog is of type object and cannot be compared with 3."),
    ("title == 3", "title is of type string and cannot be compared with 3."),
    (
      "comments.@count == 'a'",
      "comments.@count is of type integer and cannot be compared with \"a\"."
    ),
    ("likes + 1 == 'a'", "likes + 1 is of type number and cannot be compared with \"a\"."),
    ("likes IN {views, 'a'}", "likes is of type integer and cannot be compared with \"a\"."),
    ("likes IN 3", "likes is of type integer and cannot be compared with 3."),
    ("3 IN likes", "likes is of type integer, for which there is no IN."),
    ("3 IN comments", "comments is of type objects and cannot be compared with 3."),
    ("title LIKE 3", "title is of type string and cannot be compared with 3."),
    ("tags < 3", "tags is of type set, for which there is no <."),
    ("settings BETWEEN {1, 2}", "settings is of type dictionary, for which there is no BETWEEN."),
    ("likes CONTAINS 3", "likes is of type integer, for which there is no CONTAINS."),
    ("likes BETWEEN {views, 2, 3}", "BETWEEN needs two values, as in likes BETWEEN {1, 10}."),
    ("(likes ?? 'a') == 3", "likes is of type integer and cannot be compared with \"a\"."),
    ("likes.@count == 1", "likes holds nothing that could be counted."),
    ("ANY title (likes > 3)", "title leads to no objects that could be filtered."),
    ("double.a.b == 3 AND titel == 2", "Post has no key titel; did you mean title?"),
  ])
  func `what can never be is refused, and says of which type its key is`(
    text: String, message: String
  ) throws {
    let model = try ManagedObjectModel(
      entities: Blogs.model().descriptions.map { entity in
        var entity = entity
        entity.allowsAnyKey = false
        return entity
      })
    let entity = try #require(model.entity(named: "Post"))
    let error = #expect(throws: QueryError.self) {
      try Filter(text).bound(to: entity, of: model, BlogKeys(), text: text)
    }
    #expect(error?.message == message, "\(error?.message ?? "")")
  }

  @Test(arguments: ["==", "!=", "<", "<=", ">", ">=", "BEGINSWITH", "ENDSWITH"])
  func `S69: what the bytes of a text tell is what the text tells`(relation: String) throws {
    let texts = ["", "a", "ab", "abc", "b", "ba", "é", "ab\u{301}", "\0", "zebra"]
    for other in texts {
      let filter = Filter(
        .init(
          .key("title"), try #require(Filter.Relation(rawValue: relation)), .literal(.string(other))
        ))
      let bound = try filter.bound()
      let (key, test) = try #require(bound.columnTests.first)
      let bytes = try #require(test.byteTest)
      #expect(key == Blogs.key("title") && bound.besideColumnTests == nil)
      for text in texts {
        let isSo = test.admits(.string(text))
        #expect(
          Array(text.utf8).withUnsafeBytes { bytes.admits($0) } == isSo,
          "\(text) \(relation) \(other)")
        #expect(try bound.admits(Thing("Post", 1, ["title": .string(text)])) == isSo)
      }
    }
  }

  @Test func `S69: a column cannot tell where a text is folded, or no text is meant`() throws {
    for text in [
      "title ==[c] 'a'", "title LIKE 'a*'", "title IN {'a'}", "likes == 3", "title == null",
    ] {
      #expect(try Filter(text).bound().columnTests.first?.test.byteTest == nil, "\(text)")
    }
    #expect(try Filter("likes < 3").bound().columnTests.first?.test.integerBounds?.upper == 2)
    #expect(
      try Filter("likes > 9223372036854775807").bound().columnTests.first?.test.integerBounds == nil
    )
    let least = "likes < -9223372036854775808"
    #expect(try Filter(least).bound().columnTests.first?.test.integerBounds == nil)
    #expect(try !admits(least, ["likes": .integer(.min)]))
    #expect(try !admits("likes > 9223372036854775807", ["likes": .integer(.max)]))
  }
}
