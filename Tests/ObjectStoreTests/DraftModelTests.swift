// Drafts made under an earlier model are offered as the store's model reads them, with their undo steps.

import DiskSimulation
import EventFold
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct DraftModelTests {
  private static let path = ModelLife.path
  private let disk = SimulatedDisk(seed: 11)

  private static func model(
    of name: String = "Note", _ attributes: [AttributeDescription], others: [String] = [],
    renaming: String? = nil
  ) throws -> ManagedObjectModel {
    try ManagedObjectModel(
      entities: [
        EntityDescription(name, attributes: attributes, renamingIdentifier: renaming)
      ]
        + others.map {
          EntityDescription($0, attributes: [AttributeDescription("name", .string)])
        })
  }

  private static func older() throws -> ManagedObjectModel {
    try model(
      [
        AttributeDescription("title", .string), AttributeDescription("rank", .integer),
        AttributeDescription("old", .string),
      ], others: ["Folder"])
  }

  /// Renames, widens, removes, adds with a default, and drops an entity.
  private static func newer() throws -> ManagedObjectModel {
    try model(
      of: "Memo",
      [
        AttributeDescription("head", .string, renamingIdentifier: "title"),
        AttributeDescription("rank", .real),
        AttributeDescription("mood", .string, isOptional: false, defaultValue: "calm"),
      ], renaming: "Note")
  }

  private func open(_ model: ManagedObjectModel?, _ disk: SimulatedDisk) throws -> JournaledStore {
    try JournaledStore(on: disk, at: Self.path, model: model, options: .small)
  }

  private func row(_ values: [String: Value], _ store: JournaledStore) throws -> Row {
    var row = Row()
    for (name, value) in values { row[try store.key(named: name)] = value }
    return row
  }

  private func named(_ row: Row?, _ store: JournaledStore) -> [String: Value]? {
    guard let row else { return nil }
    return Dictionary(
      uniqueKeysWithValues: row.entries.map { (store.name(of: $0.key) ?? "?", $0.value) })
  }

  /// What a draft was made of: a note that is committed, one that is not, and a folder.
  private struct Objects {
    let one: ObjectID
    let two: ObjectID
    let folder: ObjectID
  }

  /// Commits a note and a folder, and edits them and another note without saving.
  private func edit(_ store: JournaledStore) throws -> Objects {
    let (note, folderNumber) = (EntityNumber(rawValue: 0), EntityNumber(rawValue: 1))
    let one = try store.newObject(of: note)
    let folder = try store.newObject(of: folderNumber)
    let first = try store.beginContext(name: "first", on: .none)
    _ = try store.commit(
      CommitRequest([
        .init(
          one, base: .none, nil, to: try row(["title": "one", "rank": 1, "old": "o"], store)),
        .init(folder, base: .none, nil, to: try row(["name": "home"], store)),
      ]), by: first)
    try store.endContext(first)
    let context = try store.beginContext(name: "editor", on: store.lastCommit)
    func set(_ object: ObjectID, _ key: String, _ value: Value?) throws {
      try store.record(.set(object, try store.key(named: key), value), by: context)
    }
    try set(one, "title", "mine")
    try set(one, "rank", 2)
    try store.record(.stepEnded(name: "first step"), by: context)
    try set(one, "old", "gone")
    try store.record(.stepEnded(name: "old step"), by: context)
    let two = try store.newObject(of: note)
    try store.record(.inserted(two), by: context)
    try set(two, "title", "two")
    try set(two, "spice", "dynamic")
    try set(folder, "name", "elsewhere")
    try store.record(.stepEnded(name: "last step"), by: context)
    return Objects(one: one, two: two, folder: folder)
  }

  /// Whether a fold is the draft as the newer model has it.
  private func expectNewer(_ content: ContextFold, _ objects: Objects, _ store: JournaledStore) {
    #expect(
      named(content.objects[objects.one]?.baseRow, store) == [
        "head": "one", "rank": .real(1), "mood": "calm",
      ])
    #expect(
      named(content.objects[objects.one]?.row, store) == [
        "head": "mine", "rank": .real(2), "mood": "calm",
      ])
    #expect(content.objects[objects.two]?.kind == .inserted)
    #expect(
      named(content.objects[objects.two]?.row, store) == [
        "head": "two", "mood": "calm", "spice": "dynamic",
      ])
    #expect(content.objects[objects.folder] == nil)
    #expect(content.undoSteps.map(\.name) == ["first step", "last step"])
    let step = content.undoSteps.first?.objects.first?.entries ?? []
    #expect(
      Dictionary(uniqueKeysWithValues: step.map { (store.name(of: $0.key) ?? "?", $0.before) })
        == ["head": .value("one"), "rank": .value(.real(1))])
  }

  @Test func `S76: a draft of an older model is offered, resumed and saved as the newer reads it`()
    throws
  {
    let store = try open(try Self.older(), disk)
    let objects = try edit(store)
    let again = try open(try Self.newer(), disk.imageAfterProcessDeath())
    let draft = try #require(again.unsavedDrafts.first)
    #expect(draft.problem == nil)
    #expect(draft.objectIDs == [objects.one, objects.two])
    let (context, content) = try again.resume(draft)
    expectNewer(content, objects, again)
    #expect(try again.row(of: objects.one, at: 1) == content.objects[objects.one]?.baseRow)
    let changed = content.objects.map { object, held in
      CommitRequest.Object(object, base: held.base, held.baseRow, to: held.row)
    }
    let commit = try #require(try again.commit(CommitRequest(changed), by: context))
    #expect(commit.changes.map(\.object) == [objects.one, objects.two])
    #expect(
      named(try again.head.row(of: objects.one), again) == [
        "head": "mine", "rank": .real(2), "mood": "calm",
      ])
    #expect(try again.verify(deep: true) == [])
    try again.close()
    try store.close()
  }

  @Test func `S76: what a draft has deleted has its new defaults when that is undone`() throws {
    let store = try open(try Self.older(), disk)
    let one = try store.newObject(of: EntityNumber(rawValue: 0))
    let first = try store.beginContext(name: "first", on: .none)
    _ = try store.commit(CommitRequest([.init(one, base: .none, nil, to: Row())]), by: first)
    try store.endContext(first)
    let context = try store.beginContext(name: "editor", on: store.lastCommit)
    try store.record(.deleted(one), by: context)
    try store.record(.stepEnded(name: "delete"), by: context)
    let again = try open(try Self.newer(), disk.imageAfterProcessDeath())
    let (_, content) = try again.resume(try #require(again.unsavedDrafts.first))
    let step = try #require(content.undoSteps.last)
    var undone = content
    let restorations = try undone.restorations(of: step) { try again.row(of: $0, at: $1) }
    let mood = try again.key(named: "mood")
    #expect(restorations == [Restoration(one, .inserted, [.init(mood, "calm")])])
    try undone.apply(.undone(restorations)) { try again.row(of: $0, at: $1) }
    #expect(undone.changes().isEmpty && undone.objects[one]?.kind ?? .unchanged == .unchanged)
    try again.close()
    try store.close()
  }

  @Test func `S76: it is the same draft however often it was left, resumed and edited meanwhile`()
    throws
  {
    let store = try open(try Self.older(), disk)
    let objects = try edit(store)
    // Left once under each model, and resumed and edited under the newer.
    let first = disk.imageAfterProcessDeath()
    try store.close()
    let second = try open(try Self.newer(), first)
    let (context, _) = try second.resume(try #require(second.unsavedDrafts.first))
    let head = try second.key(named: "head")
    try second.record(.set(objects.one, head, "again"), by: context)
    try second.record(.stepEnded(name: "newer step"), by: context)
    try second.checkpoint()
    let image = first.imageAfterProcessDeath()
    try second.close()
    let third = try open(nil, image)
    let draft = try #require(third.unsavedDrafts.first)
    #expect(draft.problem == nil)
    let (_, content) = try third.resume(draft)
    #expect(content.objects[objects.one]?.row?[head] == "again")
    #expect(content.objects[objects.one]?.baseRow?[head] == "one")
    #expect(content.undoSteps.map(\.name) == ["first step", "last step", "newer step"])
    // Undone step by step, it is as it was under the older model, read by the newer.
    var undone = content
    for step in content.undoSteps.reversed() {
      let restorations = try undone.restorations(of: step) { try third.row(of: $0, at: $1) }
      try undone.apply(.undone(restorations)) { try third.row(of: $0, at: $1) }
    }
    #expect(undone.objects.values.allSatisfy { $0.kind == .unchanged })
    try third.close()
  }

  @Test func `a context begun under a newer model stands on commits of the older as it reads them`()
    throws
  {
    let store = try open(try Self.older(), disk)
    let objects = try edit(store)
    try store.close()
    let second = try open(try Self.newer(), disk)
    for draft in second.unsavedDrafts { try second.discard(draft) }
    let context = try second.beginContext(name: "new", on: second.lastCommit)
    let mood = try second.key(named: "mood")
    try second.record(.set(objects.one, mood, "wild"), by: context)
    let third = try open(nil, disk.imageAfterProcessDeath())
    let (_, content) = try third.resume(try #require(third.unsavedDrafts.first))
    #expect(
      named(content.objects[objects.one]?.row, third) == [
        "head": "one", "rank": .real(1), "mood": "wild",
      ])
    try third.close()
    try second.close()
  }
}
