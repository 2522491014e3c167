// The values of commits are of the types that the model of their time gives them, and one that is not is found.

import DiskSimulation
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct ValueVerificationTests {
  private let disk = SimulatedDisk(seed: 75)

  private func model(rank: AttributeType = .integer) throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Item",
        attributes: [
          AttributeDescription("title", .string), AttributeDescription("rank", rank),
          AttributeDescription("likes", .counter), AttributeDescription("words", .set),
          AttributeDescription("more", .dictionary),
          AttributeDescription("any", .transformed(by: "x")),
        ],
        relationships: [
          RelationshipDescription("parent", to: "Item"),
          RelationshipDescription("others", to: "Item", isToMany: true),
          RelationshipDescription("steps", to: "Item", isToMany: true, isOrdered: true),
        ])
    ])
  }

  private func open(_ model: ManagedObjectModel? = nil) throws -> JournaledStore {
    try JournaledStore(on: disk, at: StoreLife.path, model: model, options: .small)
  }

  private func findings(_ store: JournaledStore) throws -> [[String]] {
    let reader = try StoreReader(on: disk, at: StoreLife.path)
    return try [reader.verification(deep: true), store.verification(deep: true)]
      .map { $0.findings.map(\.description) }
  }

  private func commit(
    _ object: ObjectID, _ old: Row?, _ new: Row, _ store: JournaledStore
  ) throws {
    let context = try store.beginContext(name: "forger", on: store.lastCommit)
    let base = old == nil ? .none : store.lastCommit
    _ = try store.commit(CommitRequest([.init(object, base: base, old, to: new)]), by: context)
    try store.endContext(context)
  }

  @Test(arguments: [false, true])
  func `S75: a value is found that the model does not admit, however a commit says it`(
    compacted: Bool
  ) throws {
    let long = String(repeating: "long ", count: 200)
    let store = try open(try model())
    defer { try? store.close() }
    let (object, other) = (
      try store.newObject(of: EntityNumber(rawValue: 0)),
      try store.newObject(of: EntityNumber(rawValue: 0))
    )
    try commit(other, nil, Row(), store)
    // What is right, and what a wrong value becomes by a small change.
    let right: [(String, Value, Value)] = [
      ("title", "a", "b"), ("title", .string(long), .string(long + "end")), ("rank", 1, 2),
      ("likes", .counter(1), .counter(3)), ("words", .set(["a"]), .set(["a", "b"])),
      ("more", ["a": 1], ["a": 2]), ("any", 1, "any"), ("parent", .reference(other), .null),
      ("others", .set([.reference(other)]), .set([])), ("steps", .array([.reference(other)]), []),
      ("dynamic", 1, "one"),
    ]
    let wrong: [(String, Value, Value)] = [
      ("title", 1, 2), ("rank", "one", "two"), ("rank", .string(long), .string(long + "end")),
      ("rank", .counter(1), .counter(3)), ("likes", 1, 2), ("words", ["a"], ["b"]),
      ("title", .set(["a"]), .set(["a", "b"])), ("more", ["a"], ["b"]), ("parent", 1, 2),
      ("parent", .set([.reference(other)]), .set([.reference(object)])),
      ("others", .reference(other), .reference(object)), ("others", .set([1]), .set([1, 2])),
      ("steps", .array([.reference(other), .reference(other)]), .array([1])),
    ]
    func make(_ name: String, _ first: Value, _ second: Value) throws {
      let key = try store.key(named: name)
      let old = try store.head.row(of: object)
      try commit(object, old, Row([key: first]), store)
      if compacted {
        try store.beginSegment()
        try store.compact(keeping: .latest)
      }
      try commit(object, Row([key: first]), Row([key: second]), store)
    }
    for (name, first, second) in right {
      try make(name, first, second)
      for found in try findings(store) { #expect(found == [], "\(name)") }
    }
    for (name, first, second) in wrong {
      let made = Set(try findings(store).joined())
      try make(name, first, second)
      let number = store.lastCommit
      for found in try findings(store) {
        let new = found.filter { !made.contains($0) }
        let commits = compacted ? [number] : [number.previous, number]
        #expect(
          new.filter { $0.contains("a value of another type") }
            == commits.map {
              "commit \($0) gives \(name) of \(object) a value of another type than the model's."
            }, "\(name) \(first)")
      }
    }
    #expect(try store.verify() == [], "only a deep verification looks at values")
  }

  @Test func `S75: a value is of the type that the model of its time gives it`() throws {
    var store = try open(try model())
    let object = try store.newObject(of: EntityNumber(rawValue: 0))
    let rank = try store.key(named: "rank")
    try commit(object, nil, Row([rank: 1]), store)
    try store.close()
    store = try open(try model(rank: .real))
    try commit(object, try store.head.row(of: object), Row([rank: .real(1.5)]), store)
    for found in try findings(store) { #expect(found == []) }
    try commit(object, Row([rank: .real(1.5)]), Row([rank: 2]), store)
    for found in try findings(store) {
      #expect(
        found == [
          "commit 3 gives rank of \(object) a value of another type than the model's."
        ])
    }
    try store.close()
  }
}
