// Work that was never saved is offered after a crash, whole, on what it was made on.

import DiskAccess
import DiskSimulation
import EventFold
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct DraftTests {
  private let disk = SimulatedDisk(seed: 3)

  private func open(_ disk: SimulatedDisk? = nil) throws -> JournaledStore {
    try JournaledStore(
      on: disk ?? self.disk, at: "Life.xjournal", model: try StoreLife.model(), options: .small)
  }

  /// Commits one note with a title, in a context that ends.
  private func note(_ store: JournaledStore, _ title: String) throws -> ObjectID {
    let context = try store.beginContext(name: "first", on: store.head.number)
    let object = try store.newObject(of: EntityNumber(rawValue: 0))
    let key = try store.key(named: "title")
    try store.record(.inserted(object), by: context)
    try store.record(.set(object, key, .string(title)), by: context)
    _ = try store.commit(
      CommitRequest([.init(object, base: .none, nil, to: Row([key: .string(title)]))]), by: context)
    try store.endContext(context)
    return object
  }

  @Test(arguments: [false, true])
  func `S76: edits after a save during which a checkpoint was written stand on that save`(
    isDirect: Bool
  ) throws {
    var options = StoreOptions.small
    options.unflushedByteCount = 1
    let store = try JournaledStore(
      on: disk, at: "Life.xjournal", model: try StoreLife.model(), options: options)
    let context = try store.beginContext(name: "editor", on: .none)
    let object = try store.newObject(of: EntityNumber(rawValue: 0))
    let key = try store.key(named: "title")
    if !isDirect { try store.record(.inserted(object), by: context) }
    var row: Row?
    for number in UInt64(1)...2 {
      let next = Row([key: .string("\(number)")])
      if !isDirect { try store.record(.set(object, key, next[key]), by: context) }
      _ = try store.commit(
        CommitRequest([
          .init(object, base: CommitNumber(rawValue: number - 1), row, to: next)
        ]), by: context)
      row = next
    }
    let findings = try store.verify(deep: true)
    #expect(findings == [])
    try store.record(.set(object, key, "7"), by: context)
    let again = try open(disk.imageAfterProcessDeath())
    #expect(try again.verify(deep: true) == [])
    let draft = try #require(again.unsavedDrafts.first)
    let (_, content) = try again.resume(draft)
    #expect(content.objects[object]?.base == 2)
    #expect(content.objects[object]?.baseRow == row)
    try again.close()
    try store.close()
  }

  @Test func `S76: unsaved edits come back after a crash, on their base, with their steps`() throws
  {
    let store = try open()
    let object = try note(store, "one")
    let key = try store.key(named: "title")
    let context = try store.beginContext(name: "editor", on: store.head.number)
    for title in ["two", "three"] {
      try store.record(.set(object, key, .string(title)), by: context)
      try store.record(.stepEnded(name: title), by: context)
    }
    let other = try store.newObject(of: EntityNumber(rawValue: 1))
    try store.record(.inserted(other), by: context)
    let again = try open(disk.imageAfterProcessDeath())
    let draft = try #require(again.unsavedDrafts.first)
    #expect(again.unsavedDrafts.count == 1)
    #expect(draft.contextName == "editor")
    #expect(draft.editCount == 3)
    #expect(draft.objectIDs == [object, other])
    #expect(draft.problem == nil)
    #expect(try again.head.row(of: object)?[key] == "one")
    let (resumed, content) = try again.resume(draft)
    #expect(content.objects[object]?.row?[key] == "three")
    #expect(content.undoSteps.map(\.name) == ["two", "three"])
    #expect(again.unsavedDrafts == [])
    _ = try again.commit(
      CommitRequest([
        .init(object, base: 1, Row([key: "one"]), to: Row([key: "three"])),
        .init(other, base: .none, nil, to: Row()),
      ]), by: resumed)
    try again.close()
    try store.close()
  }

  @Test func `a context that saved or gave everything up is no draft`() throws {
    let store = try open()
    let object = try note(store, "one")
    let key = try store.key(named: "title")
    let one = try store.beginContext(name: "saved", on: 1)
    try store.record(.set(object, key, "two"), by: one)
    _ = try store.commit(
      CommitRequest([.init(object, base: 1, Row([key: "one"]), to: Row([key: "two"]))]), by: one)
    let two = try store.beginContext(name: "rolled back", on: 2)
    try store.record(.set(object, key, "three"), by: two)
    try store.record(.rolledBack, by: two)
    let three = try store.beginContext(name: "undone", on: 2)
    try store.record(.set(object, key, "three"), by: three)
    try store.record(.stepEnded(name: nil), by: three)
    try store.record(
      .undone([Restoration(object, .updated, [.init(key, "two")])]), by: three)
    let four = try store.beginContext(name: "ended", on: 2)
    try store.record(.set(object, key, "four"), by: four)
    try store.endContext(four)
    let again = try open(disk.imageAfterProcessDeath())
    #expect(again.unsavedDrafts == [])
    try again.close()
    try store.close()
  }

  @Test func `S76: a draft that is declined is not offered again, and that is an event`() throws {
    let store = try open()
    let object = try note(store, "one")
    let key = try store.key(named: "title")
    let context = try store.beginContext(name: "editor", on: 1)
    try store.record(.set(object, key, "two"), by: context)
    let image = disk.imageAfterProcessDeath()
    let again = try open(image)
    let draft = try #require(again.unsavedDrafts.first)
    try again.discard(draft)
    #expect(again.unsavedDrafts == [])
    let error = #expect(throws: StoreError.self) { try again.discard(draft) }
    #expect(error?.code == .contextMissing)
    #expect(try again.events().last?.kind == .discarded)
    try again.close()
    let third = try open(image)
    #expect(third.unsavedDrafts == [])
    try third.close()
    try store.close()
  }

  /// Has a context that comes and goes give an object one value.
  private func saveElsewhere(
    _ store: JournaledStore, _ object: ObjectID, _ key: KeyNumber, _ value: Value
  ) throws {
    let other = try store.beginContext(name: "other", on: store.head.number)
    let row = try store.head.row(of: object)
    _ = try store.commit(
      CommitRequest([.init(object, base: store.head.number, row, to: Row([key: value]))]),
      by: other)
    try store.endContext(other)
  }

  @Test func `S76b: compaction keeps what drafts and open contexts stand on`() throws {
    let store = try open()
    let object = try note(store, "one")
    let key = try store.key(named: "title")
    let context = try store.beginContext(name: "editor", on: 1)
    try store.record(.set(object, key, "mine"), by: context)
    try store.record(.stepEnded(name: "step"), by: context)
    for number in 2...9 {
      try saveElsewhere(store, object, key, .integer(number))
      if number % 3 == 0 { try store.beginSegment() }
    }
    try store.compact(keeping: .latest)
    let again = try open(disk.imageAfterProcessDeath())
    let draft = try #require(again.unsavedDrafts.first)
    try again.compact(keeping: .latest)
    let (_, content) = try again.resume(draft)
    #expect(content.objects[object]?.baseRow == Row([key: "one"]))
    #expect(content.objects[object]?.row == Row([key: "mine"]))
    #expect(content.undoSteps.map(\.name) == ["step"])
    #expect(try again.head.row(of: object) == Row([key: 9]))
    try again.close()
    try store.close()
  }

  @Test func `S76b: compaction keeps an earlier commit that an open context began on`() throws {
    let store = try open()
    let object = try note(store, "one")
    let key = try store.key(named: "title")
    for number in 2...4 {
      try saveElsewhere(store, object, key, .integer(number))
      try store.beginSegment()
    }
    let context = try store.beginContext(name: "editor", on: 2)
    try store.record(.set(object, key, "mine"), by: context)
    try store.compact(keeping: .latest)
    #expect(store.firstKeptCommit == 3)
    #expect(try store.row(of: object, at: 2) == Row([key: 2]))
    let again = try open(disk.imageAfterProcessDeath())
    let draft = try #require(again.unsavedDrafts.first)
    #expect(draft.problem == nil)
    #expect(try again.resume(draft).content.objects[object]?.baseRow == Row([key: 2]))
    try again.close()
    try store.close()
  }

  @Test func `edits on a commit that was never written come back as a draft with a problem`() throws
  {
    let store = try open()
    let object = try note(store, "one")
    try store.close()
    var options = StoreOptions.small
    options.durability = .memory
    let hasty = try JournaledStore(
      on: disk, at: "Life.xjournal", model: try StoreLife.model(), options: options)
    let key = try hasty.key(named: "title")
    let context = try hasty.beginContext(name: "editor", on: 1)
    let two = Row([key: "two"])
    _ = try hasty.commit(
      CommitRequest([.init(object, base: 1, Row([key: "one"]), to: two)]), by: context)
    #expect(hasty.lastCommit == 2)
    try hasty.record(.based(object, on: 2), by: context)
    try hasty.record(.set(object, key, "three"), by: context)
    let again = try open(disk.imageAfterProcessDeath())
    #expect(again.lastCommit == 1)
    #expect(again.unsavedDrafts.first?.problem?.code == .commitMissing)
    #expect(try again.verify(deep: true) == [])
    try again.close()
    try hasty.close()
  }

  @Test
  func `S76: what is done with a draft that has a problem is found again after another crash`()
    throws
  {
    let store = try open()
    let notes = try ["one", "two", "three"].map { try note(store, $0) }
    let key = try store.key(named: "title")
    try store.close()
    var options = StoreOptions.small
    options.durability = .memory
    let hasty = try JournaledStore(
      on: disk, at: "Life.xjournal", model: try StoreLife.model(), options: options)
    let context = try hasty.beginContext(name: "editor", on: 3)
    try hasty.record(.set(notes[0], key, "mine"), by: context)
    let added = try hasty.newObject(of: EntityNumber(rawValue: 0))
    try hasty.record(.inserted(added), by: context)
    try hasty.record(.setPrimitive(added, key, "quiet"), by: context)
    try hasty.record(.based(notes[1], on: 2), by: context)
    try hasty.record(.deleted(notes[1]), by: context)
    let rival = try hasty.beginContext(name: "rival", on: 3)
    _ = try hasty.commit(
      CommitRequest([.init(notes[2], base: 3, Row([key: "three"]), to: Row([key: "lost"]))]),
      by: rival)
    try hasty.record(.based(notes[2], on: 4), by: context)
    try hasty.record(.set(notes[2], key, "on what is lost"), by: context)
    var image = disk.imageAfterProcessDeath()
    try hasty.close()

    var again = try open(image)
    let draft = try #require(again.unsavedDrafts.first)
    #expect(draft.problem?.code == .commitMissing)
    let (resumed, content) = try again.resume(draft)
    #expect(again.unsavedDrafts == [])
    let whole: [ObjectID: Row?] = [
      notes[0]: Row([key: "mine"]), notes[1]: nil, added: Row([key: "quiet"]),
    ]
    #expect(content.objects.filter { _ in true }.mapValues(\.row) == whole)
    #expect(content.number == resumed.number && content.name == "editor")
    #expect(content.undoSteps == [] && !content.hasOpenStep && content.registersUndo)
    // A commit gets the number of the one that is lost, and what stands on it is none of its business.
    let other = try again.beginContext(name: "other", on: 3)
    _ = try again.commit(
      CommitRequest([.init(notes[2], base: 3, Row([key: "three"]), to: Row([key: "new"]))]),
      by: other)
    try again.endContext(other)
    try again.record(.set(notes[0], key, "mine, later"), by: resumed)
    try again.record(.stepEnded(name: "later"), by: resumed)
    image = image.imageAfterProcessDeath()
    try again.close()

    again = try open(image)
    let later = try #require(again.unsavedDrafts.first)
    #expect(again.unsavedDrafts.count == 1)
    #expect(later.problem == nil && later.contextName == "editor")
    let (last, all) = try again.resume(later)
    #expect(last.number == resumed.number)
    #expect(all.objects[notes[0]]?.row == Row([key: "mine, later"]))
    #expect(all.objects.count == 3 && all.objects[notes[1]]?.base == 2)
    #expect(all.undoSteps.map(\.name) == ["later"])
    _ = try again.commit(
      CommitRequest(all.unsaved().map { .init($0.object, base: $0.base, $0.baseRow, to: $0.row) }),
      by: last)
    #expect(try again.head.row(of: notes[0]) == Row([key: "mine, later"]))
    #expect(try again.head.row(of: notes[1]) == nil)
    #expect(try again.verify(deep: true) == [])
    image = image.imageAfterProcessDeath()
    try again.close()
    again = try open(image)
    #expect(again.unsavedDrafts == [])
    try again.close()
  }

  @Test func `a draft with a problem is there until all that is whole of it is said anew`() throws {
    let store = try open()
    let object = try note(store, "one")
    let key = try store.key(named: "title")
    let context = try store.beginContext(name: "editor", on: 1)
    for number in 1...40 {
      try store.record(
        .set(object, KeyNumber(rawValue: key.rawValue), .integer(number)), by: context)
      let added = try store.newObject(of: EntityNumber(rawValue: 0))
      try store.record(.inserted(added), by: context)
      try store.record(.set(added, key, .string(String(repeating: "x", count: 200))), by: context)
    }
    // No commit 9 was ever made.
    try store.record(.based(object, on: 9), by: context)
    let image = disk.imageAfterProcessDeath()
    try store.close()
    let full = try open(image)
    let draft = try #require(full.unsavedDrafts.first)
    #expect(draft.problem?.code == .commitMissing && draft.objectIDs.count == 41)
    image.faults = [
      SimulatedFault(.failure(.noSpace), calls: [.write, .append, .allocate], isLasting: true)
    ]
    #expect(throws: StoreError.self) { try full.resume(draft) }
    image.faults = []
    #expect(full.unsavedDrafts == [draft])
    let (_, content) = try full.resume(draft)
    #expect(content.unsaved().count == 41)
    try full.close()
  }

  @Test func `S74: the journal tells every edit in its order, with its context`() throws {
    let store = try open()
    let object = try note(store, "one")
    let key = try store.key(named: "title")
    try store.tag("v1")
    let context = try store.beginContext(name: "editor", on: 1)
    try store.record(.based(object, on: 1), by: context)
    try store.record(.setPrimitive(object, key, nil), by: context)
    try store.record(.renamed("writer"), by: context)
    try store.record(.saveFailed("no"), by: context)
    let events = try store.events()
    #expect(
      events.map(\.kind) == [
        .modelAdopted(["Note", "Folder"]), .began(on: 0), .inserted(object),
        .set(object, key: "title", "one"), .saved(1), .ended, .tagged("v1", 1), .began(on: 1),
        .based(object, on: 1), .setPrimitive(object, key: "title", nil), .renamed("writer"),
        .saveFailed("no"),
      ])
    #expect(
      events.map { $0.context?.name } == [
        nil, "first", "first", "first", "first", "first", nil, "editor", "editor", "editor",
        "writer", "writer",
      ])
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.date <= $1.date })
    try store.close()
  }
}
