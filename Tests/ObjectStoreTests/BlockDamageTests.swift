// A block of a run that is found damaged while the store is open is made anew where the journal has everything.

import DiskAccess
import DiskSimulation
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct BlockDamageTests {
  /// A closed store with a block of a run damaged that opening does not read.
  private static func life(compacted: Bool = false) throws -> StoreLife {
    var life = try StoreLife(seed: 9)
    for _ in 1...30 { try life.save() }
    try life.roll()
    try life.endContexts()
    if compacted {
      try life.store.compact(keeping: .latest)
    } else {
      try life.store.checkpoint()
    }
    try life.store.close()
    let runs = life.disk.paths.filter { $0.hasSuffix(".xr") }
    let file = try #require(runs.max { size(of: $0, life) < size(of: $1, life) })
    var bytes = try #require(life.disk.contents(of: file))
    for place in 150..<300 { bytes[place] ^= 0x55 }
    try life.disk.setContents(file, bytes)
    return life
  }

  private static func size(of file: String, _ life: StoreLife) -> Int {
    life.disk.contents(of: file)?.count ?? 0
  }

  /// The objects that cannot be read.
  private static func unreadable(_ store: ReadableStore, _ life: StoreLife) -> [ObjectID] {
    life.state.keys.sorted().filter { object in
      do throws(StoreError) {
        return try store.head.row(of: object) != life.state[object]
      } catch {
        #expect(error.code == .damaged)
        return true
      }
    }
  }

  /// Has an object's row read and replaced by a commit.
  private static func save(_ object: ObjectID, _ store: JournaledStore, _ life: StoreLife) throws {
    let context = try store.beginContext(name: "", on: store.lastCommit)
    let row = try #require(life.state[object])
    var other = row
    other[try store.key(named: "mood")] = "new"
    _ = try store.commit(
      CommitRequest([.init(object, base: store.lastCommit, row, to: other)]), by: context)
    try store.endContext(context)
  }

  enum Occasion: CaseIterable {
    case saving, savingAnother, checkpoint, closing
  }

  @Test(arguments: Occasion.allCases)
  func `a damaged block is told when it is read, and made anew by whatever writes next`(
    occasion: Occasion
  ) throws {
    let life = try Self.life()
    var store = try life.store()
    #expect(store.findings == [])
    let unreadable = Self.unreadable(store, life)
    let first = try #require(unreadable.first)
    #expect(unreadable.count < life.state.count)
    switch occasion {
    case .saving: try Self.save(first, store, life)
    case .savingAnother:
      let other = try #require(life.state.keys.first { !unreadable.contains($0) })
      try Self.save(other, store, life)
    case .checkpoint: try store.checkpoint()
    case .closing:
      try store.close()
      store = try life.store()
    }
    for object in unreadable.dropFirst() {
      #expect(try store.head.row(of: object) == life.state[object])
    }
    #expect(store.findings.count == (occasion == .closing ? 0 : 1))
    #expect(try store.verify(deep: true) == [])
    try store.close()
    let again = try life.store()
    #expect(again.findings == [])
    #expect(Self.unreadable(again, life).count <= 1, "but for the one that was saved anew")
    try again.close()
  }

  @Test func `a damaged block that was not read before keeps nobody from saving its objects`()
    throws
  {
    let life = try Self.life()
    let reader = try StoreReader(on: life.disk, at: StoreLife.path)
    let first = try #require(Self.unreadable(reader, life).first)
    let store = try life.store()
    try Self.save(first, store, life)
    #expect(store.findings.count == 1)
    #expect(try store.verify(deep: true) == [])
    try store.close()
  }

  @Test func `where the journal does not go back so far, saving and checkpoints go on`() throws {
    let life = try Self.life(compacted: true)
    let store = try life.store()
    let unreadable = Self.unreadable(store, life)
    let other = try #require(life.state.keys.first { !unreadable.contains($0) })
    #expect(!unreadable.isEmpty)
    try Self.save(other, store, life)
    try store.checkpoint()
    #expect(store.checkpointFailure == nil)
    #expect(try store.verify() != [])
    try store.close()
  }

  @Test func `where the journal is damaged too, checkpoints go on, and that is tried once`() throws
  {
    let life = try Self.life()
    let segment = try #require(life.disk.paths.filter { $0.hasSuffix(".xj") }.min())
    var bytes = try #require(life.disk.contents(of: segment))
    bytes[bytes.count / 2] ^= 0x55
    try life.disk.setContents(segment, bytes)
    let store = try life.store()
    let unreadable = Self.unreadable(store, life)
    let other = try #require(life.state.keys.sorted().first { !unreadable.contains($0) })
    #expect(!unreadable.isEmpty)
    let found = store.findings
    try Self.save(other, store, life)
    try store.checkpoint()
    #expect(store.checkpointFailure == nil && store.findings == found)
    nonisolated(unsafe) var runCount = 0
    life.disk.onCall = {
      if $0.kind == .openFile, $0.path.hasSuffix(".xr") { runCount += 1 }
    }
    let context = try store.beginContext(name: "", on: store.lastCommit)
    for _ in 1...5 {
      let object = try store.newObject(of: other.entity)
      let request = CommitRequest([.init(object, base: .none, nil, to: Row())])
      _ = try store.commit(request, by: context)
      try store.checkpoint()
    }
    #expect(runCount == 5, "a checkpoint writes one, and who folds anew some more")
    #expect(store.checkpointFailure == nil && store.findings == found)
    life.disk.onCall = nil
    try store.close()
    let again = try life.store()
    #expect(again.lastCommit == store.lastCommit)
    try again.close()
  }

  @Test func `a full disk keeps no rows in memory that are made anew of the journal`() throws {
    let life = try Self.life()
    let store = try life.store()
    let unreadable = Self.unreadable(store, life)
    let other = try #require(life.state.keys.sorted().first { !unreadable.contains($0) })
    let found = store.findings
    let last = try #require(life.disk.paths.filter { $0.contains("/snapshots/") }.max())
    let digits = String(try #require(last.split(separator: "/").last).dropLast(3))
    // The first is written until the damage is met.
    life.disk.faults = (2...60).map { step in
      let name = String((Int(digits) ?? 0) + step)
      let zeros = String(repeating: "0", count: digits.count - name.count)
      return SimulatedFault(
        .failure(.noSpace), calls: [.append, .write], name: zeros + name + ".xr", isLasting: true)
    }
    try Self.save(other, store, life)
    #expect(store.checkpointFailure?.code == .disk)
    #expect(store.findings == found, "nothing was made anew")
    life.disk.faults = []
    #expect(Self.unreadable(store, life) != [])
    try store.checkpoint()
    #expect(Self.unreadable(store, life) == [other])
    #expect(store.findings.count == found.count + 1)
    try store.close()
  }

  @Test func `a reader has what the damaged block held when it is refreshed`() throws {
    let life = try Self.life()
    let reader = try StoreReader(on: life.disk, at: StoreLife.path)
    #expect(reader.findings == [])
    #expect(Self.unreadable(reader, life) != [])
    try reader.refresh()
    #expect(Self.unreadable(reader, life) == [])
    #expect(reader.findings.count == 1)
    #expect(reader.findings.first?.description.contains("in its place") == true)
    #expect(try reader.refresh() == false)
  }
}
