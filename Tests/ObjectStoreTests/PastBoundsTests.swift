// What verifying, and what looking at the past, holds in memory is bounded.

import DiskSimulation
import EventFold
import Journaling
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct PastBoundsTests {
  private static let path = "Past.xjournal"
  private let disk = SimulatedDisk(seed: 41)

  private static func model(isNewer: Bool = false) throws -> ManagedObjectModel {
    let newer = isNewer ? [AttributeDescription("mood", .string)] : []
    return try ManagedObjectModel(entities: [
      EntityDescription(
        "Note",
        attributes: [
          AttributeDescription("text", .string),
          AttributeDescription("rank", .integer, isIndexed: true),
        ] + newer)
    ])
  }

  private func open(isNewer: Bool = false) throws -> JournaledStore {
    var options = StoreOptions.small
    options.unflushedByteCount = 16 << 10
    options.journal.segmentByteCount = 64 << 10
    return try JournaledStore(
      on: disk, at: Self.path, model: try Self.model(isNewer: isNewer), options: options)
  }

  /// A context that inserts notes and changes them, edit by edit.
  private struct Program {
    let store: JournaledStore
    let context: LiveContext
    let text: KeyNumber
    let rank: KeyNumber
    private(set) var state: PlainState = [:]
    private(set) var objects: [ObjectID] = []
    private var dice = Dice(seed: 1)

    init(_ store: JournaledStore) throws {
      self.store = store
      context = try store.beginContext(name: "program", on: store.lastCommit)
      (text, rank) = (try store.key(named: "text"), try store.key(named: "rank"))
    }

    mutating func save(inserting count: Int, changing changedCount: Int) throws {
      var changes: [CommitRequest.Object] = []
      for _ in 0..<count {
        let object = try store.newObject(of: EntityNumber(rawValue: 0))
        try store.record(.inserted(object), by: context)
        objects.append(object)
        changes.append(.init(object, base: .none, nil, to: try set(object, Row())))
      }
      let old = objects.count - count
      for place in Set((0..<changedCount).map { _ in dice.pick(old) }).sorted() {
        let object = objects[place]
        let row = state[object] ?? Row()
        // Where it stands is not said: it stands where the context saved it last.
        changes.append(
          .init(object, base: store.lastCommit, row, to: try set(object, row)))
      }
      _ = try store.commit(CommitRequest(changes), by: context)
    }

    private mutating func set(_ object: ObjectID, _ row: Row) throws -> Row {
      var row = row
      row[text] = .string((0..<4).map { _ in String(dice.next(), radix: 36) }.joined())
      row[rank] = .integer(dice.pick(10_000))
      try store.record(.set(object, text, row[text]), by: context)
      try store.record(.set(object, rank, row[rank]), by: context)
      state[object] = row
      return row
    }
  }

  private func program(_ store: JournaledStore) throws -> Program {
    var program = try Program(store)
    try program.save(inserting: 40, changing: 0)
    for _ in 0..<39 { try program.save(inserting: 40, changing: 10) }
    return program
  }

  private func files() -> [String] { disk.paths.filter { $0.contains("/snapshots/") }.sorted() }

  @Test
  func `S75: a deep verification stays within the bound of changes, and leaves no file behind`()
    throws
  {
    let store = try open()
    let program = try program(store)
    let bound = 16 << 10
    let stateByteCount = program.objects.count * 150
    #expect(stateByteCount > 10 * bound)
    try store.checkpoint()
    let before = files()
    let verification = try store.verification()
    #expect(verification.findings == [])
    #expect(verification.comparedCommitCount == 40)
    #expect(verification.uncomparedCommitCount == 0)
    // What is in memory is written after the commit that is too much.
    #expect(verification.largestByteCount > bound / 2)
    #expect(verification.largestByteCount < bound + 50 * 300, "\(verification.largestByteCount)")
    #expect(files() == before)
    try store.endContext(program.context)
    try store.beginSegment()
    try store.compact(keeping: .commits(since: 6))
    try store.checkpoint()
    let dropped = try store.verification()
    #expect(dropped.findings == [])
    #expect((2...6).contains(dropped.firstCommit ?? 0), "\(dropped)")
    #expect(dropped.largestByteCount > bound / 2)
    #expect(dropped.largestByteCount < bound + 50 * 300, "\(dropped.largestByteCount)")
    try store.close()
    let again = try open()
    #expect(try again.head.plain() == program.state)
    try again.close()
  }

  @Test func `where past commits lie takes some six bytes for each`() throws {
    let store = try open()
    var program = try Program(store)
    for _ in 0..<1_500 { try program.save(inserting: 1, changing: 0) }
    for number in [1, 700, 1_500, 2, 1_499] {
      let commit = try store.content(of: CommitNumber(rawValue: UInt64(number)))
      #expect(commit.changes.map(\.object) == [program.objects[number - 1]])
    }
    #expect(store.commitPlacesByteCount <= 7 * 1_500, "\(store.commitPlacesByteCount)")
    try store.close()
  }

  @Test func `S69: indexes of earlier models, and of readers, are made of so many rows as fit`()
    throws
  {
    let store = try open()
    let program = try program(store)
    let last = store.lastCommit
    try store.endContext(program.context)
    try store.close()
    let newer = try open(isNewer: true)
    let past = try newer.snapshot(at: last.previous)
    // 1,600 entries of 48 bytes are some five times what the cache may have.
    var dice = Dice(seed: 1)
    #expect(try IndexOracle(past, newer.existingKey).fault(&dice) == nil)
    try expectManyPasses(past, program.rank, program.objects.count - 40)
    try newer.close()
    for name in files() where name.hasSuffix(".xi") { try disk.setContents(name, [1, 2, 3]) }
    let reader = try StoreReader(on: disk, at: Self.path, cacheByteCount: 16 << 10)
    #expect(try IndexOracle(reader.head, reader.existingKey).fault(&dice) == nil)
    try expectManyPasses(reader.head, program.rank, program.objects.count)
  }

  /// Whether asking for all that an index has reads the rows several times, and for little of it fewer times.
  private func expectManyPasses(
    _ snapshot: Snapshot, _ key: KeyNumber, _ expected: Int
  ) throws {
    func readCount(_ limit: Int) throws -> Int {
      disk.isTracing = true
      defer { disk.isTracing = false }
      let before = disk.trace.count
      var count = 0
      try snapshot.forEachObject(of: [EntityNumber(rawValue: 0)], indexedBy: key) { _ in
        count += 1
        return count < limit
      }
      #expect(count == min(limit, expected))
      return disk.trace[before...].filter { $0.contains(".xr") }.count
    }
    let (few, all) = (try readCount(10), try readCount(.max))
    #expect(few > 0)
    #expect(all >= 5 * few, "\(all) reads for all, \(few) for few")
  }
}
