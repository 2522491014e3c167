import FoundationEssentials
import ObjectModel
import ObjectQuery
import TestSupport
import Testing

/// What each comparison does with every kind of value, and random filters against the slow evaluator.
struct EvaluationTests {
  @Test func `null equals null alone, and is neither smaller nor larger than anything`() throws {
    #expect(try admits("likes == null") && admits("likes IS NULL") && admits("likes != 3"))
    for text in [
      "likes < 3", "likes >= 3", "likes < null", "likes BETWEEN {0, 9}", "title CONTAINS ''",
    ] {
      #expect(try !admits(text) && admits("NOT \(text)"))
    }
    #expect(try admits("likes IN {1, null}") && !admits("blog.title == 'a'"))
  }

  @Test func `numbers of all kinds are compared by what they amount to, without rounding`() throws {
    #expect(try admits("likes == 3.0", ["likes": 3]) && admits("likes < 3.5", ["likes": 3]))
    #expect(try admits("views == 3 AND views < likes", ["views": .counter(3), "likes": 4]))
    #expect(try admits("price == 1.1", ["price": .decimal(Decimal(11) / 10)]))
    #expect(try admits("score == decimal('0.1')", ["score": 0.1]))
    let large = ["likes": Value.integer(9_007_199_254_740_993)]
    #expect(try admits("likes > 9007199254740992.0", large))
    #expect(try admits("likes < 1e300 AND likes > -1e300", large))
    #expect(
      try admits("score == 0", ["score": -0.0]) && !admits("score == score", ["score": .real(.nan)])
    )
  }

  @Test func `what cannot be compared is not the same, has no order, and is no error`() throws {
    let post: [String: Value] = ["mood": "3", "likes": 3]
    for text in ["mood == 3", "mood < 9", "mood == likes", "title == likes", "mood IN {3}"] {
      #expect(try !admits(text, post))
    }
    #expect(try admits("mood != 3", post))
  }

  @Test func `texts are looked into, with capitals and marks told apart or not`() throws {
    let post: [String: Value] = ["title": "Crème Brûlée"]
    for text in [
      "title CONTAINS 'Br'", "title BEGINSWITH[c] 'crème'", "title ENDSWITH[d] 'lee'",
      "title ==[cd] 'creme brulee'", "title LIKE 'Cr?me*'", "title LIKE[cd] '*BRU*'",
      "title MATCHES 'Cr.me .*'", "title MATCHES[c] 'crème .*'", "title IN[cd] {'creme brulee'}",
    ] {
      #expect(try admits(text, post), "\(text)")
    }
    for text in [
      "title CONTAINS 'br'", "title LIKE 'Cr?me'", "title MATCHES 'Cr'", "title == 'Creme'",
    ] {
      #expect(try !admits(text, post), "\(text)")
    }
    #expect(try admits("title LIKE 'a\\\\*'", ["title": "a*"]))
    #expect(try !admits("title LIKE 'a\\\\*'", ["title": "ab"]))
    #expect(try admits("title ==[d] 'Øe'", ["title": "Øé"]))
  }

  @Test func `literals become what the attribute holds`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 86_400)
    #expect(
      try admits("postDate >= '2001-01-02' AND postDate < 2001-01-03", ["postDate": .date(date)]))
    let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    #expect(try admits("number == 'e621e1f8-c36c-495a-93fc-0c247a3e6e5f'", ["number": .uuid(uuid)]))
    let url = try #require(URL(string: "https://example.org/a"))
    #expect(try admits("link == 'https://example.org/a'", ["link": .url(url)]))
    #expect(try admits("link CONTAINS 'org'", ["link": .url(url)]))
    #expect(try admits("bytes == 'AQI='", ["bytes": .data(Data([1, 2]))]))
    #expect(try admits("price == '1.50'", ["price": .decimal(Decimal(15) / 10)]))
    #expect(try admits("flag == 1 AND flag", ["flag": true]))
    #expect(try admits("tags == {'a', 'b'}", ["tags": .set(["b", "a"])]))
    #expect(try admits("settings.theme == 'dark'", ["settings": ["theme": "dark"]]))
    #expect(
      try admits(
        "settings.@count == 1 AND tags.count = 0", ["settings": ["a": 1], "tags": .set([])]))
  }

  @Test
  func
    `arithmetic is that of whole numbers where both are whole, and null where there is no result`()
    throws
  {
    let post: [String: Value] = [
      "likes": 7, "score": 2, "price": .decimal(Decimal(15) / 10), "views": .counter(2),
    ]
    for text in [
      "likes / 2 == 3", "likes / 2.0 == 3.5", "likes % 4 = 3", "likes * views + 1 == 15",
      "price * 2 == 3", "-likes < 0", "likes - 2 - 3 == 2", "2 + 3 * 2 = 8", "(rank ?? 5) = 5",
      "likes / 0 == null", "likes + 9223372036854775807 == null", "likes + rank == null",
    ] {
      #expect(try admits(text, post), "\(text)")
    }
  }

  @Test func `paths lead across relationships, and quantifiers go over many`() throws {
    let (blog, post, none) = (
      Thing("Blog", 1, ["title": "News"]), Thing("Post", 1), Thing("Post", 2)
    )
    post.one[Blogs.key("blog")] = blog
    blog.many[Blogs.key("posts")] = [post, none]
    post.many[Blogs.key("comments")] = [
      Thing("Comment", 1, ["likes": 1, "text": "x"]),
      Thing("Comment", 2, ["likes": 5, "text": "y"]),
    ]
    for text in [
      "blog.title == 'News'", "ANY comments.likes > 3", "NONE comments.likes > 5",
      "ALL comments.likes >= 1", "comments.@count == 2", "comments.count > 1",
      "ANY comments (likes > 3 AND text == 'y')", "NONE comments (likes > 3 AND text == 'x')",
      "blog.posts.@count == 2", "ANY blog.posts.comments.text == 'x'",
      "comments CONTAINS object('\(Blogs.id("Comment", 2).uri)')",
      "blog == '\(blog.objectID.uri)' AND blog.objectID == '\(blog.objectID.uri)'",
      "objectID IN {'\(post.objectID.uri)'} AND SELF == objectID",
      "ANY comments.post == null", "double == null",
    ] {
      #expect(try Filter(text).bound().admits(post), "\(text)")
    }
    let lonely = try Filter("ANY comments.likes > 0 OR blog != null").bound()
    #expect(try !lonely.admits(none))
    #expect(try Filter("ALL comments.likes > 9 AND blog.title == null").bound().admits(none))
  }

  @Test func `S39: virtual and dynamic keys are filtered by like others`() throws {
    #expect(try admits("double > 5 AND mood == 'sunny'", ["likes": 3, "mood": "sunny"]))
    #expect(try !admits("double > 6", ["likes": 3]))
    // Of what may have any key, who knows that none but those it knows were used refuses the others.
    let anything = try Filter("anything == null")
    #expect(try anything.bound("Post", BlogKeys(allowsUnusedKeys: true)).admits(Thing("Post", 1)))
    #expect(throws: QueryError.self) { try anything.bound() }
  }

  @Test func `a random filter says of random posts what the slow evaluator says`() throws {
    let campaign = Campaign(count: "XJ_QUERY_FILTERS", inGate: 1500)
    var dice = Dice(seed: campaign.seed)
    let posts = RandomPosts.posts(40, &dice)
    for round in 0..<campaign.count {
      let filter = RandomPosts.filter(&dice, depth: 3)
      let bound = try filter.bound()
      for post in posts {
        let (ours, theirs) = (try bound.admits(post), try NaiveFilter(object: post).admits(filter))
        guard ours == theirs else {
          Issue.record(
            "seed \(campaign.seed), round \(round): \(filter) is \(ours) of \(post.values)")
          return
        }
        let columns = bound.columnTests.allSatisfy { test in
          test.test.admits(
            post.values[test.key] ?? post.one[test.key].map { .reference($0.objectID) } ?? .null)
        }
        let byColumns = try columns && (bound.besideColumnTests?.admits(post) ?? true)
        #expect(bound.constant == false || byColumns == ours, "\(filter)")
      }
    }
  }
}
