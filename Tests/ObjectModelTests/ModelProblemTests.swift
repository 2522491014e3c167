// Everything that can be wrong with a model is found, once, in its place, and told in a sentence.

import FoundationEssentials
import ObjectModel
import Testing

/// Entities with one thing wrong, what it is, and where.
struct WrongModel: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let entities: [EntityDescription]
  let kind: ModelProblem.Kind
  let place: String

  init(
    _ name: String, _ kind: ModelProblem.Kind, at place: String, _ entities: [EntityDescription]
  ) {
    testDescription = name
    self.entities = entities
    self.kind = kind
    self.place = place
  }

  /// An entity A with one attribute a that is wrong.
  init(
    _ name: String, _ kind: ModelProblem.Kind, _ type: AttributeType, defaultValue: Value? = nil,
    isTransient: Bool = false, isIndexed: Bool = false, isIdentifier: Bool = false,
    merging: AttributeMerging = .asWhole, _ rules: ValidationRule...
  ) {
    let attribute = AttributeDescription(
      "a", type, defaultValue: defaultValue, isTransient: isTransient, isIndexed: isIndexed,
      isIdentifier: isIdentifier, merging: merging, validation: rules)
    self.init(name, kind, at: "A.a", [EntityDescription("A", attributes: [attribute])])
  }

  /// Entities A, B and C, which inherits from B, with one relationship of A and some of B.
  init(
    _ name: String, _ kind: ModelProblem.Kind, at place: String = "A.r",
    _ relationship: RelationshipDescription, of others: RelationshipDescription...
  ) {
    self.init(
      name, kind, at: place,
      [
        EntityDescription("A", relationships: [relationship]),
        EntityDescription("B", relationships: others), EntityDescription("C", parent: "B"),
      ])
  }
}

extension WrongModel {
  private static func attribute(_ names: String...) -> [AttributeDescription] {
    names.map { AttributeDescription($0, .string) }
  }

  static let names = [
    WrongModel("empty", .badName, at: "", [EntityDescription("")]),
    WrongModel("digit first", .badName, at: "1A", [EntityDescription("1A")]),
    WrongModel(
      "dot", .badName, at: "A.a.b", [EntityDescription("A", attributes: attribute("a.b"))]),
    WrongModel(
      "empty key", .badName, at: "A.", [EntityDescription("A", attributes: attribute(""))]),
    WrongModel(
      "reserved", .reservedName, at: "A.objectID",
      [EntityDescription("A", attributes: attribute("objectID"))]),
    WrongModel(
      "entity thrice", .nameTaken, at: "A",
      [EntityDescription("A"), EntityDescription("A"), EntityDescription("A")]),
    WrongModel(
      "attribute twice", .nameTaken, at: "A.a",
      [EntityDescription("A", attributes: attribute("a", "a"))]),
    WrongModel(
      "attribute looks the same", .nameTaken, at: "A.e\u{301}",
      [EntityDescription("A", attributes: attribute("\u{E9}", "e\u{301}"))]),
    WrongModel(
      "relationship and attribute", .nameTaken, at: "A.a",
      [
        EntityDescription(
          "A", attributes: attribute("a"), relationships: [RelationshipDescription("a", to: "A")])
      ]),
    WrongModel(
      "inherited", .nameTaken, at: "C.a",
      [
        EntityDescription("A", attributes: attribute("a")), EntityDescription("B", parent: "A"),
        EntityDescription("C", parent: "B", attributes: attribute("a")),
      ]),
    WrongModel("no parent", .noParent("B"), at: "A", [EntityDescription("A", parent: "B")]),
    WrongModel(
      "itself", .inheritsFromItself, at: "A",
      [EntityDescription("A", parent: "A"), EntityDescription("B", parent: "A")]),
    WrongModel(
      "second identifier", .secondIdentifier("a"), at: "B.b",
      [
        EntityDescription(
          "A", attributes: [AttributeDescription("a", .uuid, isIdentifier: true)]),
        EntityDescription(
          "B", parent: "A", attributes: [AttributeDescription("b", .uuid, isIdentifier: true)]),
      ]),
    WrongModel(
      "too many", .tooManyEntities(limit: 4095), at: "E4095",
      (0..<4096).map { EntityDescription("E\($0)") }),
    WrongModel(
      "too deep", .tooManyAncestors(limit: 255), at: "E256",
      (0..<4000).map { EntityDescription("E\($0)", parent: $0 == 0 ? nil : "E\($0 - 1)") }),
    WrongModel(
      "too many properties", .tooManyProperties(limit: 4096), at: "E2",
      chain(of: 4, withAttributes: 1400)),
    WrongModel(
      "too many properties of all", .tooManyProperties(limit: 1 << 18), at: "E180",
      chain(of: 250, withAttributes: 16)),
  ]

