import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// Patches over a change of the model: what they say, and who can take them.
@Suite struct PatchEraTests {
  private let here = SimulatedDisk(seed: 1)
  private let there = SimulatedDisk(seed: 2)

  private static func older() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Item",
        attributes: [
          AttributeDescription("guid", .string, isIdentifier: true),
          AttributeDescription("title", .string), AttributeDescription("note", .string),
        ],
        relationships: [RelationshipDescription("extra", to: "Extra")]),
      EntityDescription(
        "Extra",
        attributes: [
          AttributeDescription("guid", .string, isIdentifier: true),
          AttributeDescription("text", .string),
        ]),
    ])
  }

  /// With a title that is called otherwise, without notes and extras, and with something that is new.
  private static func newer() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Item",
        attributes: [
          AttributeDescription("guid", .string, isIdentifier: true),
          AttributeDescription("heading", .string, renamingIdentifier: "title"),
          AttributeDescription("rank", .integer, defaultValue: 7),
        ])
    ])
  }

  private func change(
    _ disk: SimulatedDisk, _ model: ManagedObjectModel,
    _ body: (JournaledStore, ManagedObjectContext) throws -> Void
  ) throws {
    let store = try JournaledStore(on: disk, at: "store", model: model)
    let context = ManagedObjectContext(store, isolation: nil)
    try body(store, context)
    context.close()
    try store.close()
  }

  /// Two commits under the older model, of which a follower has the first, and one under the newer.
  private func prepare() throws {
    try change(here, Self.older()) { store, context in
      let (item, extra) = (context.insert("Item"), context.insert("Extra"))
      item.setValue("one", forKey: "guid")
      item.setValue("A", forKey: "title")
      item.setValue("N", forKey: "note")
      extra.setValue("x", forKey: "guid")
      try context.save()
      try change(there, Self.older()) { other, _ in
        try Patch(store.commits(since: 0), of: store).apply(to: other)
      }
      item.setValue("B", forKey: "title")
      item.setValue("M", forKey: "note")
      item.setValue(.reference(extra.objectID), forKey: "extra")
      extra.setValue("y", forKey: "text")
      try context.save()
    }
    try change(here, Self.newer()) { _, context in
      let item = try #require(try context.fetch(FetchRequest("Item")).first)
      item.setValue("C", forKey: "heading")
      try context.save()
    }
  }

  private func heading(_ old: Value, _ new: Value) -> [ObjectPatch] {
    [
      ObjectPatch(
        updating: PatchIdentity("Item", "guid", "one"), old: ["heading": old],
        new: ["heading": new])
    ]
  }

  @Test func `S77: commits under an older model are told under the one that the store has now`()
    throws
  {
    try prepare()
    try change(here, Self.newer()) { store, _ in
      func patch(_ first: Int, _ last: Int) throws -> [ObjectPatch] {
        let commits = try store.commits(since: CommitNumber(rawValue: UInt64(first - 1)))
        return try Patch(Array(commits.prefix(last - first + 1)), of: store).objects
      }
      #expect(try patch(2, 2) == heading("A", "B"))
      #expect(try patch(3, 3) == heading("B", "C"))
      #expect(try patch(2, 3) == heading("A", "C"))
      #expect(try patch(1, 1).map(\.new) == [["guid": "one", "heading": "A", "rank": 7]])
      let back = try Patch.difference(in: store, from: .head, to: .commit(1))
      #expect(back.objects == heading("C", "A"))
    }
  }

  @Test func `a follower goes on over a change of the model, when it has that too`() throws {
    try prepare()
    try change(here, Self.newer()) { store, _ in
      let json = try Patch(store.commits(since: 1), of: store).json()
      let error = #expect(throws: PatchError.self) { try Patch(json: json, model: Self.older()) }
      #expect(error?.code == .unknownKey)
      let patch = try Patch(json: json, model: Self.newer())
      try change(there, Self.newer()) { follower, context in
        try patch.apply(to: follower)
        let now = try follower.asOf(.head)
        #expect(try Patch.difference(from: now, to: store.asOf(.head)).isEmpty)
        withExtendedLifetime(context) {}
      }
    }
  }
}
