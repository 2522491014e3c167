import FoundationEssentials
import ObjectModel
import ObjectQuery
import TestSupport
import Testing

/// Texts read and printed, random trees there and back, and hostile texts.
struct FilterTextTests {
  private func compare(
    _ left: Filter.Operand, _ relation: Filter.Relation, _ right: Filter.Operand,
    _ options: Filter.TextOptions = [], _ quantifier: Filter.Quantifier? = nil
  ) -> Filter {
    Filter(.init(left, relation, right, options: options, quantifier: quantifier))
  }

  @Test func `S68: text becomes the filter it says`() throws {
    let score = compare(.key("score"), .greater, 10)
    let mood = compare(.key("mood"), .equal, "sunny")
    #expect(try Filter("score > 10 AND mood == \"sunny\"") == .and([score, mood]))
    #expect(try Filter("score>10&&mood='sunny'") == .and([score, mood]))
    #expect(try Filter("not (score > 10 or mood = 'sunny')") == !(score || mood))
  }

  @Test func `AND binds tighter than OR, and NOT tighter than both`() throws {
    let parts = ["a", "b", "c"].map { compare(.key($0), .equal, 1) }
    #expect(
      try Filter("a = 1 OR b = 1 AND c = 1") == .or([parts[0], .and([parts[1], parts[2]])]))
    #expect(
      try Filter("NOT a = 1 AND (b = 1 OR c = 1)") == .and([!parts[0], .or([parts[1], parts[2]])]))
  }

  @Test func `every kind of comparison can be written`() throws {
    #expect(
      try Filter("title BEGINSWITH[cd] 'a'")
        == compare(.key("title"), .beginsWith, "a", [.ignoringCase, .ignoringDiacritics]))
    #expect(try Filter("likes IN {1, 2}") == compare(.key("likes"), .isIn, .list([1, 2])))
    #expect(try Filter("likes NOT IN {1}") == !compare(.key("likes"), .isIn, .list([1])))
    #expect(
      try Filter("likes BETWEEN {1, -2}") == compare(.key("likes"), .between, .list([1, -2])))
    #expect(try Filter("blog.title IS NOT NULL") == compare(.key("blog", "title"), .notEqual, nil))
    #expect(try Filter("flag") == compare(.key("flag"), .equal, true))
    #expect(
      try Filter("ANY comments.likes > 3")
        == compare(.key("comments", "likes"), .greater, 3, [], .any))
    #expect(
      try Filter("NONE comments (likes > 3)")
        == .related(.none, ["comments"], compare(.key("likes"), .greater, 3)))
    #expect(try Filter("comments.@count >= 2") == compare(.count(["comments"]), .greaterOrEqual, 2))
    #expect(
      try Filter("a + 2 * b ?? -(3) < 1.5")
        == compare(
          .otherwise(
            .arithmetic(.add, .key("a"), .arithmetic(.multiply, 2, .key("b"))), .negative(3)),
          .less, 1.5))
  }

  @Test func `literals of every kind can be written`() throws {
    let texts: [(String, Value)] = [
      ("null", .null), ("YES", true), ("-9223372036854775808", .integer(.min)), ("1e3", 1000.0),
      ("'it\\'s \\u{e9}\\n'", "it's é\n"),
      ("2001-01-02", .date(Date(timeIntervalSinceReferenceDate: 86_400))),
      ("2001-01-01T02:00:00.5+01:00", .date(Date(timeIntervalSinceReferenceDate: 3600.5))),
      ("decimal('1.50')", .decimal(Decimal(15) / 10)), ("data('AQI=')", .data(Data([1, 2]))),
      ("counter(3)", .counter(3)), ("[1, 'a']", [1, "a"]), ("[:]", [:]), ("['a': [1]]", ["a": [1]]),
      ("set(1, 2)", .set([1, 2])), ("real('inf')", .real(.infinity)),
      ("object('xjournal://0000000000000007/0/1/5')", .reference(Blogs.id("Post", 5))),
    ]
    for (text, value) in texts {
      #expect(try Filter("k == \(text)") == compare(.key("k"), .equal, .literal(value)))
    }
  }

  @Test func `a whole query can be written`() throws {
    let query = try Query("Post where likes > 3 sort -postDate, blog.title[c] limit 20 offset 5")
    #expect(query.entity == "Post")
    #expect(query.filter == compare(.key("likes"), .greater, 3))
    #expect(
      query.sort == ["-postDate", SortKey("blog", "title", options: .ignoringCase)])
    #expect(query.limit == 20 && query.offset == 5)
    #expect(try Query(query.description) == query)
    #expect(try Query("Post sort by title desc") == Query(entity: "Post", sort: ["-title"]))
  }

  @Test func `S68: a text that does not parse points at the column`() {
    let error = #expect(throws: QueryError.self) { try Filter("likes > 3 AND\n  title === 'a'") }
    #expect(error?.place?.line == 2 && error?.place?.column == 11)
    #expect(
      error?.description == """
        line 2, column 11: Here there is ‘=’, where a key, a value or a parenthesis is expected.
          title === 'a'
                  ^
        """)
  }

  @Test(arguments: [
    ("", 1), ("likes >", 8), ("likes > 3 4", 11), ("'a", 1), ("likes > 'a\\q'", 11), ("(a = 1", 7),
    ("a = 99999999999999999999", 5), ("a = 2001-02-29", 5), ("a = 3x", 6), ("a ~ 3", 3), ("3", 1),
    ("a = uuid('x')", 5), ("a = frob(1)", 5), ("ANY a", 6), ("`a = 1", 1), ("a IS 3", 6),
    ("(a = 1) + 2 = 3", 1), ("a = ['x': 1, 'x': 2]", 14), ("NOT", 4), ("a.b. = 3", 6),
  ])
  func `what cannot be read is refused at its column`(text: String, column: Int) {
    let error = #expect(throws: QueryError.self) { try Filter(text) }
    #expect(error?.place?.column == column, "\(error?.description ?? "") of \(text)")
  }

  @Test func `depth and size are bounded`() {
    for text in [
      String(repeating: "(", count: 5000), String(repeating: "NOT ", count: 5000) + "a",
      "a = " + String(repeating: "[", count: 5000),
      "a = " + String(repeating: "-", count: 5000) + "b",
      "a = 1" + String(repeating: " + 1", count: 5000), String(repeating: "ANY a (", count: 5000),
      String(repeating: "a = 1 OR ", count: 20_000) + "a = 1",
    ] {
      let error = #expect(throws: QueryError.self) { try Filter(text) }
      #expect(error?.code == .tooLarge)
    }
    let wide = String(repeating: "a = 1 OR ", count: 5000) + "a = 1"
    #expect(throws: Never.self) { try Filter(wide) }
  }

  @Test func `what a filter is printed as reads back as the same filter`() throws {
    let campaign = Campaign(count: "XJ_QUERY_TEXTS", inGate: 2000)
    var dice = Dice(seed: campaign.seed)
    for round in 0..<campaign.count {
      let filter = RandomFilter.any(&dice, depth: 4)
      let text = filter.description
      let back = try Filter(text)
      guard back == filter else {
        Issue.record("seed \(campaign.seed), round \(round): \(text) reads back as \(back)")
        return
      }
    }
  }

  @Test func `no text crashes the parser, and what it takes it prints`() throws {
    let campaign = Campaign(count: "XJ_QUERY_TEXTS", inGate: 3000)
    var dice = Dice(seed: campaign.seed)
    let pieces = [
      "likes", "title", " ", ">", "==", "AND", "NOT", "(", ")", "{", "}", "[", "]", "'", "\"", "`",
      "\\", "3", "2026-11-21", "T10:00", "ANY", ".", "@count", "-", "+", ",", "IN", "null", "é",
      "\u{301}", "\u{0}", "date(", "e9", "set(", ":", "??", "IS", "sort", "limit", "SELF", "\n",
    ]
    for _ in 0..<campaign.count {
      var text = RandomFilter.any(&dice, depth: 3).description
      if Int.random(in: 0..<3, using: &dice) == 0 { text = "" }
      for _ in 0..<Int.random(in: 1...8, using: &dice) {
        let scalars = Array(text.unicodeScalars)
        let place = Int.random(in: 0...scalars.count, using: &dice)
        let cut = Int.random(in: 0...min(2, scalars.count - place), using: &dice)
        var mutated = String.UnicodeScalarView()
        mutated.append(contentsOf: scalars[..<place])
        mutated.append(contentsOf: (pieces.randomElement(using: &dice) ?? "").unicodeScalars)
        mutated.append(contentsOf: scalars[(place + cut)...])
        text = String(mutated)
      }
      do throws(QueryError) {
        let filter = try Filter(text)
        let back = try Filter(filter.description)
        #expect(back == filter, "seed \(campaign.seed): \(text)")
      } catch {
        #expect(error.place != nil && !error.description.isEmpty)
      }
      _ = try? Query("Post where " + text)
    }
  }
}
