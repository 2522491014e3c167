// How much a filter holds grows with everything in it that may be large.

import Foundation
import ObjectModel
import ObjectQuery
import Testing

@Suite struct FilterWeightTests {
  private func weight(of text: String) throws -> Int { try Filter(text).weight }

  @Test func `what a filter holds more of is heavier`() throws {
    let pairs = [
      ("score == 1", "score IN {1, 2, 3}"), ("title == 'a'", "title == 'abc'"),
      ("a == 1", "a == 1 AND b == 1"), ("a == 1", "NOT a == 1"), ("a == 1", "a.b == 1"),
      ("a == 1", "-a == 1"), ("a == 1", "a + b == 1"), ("a == 1", "a ?? b == 1"),
      ("a.@count == 1", "a.b.@count == 1"),
    ]
    for (light, heavy) in pairs {
      guard let one = try? weight(of: light), let other = try? weight(of: heavy) else {
        Issue.record("\(light), \(heavy)")
        continue
      }
      #expect(one < other, "\(light), \(heavy)")
    }
  }

  @Test func `values are as heavy as what they hold`() throws {
    func weight(_ value: Value) -> Int {
      Filter(Filter.Comparison(.key("a"), .equal, .literal(value))).weight
    }
    let thousand = String(repeating: "x", count: 1_000)
    let url = try #require(URL(string: "https://example.org/\(thousand)"))
    let values: [Value] = [
      .string(thousand), .data(Data(count: 1_000)), .url(url),
      .array((0..<1_000).map { .integer($0) }), .set(Set((0..<1_000).map { .integer($0) })),
      .dictionary([thousand: 1]), .array([.dictionary(["a": .string(thousand)])]),
    ]
    for value in values { #expect(weight(value) > 1_000 && weight(value) < 2_100) }
    #expect(weight(1) < 10)
    let empty = Filter.Operand.list((0..<1_000).map { _ in .key([]) })
    #expect(empty.weight > 1_000)
    let related = Filter.related(.any, ["comments"], try Filter("text == '\(thousand)'"))
    #expect(related.weight > 1_000)
  }
}
