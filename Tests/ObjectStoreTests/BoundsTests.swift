// What a store holds in memory is bounded, and what it reads to open does not grow with its history.

import DiskSimulation
import EventFold
import Journaling
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct BoundsTests {
  private static let cacheByteCount = 512 << 10
  private static let unflushedByteCount = 64 << 10
  private static let path = "Bounds.xjournal"

  private static func model(indexesRank: Bool) throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Note",
        attributes: [
          AttributeDescription("text", .string),
          AttributeDescription("rank", .integer, isIndexed: indexesRank),
        ])
    ])
  }

  private static func open(
    _ disk: SimulatedDisk, indexesRank: Bool = true
  ) throws -> JournaledStore {
    var options = StoreOptions.small
    options.cacheByteCount = cacheByteCount
    options.unflushedByteCount = unflushedByteCount
    options.journal.segmentByteCount = 256 << 10
    options.journal.halfByteCount = 8 << 10
    options.journal.windowByteCount = 64 << 10
    return try JournaledStore(
      on: disk, at: path, model: try model(indexesRank: indexesRank), options: options)
  }

  /// A program that changes objects by their numbers, a few in a save.
  private struct Program {
    let store: JournaledStore
    let context: LiveContext
    let text: KeyNumber
    let rank: KeyNumber
    private(set) var objects: [ObjectID] = []
    private(set) var ranks: [Int] = []

    init(_ store: JournaledStore) throws {
      self.store = store
      context = try store.beginContext(name: "program", on: store.lastCommit)
      (text, rank) = (try store.key(named: "text"), try store.key(named: "rank"))
    }

    func row(_ index: Int) -> Row {
      // Not to be compressed to nothing.
      var dice = Dice(seed: UInt64(index))
      let words = (0..<12).map { _ in String(dice.next(), radix: 36) }.joined(separator: " ")
      return Row([text: .string("note \(index) " + words), rank: .integer(ranks[index])])
    }

    mutating func insert(_ count: Int) throws {
      var changes: [CommitRequest.Object] = []
      for _ in 0..<count {
        objects.append(try store.newObject(of: EntityNumber(rawValue: 0)))
        ranks.append(0)
        let index = objects.count - 1
        changes.append(.init(objects[index], base: .none, nil, to: row(index)))
      }
      _ = try store.commit(CommitRequest(changes), by: context)
    }

    mutating func update(_ indexes: [Int]) throws {
      var changes: [CommitRequest.Object] = []
      for index in indexes {
        let old = row(index)
        ranks[index] += 1
        changes.append(
          .init(objects[index], base: store.lastCommit, old, to: row(index)))
      }
      _ = try store.commit(CommitRequest(changes), by: context)
    }
  }

  @Test func `a store four times larger than its bounds works, and stays within them`() throws {
    let disk = SimulatedDisk(seed: 1)
    let store = try Self.open(disk)
    var program = try Program(store)
    var most = (cache: 0, unflushed: 0)
    func look() {
      most.cache = max(most.cache, store.cachedByteCount)
      most.unflushed = max(most.unflushed, store.unflushedByteCount)
      #expect(store.checkpointFailure == nil)
    }
    for _ in 0..<100 {
      try program.insert(150)
      look()
    }
    let (count, bound) = (program.objects.count, Self.cacheByteCount + Self.unflushedByteCount)
    let stateByteCount = program.objects.indices.reduce(0) {
      $0 + (program.row($1)[program.text]?.string?.utf8.count ?? 0)
    }
    #expect(stateByteCount > 4 * bound)
    var dice = Dice(seed: 1)
    for _ in 0..<60 {
      try program.update(Set((0..<20).map { _ in dice.pick(count) }).sorted())
      look()
    }
    for _ in 0..<2_000 {
      let index = dice.pick(count)
      #expect(try store.head.row(of: program.objects[index]) == program.row(index))
      look()
    }
    func scan(_ store: JournaledStore) throws -> Bool {
      var place = 0
      var isSound = true
      try store.head.forEach(EntityNumber(rawValue: 0)) { object, row in
        isSound = isSound && object == program.objects[place] && row == program.row(place)
        place += 1
        return isSound
      }
      return try isSound && place == count && indexed(store) == program.ranks.sorted()
    }
    func indexed(_ store: JournaledStore) throws -> [Int] {
      var ranks: [Int] = []
      try store.head.forEachObject(of: [EntityNumber(rawValue: 0)], indexedBy: program.rank) {
        ranks.append($0.value?.integer ?? -1)
        return true
      }
      return ranks
    }
    #expect(try scan(store))
    look()
    try store.compact(keeping: .latest)
    look()
    #expect(try scan(store))
    #expect(most.unflushed < Self.unflushedByteCount)
    #expect(most.unflushed > Self.unflushedByteCount / 2)
    #expect(most.cache <= Self.cacheByteCount)
    #expect(most.cache > Self.cacheByteCount / 2, "\(most.cache) were in use")
    try store.close()
    let again = try Self.open(disk)
    #expect(again.unflushedByteCount == 0)
    #expect(try scan(again))
    try again.close()
  }

  @Test func `an index that is newly declared is made in pieces, and once`() throws {
    let disk = SimulatedDisk(seed: 1)
    let store = try Self.open(disk, indexesRank: false)
    var program = try Program(store)
    for _ in 0..<20 { try program.insert(150) }
    for first in 0..<15 { try program.update(Array((first * 100)..<3_000)) }
    try store.close()
    func files() -> [String] { disk.paths.filter { $0.hasSuffix(".xi") } }
    #expect(files() == [])
    disk.isTracing = true
    let again = try Self.open(disk)
    let written = disk.trace.filter { $0.contains(" write ") && $0.contains(".xi at ") }
    #expect(Set(written.map { $0.split(separator: " ")[2] }).count > 1, "it is made in pieces")
    #expect(again.findings == [])
    #expect(again.checkpointFailure == nil)
    let made = files()
    #expect(made.count == 1)
    var dice = Dice(seed: 1)
    #expect(try IndexOracle(again.head, again.existingKey).fault(&dice) == nil)
    let found = try again.verify(deep: true)
    #expect(found == [])
    try again.close()
    let third = try Self.open(disk)
    #expect(files() == made)
    #expect(try IndexOracle(third.head, third.existingKey).fault(&dice) == nil)
    try third.close()
  }

  /// The calls by which a store is opened that was closed in order, and how many bytes they read.
  private func opening(after saves: Int) throws -> (reads: Int, byteCount: Int, paths: Set<String>)
  {
    let disk = SimulatedDisk(seed: 1)
    let store = try Self.open(disk)
    var program = try Program(store)
    try program.insert(20)
    for save in 0..<saves { try program.update([save % 20]) }
    try store.compact(keeping: .everything)
    try store.endContext(program.context)
    try store.compact(keeping: .everything)
    try store.close()
    disk.isTracing = true
    let again = try Self.open(disk)
    let reads = disk.trace.filter { $0.contains(" read ") }
    try again.close()
    let lines = reads.map { $0.split(separator: " ") }
    return (
      reads.count, lines.reduce(0) { $0 + (Int($1[$1.count - 2]) ?? 0) },
      Set(lines.map { String($0[2]) })
    )
  }

  @Test
  func `a clean opening reads manifest, checkpoint and tail, however long the history`()
    throws
  {
    let (short, long) = (try opening(after: 40), try opening(after: 4_000))
    print("short \(short), long \(long)")
    #expect(short.reads > 5)
    #expect(long.reads <= short.reads + 2)
    #expect(long.byteCount <= short.byteCount + short.byteCount / 2)
    let segments = long.paths.filter { $0.contains("/journal/") }
    #expect(segments.count == 1, "\(segments)")
  }

  @Test
  func `what a crash has left is opened without reading the rows that it changes`() throws {
    let disk = SimulatedDisk(seed: 1)
    let store = try Self.open(disk)
    var program = try Program(store)
    for _ in 0..<20 { try program.insert(150) }
    try store.checkpoint()
    var dice = Dice(seed: 2)
    for _ in 0..<5 { try program.update(Set((0..<20).map { _ in dice.pick(3_000) }).sorted()) }
    let image = disk.imageAfterProcessDeath()
    image.isTracing = true
    let again = try Self.open(image)
    let reads = image.trace.filter { $0.contains(" read ") && $0.contains(".xr") }
    let runs = Set(reads.map { $0.split(separator: " ")[2] })
    #expect(!runs.isEmpty)
    // Header, footer and index of each.
    #expect(reads.count <= 4 * runs.count, "\(reads)")
    #expect(again.unflushedByteCount > 5_000)
    for place in program.objects.indices {
      #expect(try again.head.row(of: program.objects[place]) == program.row(place))
    }
    try again.checkpoint()
    #expect(again.unflushedByteCount == 0)
    for place in program.objects.indices {
      #expect(try again.head.row(of: program.objects[place]) == program.row(place))
    }
    #expect(try again.verify(deep: true).isEmpty)
    try again.close()
    try store.close()
  }
}
