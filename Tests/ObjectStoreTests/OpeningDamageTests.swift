// A block that is damaged where opening needs it: made anew where that can be, and otherwise no more is lost than
// what needs it.

import DiskAccess
import DiskSimulation
import EventFold
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct OpeningDamageTests {
  private static func model(
    rankIndexed: Bool = false, notesKnow: Bool = true
  ) throws -> ManagedObjectModel {
    let notes = RelationshipDescription(
      "notes", to: "Note", inverse: notesKnow ? "folder" : nil, isToMany: true)
    let folder = RelationshipDescription("folder", to: "Folder", inverse: "notes")
    return try ManagedObjectModel(entities: [
      EntityDescription("Folder", relationships: [notes]),
      EntityDescription(
        "Note",
        attributes: [
          AttributeDescription("title", .string),
          AttributeDescription("rank", .integer, isIndexed: rankIndexed),
        ], relationships: notesKnow ? [folder] : []),
    ])
  }

  private static func open(
    _ disk: SimulatedDisk, _ model: ManagedObjectModel? = nil
  ) throws -> JournaledStore {
    try JournaledStore(
      on: disk, at: "Notes.xjournal", model: try model ?? Self.model(), options: .small)
  }

  /// A store with notes in folders, all of them in runs.
  private struct Life {
    let disk = SimulatedDisk(seed: 41)
    let store: JournaledStore
    private(set) var folders: [ObjectID] = []
    private(set) var notes: [ObjectID] = []

    init(compacted: Bool = false) throws {
      store = try OpeningDamageTests.open(disk)
      let context = try store.beginContext(name: "", on: .none)
      for _ in 1...3 { folders.append(try store.newObject(of: EntityNumber(rawValue: 0))) }
      for _ in 1...30 { notes.append(try store.newObject(of: EntityNumber(rawValue: 1))) }
      var objects = folders.map { CommitRequest.Object($0, base: .none, nil, to: Row()) }
      for note in notes { objects.append(.init(note, base: .none, nil, to: try row(note))) }
      _ = try store.commit(CommitRequest(objects), by: context)
      try store.endContext(context)
      try store.beginSegment()
      try store.compact(keeping: compacted ? .latest : .everything)
    }

    func row(_ note: ObjectID, title: String = "a note") throws -> Row {
      Row([
        try store.key(named: "title"): .string(title),
        try store.key(named: "rank"): .integer(Int(note.number)),
        try store.key(named: "folder"): .reference(folders[Int(note.number) % 3]),
      ])
    }

    /// What the end of the process leaves, with every block of the newest run of a kind damaged.
    func damaged(_ fileExtension: String = ".xr") throws -> SimulatedDisk {
      let image = disk.imageAfterProcessDeath()
      let file = try #require(image.paths.last { $0.hasSuffix(fileExtension) })
      var bytes = try #require(image.contents(of: file))
      // The fourth field of the footer says where the blocks end.
      let field = bytes.count - 64 + 8 + 3 * 8
      let end = bytes[field..<field + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
      for place in stride(from: 96, to: end, by: 8) { bytes[place] ^= 0x55 }
      try image.setContents(file, bytes)
      return image
    }
  }

  @Test(arguments: ["a folder", "an empty file"])
  func `what has taken the name of the edits is found, and keeps nothing else from being read`(
    _ other: String
  ) throws {
    let life = try Life()
    let context = try life.store.beginContext(name: "editor", on: 1)
    let title = try life.store.key(named: "title")
    try life.store.record(.set(life.notes[0], title, "mine"), by: context)
    let disk = life.disk.imageAfterProcessDeath()
    let folder = try disk.folder(at: "Notes.xjournal")
    try folder.remove("edits")
    if other == "a folder" {
      try folder.makeFolder("edits")
    } else {
      _ = try folder.file("edits", .new)
    }
    let reader = try StoreReader(on: disk, at: "Notes.xjournal")
    #expect(reader.lastCommit == 1 && reader.name(of: KeyNumber(rawValue: 9_999)) == nil)
    #expect(try reader.head.row(of: life.notes[0]) == life.row(life.notes[0]))
    let findings = try reader.verification().findings
    #expect(findings.map(\.description).contains { $0.hasPrefix("edits: a damaged edit buffer") })
    #expect(try reader.unsavedWork().isEmpty)
    disk.faults = [
      SimulatedFault(.failure(.inputOutput), calls: [.inspect], name: "edits", isLasting: true)
    ]
    #expect(throws: StoreError.self) { try reader.unsavedWork() }
    disk.faults = []
    try life.store.close()
    if other == "an empty file" { return try Self.open(disk).close() }
    // Edits may be elsewhere: nothing is done about it that cannot be taken back.
    let paths = disk.paths.filter { !$0.hasSuffix("/LOCK") }
    let before = paths.map { disk.contents(of: $0) }
    let error = #expect(throws: StoreError.self) { try Self.open(disk) }
    #expect(error?.code == .damaged)
    #expect(disk.paths.filter { !$0.hasSuffix("/LOCK") } == paths)
    #expect(paths.map { disk.contents(of: $0) } == before)
  }

  @Test func `S76: a draft is offered whole where a run that it needs is made anew`() throws {
    let life = try Life()
    let context = try life.store.beginContext(name: "editor", on: 1)
    let title = try life.store.key(named: "title")
    for note in life.notes { try life.store.record(.set(note, title, "mine"), by: context) }
    let disk = try life.damaged()
    let store = try Self.open(disk)
    #expect(store.findings.count == 1)
    let draft = try #require(store.unsavedDrafts.first)
    #expect(draft.problem == nil && draft.objectIDs == life.notes.sorted())
    let (_, content) = try store.resume(draft)
    for note in life.notes {
      let row = try life.row(note, title: "mine")
      #expect(content.objects[note]?.row == row)
    }
    #expect(try store.verify(deep: true) == [])
    try store.close()
    let again = try Self.open(disk)
    #expect(again.findings == [])
    try again.close()
    try life.store.close()
  }

  @Test func `S76: where a run cannot be made anew, a draft on it tells so, and others are whole`()
    throws
  {
    let life = try Life(compacted: true)
    let title = try life.store.key(named: "title")
    let one = try life.store.beginContext(name: "one", on: 1)
    try life.store.record(.set(life.notes[0], title, "mine"), by: one)
    let other = try life.store.beginContext(name: "other", on: 1)
    let note = try life.store.newObject(of: EntityNumber(rawValue: 1))
    try life.store.record(.inserted(note), by: other)
    let disk = try life.damaged()
    for _ in 1...2 {
      let store = try Self.open(disk)
      let drafts = store.unsavedDrafts.sorted { $0.contextName < $1.contextName }
      #expect(drafts.map(\.contextName) == ["one", "other"])
      #expect(drafts.map { $0.problem?.code } == [.damaged, nil])
      #expect(drafts.last?.objectIDs == [note])
      try store.checkpoint()
      try store.close()
    }
    try life.store.close()
  }

  @Test func `S50: undo steps are had from a run that is made anew when a draft goes on`() throws {
    let life = try Life()
    let (store, first, other) = (life.store, life.notes[0], life.notes[1])
    let title = try store.key(named: "title")
    let context = try store.beginContext(name: "editor", on: 1)
    try store.record(.set(first, title, "mine"), by: context)
    try store.record(.stepEnded(name: "one"), by: context)
    _ = try store.commit(
      CommitRequest([
        .init(first, base: 1, try life.row(first), to: try life.row(first, title: "mine"))
      ]), by: context)
    // The newest run has the first note only.
    try store.checkpoint()
    try store.record(.set(other, title, "mine too"), by: context)
    try store.record(.stepEnded(name: "two"), by: context)
    let again = try Self.open(try life.damaged())
    #expect(again.findings == [])
    let (_, content) = try again.resume(try #require(again.unsavedDrafts.first))
    #expect(content.undoSteps.map(\.name) == ["one", "two"])
    #expect(again.findings.count == 1)
    #expect(try again.verify(deep: true) == [])
    try again.close()
    try store.close()
  }

  @Test(arguments: [false, true])
  func `another index is made where rows can be made anew, and otherwise once they are there`(
    compacted: Bool
  ) throws {
    let life = try Life(compacted: compacted)
    let disk = try life.damaged()
    for isFirst in [true, false] {
      let store = try Self.open(disk, try Self.model(rankIndexed: true))
      if compacted {
        #expect(store.findings == [])
        #expect(try store.verify() != [])
      } else {
        #expect(store.findings.count == (isFirst ? 1 : 0))
        #expect(try store.verify(deep: true) == [])
      }
      try store.close()
    }
    try life.store.close()
  }

  @Test func `a model that names what objects may have dynamically is adopted over damage`() throws
  {
    let life = try Life()
    let named = try ManagedObjectModel(
      entities: try Self.model().entities.map(\.description).map { entity in
        guard entity.name == "Folder" else { return entity }
        return EntityDescription(
          "Folder", attributes: [AttributeDescription("title", .string)],
          relationships: entity.relationships)
      })
    let store = try Self.open(try life.damaged(), named)
    #expect(store.findings.count == 1)
    #expect(try store.verify(deep: true) == [])
    try store.close()
    try life.store.close()
  }

  @Test(arguments: [".xr", ".xi"])
  func `destinations are gathered where a run that tells them is damaged`(kind: String) throws {
    let life = try Life()
    let disk = try life.damaged(kind)
    let store = try Self.open(disk, try Self.model(notesKnow: false))
    #expect(store.findings.count == 1)
    let notes = try #require(store.existingKey(named: "notes"))
    for (place, folder) in life.folders.enumerated() {
      let members = life.notes.filter { Int($0.number) % 3 == place }.map { Value.reference($0) }
      #expect(try store.head.row(of: folder) == Row([notes: .set(Set(members))]))
    }
    #expect(try store.verify(deep: true) == [])
    // No context is left over from the attempt that met the damage.
    try store.compact(keeping: .latest)
    #expect(store.firstKeptCommit == store.lastCommit.next)
    try store.close()
    try life.store.close()
  }
}
