import FoundationEssentials
import ObjectModel
import ObjectQuery
import Testing

/// What a program's classes look like to a predicate.
final class Writer {
  var title = ""
  var name: String? = nil
}
final class Article {
  var flag = true
  var likes = 0
  var score: Double = 0
  var rank: Int? = nil
  var headline: String? = nil
  var title = ""
  var postDate = Date(timeIntervalSinceReferenceDate: 0)
  var blog: Writer? = nil
  var blogID: ObjectID? = nil
  var comments: [Article] = []
  var tags: Set<String> = []
  var settings: [String: Int] = [:]
}

/// Predicates as filters, operator by operator, and what is refused.
struct PredicateTests {
  private func filter(_ predicate: Predicate<Article>) throws -> String {
    let names: [AnyKeyPath: String] = [
      \Article.flag: "flag", \Article.likes: "likes", \Article.score: "score",
      \Article.rank: "rank",
      \Article.headline: "headline", \Article.title: "title", \Article.postDate: "postDate",
      \Article.blog: "blog", \Article.blogID: "blog", \Article.comments: "comments",
      \Article.tags: "tags", \Article.settings: "settings", \Writer.title: "title",
      \Writer.name: "name",
    ]
    return try Filter(predicate) { names[$0] }.description
  }

  @Test func `S68: a predicate says as a filter what it says in a program`() throws {
    let (least, day) = (3, Date(timeIntervalSinceReferenceDate: 86_400))
    let id: ObjectID? = Blogs.id("Blog", 2)
    let wanted = [1, 2]
    let range = 1...5
    try expect(
      #Predicate { $0.likes > least && $0.title.contains("Hello") },
      "likes > 3 AND title CONTAINS \"Hello\"")
    try expect(
      #Predicate { $0.blog?.title == "x" || !($0.flag) },
      "blog.title == \"x\" OR NOT (flag == true)")
    try expect(
      #Predicate { $0.blogID == id }, "blog == object('\(Blogs.id("Blog", 2).uri)')")
    try expect(#Predicate { ($0.rank ?? 0) > 3 }, "rank ?? 0 > 3")
    try expect(
      #Predicate { $0.headline?.contains("a") ?? false },
      "headline != null AND headline CONTAINS \"a\"")
    try expect(
      #Predicate { $0.headline?.contains("a") == true },
      "headline != null AND headline CONTAINS \"a\"")
    try expect(#Predicate { $0.headline == nil }, "headline == null")
    try expect(#Predicate { $0.headline!.starts(with: "a") }, "headline BEGINSWITH \"a\"")
    try expect(#Predicate { $0.comments.contains { $0.likes > 2 } }, "ANY comments.likes > 2")
    try expect(
      #Predicate { $0.comments.contains { $0.likes > 2 && $0.flag } },
      "ANY comments (likes > 2 AND flag == true)")
    try expect(#Predicate { $0.comments.allSatisfy { $0.likes > 2 } }, "ALL comments.likes > 2")
    try expect(#Predicate { $0.tags.contains { $0 == "a" } }, "ANY tags == \"a\"")
    try expect(#Predicate { $0.comments.count > 1 }, "comments.@count > 1")
    try expect(#Predicate { $0.comments.isEmpty }, "comments.@count == 0")
    try expect(#Predicate { $0.tags.contains("a") }, "tags CONTAINS \"a\"")
    try expect(#Predicate { wanted.contains($0.likes) }, "likes IN [1, 2]")
    try expect(#Predicate { (1...3).contains($0.likes) }, "likes BETWEEN {1, 3}")
    try expect(#Predicate { (1..<3).contains($0.likes) }, "likes >= 1 AND likes < 3")
    try expect(#Predicate { range.contains($0.likes) }, "likes BETWEEN {1, 5}")
    try expect(#Predicate { $0.postDate >= day }, "postDate >= 2001-01-02T00:00:00Z")
    try expect(#Predicate { $0.likes / 2 == 1 }, "likes / 2 == 1")
    try expect(#Predicate { $0.score / 2 > 1 }, "score / 2.0 > 1.0")
    try expect(#Predicate { $0.likes % 2 != 0 }, "likes % 2 != 0")
    try expect(#Predicate { -$0.likes * 2 + 1 < 3 }, "(-(likes) * 2) + 1 < 3")
    try expect(
      #Predicate { $0.flag ? $0.likes > 1 : $0.likes > 2 },
      "flag == true AND likes > 1 OR NOT (flag == true) AND likes > 2")
    try expect(#Predicate { $0.settings["a"] == 1 }, "settings.a == 1")
    try expect(#Predicate { $0.settings["a", default: 2] == 1 }, "settings.a ?? 2 == 1")
    try expect(#Predicate { _ in true }, "true")
  }

  @Test func `S68: what is known of a closure still asks for what the closure is over`() throws {
    let (isWanted, least) = (true, 3)
    try expect(#Predicate { $0.comments.contains { _ in isWanted } }, "ANY comments (true)")
    try expect(#Predicate { $0.comments.allSatisfy { _ in false } }, "ALL comments (false)")
    try expect(
      #Predicate { $0.comments.contains { $0.likes > 2 && isWanted } },
      "ANY comments (likes > 2 AND true)")
    try expect(
      #Predicate { $0.comments.contains { _ in least > 2 } }, "ANY comments (3 > 2)")
    try expect(
      #Predicate { $0.headline.flatMap { _ in isWanted } ?? false }, "headline != null AND true")
    try expect(
      #Predicate { $0.headline.flatMap { _ in false } ?? true }, "NOT (headline != null) OR false")
    try expect(
      #Predicate { $0.headline.flatMap { _ in isWanted } == true }, "headline != null AND true")
    try expect(
      #Predicate { $0.blog.flatMap { $0.name } == "x" }, "blog.name == \"x\"")
    try expect(#Predicate { ($0.rank.flatMap { $0 + 1 } ?? 0) > 3 }, "(rank + 1) ?? 0 > 3")
    try refuse(#Predicate { $0.rank.flatMap { _ in least } == 3 }, "OptionalFlatMap")
    try refuse(#Predicate { $0.blog.flatMap { $0.name ?? "x" } == "x" }, "OptionalFlatMap")
    try refuse(
      #Predicate { article in article.headline.flatMap { _ in article.rank } == 3 },
      "OptionalFlatMap")
  }

  @Test func `what no filter can say is refused by its name`() throws {
    try refuse(#Predicate { $0.comments.filter { $0.likes > 1 }.count > 2 }, "Filter")
    try refuse(#Predicate { $0.comments[0].likes > 2 }, "CollectionIndexSubscript")
    try refuse(
      #Predicate { article in article.comments.contains { $0.likes > article.likes } }, "Variable")
    try refuse(#Predicate { ($0.likes > 1) == ($0.likes > 2) }, "Equal")
    try refuse(#Predicate { $0.comments.first?.likes == 1 }, "no key")
    try refuse(#Predicate { ($0.flag ? $0.likes : 2) > 3 }, "Conditional")
  }

  private func expect(_ predicate: Predicate<Article>, _ text: String) throws {
    #expect(try filter(predicate) == text)
    #expect(try Filter(text).description == text)
  }

  private func refuse(_ predicate: Predicate<Article>, _ name: String) throws {
    let error = #expect(throws: QueryError.self) { try filter(predicate) }
    #expect(error?.code == .untranslatable)
    #expect(error?.message.contains(name) ?? false, "\(error?.message ?? "")")
  }
}
