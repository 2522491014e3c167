// Numbers of commits and contexts beyond the largest there can be are refused, and end no process.

import ByteCoding
import DiskSimulation
import FoundationEssentials
import Journaling
import ObjectModel
import ObjectStore
import PropertyListCoding
import TestSupport
import Testing

@Suite struct LargeNumberTests {
  private static func open(_ disk: SimulatedDisk, at path: String) throws -> JournaledStore {
    try JournaledStore(on: disk, at: path, model: nil, options: .small)
  }

  // MARK: The journal

  /// Events and commits byte by byte, as none is written.
  private static func began(_ context: UInt64, on commit: UInt64 = 0) -> [UInt8] {
    [36] + varint(context) + [1, 0x63] + varint(commit) + [0]
  }

  private static func tagged(_ commit: UInt64) -> [UInt8] { [39, 1, 0x78, 1] + varint(commit) }

  private static func varint(_ number: UInt64) -> [UInt8] {
    var writer = ByteWriter()
    writer.writeVarint(number)
    return writer.array
  }

  private static let adoption: [UInt8] = [33, 1, 0, 4] + Array("Note".utf8) + [0, 0, 0, 0, 0]

  /// A commit that inserts an object.
  private static func commit(
    _ number: UInt64, after edits: UInt8, inserting object: UInt8
  ) -> [UInt8] {
    [1] + varint(number) + [UInt8](repeating: 0, count: 8) + [1, 0, edits, 0, 0, 0, 1, 0, 1]
      + [object, 0, 0, 0]
  }

  private static func disk(_ payloads: [[UInt8]]) throws -> SimulatedDisk {
    try StoreBuilder(payloads: payloads).disk()
  }

  static let beyond: [[UInt8]] = [
    began(.max), began(1 << 63), began(1 << 62 + 1), began(1, on: .max), tagged(.max),
    tagged(1 << 62 + 1),
  ]

  @Test(arguments: beyond)
  func `a journal with a number beyond the largest is refused as damaged`(event: [UInt8]) throws {
    let disk = try Self.disk([batchBytes(firstEdit: 1, edits: [event])])
    let error = #expect(throws: StoreError.self) { try Self.open(disk, at: "store") }
    #expect(error?.code == .damaged)
    #expect(error?.description.contains("larger than it may be") == true)
  }

  @Test func `a store with the largest numbers is opened, and made none beyond them`() throws {
    let events = [Self.began(1 << 62, on: 1 << 62), Self.tagged(1 << 62)]
    let disk = try Self.disk([batchBytes(firstEdit: 1, edits: events)])
    for _ in 1...2 {
      let store = try Self.open(disk, at: "store")
      #expect(store.tags == ["x": .largest])
      let error = #expect(throws: StoreError.self) { try store.beginContext(name: "", on: 0) }
      #expect(error?.code == .valueRefused)
      try store.checkpoint()
      try store.close()
    }
  }

  @Test func `a reader shows the state before a commit with a number beyond the largest`() throws {
    let first = batchBytes(
      firstEdit: 1, edits: [Self.adoption, Self.began(1)],
      commits: [Self.commit(1, after: 2, inserting: 1)])
    let second = batchBytes(
      firstEdit: 3, edits: [],
      commits: [
        Self.commit(.max, after: 0, inserting: 2), Self.commit(.max, after: 0, inserting: 3),
      ])
    let reader = try StoreReader(on: Self.disk([first, second]), at: "store")
    #expect(reader.lastCommit == 1)
    #expect(try reader.head.plain().count == 1)
    #expect(try reader.commit(1).changes.count == 1)
  }

  // MARK: Checkpoints

  /// A closed store in whose checkpoint some numbers are another.
  private static func forged(
    _ fields: [String: Value]
  ) throws -> (disk: SimulatedDisk, state: PlainState) {
    var life = try StoreLife(seed: 3)
    for _ in 1...3 { try life.save() }
    try life.endContexts()
    try life.store.checkpoint()
    try life.store.close()
    try life.disk.forgeCheckpoint { $0.merge(fields) { $1 } }
    return (life.disk, life.state)
  }

