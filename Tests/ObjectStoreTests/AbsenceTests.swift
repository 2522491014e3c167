// Objects, commits and drafts that are not there: why is told, and nothing else is answered in their place.

import DiskSimulation
import EventFold
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct AbsenceTests {
  private let disk = SimulatedDisk(seed: 52)

  private func open(_ model: ManagedObjectModel?) throws -> JournaledStore {
    try JournaledStore(on: disk, at: StoreLife.path, model: model, options: .small)
  }

  private func commit(
    _ store: JournaledStore, _ object: ObjectID, from old: Row?, to new: Row?
  ) throws {
    let context = try store.beginContext(name: "editor", on: store.lastCommit)
    let request = CommitRequest([.init(object, base: store.lastCommit, old, to: new)])
    _ = try store.commit(request, by: context)
    try store.endContext(context)
  }

  private func refusal(_ store: JournaledStore, _ object: ObjectID) throws -> String {
    let error = try #require(throws: StoreError.self) { try store.blame(object) }
    #expect(error.code == .objectMissing)
    return error.description
  }

  @Test func `S72: whoever asks for what is not there is told whether it was deleted or never was`()
    throws
  {
    let store = try open(try StoreLife.model())
    let note = EntityNumber(rawValue: 0)
    let (gone, never) = (try store.newObject(of: note), try store.newObject(of: note))
    let row = Row([try store.key(named: "title"): "one"])
    try commit(store, gone, from: nil, to: row)
    try commit(store, gone, from: row, to: nil)
    #expect(try refusal(store, gone).contains("was deleted by commit 2"))
    #expect(try store.history(of: gone).map(\.new) == ["one", nil])
    #expect(try refusal(store, never).contains("nor was there ever one"))
    try store.compact(keeping: .latest)
    for object in [gone, never] {
      #expect(try refusal(store, object).contains("compaction has dropped what it was"))
      let error = #expect(throws: StoreError.self) { try store.history(of: object) }
      #expect(error?.code == .objectMissing)
    }
    try store.close()
  }

  @Test func `S72: an object whose entity is no more is told of as such`() throws {
    let store = try open(try StoreLife.model())
    let object = try store.newObject(of: EntityNumber(rawValue: 0))
    try commit(store, object, from: nil, to: Row([try store.key(named: "title"): "one"]))
    try store.close()
    let folder = EntityDescription("Folder", attributes: [AttributeDescription("name", .string)])
    let again = try open(try ManagedObjectModel(entities: [folder]))
    #expect(try refusal(again, object).contains("the model has no “Note” now"))
    #expect(try again.history(of: object).map(\.new) == ["one"])
    try again.close()
  }

  @Test func `S71: a tag of a commit that compaction has dropped is no moment any more`() throws {
    let store = try open(try StoreLife.model())
    var program = try NoteProgram(store)
    for _ in 1...6 { try program.save() }
    try store.tag("early", 2)
    try store.tag("late", 6)
    #expect(try store.commit(at: .tag("early")) == 2)
    try store.compact(keeping: .latest)
    #expect(try store.commit(at: .tag("late")) == 6)
    let error = #expect(throws: StoreError.self) { try store.commit(at: .tag("early")) }
    #expect(error?.code == .commitMissing)
    try store.close()
  }

  @Test func `drafts and sessions of another store are refused, whatever their contexts' numbers`()
    throws
  {
    let stores = try [disk, SimulatedDisk(seed: 53)].map { disk in
      let model = try StoreLife.model()
      func open(_ disk: SimulatedDisk) throws -> JournaledStore {
        try JournaledStore(on: disk, at: StoreLife.path, model: model, options: .small)
      }
      let store = try open(disk)
      var program = try NoteProgram(store)
      try program.save()
      let context = try store.beginContext(name: "editor", on: 1)
      let note = try #require(program.state.keys.first)
      try store.record(.set(note, try store.key(named: "title"), "two"), by: context)
      return try open(disk.imageAfterProcessDeath())
    }
    let foreign = try #require(stores[0].unsavedDrafts.first)
    let session = try #require(stores[0].sessions.first)
    let refused: [(JournaledStore) throws -> Void] = [
      { try $0.discard(foreign) }, { _ = try $0.resume(foreign) }, { _ = try $0.resume(session) },
      { try $0.compact(keeping: .latest.keepingUndo(of: [session])) },
    ]
    for call in refused {
      let error = #expect(throws: StoreError.self) { try call(stores[1]) }
      #expect(error?.code == .contextOfAnotherStore)
    }
    #expect(stores[1].unsavedDrafts.count == 1)
    try stores[0].discard(foreign)
    for store in stores { try store.close() }
  }
}
