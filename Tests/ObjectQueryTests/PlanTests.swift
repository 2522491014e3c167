import FoundationEssentials
import ObjectModel
import ObjectQuery
import TestSupport
import Testing

/// Plans as they explain themselves, and random plans against looking at every object.
struct PlanTests {
  private func explained(_ text: String, _ indexed: Set<String>) throws -> String {
    let query = try Query(text).bound(to: Blogs.model(), BlogKeys(), text: text)
    let keys = Set(indexed.map(Blogs.key))
    return QueryPlan(query) { keys.contains($0) }.explanation(of: query)
  }

  @Test func `S69: a plan says what it does`() throws {
    let indexed: Set = ["likes", "title", "blog", "score", "views", "postDate"]
    for (text, explanation) in [
      (
        "Post where likes BETWEEN {10, 20} AND mood == 'sunny' sort title limit 100",
        "index on likes from 10 to 20, then test mood == \"sunny\"; sort by title in memory, top 100"
      ),
      ("Post", "all objects of Post"),
      (
        "Post where mood = 'a' limit 3 offset 2",
        "all objects of Post, then test mood == \"a\"; first 3 after 2"
      ),
      ("Post where likes > 3 AND likes <= 9", "index on likes from 4 to 9"),
      ("Post where likes > 3 AND title == 'a'", "index on title at \"a\", then test likes > 3"),
      ("Post where likes IN {3, 1, 3} AND likes > 1", "index on likes at 3"),
      ("Post where likes IN {3, 1}", "index on likes among 1, 3"),
      ("Post where likes < 3 AND likes > 5", "nothing, as no object can pass"),
      ("Post where title BEGINSWITH 'ab'", "index on title from \"ab\" below \"ac\""),
      (
        "Post where title LIKE 'ab*c'",
        "index on title from \"ab\" below \"ac\", then test title LIKE \"ab*c\""
      ),
      ("Post where title ==[c] 'a'", "all objects of Post, then test title ==[c] \"a\""),
      ("Post where score > 1", "index on score above 1.0"),
      (
        "Post where likes = 1 OR title = 'a'",
        "index on likes at 1, or on title at \"a\", each object once"
      ),
      (
        "Post where likes > 3 sort likes, title limit 5 offset 2",
        "index on likes from 4; sort by likes, title along its index, top 5 after 2"
      ),
      (
        "Post sort -title limit 9",
        "all objects of Post; sort by title descending along its index, top 9"
      ),
      ("Post sort title limit 9", "all objects of Post; sort by title in memory, top 9"),
      (
        "Post sort -score limit 9", "all objects of Post; sort by score descending in memory, top 9"
      ),
      ("Post where likes = 1 OR likes > 3", "index on likes at 1 and from 4"),
      (
        "Post where likes = 1 OR mood = 'a'",
        "all objects of Post, then test likes == 1 OR mood == \"a\""
      ),
      (
        "Post where (likes = 1 AND mood = 'a') OR likes = 2",
        "index on likes among 1, 2, then test likes == 1 AND mood == \"a\" OR likes == 2"
      ),
      (
        "Post where likes != 3 AND NOT (likes = 4)",
        "all objects of Post, then test likes != 3 AND NOT (likes == 4)"
      ),
    ] {
      #expect(try explained(text, indexed) == explanation)
    }
  }

  @Test func `a relationship to one is asked for by its index`() throws {
    let uri = Blogs.id("Blog", 2).uri
    #expect(
      try explained("Post where blog = '\(uri)'", ["blog"]) == "index on blog at object('\(uri)')")
  }

  @Test func `a plan loses no object and finds none twice`() throws {
    let campaign = Campaign(count: "XJ_QUERY_PLANS", inGate: 1500)
    var dice = Dice(seed: campaign.seed)
    let posts = RandomPosts.posts(60, &dice)
    let names = ["likes", "score", "price", "title", "postDate", "views", "flag", "blog"]
    var indexedCount = 0
    for round in 0..<campaign.count {
      let filter: Filter = .and([
        RandomPosts.filter(&dice, depth: 2), RandomPosts.filter(&dice, depth: 1),
      ])
      let query = try Query(entity: "Post", where: filter).bound(to: Blogs.model(), BlogKeys())
      let indexed = Set(names.filter { _ in Bool.random(using: &dice) }.map(Blogs.key))
      let plan = QueryPlan(query) { indexed.contains($0) }
      let wanted = try posts.filter(query.filter.admits).map(\.objectID)
      var found: [ObjectID] = []
      switch plan.access {
      case .nothing: break
      case .all: found = try posts.filter { try plan.rest?.admits($0) ?? true }.map(\.objectID)
      case .index(let scan):
        indexedCount += 1
        // Found range by range, so that ranges that overlap would find an object twice.
        for range in scan.ranges {
          for post in posts where try range.contains(post.value(of: scan.key)) {
            if try plan.rest?.admits(post) ?? true { found.append(post.objectID) }
          }
        }
      case .union(let scans):
        indexedCount += 1
        for post in posts {
          let isFound = try scans.contains { scan in
            let value = try post.value(of: scan.key)
            return !value.isNull && scan.ranges.contains { $0.contains(value) }
          }
          if try isFound && plan.rest?.admits(post) ?? true { found.append(post.objectID) }
        }
      }
      guard found.sorted() == wanted.sorted() else {
        Issue.record("seed \(campaign.seed), round \(round): \(filter) by \(plan.access)")
        return
      }
    }
    #expect(indexedCount > campaign.count / 10)
  }
}
