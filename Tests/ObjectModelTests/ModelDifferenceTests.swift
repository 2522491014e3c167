// What stands in the way of a change of the model, where, and how it is told.

import ObjectModel
import Testing

@Suite struct ModelDifferences {
  private func kinds(
    from older: [AttributeDescription], to newer: [AttributeDescription]
  ) throws -> [ModelDifference.Kind] {
    try differences(from: model(older), to: model(newer)).map(\.kind)
  }

  private func kinds(
    from older: RelationshipDescription, to newer: RelationshipDescription
  ) throws -> [ModelDifference.Kind] {
    try differences(from: model([], [older]), to: model([], [newer])).map(\.kind)
  }

  @Test func `only numbers can change their type, and only to wider ones`() throws {
    let types: [AttributeType] = [
      .boolean, .integer, .real, .decimal, .string, .data, .date, .uuid, .url, .dictionary,
      .transformed(by: "f"), .transformed(by: "g"), .counter, .set, .reference,
    ]
    let wider: [AttributeType: Set<AttributeType>] = [
      .boolean: [.integer, .counter, .real, .decimal], .integer: [.counter, .real, .decimal],
      .counter: [.integer, .real, .decimal],
    ]
    for older in types {
      for newer in types {
        let found = try kinds(
          from: [AttributeDescription("a", older)], to: [AttributeDescription("a", newer)])
        let isFine = older == newer || wider[older]?.contains(newer) == true
        #expect(found == (isFine ? [] : [.typeChanged(from: older, to: newer)]))
      }
    }
  }

  @Test func `a required attribute needs a default for objects that hold nothing`() throws {
    let optional = [AttributeDescription("a", .string)]
    let required = [AttributeDescription.required("a", .string)]
    let null = [AttributeDescription.required("a", .string, defaultValue: .null)]
    let transient = [AttributeDescription("a", .string, isTransient: true)]
    for older in [optional, [], transient] {
      #expect(try kinds(from: older, to: required) == [.requiredWithoutDefault])
      #expect(try kinds(from: older, to: null) == [.requiredWithoutDefault])
    }
    #expect(try kinds(from: required, to: required) == [])
  }

