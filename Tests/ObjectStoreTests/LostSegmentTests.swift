// Where a segment is lost, or its header, a reader shows what comes before it, and the checkpoint all the more.

import ByteCoding
import DiskAccess
import DiskSimulation
import Journaling
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct LostSegmentTests {
  enum Loss: CaseIterable {
    case header, file, newerHeader
  }

  private static var options: StoreOptions {
    var options = StoreOptions.small
    options.unflushedByteCount = 1 << 30
    options.closingByteCount = 1 << 30
    options.rollingByteCount = 1 << 30
    return options
  }

  /// A closed store with a checkpoint, and three segments behind it.
  private static func life() throws -> (life: StoreLife, checkpointed: Int) {
    var life = try StoreLife(seed: 31, options: options)
    for _ in 1...4 { try life.save() }
    try life.roll()
    try life.store.checkpoint()
    let checkpointed = life.states.count - 1
    for round in 1...3 {
      for _ in 1...4 { try life.save() }
      if round < 3 { try life.roll() }
    }
    try life.store.close()
    return (life, checkpointed)
  }

  private static func files(_ life: StoreLife) throws -> [String] {
    try life.disk.folder(at: StoreLife.path + "/journal").names()
  }

  private static func lose(_ loss: Loss, _ file: String, on disk: SimulatedDisk) throws {
    let path = StoreLife.path + "/journal/" + file
    var bytes = try #require(disk.contents(of: path))
    switch loss {
    case .file: try disk.folder(at: StoreLife.path + "/journal").remove(file)
    case .header: try disk.setContents(path, bytes.flipping(bit: 571))
    case .newerHeader:
      bytes[27] = 2
      var check = ByteWriter()
      check.write(Array(bytes[..<120]))
      check.writeCheck(salt: 0)
      bytes.replaceSubrange(120..<128, with: check.array[120...])
      try disk.setContents(path, bytes)
    }
  }

  @Test(arguments: Loss.allCases)
  func `who reads is shown what comes before a segment that is lost, whichever it is`(
    loss: Loss
  ) throws {
    let (life, checkpointed) = try Self.life()
    let files = try Self.files(life).suffix(3)
    var last = checkpointed - 1
    for file in files {
      let disk = life.disk.imageAfterProcessDeath()
      try Self.lose(loss, file, on: disk)
      let refused = #expect(throws: StoreError.self) {
        try JournaledStore(
          on: disk, at: StoreLife.path, model: try StoreLife.model(), options: Self.options)
      }
      #expect(refused?.code == (loss == .newerHeader ? .newerFormat : .damaged))
      let reader = try StoreReader(on: disk, at: StoreLife.path)
      let number = Int(reader.lastCommit.rawValue)
      #expect(number > last, "\(file)")
      last = number
      #expect(try reader.head.plain() == life.states[number], "\(file)")
      let words = reader.findings.map(\.description)
      #expect(words.count == 1 && words[0].contains(file), "\(words)")
      #expect(words[0].contains("newer code") == (loss == .newerHeader))
      #expect(words[0].contains("damaged in") == (loss != .newerHeader))
      for past in checkpointed..<number {
        let snapshot = try reader.snapshot(at: CommitNumber(rawValue: UInt64(past)))
        #expect(try snapshot.plain() == life.states[past], "\(file), commit \(past)")
      }
      #expect(try reader.refresh() == false)
    }
    #expect(last > checkpointed && last < life.states.count - 1)
  }

  @Test(arguments: Loss.allCases)
  func `a reader that is open shows what came before a segment that is lost`(loss: Loss) throws {
    var life = try StoreLife(seed: 32, options: Self.options)
    for _ in 1...4 { try life.save() }
    let reader = try StoreReader(on: life.disk, at: StoreLife.path)
    let before = reader.lastCommit
    for _ in 1...4 { try life.save() }
    try life.roll()
    let whole = life.states.count - 1
    for _ in 1...4 { try life.save() }
    try life.store.close()
    try Self.lose(loss, try #require(try Self.files(life).last), on: life.disk)
    #expect(try reader.refresh())
    #expect(reader.lastCommit > before && reader.lastCommit.rawValue == UInt64(whole))
    #expect(try reader.head.plain() == life.states[whole])
    #expect(reader.findings.count == 1)
  }

  @Test func `of a store whose whole journal is gone the checkpoint is shown`() throws {
    let (life, checkpointed) = try Self.life()
    let disk = SimulatedDisk(seed: 33)
    for path in life.disk.paths where !path.contains("/journal") {
      if let bytes = life.disk.contents(of: path) { try disk.setContents(path, bytes) }
    }
    let refused = #expect(throws: StoreError.self) {
      try JournaledStore(
        on: disk, at: StoreLife.path, model: try StoreLife.model(), options: Self.options)
    }
    #expect(refused?.description.contains("can be read, but not gone on from") == true)
    let reader = try StoreReader(on: disk, at: StoreLife.path)
    #expect(try reader.head.plain() == life.states[checkpointed])
    #expect(reader.findings.count == 1)
    let error = #expect(throws: StoreError.self) { try reader.events() }
    #expect(error?.code == .damaged)
  }

  @Test func `a reader begins anew as often as compaction goes on beyond what it has seen`() throws
  {
    var life = try StoreLife(seed: 5)
    func compact() throws {
      for _ in 1...3 {
        try life.save()
        try life.roll()
      }
      try life.endContexts()
      try life.store.compact(keeping: .latest)
    }
    for _ in 1...3 { try life.save() }
    try life.store.checkpoint()
    let disk = WatchedDisk(life.disk)
    let reader = try StoreReader(on: disk, at: StoreLife.path)
    try compact()
    var (rounds, hasReadCheckpoint) = (0, false)
    disk.onLook = { name in
      if name.hasSuffix(".xc") { hasReadCheckpoint = true }
      // Just when it goes on with the journal.
      guard name == "MANIFEST", hasReadCheckpoint, rounds < 3 else { return }
      (rounds, hasReadCheckpoint) = (rounds + 1, false)
      do { try compact() } catch { Issue.record("\(error)") }
    }
    try reader.refresh()
    #expect(rounds == 3)
    try life.store.close()
    try reader.refresh()
    #expect(reader.findings == [])
    #expect(try reader.head.plain() == life.state)
  }
}
