// What is read of contexts that an earlier process left: when the store is opened, and when they are to go on.

import DiskSimulation
import EventFold
import Journaling
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct LeftContextTests {
  /// A store whose one context saved so often, a step each, and was left with one edit that is not saved.
  private struct Left {
    let note: ObjectID
    let title: KeyNumber
    /// What a crash left, its calls traced.
    let image: SimulatedDisk

    init(saves: Int) throws {
      let disk = SimulatedDisk(seed: 15)
      let store = try LeftContextTests.open(disk)
      let context = try store.beginContext(name: "editor", on: store.lastCommit)
      note = try store.newObject(of: EntityNumber(rawValue: 0))
      title = try store.key(named: "title")
      try store.record(.inserted(note), by: context)
      var row: Row?
      for save in 1...saves {
        let next = Row([title: .integer(save)])
        try store.record(.set(note, title, .integer(save)), by: context)
        try store.record(.stepEnded(name: nil), by: context)
        _ = try store.commit(
          CommitRequest([.init(note, base: store.lastCommit, row, to: next)]), by: context)
        row = next
      }
      try store.compact(keeping: .everything)
      try store.record(.set(note, title, "not saved"), by: context)
      image = disk.imageAfterProcessDeath()
      image.isTracing = true
    }

    /// How many bytes the disk has read since this was asked last.
    var readByteCount: Int {
      let reads = image.trace.filter { $0.contains(" read ") }.map { $0.split(separator: " ") }
      return reads.reduce(0) { $0 + (Int($1[$1.count - 2]) ?? 0) }
    }
  }

  private static func open(_ disk: SimulatedDisk) throws -> JournaledStore {
    var options = StoreOptions.small
    options.journal.segmentByteCount = 256 << 10
    options.journal.halfByteCount = 4 << 10
    options.journal.windowByteCount = 64 << 10
    options.unflushedByteCount = 64 << 10
    return try JournaledStore(
      on: disk, at: StoreLife.path, model: try StoreLife.model(), options: options)
  }

  @Test func `S76: what opening reads for a draft does not grow with what its context has saved`()
    throws
  {
    var counts: [Int] = []
    for saves in [40, 4_000] {
      let left = try Left(saves: saves)
      let store = try Self.open(left.image)
      counts.append(left.readByteCount)
      let draft = try #require(store.unsavedDrafts.first)
      #expect(draft.objectIDs == [left.note] && draft.editCount == 1 && draft.problem == nil)
      try store.close()
    }
    print("opening reads \(counts)")
    #expect(counts[1] <= counts[0] + counts[0] / 2, "\(counts)")
  }

  @Test func `S50: a draft is resumed with all its steps, and each of its saves is read once`()
    throws
  {
    var counts: [Int] = []
    for saves in [100, 1_000] {
      let left = try Left(saves: saves)
      let store = try Self.open(left.image)
      let before = left.readByteCount
      let (_, content) = try store.resume(try #require(store.unsavedDrafts.first))
      counts.append(left.readByteCount - before)
      #expect(content.objects[left.note]?.baseRow == Row([left.title: .integer(saves)]))
      #expect(content.objects[left.note]?.row == Row([left.title: "not saved"]))
      #expect(content.undoSteps.count == saves)
      #expect(content.editCount == 1)
      try store.close()
    }
    print("resuming reads \(counts)")
    #expect(counts[1] <= 15 * counts[0], "\(counts)")
  }

  @Test func `S76: a draft says where its objects stand, whatever its context did before`() throws {
    let disk = SimulatedDisk(seed: 16)
    let store = try Self.open(disk)
    var program = try NoteProgram(store)
    for _ in 1...3 { try program.save() }
    let notes = program.state.keys.sorted()
    let title = try store.key(named: "title")
    let context = try store.beginContext(name: "editor", on: 1)
    func record(_ edits: Edit...) throws {
      for edit in edits { try store.record(edit, by: context) }
    }
    // Brought to a commit, and gone on there after giving all up.
    try record(.set(notes[0], title, "x"), .merged(2), .rolledBack)
    #expect(context.base == 2)
    try record(.set(notes[0], title, "y"), .based(notes[1], on: 3), .set(notes[1], title, "z"))
    for moment in ["from the journal", "from a checkpoint"] {
      let again = try Self.open(disk.imageAfterProcessDeath())
      let draft = try #require(again.unsavedDrafts.first)
      #expect(draft.objectIDs == [notes[0], notes[1]] && draft.editCount == 2, "\(moment)")
      let (resumed, content) = try again.resume(draft)
      #expect(resumed.base == 2, "\(moment)")
      #expect(content.objects[notes[0]]?.base == 2 && content.objects[notes[1]]?.base == 3)
      try again.close()
      try store.checkpoint()
    }
    // Brought to another commit with what is not saved.
    try record(.merged(3))
    try store.checkpoint()
    let third = try Self.open(disk.imageAfterProcessDeath())
    let (merged, content) = try third.resume(try #require(third.unsavedDrafts.first))
    #expect(merged.base == 3 && content.objects.values.allSatisfy { $0.base == 3 })
    try third.close()
    // An undo decides by where its object stands whether anything is left to save.
    try record(.rolledBack, .set(notes[0], title, "x"), .stepEnded(name: nil))
    let before = try store.stored(notes[0], at: 2)?.row?[title]
    try record(.undone([Restoration(notes[0], .updated, [.init(title, before)])]))
    let again = try Self.open(disk.imageAfterProcessDeath())
    #expect(again.unsavedDrafts == [])
    try again.close()
    try store.close()
  }

  @Test func `a draft is resumed without its steps where what was saved before cannot be read`()
    throws
  {
    let left = try Left(saves: 40)
    let segment = "\(StoreLife.path)/journal/0000000001.xj"
    var bytes = try #require(left.image.contents(of: segment))
    bytes[bytes.count / 2] ^= 1
    try left.image.setContents(segment, bytes)
    let store = try Self.open(left.image)
    let (_, content) = try store.resume(try #require(store.unsavedDrafts.first))
    #expect(content.objects[left.note]?.baseRow == Row([left.title: 40]))
    #expect(content.objects[left.note]?.row == Row([left.title: "not saved"]))
    #expect(content.undoSteps.isEmpty)
    try store.close()
  }

  @Test func `what is wrong with what a context did before costs nothing that is not saved`() throws
  {
    let disk = SimulatedDisk(seed: 18)
    let store = try Self.open(disk)
    var program = try NoteProgram(store)
    try program.save()
    let note = try #require(program.state.keys.first)
    let title = try store.key(named: "title")
    let context = try store.beginContext(name: "editor", on: 1)
    // A step that nobody has undone.
    for edit in [Edit.redone([]), .rolledBack, .set(note, title, "not saved")] {
      try store.record(edit, by: context)
    }
    let again = try Self.open(disk.imageAfterProcessDeath())
    let draft = try #require(again.unsavedDrafts.first)
    #expect(draft.problem == nil)
    #expect(try again.resume(draft).content.objects[note]?.row == Row([title: "not saved"]))
    try again.close()
    try store.close()
  }
}
