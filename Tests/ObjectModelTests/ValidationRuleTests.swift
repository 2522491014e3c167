// What each validation rule lets pass, and which types admit which values.

import FoundationEssentials
import ObjectModel
import TestSupport
import Testing

@Suite struct ValidationRules {
  private func date(_ seconds: Double) -> Value {
    .date(Date(timeIntervalSinceReferenceDate: seconds))
  }

  @Test func `lengths count characters, bytes and members`() {
    let two: [Value] = ["ab", "e\u{301}a", .data(Data([1, 2])), .set([1, 2])]
    for value in two {
      #expect(
        ValidationRule.minLength(2).admits(value) && ValidationRule.maxLength(2).admits(value))
      #expect(!ValidationRule.minLength(3).admits(value))
      #expect(!ValidationRule.maxLength(1).admits(value))
    }
  }

  @Test func `limits are within what they limit`() {
    let rows: [(Value, Value, Value)] = [
      (1, 2, 3), (1.0, 2.0, 3.0), (.decimal(1), .decimal(2), .decimal(3)), ("a", "b", "c"),
      (date(1), date(2), date(3)), (.counter(1), .counter(2), .counter(3)),
      (.counter(1), 2, .counter(3)), (1, .counter(2), 3),
    ]
    for (small, limit, large) in rows {
      let (minimum, maximum) = (ValidationRule.minimum(limit), ValidationRule.maximum(limit))
      #expect(!minimum.admits(small) && minimum.admits(limit) && minimum.admits(large))
      #expect(maximum.admits(small) && maximum.admits(limit) && !maximum.admits(large))
    }
  }

  @Test func `what is no number keeps no limit`() {
    let rows: [(Value, Value)] = [
      (.real(.nan), 0.0), (.decimal(.nan), .decimal(0)), (date(.nan), date(0)),
    ]
    for (value, limit) in rows {
      #expect(!ValidationRule.minimum(limit).admits(value))
      #expect(!ValidationRule.maximum(limit).admits(value))
    }
  }

  @Test func `a pattern matches the whole text`() {
    let rule = ValidationRule.matches("[a-z]+")
    #expect(rule.admits("abc"))
    #expect(!rule.admits("abc1") && !rule.admits("1abc") && !rule.admits(""))
    #expect(ValidationRule.matches("").admits("") && !ValidationRule.matches("").admits("a"))
    #expect(ValidationRule.matches("(").admits("a"), "a model refuses it, a value need not")
  }

  @Test func `more patterns than are kept still match`() {
    for number in 0..<1100 {
      #expect(ValidationRule.matches("a{\(number)}b").admits("b") == (number == 0))
    }
    #expect(ValidationRule.matches("a{2}b").admits("aab"))
  }

  @Test func `many threads match one pattern`() throws {
    let tally = Tally()
    try onBothCores(200) { number in
      let rule = ValidationRule.matches("x[0-9]+")
      if !rule.admits("x\(number)") || rule.admits("y\(number)") { tally.violation("\(number)") }
    }
    #expect(tally.violations == "")
  }

  @Test func `null, and what a rule is not about, passes`() {
    let rules: [ValidationRule] = [
      .minLength(9), .maxLength(0), .minimum(9), .maximum(-9), .matches("x"),
    ]
    for rule in rules {
      for value in [nil, true, [1], ["a": 1], 1.5] as [Value] { #expect(rule.admits(value)) }
    }
    #expect(ValidationRule.minimum("a").admits(1) && ValidationRule.maximum(1).admits("a"))
  }

  @Test func `a rule reads as the end of a sentence`() {
    let texts: [(ValidationRule, String)] = [
      (.minLength(1), "must be at least 1 long"), (.maxLength(2), "must be at most 2 long"),
      (.minimum(3), "must be at least 3"), (.maximum("z"), "must be at most \"z\""),
      (.matches("a+"), "must match a+"),
    ]
    for (rule, text) in texts { #expect("\(rule)" == text) }
  }
}

@Suite struct AttributeTypes {
  private static let kinds: [(type: AttributeType, kind: Value.Kind)] = [
    (.boolean, .boolean), (.integer, .integer), (.real, .real), (.decimal, .decimal),
    (.string, .string), (.data, .data), (.date, .date), (.uuid, .uuid), (.url, .url),
    (.dictionary, .dictionary), (.counter, .counter), (.set, .set), (.reference, .reference),
  ]

  @Test func `each type admits its own kind and null, and no other`() {
    for (type, kind) in Self.kinds {
      for value in samples {
        #expect(
          type.admits(value) == (value.isNull || value.kind == kind), "\(type), \(value.kind)")
      }
    }
  }

  @Test func `a transformed attribute admits what its transformer may make of a value`() {
    for value in samples { #expect(AttributeType.transformed(by: "t").admits(value)) }
    #expect(!AttributeType.transformed(by: "t").admits(nest(Value.largestDepth)))
  }

  @Test func `a dictionary admits property lists, and a set what can be written`() {
    #expect(!AttributeType.dictionary.admits(["a": nil]))
    #expect(!AttributeType.dictionary.admits(["a": nest(Value.largestDepth - 1)]))
    #expect(AttributeType.dictionary.admits(["a": nest(Value.largestDepth - 2)]))
    #expect(AttributeType.set.admits(.set([nil, .decimal(1)])))
    #expect(!AttributeType.set.admits(.set([nest(Value.largestDepth - 1)])))
  }

  @Test func `types are told by their names`() {
    for (type, kind) in Self.kinds { #expect("\(type)" == "\(kind)") }
    #expect("\(AttributeType.transformed(by: "color"))" == "transformed by color")
  }
}