  /// Entities that each inherit from the one before.
  private static func chain(of count: Int, withAttributes attributes: Int) -> [EntityDescription] {
    (0..<count).map { number in
      EntityDescription(
        "E\(number)", parent: number == 0 ? nil : "E\(number - 1)",
        attributes: (0..<attributes).map { AttributeDescription("a\(number)_\($0)", .integer) })
    }
  }

  /// A text that is repeated, an `a`, and another as often.
  private static func deep(_ opening: String, _ closing: String, _ count: Int) -> String {
    String(repeating: opening, count: count) + "a" + String(repeating: closing, count: count)
  }

  /// Patterns in which something stands within something else, or never ends.
  private static let deepPatterns = [
    ("deep", deep("(", ")", 65)), ("deepest", deep("(", ")", 2000)),
    ("deep class", deep("[", "]", 257)), ("deepest class", deep("[", "]", 30_000)),
    ("deep intersection", deep("[", "&&b]", 257)),
    ("long intersection", "[" + deep("", "&&b", 20_000) + "]"),
    ("long subtraction", "[" + deep("", "--b", 20_000) + "]"),
    ("long difference", "[" + deep("", "~~b", 20_000) + "]"),
    ("deep class that is hard to tell", deep("[\\c]", "]", 10_000)),
    ("deep conditions", deep("(?(", "", 20_000)),
  ]

  static let attributes =
    [
      WrongModel("default", .defaultOfOtherType(1, .string), .string, defaultValue: 1),
      WrongModel(
        "default null within", .defaultOfOtherType(["a": nil], .dictionary), .dictionary,
        defaultValue: ["a": nil]),
      WrongModel(
        "long default", .defaultBreaksRule("ab", .maxLength(1)), .string, defaultValue: "ab",
        .maxLength(1)),
      WrongModel(
        "length of a number", .ruleDoesNotApply(.minLength(1), .integer), .integer, .minLength(1)),
      WrongModel(
        "negative length", .ruleDoesNotApply(.maxLength(-1), .string), .string, defaultValue: "a",
        .maxLength(-1)),
      WrongModel(
        "limit of another type", .ruleDoesNotApply(.minimum(0), .real), .real, .minimum(0)),
      WrongModel("no limit", .ruleDoesNotApply(.maximum(nil), .real), .real, .maximum(nil)),
      WrongModel(
        "limit of no number", .ruleDoesNotApply(.maximum(.real(.nan)), .real), .real,
        .maximum(.real(.nan))),
      WrongModel(
        "limit of what has no order", .ruleDoesNotApply(.minimum(true), .boolean), .boolean,
        .minimum(true)),
      WrongModel(
        "pattern of a number", .ruleDoesNotApply(.matches("1"), .integer), .integer, .matches("1")),
      WrongModel("pattern", .badPattern("("), .string, defaultValue: "a", .matches("(")),
      WrongModel(
        "long pattern", .badPattern(String(repeating: "a", count: 65537)), .string,
        .matches(String(repeating: "a", count: 65537))),
      WrongModel("index of a set", .cannotBeIndexed(.set), .set, isIndexed: true),
      WrongModel("set as identifier", .cannotBeIndexed(.set), .set, isIdentifier: true),
      WrongModel(
        "transient index", .transientIsNotStored, .string, isTransient: true, isIndexed: true),
      WrongModel(
        "transient identifier", .transientIsNotStored, .uuid, isTransient: true, isIdentifier: true),
      WrongModel("text by key", .cannotMergeSo(.string), .string, merging: .byKey),
      WrongModel("counter by function", .cannotMergeSo(.counter), .counter, merging: .custom("f")),
      WrongModel("set by function", .cannotMergeSo(.set), .set, merging: .custom("f")),
    ] + deepPatterns.map { WrongModel($0, .badPattern($1), .string, .matches($1)) }

  static let relationships = [
    WrongModel(
      "no destination", .noDestination("X"), RelationshipDescription("r", to: "X", inverse: "s")),
    WrongModel("no inverse", .noInverse("s"), RelationshipDescription("r", to: "B", inverse: "s")),
    WrongModel(
      "inverse of an heir alone", .noInverse("s"),
      RelationshipDescription("r", to: "A", inverse: "s")),
    WrongModel(
      "one-sided inverse", .inverseLeadsElsewhere("s"),
      RelationshipDescription("r", to: "B", inverse: "s"), of: RelationshipDescription("s", to: "A")
    ),
    WrongModel(
      "inverse to another", .inverseLeadsElsewhere("s"),
      RelationshipDescription("r", to: "B", inverse: "s"),
      of: RelationshipDescription("s", to: "B", inverse: "r"),
      RelationshipDescription("r", to: "B", inverse: "s")),
    WrongModel(
      "inverse of what an heir inherits", .inverseLeadsElsewhere("r"), at: "B.s",
      RelationshipDescription("r", to: "C", inverse: "s"),
      of: RelationshipDescription("s", to: "A", inverse: "r")),
    WrongModel(
      "transient inverse", .inverseIsTransient("s"),
      RelationshipDescription("r", to: "B", inverse: "s"),
      of: RelationshipDescription("s", to: "A", inverse: "r", isTransient: true)),
    WrongModel(
      "order of one", .orderedToOne, RelationshipDescription("r", to: "B", isOrdered: true)),
    WrongModel("two of one", .badCounts, RelationshipDescription("r", to: "B", maxCount: 2)),
    WrongModel("least two of one", .badCounts, RelationshipDescription("r", to: "B", minCount: 2)),
    WrongModel(
      "fewer than none", .badCounts,
      RelationshipDescription("r", to: "B", isToMany: true, minCount: -1)),
    WrongModel(
      "most none", .badCounts, RelationshipDescription("r", to: "B", isToMany: true, maxCount: 0)),
    WrongModel(
      "least above most", .badCounts,
      RelationshipDescription("r", to: "B", isToMany: true, minCount: 3, maxCount: 2)),
  ]
}

