import Foundation
import Testing

/// The statements that objects and patches must obey (docs/semantics.md), and the tests whose names begin with their numbers.
@Suite struct StatementTests {
  /// Those that no other system keeps have two tests at least.
  private static let unheardOf: Set<String> = [
    "S6", "S25", "S26", "S35", "S37", "S39", "S50", "S51", "S52", "S75", "S76",
  ]

  @Test func `every statement about objects, contexts and patches has a test`() throws {
    var counts: [String: Int] = [:]
    let repository = Repository.this
    for (_, text) in try repository.texts(repository.paths(in: "Tests", endingWith: ".swift")) {
      for match in text.matches(of: #/func\s+`(S\d+b?): /#) {
        counts[String(match.1), default: 0] += 1
      }
    }
    let statements = (1...81).map { "S\($0)" } + ["S76b"]
    let missing = statements.filter {
      counts[$0, default: 0] < (Self.unheardOf.contains($0) ? 2 : 1)
    }
    #expect(missing == [])
  }
}
