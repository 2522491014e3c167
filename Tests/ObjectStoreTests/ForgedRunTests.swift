// A store whose run is not what any writer writes, under checks that are right: what is read of it, and by whom it is
// found.

import DiskSimulation
import Journaling
import ObjectModel
import ObjectStore
import PropertyListCoding
import TestSupport
import Testing

@Suite struct ForgedRunTests {
  /// What is wrong with the run.
  enum Fault {
    case none
    /// The last title cannot be read.
    case value
    /// Newer code has written the block.
    case newerBlock
  }

  /// A store without a past whose run has one block: three notes.
  private static func made(_ fault: Fault) throws -> (disk: SimulatedDisk, notes: [ObjectID]) {
    let disk = SimulatedDisk(seed: 4)
    let store = try JournaledStore(
      on: disk, at: StoreLife.path, model: try StoreLife.model(), options: .small)
    let title = try store.key(named: "title")
    let notes = try (1...3).map { _ in try store.newObject(of: EntityNumber(rawValue: 0)) }
    let context = try store.beginContext(name: "", on: store.lastCommit)
    _ = try store.commit(
      CommitRequest(
        notes.map { .init($0, base: .none, nil, to: Row([title: .string("note \($0.number)")])) }),
      by: context)
    try store.endContext(context)
    try store.compact(keeping: .latest)
    try store.close()
    let path = try #require(disk.paths.last { $0.hasSuffix(".xr") })
    var list = try PropertyListWriter.encode(["note 1", "note 2", "note 3"])
    // The marker of the last text.
    if fault == .value { list[8 + 2 * 7] = 0x7F }
    var block = try RunForgery.Block(
      notes[0].rawValue, rowCount: 3, [RunForgery.Column(title.rawValue, list: list)])
    block.commits = try RunForgery.Column(nil, [1, 1, 1])
    if fault == .newerBlock { block.format = 2 }
    var forgery = RunForgery(block)
    forgery.store = try JournalReader(at: StoreLife.path, on: disk).manifest.store
    let bytes = forgery.bytes
    // What tells it from every other run: the check of its footer, which ends the file.
    let check = bytes.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    let name = Value.string(String(path.dropFirst(StoreLife.path.count + "/snapshots/".count)))
    let checkValue = Value.integer(Int(truncatingIfNeeded: check))
    try disk.setContents(path, bytes)
    try disk.forgeCheckpoint {
      $0["layers"] = [
        ["era": 0, "runs": [["name": name, "length": .integer(bytes.count), "check": checkValue]]]
      ]
    }
    return (disk, notes)
  }

  private static func open(_ disk: SimulatedDisk) throws -> JournaledStore {
    try JournaledStore(
      on: disk, at: StoreLife.path, model: try StoreLife.model(), options: .small)
  }

  @Test func `a forged run whose contents are right is read, and merged with others`() throws {
    let (disk, notes) = try Self.made(.none)
    let store = try Self.open(disk)
    #expect(store.findings == [])
    let title = try store.key(named: "title")
    #expect(try store.head.row(of: notes[2]) == Row([title: "note 3"]))
    var program = try NoteProgram(store)
    for _ in 1...2 { try program.save() }
    #expect(try store.compact(keeping: .latest))
    #expect(try store.head.row(of: notes[2]) == Row([title: "note 3"]))
    try store.close()
  }

  @Test func `a value that cannot be read keeps its row from being read and merged, and no other`()
    throws
  {
    let (disk, notes) = try Self.made(.value)
    let store = try Self.open(disk)
    let title = try store.key(named: "title")
    #expect(try store.head.row(of: notes[1]) == Row([title: "note 2"]))
    let reading = #expect(throws: StoreError.self) { try store.head.row(of: notes[2]) }
    #expect(reading?.code == .damaged)
    #expect(try store.verify().contains { $0.description.contains(".xr") })
    let context = try store.beginContext(name: "", on: store.lastCommit)
    let other = try store.newObject(of: EntityNumber(rawValue: 0))
    _ = try store.commit(CommitRequest([.init(other, base: .none, nil, to: Row())]), by: context)
    try store.endContext(context)
    let merging = #expect(throws: StoreError.self) { try store.compact(keeping: .latest) }
    #expect(merging?.code == .damaged)
    #expect(try store.head.row(of: notes[1]) == Row([title: "note 2"]))
    #expect(try store.head.row(of: other) == Row())
    try? store.close()
  }

  @Test(arguments: [Fault.none, .value, .newerBlock])
  func `of a column that cannot be read nothing is salvaged, and of a newer run nothing at all`(
    fault: Fault
  ) throws {
    let (disk, notes) = try Self.made(fault)
    let manifest = try JournalReader(at: StoreLife.path, on: disk).manifest
    let folder = try disk.folder(at: StoreLife.path)
    if fault == .newerBlock {
      let error = #expect(throws: StoreError.self) {
        try SalvagedState(manifest, in: folder, before: nil)
      }
      #expect(error?.code == .newerFormat)
      return
    }
    let state = try SalvagedState(manifest, in: folder, before: nil)
    #expect(!state.isEmpty)
    let columns = state.losses.filter { if case .column = $0 { true } else { false } }
    #expect(columns.count == (fault == .value ? 1 : 0), "\(state.losses)")
    if case .column(_, let first, let last, let count)? = columns.first {
      #expect(first == notes[0] && last == notes[2] && count == 3)
    }
  }
}