@Suite struct ModelProblems {
  private static func problems(of entities: [EntityDescription]) -> [ModelProblem] {
    do throws(ModelError) {
      _ = try ManagedObjectModel(entities: entities)
      return []
    } catch {
      return error.problems
    }
  }

  @Test(arguments: WrongModel.names + WrongModel.attributes + WrongModel.relationships)
  func `what is wrong is found once, in its place, and told in a sentence`(model: WrongModel) {
    let problems = Self.problems(of: model.entities)
    #expect(problems.map(\.kind) == [model.kind])
    for problem in problems {
      let place = problem.property.map { "\(problem.entity).\($0)" } ?? problem.entity
      #expect(place == model.place)
      let text = "\(problem)"
      #expect(text.hasPrefix("\(model.place): ") && text.hasSuffix("."))
      #expect(!text.contains("\n") && !text.contains("Optional"))
    }
  }

  @Test func `entities that inherit in a round are all to blame, and those beside it are not`() {
    let problems = Self.problems(of: [
      EntityDescription("A", parent: "B"), EntityDescription("B", parent: "C"),
      EntityDescription("C", parent: "A"), EntityDescription("D", parent: "A"),
    ])
    #expect(problems.map(\.kind) == Array(repeating: .inheritsFromItself, count: 3))
    #expect(problems.map(\.entity) == ["A", "B", "C"])
  }

  @Test func `a second relationship with the same inverse is told, and the first is not`() {
    let problems = Self.problems(of: [
      EntityDescription(
        "A",
        relationships: [
          RelationshipDescription("r", to: "B", inverse: "s"),
          RelationshipDescription("q", to: "B", inverse: "s"),
        ]),
      EntityDescription("B", relationships: [RelationshipDescription("s", to: "A", inverse: "r")]),
    ])
    #expect(problems.map(\.kind) == [.inverseLeadsElsewhere("s")])
    #expect(problems.map(\.property) == ["q"])
  }

  @Test func `everything that is wrong is told at once, a line for each`() throws {
    let entities = [
      EntityDescription(
        "A", parent: "Z",
        attributes: [
          AttributeDescription("self", .string, defaultValue: 3),
          AttributeDescription("b", .integer, validation: [.matches("x"), .maxLength(2)]),
        ],
        relationships: [RelationshipDescription("c", to: "Y")]),
      EntityDescription("A"), EntityDescription("2"),
    ]
    do throws(ModelError) {
      _ = try ManagedObjectModel(entities: entities)
      Issue.record("the model was made")
    } catch {
      #expect(
        "\(error)" == """
          A: the name stands twice, here or in what is inherited; rename one of them.
          2: a name begins with a letter or an underscore and goes on with letters, digits and underscores.
          A: there is no entity Z to inherit from.
          A.self: every object has a property of this name; choose another.
          A.self: its default 3 is not of type string.
          A.b: ‘must match x’ says nothing about values of type integer.
          A.b: ‘must be at most 2 long’ says nothing about values of type integer.
          A.c: there is no entity Y to lead to.
          """)
    }
  }

  @Test func `a rule that fits is no problem`() throws {
    let attributes = [
      AttributeDescription("a", .counter, defaultValue: .counter(0), validation: [.minimum(0)]),
      AttributeDescription(
        "b", .string, validation: [.minimum("a"), .matches("a.*"), .minLength(0)]),
      AttributeDescription("c", .dictionary, merging: .byKey),
      AttributeDescription(
        "d", .data, isIndexed: true, merging: .custom("f"), validation: [.maxLength(9)]),
      AttributeDescription(
        "e", .date, validation: [.maximum(.date(Date(timeIntervalSince1970: 0)))]),
      AttributeDescription(
        "_f1", .set, isOptional: false, defaultValue: nil, validation: [.maxLength(3)]),
    ]
    #expect(Self.problems(of: [EntityDescription("A", attributes: attributes)]) == [])
  }
}
