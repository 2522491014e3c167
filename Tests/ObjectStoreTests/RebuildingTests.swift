// What is damaged is made anew within the bounds of memory, and no run is taken for another.

import DiskAccess
import DiskSimulation
import EventFold
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct RebuildingTests {
  private static let path = StoreLife.path

  private static func open(_ disk: SimulatedDisk) throws -> JournaledStore {
    try JournaledStore(on: disk, at: path, model: try StoreLife.model(), options: .small)
  }

  private static func runs(_ disk: SimulatedDisk) -> [String] {
    disk.paths.filter { $0.hasPrefix(path + "/snapshots/") && $0.hasSuffix(".xr") }.sorted()
  }

  /// A store whose checkpoint has a large run and a small one above it, closed.
  private static func twoRuns() throws -> (SimulatedDisk, PlainState) {
    let disk = SimulatedDisk(seed: 9)
    let store = try open(disk)
    let title = try store.key(named: "title")
    let objects = try (0..<40).map { _ in try store.newObject(of: EntityNumber(rawValue: 0)) }
    var state: PlainState = [:]
    func commit(_ changed: ArraySlice<ObjectID>, _ text: String) throws {
      let context = try store.beginContext(name: "", on: store.lastCommit)
      let row = Row([title: .string(text)])
      let changes = changed.map { object in
        CommitRequest.Object(object, base: store.lastCommit, state[object], to: row)
      }
      _ = try store.commit(CommitRequest(changes), by: context)
      for object in changed { state[object] = row }
      try store.endContext(context)
    }
    try commit(objects[...], "old")
    try store.checkpoint()
    try commit(objects[..<3], "new")
    try store.checkpoint()
    try store.close()
    return (disk, state)
  }

  @Test func `two runs that were swapped are noticed, at opening and by verification`() throws {
    let (disk, state) = try Self.twoRuns()
    let runs = Self.runs(disk)
    try #require(runs.count == 2)
    let contents = runs.map { disk.contents(of: $0) ?? [] }
    let open = try Self.open(disk)
    try disk.setContents(runs[0], contents[1])
    try disk.setContents(runs[1], contents[0])
    #expect(try open.verify().contains { $0.description.contains("is not the run") })
    let image = disk.imageAfterProcessDeath()
    let store = try Self.open(image)
    #expect(store.findings.contains { $0.description.contains("is not the run") })
    #expect(try store.head.plain() == state)
    #expect(try store.verify(deep: true) == [])
    try store.close()
    #expect(throws: Never.self) { try Self.open(image).close() }
  }

  @Test func `a run that was put back from another time is noticed`() throws {
    let (disk, state) = try Self.twoRuns()
    let earlier = try #require(disk.contents(of: Self.runs(disk)[0]))
    let store = try Self.open(disk)
    try store.compact(keeping: .everything)
    try store.close()
    let runs = Self.runs(disk)
    try #require(runs.count == 1)
    try disk.setContents(runs[0], earlier)
    let again = try Self.open(disk)
    #expect(again.findings.contains { $0.description.contains("made anew") })
    #expect(try again.head.plain() == state)
    try again.close()
  }

  /// A store with many times more than its bound of unflushed bytes.
  private static func large() throws -> (SimulatedDisk, PlainState) {
    let disk = SimulatedDisk(seed: 10)
    let store = try open(disk)
    var program = try NoteProgram(store)
    for _ in 1...360 { try program.save() }
    try store.close()
    return (disk, program.state)
  }

  /// The runs that a trace says were made, and the most bytes that one write of them had.
  private static func writes(_ disk: SimulatedDisk) -> (runCount: Int, byteCount: Int) {
    let writes = disk.trace.filter { $0.contains(" write ") && $0.contains(".xr at ") }
    let lines = writes.map { $0.split(separator: " ") }
    return (
      Set(lines.map { $0[2] }).count, lines.reduce(0) { max($0, Int($1[$1.count - 2]) ?? 0) }
    )
  }

  @Test(arguments: [".xc", ".xr"])
  func `a store is folded anew in pieces that fit its memory`(fileExtension: String) throws {
    let (disk, state) = try Self.large()
    let file = try #require(disk.paths.filter { $0.hasSuffix(fileExtension) }.max())
    try disk.setContents(file, [1, 2, 3])
    disk.isTracing = true
    let store = try Self.open(disk)
    #expect(store.findings.count == 1)
    // 360 notes of 300 bytes are more than 12 times the bound.
    let written = Self.writes(disk)
    #expect(written.runCount >= 12, "\(written)")
    #expect(try store.head.plain() == state)
    #expect(store.unflushedByteCount < StoreOptions.small.unflushedByteCount)
    #expect(Self.runs(disk).count < 8, "those that were merged are gone")
    #expect(try store.verify(deep: true) == [])
    try store.close()
    let again = try Self.open(disk)
    #expect(again.findings == [])
    #expect(try again.head.plain() == state)
    try again.close()
  }

  @Test func `a run found damaged by a compaction is made anew in pieces too`() throws {
    let (disk, state) = try Self.large()
    let file = try #require(Self.runs(disk).first)
    var bytes = try #require(disk.contents(of: file))
    bytes[200] ^= 1
    try disk.setContents(file, bytes)
    let store = try Self.open(disk)
    #expect(store.findings == [])
    disk.isTracing = true
    try store.compact(keeping: .everything)
    #expect(store.findings.count == 1)
    #expect(Self.writes(disk).runCount >= 12)
    #expect(try store.head.plain() == state)
    #expect(try store.verify(deep: true) == [])
    try store.close()
  }

  @Test func `folding anew can end at any moment, and begins anew`() throws {
    let (disk, state) = try Self.large()
    let file = try #require(disk.paths.filter { $0.hasSuffix(".xc") }.max())
    try disk.setContents(file, [1, 2, 3])
    var number = 0
    var images: [SimulatedDisk] = []
    disk.onCall = { [unowned disk] _ in
      number += 1
      if number % 7 == 0 { images.append(disk.imageAfterProcessDeath()) }
      if number % 7 == 3 { images.append(disk.imageAfterPowerLossOfEverythingUnsynced()) }
    }
    let store = try Self.open(disk)
    disk.onCall = nil
    try store.close()
    #expect(images.count > 20)
    for image in images {
      let again = try Self.open(image)
      #expect(try again.head.plain() == state)
      try again.checkpoint()
      try again.close()
      #expect(Self.runs(image).count < 10)
    }
  }

  @Test func `rows made anew leave the runs of indexes that no checkpoint names yet`() throws {
    func open(_ disk: SimulatedDisk, isIndexed: Bool) throws -> JournaledStore {
      let name = AttributeDescription("name", .string, isIndexed: isIndexed)
      let model = try ManagedObjectModel(entities: [EntityDescription("Note", attributes: [name])])
      return try JournaledStore(on: disk, at: Self.path, model: model, options: .small)
    }
    let disk = SimulatedDisk(seed: 11)
    var store = try open(disk, isIndexed: false)
    let name = try store.key(named: "name")
    let context = try store.beginContext(name: "", on: .none)
    let objects = try (0..<600).map { _ in try store.newObject(of: EntityNumber(rawValue: 0)) }
    for first in stride(from: 0, to: objects.count, by: 100) {
      let rows = objects[first..<first + 100].map { object in
        let text = "\(object.number) " + String(repeating: "x", count: 100)
        return CommitRequest.Object(object, base: .none, nil, to: Row([name: .string(text)]))
      }
      _ = try store.commit(CommitRequest(rows), by: context)
    }
    try store.endContext(context)
    try store.compact(keeping: .everything)
    let state = try store.head.plain()
    try store.close()
    // The index is made, and there is no room to name it.
    disk.onCall = { [unowned disk] call in
      guard call.path.hasSuffix(".xc") else { return }
      disk.faults = [SimulatedFault(.failure(.noSpace), calls: [.write])]
    }
    store = try open(disk, isIndexed: true)
    disk.onCall = nil
    disk.faults = []
    #expect(store.checkpointFailure?.code == .disk && store.findings == [])
    let file = try #require(Self.runs(disk).first)
    let run = try disk.folder(at: Self.path + "/snapshots").file(
      String(file.dropFirst(Self.path.count + "/snapshots/".count)), .existing)
    let noise: [UInt8] = [1, 2, 3, 4]
    try noise.withUnsafeBytes { try run.write($0, at: 200) }
    #expect(throws: StoreError.self) {
      for object in objects { _ = try store.head.row(of: object) }
    }
    try store.checkpoint()
    #expect(store.findings.count == 1)
    #expect(try store.head.plain() == state)
    #expect(try store.verify(deep: true) == [])
    try store.close()
    let again = try open(disk, isIndexed: true)
    #expect(again.findings == [])
    #expect(try again.verify(deep: true) == [])
    try again.close()
  }
}
