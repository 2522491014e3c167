// Checkpoints that are due, what is counted meanwhile, and what happens where they fail.

import DiskAccess
import DiskSimulation
import EventFold
import Journaling
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct FlushingTests {
  private static let path = StoreLife.path
  private let disk = SimulatedDisk(seed: 8)

  private func open(
    _ change: (inout StoreOptions) -> Void = { _ in }
  ) throws -> JournaledStore {
    var options = StoreOptions.small
    change(&options)
    return try JournaledStore(
      on: disk, at: Self.path, model: try StoreLife.model(), options: options)
  }

  /// Runs and checkpoints cannot be written.
  private static let full: [SimulatedFault] = (1...400).flatMap { number in
    let digits = String(number)
    let name = String(repeating: "0", count: 10 - digits.count) + digits
    return [".xr", ".xc"].map {
      SimulatedFault(
        .failure(.noSpace), calls: [.write, .append, .allocate], name: name + $0, isLasting: true)
    }
  }

  @Test func `what failing checkpoints have left in memory stays counted, and they are put off`()
    throws
  {
    let store = try open()
    let bound = StoreOptions.small.unflushedByteCount
    var program = try NoteProgram(store)
    disk.faults = Self.full
    disk.isTracing = true
    for number in 1...100 {
      try program.save()
      #expect(store.unflushedByteCount >= number * 280)
    }
    #expect(store.checkpointFailure?.code == .disk)
    let attempts = Set(
      disk.trace.filter { $0.contains(".xr") }.compactMap {
        $0.split(separator: " ").first {
          $0.contains(".xr")
        }
      }
    ).count
    // 100 saves of 300 bytes are some four times the bound.
    #expect((2...12).contains(attempts), "\(attempts) attempts")
    let left = disk.paths.filter { $0.hasSuffix(".xr") || $0.hasSuffix(".xc") }
    #expect(left.count < 4, "\(left)")
    disk.faults = []
    var saves = 0
    while store.checkpointFailure != nil, saves < 60 {
      try program.save()
      saves += 1
    }
    #expect(store.checkpointFailure == nil)
    #expect(store.unflushedByteCount < bound)
    #expect(try store.head.plain() == program.state)
    try store.close()
    let again = try open()
    #expect(try again.head.plain() == program.state)
    try again.close()
  }

  @Test func `what a checkpoint that failed would have spared opening still counts`() throws {
    let store = try open {
      $0.unflushedByteCount = 1 << 30
      $0.replayByteCount = 1 << 30
    }
    var program = try NoteProgram(store)
    for _ in 1...20 { try program.save() }
    let before = store.replayByteCount
    #expect(before > 2_000)
    disk.faults = Self.full
    #expect(throws: StoreError.self) { try store.checkpoint() }
    disk.faults = []
    #expect(store.replayByteCount >= before)
    try store.checkpoint()
    #expect(store.replayByteCount < before)
    try store.close()
    #expect(try open().replayByteCount < before)
  }

  @Test func `what opening has folded into memory is counted`() throws {
    let store = try open { $0.unflushedByteCount = 1 << 30 }
    var program = try NoteProgram(store)
    for _ in 1...40 { try program.save() }
    let image = disk.imageAfterProcessDeath()
    try store.close()
    let again = try JournaledStore(
      on: image, at: Self.path, model: try StoreLife.model(), options: .small)
    #expect(again.unflushedByteCount >= 40 * 280)
    var other = try NoteProgram(again)
    try other.save()
    #expect(again.unflushedByteCount < StoreOptions.small.unflushedByteCount)
    try again.close()
  }

  @Test func `edits of one object do not make opening longer, in whatever sessions they come`()
    throws
  {
    func open() throws -> JournaledStore {
      try self.open {
        $0.unflushedByteCount = 1 << 30
        $0.closingByteCount = 4_000
        $0.replayByteCount = 12_000
      }
    }
    var store = try open()
    let object = try store.newObject(of: EntityNumber(rawValue: 0))
    let title = try store.key(named: "title")
    var largest = 0
    func set(_ text: String) throws {
      let head = store.head
      let base = try head.row(of: object)
      let change = CommitRequest.Object(
        object, base: base == nil ? .none : head.number, base, to: Row([title: .string(text)]))
      let context = try store.beginContext(name: "program", on: head.number)
      _ = try store.commit(CommitRequest([change]), by: context)
      try store.endContext(context)
      largest = max(largest, store.replayByteCount)
    }
    // A long session: what is due while it lasts.
    for number in 1...300 { try set("\(number)") }
    #expect((8_000..<20_000).contains(largest))
    #expect(store.checkpointFailure == nil)
    // Short ones, of which none has enough for a checkpoint by itself.
    var checkpoints: Set<String> = []
    for number in 1...60 {
      try store.close()
      let manifest = try JournalReader(at: Self.path, on: disk).manifest
      checkpoints.formUnion(manifest.attachments.map(\.fileName).filter { $0.hasSuffix(".xc") })
      store = try open()
      #expect(store.replayByteCount < 4_500)
      #expect(store.unflushedByteCount < 4_000)
      try set("session \(number)")
    }
    #expect((3...30).contains(checkpoints.count), "\(checkpoints.count)")
    #expect(try store.head.row(of: object)?[title] == "session 60")
    try store.close()
  }

  @Test func `checkpoints of a store in which nothing happens leave nothing behind`() throws {
    let store = try open()
    var program = try NoteProgram(store)
    try program.save()
    try store.checkpoint()
    let (paths, layerCount) = (disk.paths, store.head.layerCount)
    for _ in 0..<100 { try store.checkpoint() }
    #expect(disk.paths == paths)
    #expect(store.head.layerCount == layerCount)
    try program.save()
    #expect(try store.head.plain() == program.state)
    try store.close()
  }

  @Test func `an object that no run could hold is refused when it is saved`() throws {
    let store = try open()
    let context = try store.beginContext(name: "large", on: .none)
    let object = try store.newObject(of: EntityNumber(rawValue: 0))
    let key = try store.key(named: "title")
    let text = Value.string(String(repeating: "x", count: 31 << 20))
    do {
      _ = try store.commit(
        CommitRequest([.init(object, base: .none, nil, to: Row([key: text]))]), by: context)
      Issue.record("31 MiB were taken")
    } catch {
      guard case .store(let error) = error else { throw error }
      #expect(error.code == .tooLarge)
    }
    #expect(store.lastCommit == .none)
    try store.close()
  }

  @Test func `files that cannot be removed, and strange ones, are in nobody's way`() throws {
    let store = try open()
    var program = try NoteProgram(store)
    for _ in 0..<5 { try program.save() }
    try store.checkpoint()
    _ = try disk.folder(at: Self.path).folder("snapshots").file("18446744073709551615.xr", .new)
    try disk.makeFolders(Self.path + "/snapshots/.thumbnails")
    try store.close()
    let again = try open()
    program = try NoteProgram(again)
    for _ in 0..<5 { try program.save() }
    disk.faults = [SimulatedFault(.failure(.inputOutput), calls: [.remove], isLasting: true)]
    try again.compact(keeping: .latest)
    #expect(again.firstKeptCommit == 11)
    disk.faults = []
    try program.save()
    try again.compact(keeping: .latest)
    #expect(try again.head.plain() == program.state)
    #expect(try again.verify(deep: true) == [])
    #expect(!disk.paths.contains { $0.hasSuffix("18446744073709551615.xr") })
    try again.close()
  }
}