  @Test func `a required relationship cannot be made up`() throws {
    let required = RelationshipDescription("r", to: "B", isOptional: false)
    let optional = RelationshipDescription("r", to: "B")
    let transient = RelationshipDescription("r", to: "B", isTransient: true)
    #expect(try kinds(from: optional, to: required) == [.requiredRelationship])
    #expect(try kinds(from: transient, to: required) == [.requiredRelationship])
    #expect(try kinds(from: required, to: optional) == [])
    #expect(
      differences(from: try model([]), to: try model([], [required])).map(\.kind) == [
        .requiredRelationship
      ])
  }

  @Test(arguments: [false, true])
  func `a required relationship cannot lose what it leads to with an entity`(isToMany: Bool) throws
  {
    let (base, abstract) = (EntityDescription("Base"), EntityDescription("Base", isAbstract: true))
    let (one, two) = (
      EntityDescription("One", parent: "Base"), EntityDescription("Two", parent: "Base")
    )
    for (older, newer) in [([base, one], [base]), ([abstract, one, two], [abstract, one])] {
      func model(_ isOptional: Bool, _ entities: [EntityDescription]) throws -> ManagedObjectModel {
        let relationship = RelationshipDescription(
          "r", to: "Base", isToMany: isToMany, isOptional: isOptional)
        return try ManagedObjectModel(
          entities: [EntityDescription("A", relationships: [relationship])] + entities)
      }
      #expect(
        try differences(from: model(false, older), to: model(false, newer)).map(\.kind)
          == [.requiredRelationship])
      for isOptional in [false, true] {
        #expect(try differences(from: model(isOptional, older), to: model(true, newer)).isEmpty)
      }
      #expect(try differences(from: model(false, newer), to: model(false, older)).isEmpty)
    }
  }

  @Test func `of many destinations none can be chosen as the only one`() throws {
    let many = RelationshipDescription("r", to: "B", isToMany: true)
    #expect(try kinds(from: many, to: RelationshipDescription("r", to: "B")) == [.toManyMadeToOne])
  }

  @Test func `a destination cannot become another entity`() throws {
    let (one, other) = (
      RelationshipDescription("r", to: "B"), RelationshipDescription("r", to: "C")
    )
    #expect(try kinds(from: one, to: other) == [.destinationChanged(from: "B", to: "C")])
    let without = try model([], [other], others: [EntityDescription("C")])
    #expect(
      differences(from: try model([], [one]), to: without).map(\.kind)
        == [.destinationChanged(from: "B", to: "C")])
  }

  @Test func `an heir that no longer is one cannot stay a destination`() throws {
    func made(parent: String?) throws -> ManagedObjectModel {
      try model(
        [], [RelationshipDescription("r", to: "B")],
        others: [EntityDescription("B"), EntityDescription("C", parent: parent)])
    }
    #expect(
      differences(from: try made(parent: "B"), to: try made(parent: nil)).map(\.kind)
        == [.destinationChanged(from: "B", to: "B")])
    #expect(differences(from: try made(parent: nil), to: try made(parent: "B")) == [])
  }

  @Test func `two relationships that were apart cannot become inverse`() throws {
    func made(_ inverses: Bool, isToMany: Bool) throws -> ManagedObjectModel {
      try model(
        [], [RelationshipDescription("r", to: "B", inverse: inverses ? "s" : nil)],
        others: [
          EntityDescription(
            "B",
            relationships: [
              RelationshipDescription(
                "s", to: "A", inverse: inverses ? "r" : nil, isToMany: isToMany)
            ])
        ])
    }
    for isToMany in [false, true] {
      let found = differences(
        from: try made(false, isToMany: isToMany), to: try made(true, isToMany: isToMany))
      #expect(
        found.map(\.kind) == [
          .inverseChanged(from: nil, to: "s"), .inverseChanged(from: nil, to: "r"),
        ])
      #expect(
        differences(
          from: try made(true, isToMany: isToMany), to: try made(false, isToMany: isToMany)) == [])
    }
  }

  @Test func `a new inverse to one cannot be made up from many`() throws {
    let older = try model(
      [], [RelationshipDescription("r", to: "B", isToMany: true)], others: [EntityDescription("B")])
    let newer = try model(
      [], [RelationshipDescription("r", to: "B", inverse: "s", isToMany: true)],
      others: [
        EntityDescription("B", relationships: [RelationshipDescription("s", to: "A", inverse: "r")])
      ])
    #expect(
      differences(from: older, to: newer).map(\.kind) == [.inverseChanged(from: nil, to: "s")])
  }

  @Test func `an attribute cannot become a relationship, nor the reverse`() throws {
    let attribute = try model([AttributeDescription("a", .reference)])
    let relationship = try model([], [RelationshipDescription("a", to: "B")])
    #expect(
      differences(from: attribute, to: relationship).map(\.kind) == [.attributeOrRelationship])
    #expect(
      differences(from: relationship, to: attribute).map(\.kind) == [.attributeOrRelationship])
  }

  @Test func `two properties cannot have been the same one`() throws {
    let older = [AttributeDescription("a", .string)]
    let newer = ["b", "c"].map { AttributeDescription($0, .string, renamingIdentifier: "a") }
    #expect(try kinds(from: older, to: newer) == [.formerNameDisputed(by: ["b", "c"])])
    #expect(try kinds(from: [newer[0]], to: newer) == [.formerNameDisputed(by: ["b", "c"])])
  }

  @Test func `two entities cannot have been the same one`() throws {
    let older = try ManagedObjectModel(entities: [EntityDescription("A")])
    let newer = try ManagedObjectModel(
      entities: ["B", "C"].map { EntityDescription($0, renamingIdentifier: "A") })
    let found = differences(from: older, to: newer)
    #expect(found.map(\.kind) == [.formerNameDisputed(by: ["B", "C"])])
    #expect(found.map(\.older?.entity) == ["A"] && found.map(\.newer.entity) == ["B"])
  }

  @Test func `an entity that may have objects cannot become abstract`() throws {
    let found = differences(
      from: try model([]),
      to: try ManagedObjectModel(entities: [
        EntityDescription("X", isAbstract: true, renamingIdentifier: "A")
      ]))
    #expect(found.map(\.kind) == [.madeAbstract])
    #expect(found.map(\.newer.description) == ["X"] && found.map(\.older?.description) == ["A"])
  }

  @Test func `what heirs inherit is told once, where it is declared`() throws {
    func made(_ type: AttributeType) throws -> ManagedObjectModel {
      try ManagedObjectModel(entities: [
        EntityDescription("P", isAbstract: true, attributes: [AttributeDescription("a", type)]),
        EntityDescription("Q", parent: "P"), EntityDescription("R", parent: "Q"),
      ])
    }
    let found = differences(from: try made(.real), to: try made(.string))
    #expect(found.map(\.newer.description) == ["P.a"] && found.map(\.older?.description) == ["P.a"])
  }
}

