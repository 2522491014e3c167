// A relationship that another model does not answer from its inverse any more keeps its destinations.

import DiskSimulation
import EventFold
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct GatheringTests {
  private let disk = SimulatedDisk(seed: 31)

  /// Folders with notes: of which each knows its folder, or which only the folder knows.
  private func model(notesKnow: Bool) throws -> ManagedObjectModel {
    let back = RelationshipDescription("folder", to: "Folder", inverse: "notes")
    return try ManagedObjectModel(entities: [
      EntityDescription(
        "Folder",
        relationships: [
          RelationshipDescription(
            "notes", to: "Note", inverse: notesKnow ? "folder" : nil, isToMany: true)
        ]),
      EntityDescription("Note", relationships: notesKnow ? [back] : []),
    ])
  }

  private func open(
    _ disk: SimulatedDisk, notesKnow: Bool, _ durability: Durability = .synced
  ) throws -> JournaledStore {
    var options = StoreOptions.small
    options.durability = durability
    return try JournaledStore(
      on: disk, at: "Notes.xjournal", model: try model(notesKnow: notesKnow), options: options)
  }

  @Test(arguments: [Durability.synced, .memory])
  func `destinations are gathered before the inverse is let go, whenever the process ends`(
    durability: Durability
  ) throws {
    let store = try open(disk, notesKnow: true)
    let context = try store.beginContext(name: "", on: .none)
    let (folder, empty) = (
      try store.newObject(of: EntityNumber(rawValue: 0)),
      try store.newObject(of: EntityNumber(rawValue: 0))
    )
    let notes = try (0..<3).map { _ in try store.newObject(of: EntityNumber(rawValue: 1)) }
    let key = try store.key(named: "folder")
    let linked = notes.prefix(2).map {
      CommitRequest.Object($0, base: .none, nil, to: Row([key: .reference(folder)]))
    }
    let others = [folder, empty, notes[2]].map {
      CommitRequest.Object($0, base: .none, nil, to: Row())
    }
    _ = try store.commit(CommitRequest(linked + others), by: context)
    try store.endContext(context)
    try store.close()
    let before = disk.imageAfterProcessDeath()
    var images: [SimulatedDisk] = []
    disk.onCall = { [unowned disk] _ in images.append(disk.imageAfterProcessDeath()) }
    try open(disk, notesKnow: false, durability).close()
    disk.onCall = nil
    images.append(disk.imageAfterProcessDeath())
    #expect(images.count > 10)
    for (index, image) in images.enumerated() {
      let again = try open(image, notesKnow: false, durability)
      let notesKey = try #require(again.existingKey(named: "notes"))
      let head = again.head
      let members = Set(notes.prefix(2).map { Value.reference($0) })
      #expect(try head.row(of: folder) == Row([notesKey: .set(members)]), "call \(index)")
      #expect(try head.row(of: empty) == Row())
      for note in notes { #expect(try head.row(of: note) == Row()) }
      #expect(again.lastCommit == 2)
      let past = try again.snapshot(at: 1)
      #expect(try past.row(of: notes[0]) == Row([key: .reference(folder)]))
      let pastFolder = try past.row(of: folder)
      #expect(pastFolder == Row(), "call \(index)")
      try again.close()
    }
    // Whoever never adopts the other model sees nothing of it.
    let same = try open(before, notesKnow: true)
    #expect(same.lastCommit == 1)
    try same.close()
  }

  @Test func `what a model has made of objects is what the commit under it has changed`() throws {
    var store = try open(disk, notesKnow: true)
    let key = try store.key(named: "folder")
    let context = try store.beginContext(name: "", on: .none)
    let folder = try store.newObject(of: EntityNumber(rawValue: 0))
    let notes = try (0..<3).map { _ in try store.newObject(of: EntityNumber(rawValue: 1)) }
    let known = Row([key: .reference(folder)])
    _ = try store.commit(
      CommitRequest(
        [.init(folder, base: .none, nil, to: Row())]
          + notes.map { .init($0, base: .none, nil, to: known) }), by: context)
    try store.endContext(context)
    try store.close()
    store = try open(disk, notesKnow: false)
    #expect(try store.modelChange(before: try store.content(of: 2)) == nil)
    let notesKey = try #require(store.existingKey(named: "notes"))
    let other = try store.beginContext(name: "", on: store.lastCommit)
    let all = Row([notesKey: .set(Set(notes.map(Value.reference)))])
    _ = try store.commit(
      CommitRequest([
        .init(folder, base: 2, all, to: Row([notesKey: .set([.reference(notes[0])])]))
      ]), by: other)
    try store.endContext(other)
    let content = try store.content(of: 3)
    let change = try #require(try store.modelChange(before: content))
    let (before, after) = (try store.snapshot(at: 2), try store.snapshot(at: 3))
    let changes = Dictionary(uniqueKeysWithValues: content.changes.map { ($0.object, $0) })
    var seen: [(object: ObjectID, old: Row, new: Row?)] = []
    try change.forEach { (object, old, new) throws(StoreError) in
      seen.append((object, old, new))
      return true
    }
    for each in seen {
      #expect(try before.row(of: each.object) == each.old)
      let later = try changes[each.object]?.applied(to: each.new) ?? each.new
      #expect(try after.row(of: each.object) == later)
    }
    #expect(seen.map(\.object) == [folder] + notes && changes[folder] != nil)
    // Who leads where is known of a state that was counted back, too.
    let (led, entity) = (change.before, EntityNumber(rawValue: 1))
    #expect(try led.objects(referringTo: folder, by: key, of: entity) == notes)
    #expect(try led.objects(referringTo: notes[0], by: key, of: entity).isEmpty)
    var count = 0
    try change.forEach { (_, _, _) throws(StoreError) in
      count += 1
      return count < 2
    }
    #expect(count == 2)
    try store.close()
  }

  @Test func `what was gathered for a model that was not adopted then is gathered anew`() throws {
    var store = try open(disk, notesKnow: true)
    let key = try store.key(named: "folder")
    let folders = try (0..<2).map { _ in try store.newObject(of: EntityNumber(rawValue: 0)) }
    let notes = try (0..<2).map { _ in try store.newObject(of: EntityNumber(rawValue: 1)) }
    let (first, second) = (
      Row([key: .reference(folders[0])]), Row([key: .reference(folders[1])])
    )
    func commit(_ objects: [CommitRequest.Object]) throws {
      let context = try store.beginContext(name: "", on: store.lastCommit)
      _ = try store.commit(CommitRequest(objects), by: context)
      try store.endContext(context)
    }
    try commit(
      folders.map { .init($0, base: .none, nil, to: Row()) }
        + notes.map { .init($0, base: .none, nil, to: first) })
    try store.close()
    var images: [SimulatedDisk] = []
    disk.onCall = { [unowned disk] _ in images.append(disk.imageAfterProcessDeath()) }
    try open(disk, notesKnow: false).close()
    disk.onCall = nil
    var triedCount = 0
    for image in images {
      store = try JournaledStore(on: image, at: "Notes.xjournal", model: nil, options: .small)
      let isOlder = store.model?.entity(named: "Note")?.relationship("folder") != nil
      guard isOlder, store.lastCommit == 2 else {
        try store.close()
        continue
      }
      triedCount += 1
      try commit(notes.map { .init($0, base: 2, first, to: second) })
      try store.close()
      store = try open(image, notesKnow: false)
      let notesKey = try #require(store.existingKey(named: "notes"))
      let members = Set(notes.map(Value.reference))
      #expect(try store.head.row(of: folders[0]) == Row())
      #expect(try store.head.row(of: folders[1]) == Row([notesKey: .set(members)]))
      #expect(try store.verify(deep: true) == [])
      try store.close()
    }
    #expect(triedCount > 0)
  }

  @Test
  func `destinations of many objects are gathered a few at a time, wherever the process ends`()
    throws
  {
    let store = try open(disk, notesKnow: true)
    let context = try store.beginContext(name: "", on: .none)
    let key = try store.key(named: "folder")
    let folders = try (0..<120).map { _ in try store.newObject(of: EntityNumber(rawValue: 0)) }
    let notes = try (0..<1_000).map { _ in try store.newObject(of: EntityNumber(rawValue: 1)) }
    func folder(_ note: Int) -> ObjectID { folders[note * 7 % 100] }
    _ = try store.commit(
      CommitRequest(folders.map { .init($0, base: .none, nil, to: Row()) }), by: context)
    for first in stride(from: 0, to: notes.count, by: 100) {
      let some = (first..<first + 100).map {
        CommitRequest.Object(
          notes[$0], base: .none, nil, to: Row([key: .reference(folder($0))]))
      }
      _ = try store.commit(CommitRequest(some), by: context)
    }
    try store.endContext(context)
    let last = store.lastCommit
    try store.close()
    var images: [SimulatedDisk] = []
    var callCount = 0
    disk.onCall = { [unowned disk] _ in
      callCount += 1
      if callCount % 40 == 0 { images.append(disk.imageAfterProcessDeath()) }
    }
    let other = try open(disk, notesKnow: false)
    disk.onCall = nil
    // The sets have some 60 kB in all.
    #expect(other.unflushedByteCount < 2 * StoreOptions.small.unflushedByteCount)
    #expect(other.lastCommit.rawValue > last.rawValue + 4)
    try other.close()
    images.append(disk.imageAfterProcessDeath())
    #expect(images.count > 4)
    for (index, image) in images.enumerated() {
      let again = try open(image, notesKnow: false)
      let notesKey = try #require(again.existingKey(named: "notes"))
      for (number, owner) in folders.enumerated() {
        let members = notes.indices.filter { folder($0) == owner }.map {
          Value.reference(notes[$0])
        }
        let expected = number < 100 ? Row([notesKey: .set(Set(members))]) : Row()
        #expect(try again.head.row(of: owner) == expected, "image \(index), folder \(number)")
      }
      #expect(try again.verify(deep: true) == [], "image \(index)")
      try again.close()
    }
  }

  @Test(arguments: [false, true])
  func
    `S76: a draft from before destinations were gathered has them, and conflicts with nobody for them`(
      isChangedByOthers: Bool
    ) throws
  {
    let older = try open(disk, notesKnow: true)
    let folderKey = try older.key(named: "folder")
    let (name, color) = (try older.key(named: "name"), try older.key(named: "color"))
    let folder = try older.newObject(of: EntityNumber(rawValue: 0))
    let note = try older.newObject(of: EntityNumber(rawValue: 1))
    let other = try older.beginContext(name: "", on: .none)
    let linked = Row([folderKey: .reference(folder)])
    _ = try older.commit(
      CommitRequest([
        .init(folder, base: .none, nil, to: Row()), .init(note, base: .none, nil, to: linked),
      ]), by: other)
    let editor = try older.beginContext(name: "editor", on: 1)
    try older.record(.set(folder, name, "mine"), by: editor)
    if isChangedByOthers {
      let request = CommitRequest([.init(folder, base: 1, Row(), to: Row([color: "red"]))])
      _ = try older.commit(request, by: other)
    }
    let left = disk.imageAfterProcessDeath()
    try older.close()
    var images: [SimulatedDisk] = []
    left.onCall = { [unowned left] _ in images.append(left.imageAfterProcessDeath()) }
    try open(left, notesKnow: false).close()
    left.onCall = nil
    images.append(left.imageAfterProcessDeath())
    for (index, image) in images.enumerated() {
      let store = try open(image, notesKnow: false)
      let notes = try #require(store.existingKey(named: "notes"))
      let members = Value.set([.reference(note)])
      let (context, content) = try store.resume(try #require(store.unsavedDrafts.first))
      let draft = try #require(content.objects[folder])
      #expect(draft.baseRow == Row([notes: members]), "call \(index)")
      #expect(draft.base == (isChangedByOthers ? 1 : store.lastCommit), "call \(index)")
      #expect(try store.row(of: folder, at: draft.base) == draft.baseRow)
      var request = CommitRequest([
        .init(folder, base: draft.base, draft.baseRow, to: draft.row)
      ])
      if isChangedByOthers {
        #expect(throws: CommitError.self) { try store.commit(request, by: context) }
        request.policy = .overwrite
      }
      _ = try store.commit(request, by: context)
      #expect(try store.head.row(of: folder) == Row([name: "mine", notes: members]))
      #expect(try store.verify(deep: true) == [], "call \(index)")
      try store.close()
    }
  }
}
