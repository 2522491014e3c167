// Contexts that have ended are listed, and brought back with their undo history while the journal has it.

import DiskAccess
import DiskSimulation
import EventFold
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct SessionTests {
  private let disk = SimulatedDisk(seed: 13)

  private func open(_ disk: SimulatedDisk? = nil) throws -> JournaledStore {
    try JournaledStore(
      on: disk ?? self.disk, at: StoreLife.path, model: try StoreLife.model(), options: .small)
  }

  /// A context that sets the titles of one note, a step and a save each.
  private struct Editor {
    let store: JournaledStore
    let context: LiveContext
    let note: ObjectID
    let title: KeyNumber

    init(_ store: JournaledStore, _ name: String) throws {
      self.store = store
      context = try store.beginContext(name: name, on: store.lastCommit)
      note = try store.newObject(of: EntityNumber(rawValue: 0))
      title = try store.key(named: "title")
      try store.record(.inserted(note), by: context)
    }

    func set(_ text: String) throws {
      try store.record(.set(note, title, .string(text)), by: context)
      try store.record(.stepEnded(name: text), by: context)
    }

    func save(_ text: String) throws {
      let old = try store.head.row(of: note)
      _ = try store.commit(
        CommitRequest([
          .init(note, base: store.lastCommit, old, to: Row([title: .string(text)]))
        ]), by: context)
    }
  }

  /// A session of two steps, each saved, that ended in order.
  private func session(_ store: JournaledStore, _ name: String = "editor") throws -> Editor {
    let editor = try Editor(store, name)
    for text in ["one", "two"] {
      try editor.set(text)
      try editor.save(text)
    }
    try store.endContext(editor.context)
    return editor
  }

  /// Undoes the last step of a fold, as a context would.
  private func undo(_ content: inout ContextFold, _ store: JournaledStore) throws -> Edit {
    let step = try #require(content.undoSteps.last)
    let edit = Edit.undone(
      try content.restorations(of: step) { try store.row(of: $0, at: $1) })
    try content.apply(edit) { try store.row(of: $0, at: $1) }
    return edit
  }

  @Test func `S50: a session is brought back while others edit`() throws {
    let store = try open()
    let other = try Editor(store, "other")
    _ = try session(store)
    let ended = try #require(try store.sessions.first { $0.contextName == "editor" })
    try other.set("before")
    var editCount = 0
    disk.onCall = { call in
      guard call.kind == .syncData || call.kind == .sync, editCount == 0 else { return }
      editCount += 1
      do { try other.set("meanwhile") } catch { Issue.record("\(error)") }
    }
    let (_, content) = try store.resume(ended)
    disk.onCall = nil
    #expect(editCount == 1 && content.undoSteps.map(\.name) == ["one", "two"])
    try store.close()
  }

  @Test func `S50: the contexts that have ended or saved are listed with what they did`() throws {
    let store = try open()
    let first = try session(store)
    let second = try Editor(store, "reader")
    try store.record(.renamed("writer"), by: second.context)
    try second.set("three")
    #expect(try store.sessions.map(\.contextName) == ["editor"], "one that did neither is not told")
    try second.save("three")
    try second.set("four")
    let child = try store.beginContext(
      name: "child", on: store.lastCommit, within: second.context)
    try store.record(.set(first.note, first.title, "five"), by: child)
    try store.endContext(child)
    try store.endContext(try store.beginContext(name: "idle", on: store.lastCommit))
    let sessions = try store.sessions
    #expect(sessions.map(\.contextName) == ["editor", "writer", "idle"])
    #expect(sessions.map(\.editCount) == [3, 3, 0])
    #expect(sessions.map(\.commitCount) == [2, 1, 0])
    #expect(sessions.map(\.lastCommit) == [2, 3, nil])
    #expect(sessions.map { $0.endDate != nil } == [true, false, true])
    #expect(sessions.allSatisfy { $0.hasAllEdits && $0.startDate <= $0.lastDate })
    #expect(try StoreReader(on: disk, at: StoreLife.path).sessions.first == sessions[0])
    try store.close()
    let again = try open()
    #expect(try again.sessions == sessions)
    try again.close()
  }

  @Test func `S50: a session that ended is resumed with its undo history, and goes on`() throws {
    let store = try open()
    let editor = try session(store)
    try store.close()
    let again = try open()
    let (context, resumed) = try again.resume(try #require(again.sessions.first))
    var content = resumed
    #expect(content.name == "editor")
    #expect(!content.hasChanges)
    #expect(content.undoSteps.map(\.name) == ["one", "two"])
    let edit = try undo(&content, again)
    #expect(content.objects[editor.note]?.row == Row([editor.title: "one"]))
    #expect(context.base == 2 && content.base(of: editor.note) == 2)
    try again.record(edit, by: context)
    #expect(try again.events().suffix(2).first?.kind == .resumed)
    #expect(try again.sessions.first?.endDate == nil)
    // What it does now is a draft after a crash, with what it could undo before it ended.
    let third = try open(disk.imageAfterProcessDeath())
    let draft = try #require(third.unsavedDrafts.first)
    #expect(draft.contextName == "editor" && draft.problem == nil)
    let (_, recovered) = try third.resume(draft)
    #expect(recovered.undoSteps.map(\.name) == ["one"])
    #expect(recovered.redoSteps.map(\.name) == ["two"])
    #expect(recovered == content)
    try third.close()
    try again.close()
  }

  @Test func `what a session had not saved when it ended stays given up`() throws {
    let store = try open()
    let editor = try Editor(store, "editor")
    try editor.set("one")
    try editor.save("one")
    try editor.set("two")
    try store.endContext(editor.context)
    let (context, content) = try store.resume(try #require(store.sessions.first))
    #expect(!content.hasChanges)
    #expect(content.undoSteps.map(\.name) == ["one"])
    try store.endContext(context)
    let never = try Editor(store, "never saved")
    try never.set("x")
    try store.endContext(never.context)
    let (_, empty) = try store.resume(try #require(store.sessions.last))
    #expect(empty.objects.isEmpty && empty.undoSteps.isEmpty)
    try store.close()
  }

  @Test func `a session is resumed once, and one that an earlier process left as it was left`()
    throws
  {
    let store = try open()
    let editor = try Editor(store, "editor")
    try editor.set("one")
    try editor.save("one")
    let open = #expect(throws: StoreError.self) { try store.resume(store.sessions[0]) }
    #expect(open?.code == .contextOpen)
    let again = try self.open(disk.imageAfterProcessDeath())
    #expect(again.unsavedDrafts == [])
    let session = try #require(again.sessions.first)
    let (context, content) = try again.resume(session)
    #expect(content.undoSteps.map(\.name) == ["one"])
    let twice = #expect(throws: StoreError.self) { try again.resume(session) }
    #expect(twice?.code == .contextOpen)
    try again.endContext(context)
    #expect(try again.resume(session).content.undoSteps.map(\.name) == ["one"])
    try again.close()
    try store.close()
  }

  @Test func `S76b: compaction keeps the edits of the sessions it is told, and drops the others`()
    throws
  {
    let store = try open()
    _ = try session(store, "early")
    try store.beginSegment()
    _ = try session(store, "kept")
    try store.beginSegment()
    for number in 0..<6 {
      _ = try session(store, "late \(number)")
      try store.beginSegment()
    }
    let (early, kept) = (try store.sessions[0], try store.sessions[1])
    let head = try store.head.plain()
    try store.compact(keeping: .latest.keepingUndo(of: [kept]))
    #expect(try store.sessions.first?.contextName == "kept")
    #expect(try store.head.plain() == head)
    let error = #expect(throws: StoreError.self) { try store.resume(early) }
    #expect(error?.code == .contextMissing)
    let refused = #expect(throws: StoreError.self) {
      try store.compact(keeping: .latest.keepingUndo(of: [early]))
    }
    #expect(refused?.code == .contextMissing)
    try store.close()
    let again = try open()
    let (context, content) = try again.resume(try #require(again.sessions.first))
    #expect(content.undoSteps.map(\.name) == ["one", "two"])
    // Now it is open, and its edits are kept without being asked for.
    try again.compact(keeping: .latest)
    var undone = content
    for _ in 1...2 { try again.record(try undo(&undone, again), by: context) }
    let image = disk.imageAfterProcessDeath()
    try again.endContext(context)
    try again.compact(keeping: .latest)
    #expect(try again.sessions == [])
    try again.close()
    let third = try open(image)
    #expect(try third.resume(try #require(third.unsavedDrafts.first)).content == undone)
    #expect(try third.verify(deep: true) == [])
    try third.close()
  }

  @Test func `what opening reads does not grow with the sessions that have ended`() throws {
    var counts: [Int] = []
    for sessions in [5, 200] {
      let disk = SimulatedDisk(seed: 14)
      let store = try open(disk)
      let editor = try session(store)
      for number in 0..<sessions {
        let context = try store.beginContext(name: "session \(number)", on: store.lastCommit)
        try store.record(.set(editor.note, editor.title, "x"), by: context)
        try store.endContext(context)
      }
      try store.compact(keeping: .everything)
      try store.close()
      disk.isTracing = true
      let again = try open(disk)
      let reads = disk.trace.filter { $0.contains(" read ") }.map { $0.split(separator: " ") }
      counts.append(reads.reduce(0) { $0 + (Int($1[$1.count - 2]) ?? 0) })
      #expect(try again.sessions.count == sessions + 1)
      try again.close()
    }
    #expect(counts[1] <= counts[0] + 200, "\(counts)")
  }
}
