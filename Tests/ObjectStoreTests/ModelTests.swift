// A store opened with another model: what can be inferred is carried over, and the past stays as it was.

import DiskSimulation
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct ModelTests {
  /// A model with an entity Note, and others.
  private static func model(
    _ attributes: [AttributeDescription], _ relationships: [RelationshipDescription] = [],
    others: [EntityDescription] = []
  ) throws -> ManagedObjectModel {
    try ManagedObjectModel(
      entities: [
        EntityDescription("Note", attributes: attributes, relationships: relationships)
      ] + others)
  }

  private static let title = AttributeDescription("title", .string)

  @Test func `an attribute that is added is empty, or has its default where it is required`() throws
  {
    var life = try ModelLife(try Self.model([Self.title]))
    let note = try life.insert("Note", ["title": "one"])
    try life.reopen(
      try Self.model([
        Self.title, AttributeDescription("rank", .integer),
        AttributeDescription("mood", .string, isOptional: false, defaultValue: "calm"),
      ]))
    #expect(try life.head == [note: ["title": "one", "mood": "calm"]])
    #expect(try life.fault() == nil)
    try life.save([note: ["title": "one", "mood": "wild", "rank": 3]])
    #expect(try life.fault() == nil)
    try life.store.close()
  }

  @Test func `S22: a model that would leave a dynamic value without a place is refused`() throws {
    let older = try Self.model([Self.title], others: [EntityDescription("Other")])
    var life = try ModelLife(older)
    let note = try life.insert("Note", ["title": "one", "mood": "sunny", "head": "h"])
    let plain = try life.insert("Note", ["title": "two", "mood": "calm"])
    try life.store.checkpoint()
    let mood = AttributeDescription("mood", .integer)
    let head = AttributeDescription("head", .string, renamingIdentifier: "title")
    let newer = [
      try Self.model([Self.title, mood], others: [EntityDescription("Other")]),
      try Self.model([head], others: [EntityDescription("Other")]),
      try Self.model(
        [Self.title], [RelationshipDescription("mood", to: "Other")],
        others: [EntityDescription("Other")]),
    ]
    for (model, key) in zip(newer, ["mood", "head", "mood"]) {
      let error = #expect(throws: StoreError.self) { try life.reopen(model) }
      #expect(error?.code == .modelDoesNotFit)
      let differences = error?.modelDifferences?.differences ?? []
      #expect(differences.map(\.newer.property) == [key])
      #expect(differences.map(\.kind) == [.dynamicValues(of: note.uri)])
      try life.reopen(older)
      #expect(
        try life.head == [
          note: ["title": "one", "mood": "sunny", "head": "h"],
          plain: ["title": "two", "mood": "calm"],
        ])
    }
    // What fits is taken, and what is in nobody's way stays.
    try life.save([note: ["title": "one", "mood": 3], plain: ["title": "two"]])
    try life.reopen(newer[0])
    #expect(try life.head == [note: ["title": "one", "mood": 3], plain: ["title": "two"]])
    #expect(try life.fault() == nil)
    try life.store.close()
  }

  @Test func `an attribute that is removed is gone from the present, and readable in the past`()
    throws
  {
    var life = try ModelLife(
      try Self.model([Self.title, AttributeDescription("rank", .integer)]))
    let note = try life.insert("Note", ["title": "one", "rank": 7])
    try life.reopen(try Self.model([Self.title]))
    #expect(try life.head == [note: ["title": "one"]])
    #expect(try life.named(try life.store.snapshot(at: 1)) == [note: ["title": "one", "rank": 7]])
    try life.save([note: ["title": "two"]])
    #expect(try life.fault() == nil)
    // What comes back under the name begins anew.
    try life.reopen(try Self.model([Self.title, AttributeDescription("rank", .integer)]))
    #expect(try life.head == [note: ["title": "two"]])
    #expect(try life.fault() == nil)
    try life.store.close()
  }

  @Test(arguments: [true, false])
  func `a relationship has no value where all that it led to are of entities that are no more`(
    isOrdered: Bool
  ) throws {
    func model(hasLinks: Bool) throws -> ManagedObjectModel {
      try Self.model(
        [Self.title],
        [RelationshipDescription("items", to: "Item", isToMany: true, isOrdered: isOrdered)],
        others: [EntityDescription("Item")]
          + (hasLinks ? [EntityDescription("Link", parent: "Item")] : []))
    }
    var life = try ModelLife(try model(hasLinks: true))
    let (item, link) = (try life.insert("Item", [:]), try life.insert("Link", [:]))
    func value(_ objects: [ObjectID]) -> Value {
      let members = objects.map(Value.reference)
      return isOrdered ? .array(members) : .set(Set(members))
    }
    let one = try life.insert("Note", ["title": "one", "items": value([link])])
    let two = try life.insert("Note", ["title": "two", "items": value([link, item])])
    try life.reopen(try model(hasLinks: false))
    #expect(
      try life.head == [
        item: [:], one: ["title": "one"], two: ["title": "two", "items": value([item])],
      ])
    #expect(try life.fault() == nil)
    try life.store.close()
  }

  @Test func `a renamed entity and a renamed attribute keep their objects and values`() throws {
    var life = try ModelLife(try Self.model([Self.title]))
    let note = try life.insert("Note", ["title": "one"])
    try life.reopen(
      try ManagedObjectModel(entities: [
        EntityDescription(
          "Memo",
          attributes: [AttributeDescription("head", .string, renamingIdentifier: "title")],
          renamingIdentifier: "Note")
      ]))
    #expect(try life.head == [note: ["head": "one"]])
    #expect(life.store.head.era?.name(of: note.entity) == "Memo")
    #expect(try life.store.snapshot(at: 1).era?.name(of: note.entity) == "Note")
    let other = try life.insert("Memo", ["head": "two"])
    #expect(other.entity == note.entity && other != note)
    let commits = try life.store.commits(since: 0)
    #expect(commits.map { $0.changes[0].entityName } == ["Note", "Memo"])
    #expect(try life.fault() == nil)
    try life.store.close()
  }

  @Test func `S71: the last state of an era has the time of its commit`() throws {
    var life = try ModelLife(try Self.model([Self.title]))
    let note = try life.insert("Note", ["title": "one"])
    life.disk.advanceClock(by: 5_000_000_000)
    try life.reopen(try Self.model([Self.title, AttributeDescription("rank", .integer)]))
    try life.save([note: ["title": "two"]])
    life.disk.advanceClock(by: 5_000_000_000)
    try life.reopen(try Self.model([Self.title]))
    try life.save([note: ["title": "three"]])
    let dates = try life.store.commits(since: 0).map(\.date)
    #expect(Set(dates).count == 3)
    for number in 1...3 {
      let snapshot = try life.store.snapshot(at: CommitNumber(rawValue: UInt64(number)))
      #expect(snapshot.time.date == dates[number - 1])
    }
    try life.store.compact(keeping: .commits(since: 2))
    #expect(try life.store.snapshot(at: 2).time.date == dates[1])
    try life.store.close()
  }

  /// What is told of a key: the commit, the name it had, and the values.
  private static func told(_ life: ModelLife, _ note: ObjectID, _ key: String) throws -> [String] {
    try life.store.history(of: note, key: key).map {
      "\($0.commit) \($0.key): \($0.old?.string ?? "-") \($0.new?.string ?? "-")"
    }
  }

  @Test func `S72: the history of a renamed key has all it was, by whichever name it is asked for`()
    throws
  {
    var life = try ModelLife(try Self.model([Self.title]))
    let note = try life.insert("Note", ["title": "one"])
    try life.save([note: ["title": "two"]])
    let head = AttributeDescription("head", .string, renamingIdentifier: "title")
    try life.reopen(try Self.model([head]))
    try life.save([note: ["head": "three"]])
    let all = ["1 title: - one", "2 title: one two", "3 head: two three"]
    #expect(try Self.told(life, note, "head") == all)
    #expect(try Self.told(life, note, "title") == all)
    #expect(try life.store.history(of: note).map(\.key) == ["title", "title", "head"])
    // A new attribute of the old name is another one.
    try life.reopen(
      try Self.model([
        AttributeDescription("name", .string, renamingIdentifier: "head"), Self.title,
      ]))
    try life.save([note: ["name": "four", "title": "new"]])
    #expect(try Self.told(life, note, "name") == all + ["4 name: three four"])
    #expect(try Self.told(life, note, "head") == all + ["4 name: three four"])
    // Each had the name in its time.
    #expect(try Self.told(life, note, "title") == Array(all[..<2]) + ["4 title: - new"])
    #expect(try Self.told(life, note, "nothing") == [])
    try life.store.close()
  }

  @Test func `S72: the history of a key that was taken away and came back has both its lives`()
    throws
  {
    let rank = AttributeDescription("rank", .string)
    var life = try ModelLife(try Self.model([Self.title, rank]))
    let note = try life.insert("Note", ["rank": "a"])
    try life.reopen(try Self.model([Self.title]))
    try life.save([note: ["title": "x"]])
    try life.save([note: ["title": "x", "rank": "dynamic"]])
    #expect(try Self.told(life, note, "rank") == ["1 rank: - a", "3 rank: - dynamic"])
    try life.reopen(try Self.model([Self.title, rank]))
    try life.save([note: ["title": "x", "rank": "b"]])
    #expect(
      try Self.told(life, note, "rank") == [
        "1 rank: - a", "3 rank: - dynamic", "4 rank: dynamic b",
      ])
    try life.store.close()
  }

  @Test func `numbers are widened, and the past has the narrow ones`() throws {
    var life = try ModelLife(
      try Self.model([AttributeDescription("rank", .integer), AttributeDescription("on", .boolean)])
    )
    let note = try life.insert("Note", ["rank": 7, "on": .boolean(true)])
    try life.reopen(
      try Self.model([AttributeDescription("rank", .real), AttributeDescription("on", .integer)]))
    #expect(try life.head == [note: ["rank": .real(7), "on": 1]])
    #expect(
      try life.named(try life.store.snapshot(at: 1)) == [note: ["rank": 7, "on": .boolean(true)]])
    #expect(try life.fault() == nil)
    try life.store.close()
  }

  @Test func `an attribute made required with a default fills the objects that hold nothing`()
    throws
  {
    var life = try ModelLife(try Self.model([Self.title]))
    let (one, two) = (try life.insert("Note", ["title": "one"]), try life.insert("Note", [:]))
    try life.reopen(
      try Self.model([
        AttributeDescription("title", .string, isOptional: false, defaultValue: "untitled")
      ]))
    #expect(try life.head == [one: ["title": "one"], two: ["title": "untitled"]])
    #expect(try life.fault() == nil)
    try life.store.close()
  }

  @Test func `with an entity go its objects and all references to them, and both are in the past`()
    throws
  {
    let folder = EntityDescription("Folder", attributes: [AttributeDescription("name", .string)])
    var life = try ModelLife(
      try Self.model(
        [Self.title], [RelationshipDescription("folder", to: "Folder")], others: [folder]))
    let home = try life.insert("Folder", ["name": "home"])
    let away = Value.reference(ObjectID(rawValue: home.rawValue, store: StoreTag(rawValue: 7)))
    let note = try life.insert(
      "Note",
      [
        "title": "one", "folder": .reference(home), "near": .reference(home),
        "all": .set([.reference(home), away]), "row": [.reference(home), away, 1],
      ])
    let rest: [String: Value] = ["title": "one", "all": .set([away]), "row": [away, 1]]
    try life.reopen(try Self.model([Self.title], [], others: [EntityDescription("Tag")]))
    #expect(try life.head == [note: rest])
    #expect(try life.store.head.row(of: home) == nil)
    #expect(try life.fault() == nil)
    let error = #expect(throws: CommitError.self) {
      let context = try life.store.beginContext(name: "late", on: 2)
      _ = try life.store.commit(
        CommitRequest([.init(home, base: .none, nil, to: Row())]), by: context)
    }
    #expect(error?.storeError?.code == .entityMissing)
    // An entity of the same name is another one, with objects of its own.
    try life.reopen(try Self.model([Self.title], [], others: [folder]))
    let other = try life.insert("Folder", ["name": "away"])
    #expect(other.entity != home.entity)
    #expect(try life.head == [note: rest, other: ["name": "away"]])
    #expect(try life.fault() == nil)
    try life.store.close()
  }

  @Test func `a model that does not fit is told with every difference, and nothing changes`() throws
  {
    var life = try ModelLife(
      try Self.model([Self.title, AttributeDescription("rank", .integer)]))
    _ = try life.insert("Note", ["title": "one", "rank": 1])
    let misfit = try Self.model([
      AttributeDescription("title", .date), AttributeDescription("rank", .boolean),
      AttributeDescription("mood", .string, isOptional: false),
    ])
    for isCheckpointed in [false, true] {
      if isCheckpointed { try life.store.checkpoint() }
      try life.store.close()
      let before = life.disk.paths.filter { !$0.hasSuffix("/LOCK") }.map {
        ($0, life.disk.contents(of: $0))
      }
      let error = #expect(throws: StoreError.self) { try life.reopen(misfit) }
      #expect(error?.code == .modelDoesNotFit)
      let differences = error?.modelDifferences?.differences ?? []
      #expect(
        differences.map(\.newer.description).sorted() == ["Note.mood", "Note.rank", "Note.title"])
      for difference in differences {
        #expect(error?.description.contains(difference.newer.description) == true)
      }
      for (path, bytes) in before {
        #expect(life.disk.contents(of: path) == bytes, "\(path)")
      }
      try life.reopen(nil)
      #expect(try life.fault() == nil)
    }
    try life.store.close()
  }

  @Test func `without a model a store opens with its own, and a new one takes no objects`() throws {
    let model = try Self.model([Self.title])
    var life = try ModelLife(nil)
    #expect(life.store.model == nil)
    let context = try life.store.beginContext(name: "early", on: 0)
    let object = try life.store.newObject(of: EntityNumber(rawValue: 0))
    let error = #expect(throws: CommitError.self) {
      _ = try life.store.commit(
        CommitRequest([.init(object, base: .none, nil, to: Row())]), by: context)
    }
    #expect(error?.storeError?.code == .entityMissing)
    try life.store.checkpoint()
    try life.reopen(nil)
    #expect(try life.store.verify(deep: true) == [])
    try life.reopen(model)
    let note = try life.insert("Note", ["title": "one"])
    try life.reopen(nil)
    #expect(life.store.model == model)
    try life.save([note: ["title": "two"]])
    #expect(try life.fault() == nil)
    try life.store.close()
  }

  @Test
  func `S72: history and blame go back across changes of the model, under the names of the time`()
    throws
  {
    var life = try ModelLife(
      try Self.model([Self.title, AttributeDescription("rank", .integer)]))
    let note = try life.insert("Note", ["title": "one", "rank": 1])
    try life.save([note: ["title": "one", "rank": 2]])
    try life.reopen(
      try Self.model([
        AttributeDescription("head", .string, renamingIdentifier: "title"),
        AttributeDescription("rank", .real),
      ]))
    try life.save([note: ["head": "two", "rank": .real(2)]])
    try life.save([note: ["head": "two", "rank": .real(2.5)]])
    let told = try life.store.history(of: note).map { "\($0.commit) \($0.key) \(text($0.new))" }
    #expect(told == ["1 rank 1", "1 title one", "2 rank 2", "3 head two", "4 rank 2.5"])
    let blame = try life.store.blame(note)
    #expect(blame.mapValues(\.commit) == ["head": 3, "rank": 4])
    let other = try life.insert("Note", ["head": "old", "rank": .real(0)])
    try life.reopen(
      try Self.model([
        AttributeDescription("name", .string, renamingIdentifier: "head"),
        AttributeDescription("rank", .real),
      ]))
    #expect(
      try life.store.blame(other).mapValues { [$0.commit.rawValue, UInt64($0.key.count)] }
        == ["name": [5, 4], "rank": [5, 4]])
    #expect(try life.store.blame(note).mapValues(\.commit) == ["name": 3, "rank": 4])
    let commits = try life.store.commits(since: 0)
    #expect(commits[2].changes[0].values == ["head": .init(old: "one", new: "two")])
    #expect(commits[3].changes[0].values == ["rank": .init(old: .real(2), new: .real(2.5))])
    #expect(try life.fault() == nil)
    try life.store.close()
  }

  private func text(_ value: Value?) -> String {
    value.map { $0.string ?? "\($0)" } ?? "nothing"
  }
}

extension CommitError {
  fileprivate var storeError: StoreError? {
    if case .store(let error) = self { error } else { nil }
  }
}