@Suite struct WordingOfModelDifferences {
  @Test func `everything in the way is told at once, with both names and what to do`() throws {
    let older = try model(
      [AttributeDescription("a", .real), AttributeDescription("b", .string)],
      [
        RelationshipDescription("r", to: "B"),
        RelationshipDescription("m", to: "B", isToMany: true),
        RelationshipDescription("q", to: "B"),
      ])
    let newer = try ManagedObjectModel(entities: [
      EntityDescription(
        "A2",
        attributes: [
          AttributeDescription("a2", .integer, renamingIdentifier: "a"), .required("n", .date),
          AttributeDescription("b1", .string, renamingIdentifier: "b"),
          AttributeDescription("b2", .string, renamingIdentifier: "b"),
          AttributeDescription("q", .string),
        ],
        relationships: [
          RelationshipDescription("r", to: "C"), RelationshipDescription("m", to: "B"),
          RelationshipDescription("o", to: "B", isOptional: false),
        ], renamingIdentifier: "A"),
      EntityDescription("B", isAbstract: true), EntityDescription("C"),
    ])
    do throws(ModelChangeError) {
      _ = try ModelChange(from: older, to: newer)
      Issue.record("the change was made")
    } catch {
      let text = "\(error)"
      let starts = [
        "A2.b1 (in the older model A.b): b1 and b2 claim the same former name; ",
        "A2.a2 (in the older model A.a): a value of type real is none of type integer; ",
        "A2.n (new): objects that hold nothing would lack a required attribute; ",
        "A2.q (in the older model A.q): an attribute cannot become a relationship, nor the reverse; ",
        "A2.r (in the older model A.r): not every B of the older model is a C now; ",
        "A2.m (in the older model A.m): of several destinations none is the one to keep; ",
        "A2.o (new): objects that lead to nothing, or to an entity that is no more, would lack a required relationship; ",
        "B (in the older model B): its own objects would have no place in an abstract entity; ",
      ]
      let lines = text.split(separator: "\n")
      #expect(lines.count == starts.count)
      for (line, start) in zip(lines, starts) {
        #expect(line.hasPrefix(start) && line.hasSuffix("."), "\(line)")
      }
      #expect(Set(error.differences).count == starts.count)
    }
  }

  @Test func `a changed inverse is told with both inverses`() throws {
    func made(_ inverse: String?) throws -> ManagedObjectModel {
      try model([], [RelationshipDescription("r", to: "A", inverse: inverse, isToMany: true)])
    }
    let texts = differences(from: try made(nil), to: try made("r")).map(\.description)
    #expect(
      texts == [
        "A.r (in the older model A.r): its inverse was none and is r, and the two ends would not agree; "
          + "add a relationship of another name, with that inverse."
      ])
  }
}
