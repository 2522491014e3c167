// Looking at a store changes nothing, shows what is durable, and as much of a damaged store as is whole.

import DiskAccess
import DiskSimulation
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct StoreReaderTests {
  @Test
  func `a reader follows a store that is being written, through everything that is done to it`()
    throws
  {
    var life = try StoreLife(seed: 21)
    try life.save()
    let reader = try StoreReader(on: life.disk, at: StoreLife.path)
    var dice = Dice(seed: 21)
    for step in 0..<60 {
      try life.save()
      switch dice.pick(8) {
      case 0: try life.roll()
      case 1: try life.store.checkpoint()
      case 2: try life.store.compact(keeping: .everything)
      case 3: try life.reopen()
      default: break
      }
      try reader.refresh()
      #expect(reader.findings == [])
      // What was saved last may not be known to be durable yet.
      let number = Int(reader.lastCommit.rawValue)
      #expect(life.states.count - 1 - number <= 1, "step \(step)")
      #expect(try reader.head.plain() == life.states[number], "step \(step)")
    }
    try life.store.close()
    try reader.refresh()
    #expect(try reader.head.plain() == life.state)
    #expect(try reader.refresh() == false)
    #expect(try reader.commits(since: 0).count == life.states.count - 1)
    for (number, state) in life.states.enumerated() {
      let past = try reader.snapshot(at: CommitNumber(rawValue: UInt64(number)))
      #expect(try past.plain() == state)
    }
  }

  @Test func `looking writes nothing, and locks nothing`() throws {
    var life = try StoreLife(seed: 22)
    for _ in 0..<10 { try life.save() }
    try life.store.checkpoint()
    for _ in 0..<3 { try life.save() }
    let image = life.disk.imageAfterProcessDeath()
    let before = image.paths.map { image.contents(of: $0) }
    image.isTracing = true
    let reader = try StoreReader(on: image, at: StoreLife.path)
    _ = try reader.history(of: try #require(life.state.keys.first))
    _ = try reader.events()
    let looking = image.trace
    let writing = [
      "write", "append", "sync", "resize", "allocate", "map", "lock", "rename", "remove",
      "makeFolder",
    ]
    func writes(_ line: String) -> Bool { writing.contains { line.contains(" \($0)") } }
    #expect(looking.filter(writes) == [])
    #expect(image.paths.map { image.contents(of: $0) } == before)
    #expect(looking.count > 10)
    let writer = try JournaledStore(
      on: image, at: StoreLife.path, model: try StoreLife.model(), options: .small)
    try writer.close()
    #expect(image.trace.count { writes($0) } > 5)
    try life.store.close()
  }

  @Test func `what comes before damage can be looked at, and the damage is named`() throws {
    var options = StoreOptions.small
    options.unflushedByteCount = 1 << 30
    options.closingByteCount = 1 << 30
    var life = try StoreLife(seed: 23, options: options)
    for _ in 0..<6 { try life.save() }
    try life.roll()
    for _ in 0..<6 { try life.save() }
    try life.store.close()
    let folder = try life.disk.folder(at: StoreLife.path).folder("journal")
    let file = try folder.file("0000000001.xj", .existing)
    let middle = try file.information().byteCount / 2
    let noise: [UInt8] = [1, 2, 3, 4]
    try noise.withUnsafeBytes { try file.write($0, at: middle) }
    let reader = try StoreReader(on: life.disk, at: StoreLife.path)
    let finding = try #require(reader.findings.first)
    #expect(finding.description.contains("journal/0000000001.xj, byte "))
    let number = Int(reader.lastCommit.rawValue)
    #expect((1..<life.states.count - 1).contains(number))
    #expect(try reader.head.plain() == life.states[number])
    let error = #expect(throws: StoreError.self) {
      try JournaledStore(
        on: life.disk, at: StoreLife.path, model: try StoreLife.model(), options: options)
    }
    #expect(error?.code == .damaged)
  }

  @Test func `a reader that follows holds no more than the writer has not put into runs`() throws {
    var options = StoreOptions.small
    options.unflushedByteCount = 32 << 10
    var life = try StoreLife(seed: 24, options: options)
    try life.save()
    let reader = try StoreReader(on: life.disk, at: StoreLife.path, cacheByteCount: 16 << 10)
    var most = 0
    for _ in 0..<400 {
      try life.save()
      if life.store.head.number.rawValue % 7 == 0 {
        try reader.refresh()
        most = max(most, reader.head.changesByteCount)
      }
    }
    try life.store.close()
    try reader.refresh()
    #expect(try reader.head.plain() == life.state)
    #expect(reader.findings.isEmpty)
    #expect(most > 16 << 10, "\(most)")
    #expect(most < 96 << 10, "\(most)")
  }

  @Test func `a reader that follows learns what compaction has dropped`() throws {
    var life = try StoreLife(seed: 5)
    for _ in 1...8 {
      try life.save()
      try life.roll()
    }
    try life.store.checkpoint()
    let reader = try StoreReader(on: life.disk, at: StoreLife.path)
    _ = try reader.snapshot(at: 3)
    try life.endContexts()
    try life.store.compact(keeping: .commits(since: 6))
    try reader.refresh()
    #expect(reader.findings == [] && reader.firstKeptCommit == life.store.firstKeptCommit)
    #expect(reader.firstKeptCommit > 4)
    #expect(try reader.head.plain() == life.state)
    let dropped = #expect(throws: StoreError.self) { try reader.snapshot(at: 3) }
    #expect(dropped?.code == .commitMissing)
    for number in 5..<life.states.count where number >= reader.firstKeptCommit.rawValue {
      let past = try reader.snapshot(at: CommitNumber(rawValue: UInt64(number)))
      #expect(try past.plain() == life.states[number])
    }
    try life.save()
    try reader.refresh()
    #expect(try reader.head.plain() == life.state)
    try life.store.close()
  }

  @Test func `whoever looks at a store that was just opened has its model, and its names`()
    throws
  {
    let disk = SimulatedDisk(seed: 23)
    let store = try JournaledStore(
      on: disk, at: StoreLife.path, model: try StoreLife.model(), options: .small)
    let reader = try StoreReader(on: disk, at: StoreLife.path)
    #expect(reader.model == store.model)
    #expect(reader.existingKey(named: "title") != nil)
    try store.close()
  }

  @Test func `where there is no store there is nothing to look at`() throws {
    let error = #expect(throws: StoreError.self) {
      try StoreReader(on: SimulatedDisk(seed: 1), at: "None.xjournal")
    }
    #expect(error?.code == .storeMissing)
  }

  @Test func `a reader for which a call has failed misses nothing when it looks again`() throws {
    func refresh(failing call: Int) throws -> (hasFailed: Bool, callCount: Int) {
      let disk = SimulatedDisk(seed: 1)
      let store = try JournaledStore(
        on: disk, at: StoreLife.path, model: try StoreLife.model(), options: .small)
      let key = try store.key(named: "title")
      let context = try store.beginContext(name: "one", on: .none)
      /// A commit that lies in pieces.
      func save(_ number: Int) throws {
        let object = try store.newObject(of: EntityNumber(rawValue: 0))
        let text = (0..<900).map { "\($0 * number)" }.joined(separator: " ")
        _ = try store.commit(
          CommitRequest([.init(object, base: .none, nil, to: Row([key: .string(text)]))]),
          by: context)
      }
      try save(1)
      let reader = try StoreReader(on: disk, at: StoreLife.path)
      for number in 2...5 { try save(number) }
      try store.close()
      let before = disk.callCount
      disk.faults = [SimulatedFault(.failure(.tooManyOpenFiles), number: call)]
      var hasFailed = false
      do { try reader.refresh() } catch { hasFailed = true }
      let callCount = disk.callCount - before
      disk.faults = []
      try reader.refresh()
      #expect(reader.findings == [], "call \(call)")
      #expect(try reader.head.plain().count == 5 && reader.lastCommit == 5, "call \(call)")
      return (hasFailed, callCount)
    }
    let callCount = try refresh(failing: 100_000).callCount
    var failed = 0
    for call in 1...callCount where try refresh(failing: call).hasFailed { failed += 1 }
    #expect(failed > callCount / 2, "\(failed) of \(callCount)")
  }
}
