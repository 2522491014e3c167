// What contexts stand on is there after every kind of compaction.

import DiskSimulation
import EventFold
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct KeepingTests {
  private let disk = SimulatedDisk(seed: 17)

  private func open(_ disk: SimulatedDisk? = nil) throws -> JournaledStore {
    try JournaledStore(
      on: disk ?? self.disk, at: StoreLife.path, model: try StoreLife.model(), options: .small)
  }

  /// A note that others give a title after title, each saved in a segment of its own.
  private struct Note {
    let store: JournaledStore
    let object: ObjectID
    let title: KeyNumber

    init(_ store: JournaledStore) throws {
      self.store = store
      object = try store.newObject(of: EntityNumber(rawValue: 0))
      title = try store.key(named: "title")
    }

    func row(_ text: String) -> Row { Row([title: .string(text)]) }

    func save(_ texts: String...) throws {
      for text in texts {
        let context = try store.beginContext(name: "rival", on: store.lastCommit)
        let old = try store.head.row(of: object)
        _ = try store.commit(
          CommitRequest([.init(object, base: store.lastCommit, old, to: row(text))]), by: context)
        try store.endContext(context)
        try store.beginSegment()
      }
    }
  }

  @Test(arguments: ["everything", "commits", "latest", "sessions"])
  func `S76b: a draft is recovered on its base and shows conflicts after compaction`(
    _ kind: String
  ) throws {
    let store = try open()
    let note = try Note(store)
    try note.save("one", "two", "three", "four", "five")
    // It began late on an early commit, and has seen an object at an earlier one still.
    let context = try store.beginContext(name: "editor", on: 3)
    try store.record(.based(note.object, on: 2), by: context)
    try store.record(.set(note.object, note.title, "mine"), by: context)
    try store.record(.stepEnded(name: "step"), by: context)
    try note.save("six", "seven", "eight")
    func compact(_ store: JournaledStore) throws {
      let kept: Keeping =
        switch kind {
        case "everything": .everything
        case "commits": .commits(since: 7)
        case "sessions": .latest.keepingUndo(of: try store.sessions.suffix(1))
        default: .latest
        }
      try store.compact(keeping: kept)
    }
    // While the context is open, and when it has been left.
    try compact(store)
    let again = try open(disk.imageAfterProcessDeath())
    try compact(again)
    if kind == "latest" {
      let dropped = #expect(throws: StoreError.self) { try again.snapshot(at: 1) }
      #expect(dropped?.code == .commitMissing)
    }
    let (resumed, content) = try again.resume(try #require(again.unsavedDrafts.first))
    let draft = try #require(content.objects[note.object])
    #expect(draft.base == 2 && draft.baseRow == note.row("two") && draft.row == note.row("mine"))
    #expect(content.undoSteps.map(\.name) == ["step"])
    let conflict = #expect(throws: CommitError.self) {
      try again.commit(
        CommitRequest([
          .init(note.object, base: draft.base, draft.baseRow, to: draft.row)
        ]), by: resumed)
    }
    guard case .conflicts(let conflicts)? = conflict else {
      Issue.record("no conflict: \(String(describing: conflict))")
      return
    }
    #expect(conflicts.objects.map(\.base) == [note.row("two")])
    #expect(conflicts.objects.map(\.ours) == [note.row("mine")])
    #expect(conflicts.objects.map(\.theirs) == [note.row("eight")])
    #expect(try again.verify(deep: true) == [])
    try again.close()
    try store.close()
  }

  @Test func `S76b: what somebody has read and holds is kept, and dropped when it is let go`()
    throws
  {
    let store = try open()
    let note = try Note(store)
    try note.save("one", "two")
    var reading: CommitPin? = CommitPin(store)
    let other = CommitPin(store)
    func compact() throws -> CommitNumber {
      try store.compact(keeping: .latest)
      return store.firstKeptCommit
    }
    reading?.hold()
    try note.save("three", "four")
    other.hold()
    try note.save("five")
    #expect(try compact() == 3)
    #expect(try store.row(of: note.object, at: 2) == note.row("two"))
    // What was read before is held on to from where it is said to stand now, and never from further back.
    reading?.raise(to: 3)
    reading?.raise(to: 1)
    #expect(try compact() == 4)
    reading?.release()
    reading?.raise(to: 3)
    #expect(try compact() == 5)
    other.release()
    reading?.hold()
    try note.save("six")
    #expect(try compact() == 6)
    reading = nil
    #expect(try compact() == 7)
    #expect(try store.verify(deep: true) == [])
    try store.close()
  }

  @Test func `S76b: what a session stood on is kept with its edits`() throws {
    let store = try open()
    let note = try Note(store)
    try note.save("one", "two", "three", "four")
    let context = try store.beginContext(name: "editor", on: 2)
    try store.record(.set(note.object, note.title, "mine"), by: context)
    try store.record(.stepEnded(name: "step"), by: context)
    try store.record(.merged(4), by: context)
    _ = try store.commit(
      CommitRequest([.init(note.object, base: 4, note.row("four"), to: note.row("mine"))]),
      by: context)
    try store.endContext(context)
    try store.beginSegment()
    try note.save("six", "seven")
    let session = try #require(store.sessions.first { $0.contextName == "editor" })
    try store.compact(keeping: .latest.keepingUndo(of: [session]))
    let (_, content) = try store.resume(session)
    let step = try #require(content.undoSteps.last)
    let restorations = try content.restorations(of: step) { try store.row(of: $0, at: $1) }
    #expect(restorations.first?.entries.map(\.content) == [.value("two")])
    try store.close()
  }

  @Test func `pieces that stand in an earlier segment than what names them are kept`() throws {
    let store = try open()
    let note = try Note(store)
    try note.save("one")
    let context = try store.beginContext(name: "editor", on: 1)
    let text = String(repeating: "a long text ", count: 300)
    try store.record(.set(note.object, note.title, .string(text)), by: context)
    try store.beginSegment()
    _ = try store.commit(
      CommitRequest([.init(note.object, base: 1, note.row("one"), to: note.row(text))]),
      by: context)
    try store.endContext(context)
    try store.beginSegment()
    try store.compact(keeping: .commits(since: 2))
    #expect(try store.verify(deep: true) == [])
    #expect(try store.commits(since: 1).count == 1)
    #expect(
      try store.events().contains { $0.kind == .set(note.object, key: "title", .string(text)) })
    try store.close()
  }

  /// Has a context make edits until a batch of them is written.
  private func edit(_ note: Note, by context: LiveContext) throws {
    let byteCount = note.store.journaledByteCount
    while note.store.journaledByteCount == byteCount {
      try note.store.record(.set(note.object, note.title, "short"), by: context)
    }
  }

  @Test func `S76b: pieces are kept that are named two segments further on, behind another batch`()
    throws
  {
    let store = try open()
    let note = try Note(store)
    try note.save("one")
    // From here on a full batch waits to be written.
    let rival = try store.beginContext(name: "rival", on: 1)
    try edit(note, by: rival)
    let context = try store.beginContext(name: "editor", on: 1)
    try edit(note, by: rival)
    let text = String(repeating: "a long text ", count: 1_700)
    try store.record(.set(note.object, note.title, .string(text)), by: context)
    try store.beginSegment()
    // The batch with the beginning of the context.
    try edit(note, by: rival)
    try store.beginSegment()
    // The batch that names the pieces.
    try store.endContext(rival)
    try store.checkpoint()
    try store.compact(keeping: .latest)
    #expect(try store.verify(deep: true) == [])
    let again = try open(disk.imageAfterProcessDeath())
    let draft = try #require(again.unsavedDrafts.first)
    #expect(draft.problem == nil)
    let (_, content) = try again.resume(draft)
    #expect(content.objects[note.object]?.row == note.row(text))
    try again.close()
    try store.close()
  }
}
