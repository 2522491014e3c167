// Checkpoints under a check that is right which are none, or are of another commit than they say.

import DiskSimulation
import EventFold
import FoundationEssentials
import Journaling
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct LyingCheckpointTests {
  /// A closed store whose journal has everything, and its state.
  private static func made() throws -> (disk: SimulatedDisk, state: PlainState) {
    var life = try StoreLife(seed: 3)
    for _ in 1...3 { try life.save() }
    try life.store.tag("one", 1)
    try life.store.checkpoint()
    try life.endContexts()
    try life.store.close()
    return (life.disk, life.state)
  }

  /// One thing that no checkpoint has: fields of this kind instead of theirs.
  static let forgeries: [(String, Value?)] = [
    ("number", "one"), ("number", nil), ("number", .integer(-1)),
    ("number", .integer(.max)), ("number", .integer(1 << 62 + 1)), ("time", "now"), ("layers", 3),
    ("layers", [3]), ("layers", [["era": 9, "runs": []]]), ("layers", [["era": 0, "runs": [3]]]),
    ("layers", [["era": 0, "runs": [["name": 3, "length": 1, "check": 1]]]]),
    ("layers", [["era": 0, "runs": [["name": "0000000001.xr", "length": 1]]]]),
    ("keys", [3]), ("keys", ["a", "a"]), ("keys", []), ("eras", [3]), ("eras", [["since": 0]]),
    ("eras", [["since": 0, "model": 3]]),
    ("eras", [["since": 0, "model": .data(Data([1, 2, 3]))]]),
    ("tags", 3), ("tags", ["one": "first"]), ("tags", ["one": .integer(.max)]), ("numbers", [3]),
    ("numbers", [[1]]), ("contexts", [3]), ("contexts", [["number": "one"]]),
    ("contexts", [["number": 1, "firstEdit": 1, "base": 1]]),
    ("contexts", [["number": 1, "name": 3, "firstEdit": 1, "base": 1, "oldest": 1]]),
    ("indexes", [3]), ("indexes", [[1, 2]]), ("indexes", [[1, .integer(1 << 20), 1]]),
    ("indexes", [[1, 0, 0]]), ("indexes", [[1, 0, 2], [1, 0, 1]]), ("nextIndex", 0),
    ("indexRuns", ["run"]), ("eventTime", "later"),
  ]

  @Test(arguments: forgeries)
  func `a checkpoint that is none is made anew of the journal, and that is said`(
    field: String, value: Value?
  ) throws {
    let (disk, state) = try Self.made()
    try disk.forgeCheckpoint { $0[field] = value }
    let reader = try StoreReader(on: disk, at: StoreLife.path)
    #expect(try reader.head.plain() == state && reader.findings.count == 1)
    for isFirst in [true, false] {
      let store = try DamagedStore.open(disk)
      #expect(store.findings.count == (isFirst ? 1 : 0))
      #expect(store.findings.allSatisfy { $0.description.contains("made anew") })
      #expect(try store.head.plain() == state && store.tags == ["one": 1])
      #expect(try store.verify(deep: true) == [])
      try store.close()
    }
  }

  /// Where the head of a checkpoint's file has its format and the features it requires.
  @Test(arguments: [8, 12])
  func `a checkpoint of a newer format is told to be so, and is neither read nor replaced`(
    place: Int
  ) throws {
    let (disk, _) = try Self.made()
    let file = try #require(disk.paths.last { $0.hasSuffix(".xc") })
    try Self.change(file, of: disk, at: place, to: 9)
    let error = #expect(throws: StoreError.self) { try DamagedStore.open(disk) }
    #expect(error?.code == .newerFormat && error?.description.contains("newer") == true)
    #expect(throws: StoreError.self) { try StoreReader(on: disk, at: StoreLife.path) }
    #expect(disk.paths.contains(file))
  }

  @Test(arguments: [0, 20])
  func `a checkpoint of another store, or of another name, is made anew`(place: Int) throws {
    let (disk, state) = try Self.made()
    let file = try #require(disk.paths.last { $0.hasSuffix(".xc") })
    try Self.change(file, of: disk, at: place, to: 9)
    let store = try DamagedStore.open(disk)
    #expect(store.findings.count == 1)
    #expect(try store.head.plain() == state)
    try store.close()
  }

  /// Has a checkpoint's head say something else, under a check that is right.
  private static func change(
    _ file: String, of disk: SimulatedDisk, at place: Int, to byte: UInt8
  ) throws {
    var head = try #require(disk.contents(of: file))[..<36]
    head[place] ^= byte
    var fields: [String: Value] = [:]
    try disk.forgeCheckpoint { fields = $0 }
    try disk.setContents(file, checkpointBytes(fields, head: Array(head)))
  }

  /// A store whose checkpoint is of an older commit than it says it is, with so many saves behind that one.
  private static func stale(
    _ seed: UInt64, savesBehind count: Int = 0
  ) throws -> (disk: SimulatedDisk, last: UInt64, state: PlainState) {
    var life = try StoreLife(seed: seed)
    for _ in 1...8 { try life.save() }
    try life.store.checkpoint()
    for _ in 1...8 { try life.save() }
    let newer = life.disk.imageAfterProcessDeath()
    let checkpointing = try DamagedStore.open(newer)
    try checkpointing.checkpoint()
    try checkpointing.close()
    for _ in 0..<count { try life.save() }
    let image = life.disk.imageAfterProcessDeath()
    var fields: [String: Value] = [:]
    try newer.forgeCheckpoint { fields = $0 }
    try image.forgeCheckpoint { its in
      for name in ["number", "frame", "time", "eventTime"] { its[name] = fields[name] }
    }
    let (last, state) = (life.store.lastCommit.rawValue, life.state)
    try life.endContexts()
    try life.store.close()
    return (image, last, state)
  }

  @Test(arguments: UInt64(1)...4)
  func `where a checkpoint is of another commit than it says, what contradicts it is damage`(
    seed: UInt64
  ) throws {
    let (disk, last, _) = try Self.stale(seed)
    let store = try DamagedStore.open(disk)
    #expect(store.lastCommit.rawValue == last)
    let objects = try store.head.allObjects()
    #expect(!objects.isEmpty)
    var refusals: [String: Int] = [:]
    func ask(_ name: String, _ question: () throws -> Void) {
      do {
        try question()
      } catch {
        refusals[name, default: 0] += 1
        #expect((error as? StoreError)?.code == .damaged, "\(name): \(error)")
      }
    }
    for number in 1..<last {
      let commit = CommitNumber(rawValue: number)
      ask("state") { _ = try store.snapshot(at: commit).plain() }
      ask("commit") { _ = try store.commit(commit) }
      for object in objects { ask("row") { _ = try store.row(of: object, at: commit) } }
    }
    for object in objects {
      ask("history") { _ = try store.history(of: object) }
      ask("blame") { _ = try store.blame(object) }
    }
    ask("changes") { for commit in try store.commits(since: 0) { _ = commit.changes } }
    #expect(refusals["state"] != nil, "\(refusals)")
    #expect(try store.verify(deep: true) != [])
    try? store.close()
  }

  @Test(arguments: UInt64(1)...4)
  func
    `where a checkpoint is of another commit than it says, what came since is not laid over its rows`(
      seed: UInt64
    ) throws
  {
    let (disk, _, state) = try Self.stale(seed, savesBehind: 8)
    let store = try DamagedStore.open(disk)
    try store.compact(keeping: .everything)
    #expect(try store.head.plain() == state)
    #expect(store.findings.contains { $0.description.contains("made anew") })
    try store.close()
  }
}
