import FoundationEssentials
import ObjectModel
import ObjectQuery
import Testing

/// What docs/query.md says by example.
struct QueryDocumentTests {
  @Test func `filters and queries are made as the page says`() throws {
    let text = try Filter("score > 10 AND mood == 'sunny'")
    let tree =
      Filter(.init(.key("score"), .greater, 10)) && Filter(.init(.key("mood"), .equal, "sunny"))
    #expect(text == tree && tree.description == "score > 10 AND mood == \"sunny\"")
    let query = try Query("Post where likes > 3 sort -postDate limit 20")
    #expect(
      query == Query(entity: "Post", where: try Filter("likes > 3"), sort: ["-postDate"], limit: 20)
    )
  }

  @Test func `every query of the page can be read, printed and bound`() throws {
    let queries = try examples("query")
    #expect(queries.count >= 8)
    for text in queries {
      let query = try Query(text)
      #expect(try Query(query.description) == query)
      _ = try query.bound(to: Blogs.model(), BlogKeys(), text: text)
    }
  }

  @Test func `the page shows the words that errors and plans have`() throws {
    let page = try examples("").joined(separator: "\n")
    let error = #expect(throws: QueryError.self) { try Filter("  title === 'a'") }
    #expect(page.contains(try #require(error?.description)))
    var strict = try Blogs.model().descriptions
    for index in strict.indices { strict[index].allowsAnyKey = false }
    let model = try ManagedObjectModel(entities: strict)
    let text = "likes > 3 AND titel == 'a'"
    let entity = try #require(model.entity(named: "Post"))
    let unknown = #expect(throws: QueryError.self) {
      try Filter(text).bound(to: entity, of: model, BlogKeys(), text: text)
    }
    #expect(page.contains(try #require(unknown?.description)))
    let query = try Query(
      "Post where likes BETWEEN {10, 20} AND mood = 'sunny' sort title limit 100"
    )
    .bound(to: Blogs.model(), BlogKeys())
    let plan = QueryPlan(query) { $0 == Blogs.key("likes") }
    #expect(page.contains(plan.explanation(of: query)))
  }

  /// The lines of the page's fenced blocks of a language.
  private func examples(_ language: String) throws -> [String] {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let data = try Data(contentsOf: URL(filePath: "/\(root)/docs/query.md"))
    var (lines, open): ([String], String?) = ([], nil)
    for line in String(decoding: data, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    {
      if line.hasPrefix("```") {
        open = open == nil ? String(line.dropFirst(3)) : nil
      } else if open == language {
        lines.append(String(line))
      }
    }
    return lines
  }
}