  @Test(arguments: ["number", "since", "frame", "nextContext", "nextIndex"])
  func `a checkpoint with a number beyond the largest is damaged, and made anew`(
    name: String
  ) throws {
    let (disk, state) = try Self.forged([name: .integer(.max)])
    let store = try Self.open(disk, at: StoreLife.path)
    #expect(store.findings.count == 1)
    #expect(try store.head.plain() == state)
    try store.close()
  }

  @Test func `no commit follows the last one that there can be`() throws {
    let (disk, _) = try Self.forged([
      "number": .integer(1 << 62), "since": .integer(1 << 62 + 1),
    ])
    for _ in 1...2 {
      let store = try Self.open(disk, at: StoreLife.path)
      #expect(store.findings == [] && store.lastCommit == .largest)
      let context = try store.beginContext(name: "", on: store.lastCommit)
      let note = try store.newObject(of: EntityNumber(rawValue: 0))
      #expect(throws: CommitError.self) {
        try store.commit(
          CommitRequest([.init(note, base: store.lastCommit, nil, to: Row())]), by: context)
      }
      try store.endContext(context)
      try store.checkpoint()
      try store.close()
    }
  }

  @Test(arguments: [1 << 31 + 1, 1 << 32 - 2])
  func `where nearly all numbers of indexes are given, they are made anew with the first ones`(
    next: Int
  ) throws {
    let (disk, state) = try Self.forged(["nextIndex": .integer(next), "indexes": []])
    let reader = try StoreReader(on: disk, at: StoreLife.path)
    #expect(try reader.head.plain() == state)
    for isFirst in [true, false] {
      let store = try Self.open(disk, at: StoreLife.path)
      #expect(store.findings.count == (isFirst ? 1 : 0))
      #expect(try store.head.plain() == state)
      #expect(try store.verify(deep: true) == [])
      try store.checkpoint()
      try store.close()
    }
  }

  @Test func `a session under a number that no context was given is not gone on with`() throws {
    let (disk, state) = try Self.forged(["nextContext": 1, "contexts": []])
    for _ in 1...2 {
      let store = try Self.open(disk, at: StoreLife.path)
      #expect(try !store.sessions.isEmpty)
      for session in try store.sessions {
        let error = #expect(throws: StoreError.self) { try store.resume(session) }
        #expect(error?.code == .damaged)
      }
      #expect(try store.head.plain() == state)
      try store.close()
    }
  }

  @Test func `compacting a store that claims more frames than can be counted finds it damaged`()
    throws
  {
    let first = SegmentBuilder([batchBytes(firstEdit: 1, edits: [Self.adoption])])
    var header = StoreBuilder.header(after: first)
    header.firstFrame = 1 << 60 + 1
    header.firstEdit = 2
    var builder = StoreBuilder([first, SegmentBuilder(header)])
    builder.manifest.segments[0].lastFrame = 1 << 60
    builder.manifest.attachments = [.init("0000000001.xc")]
    builder.manifest.attachments[0].kind = 2
    let disk = try builder.disk()
    var head = ByteWriter()
    head.write(Array("XJ-CHECK".utf8) + [1] + [UInt8](repeating: 0, count: 11))
    head.write(builder.manifest.store.high)
    head.write(builder.manifest.store.low)
    let (none, nothing): (Value, Value) = (.array([]), .dictionary([:]))
    let fields: [String: Value] = [
      "number": 0, "since": 1, "time": 0, "frame": .integer(1 << 60), "layers": none,
      "indexes": none, "nextIndex": 1, "indexRuns": none, "keys": none, "eras": none,
      "tags": nothing, "numbers": none, "nextContext": 1, "contexts": none,
    ]
    try disk.makeFolders("store/snapshots")
    try disk.setContents(
      "store/snapshots/0000000001.xc", checkpointBytes(fields, head: head.array))
    let store = try Self.open(disk, at: "store")
    #expect(store.findings == [])
    let error = #expect(throws: StoreError.self) { try store.compact(keeping: .latest) }
    #expect(error?.code == .damaged)
    try store.close()
  }
}
