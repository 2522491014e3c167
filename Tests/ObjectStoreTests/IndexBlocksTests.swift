// An index of many blocks is gone through from any place on, either way.

import DiskAccess
import DiskSimulation
import ObjectModel
import ObjectQuery
import ObjectStore
import TestSupport
import Testing

@Suite struct IndexBlocksTests {
  private static let count = 3_000

  /// A store with so many notes that their ranks fill several blocks, each rank three times.
  private static func made(
    on disk: SimulatedDisk = SimulatedDisk(seed: 6)
  ) throws -> (store: JournaledStore, rank: KeyNumber) {
    var options = StoreOptions()
    options.journal = .small
    let store = try JournaledStore(
      on: disk, at: StoreLife.path, model: try StoreLife.model(), options: options)
    let rank = try store.key(named: "rank")
    let context = try store.beginContext(name: "", on: store.lastCommit)
    let changes = try (0..<count).map { number in
      CommitRequest.Object(
        try store.newObject(of: EntityNumber(rawValue: 0)), base: .none, nil,
        to: Row([rank: .integer(number / 3)]))
    }
    _ = try store.commit(CommitRequest(changes), by: context)
    try store.endContext(context)
    return (store, rank)
  }

  private static let ranges: [(IndexRange, ClosedRange<Int>)] = [
    (.all, 0...999), (.equal(to: 341), 341...341), (IndexRange(from: .excluding(340)), 341...999),
    (IndexRange(to: .excluding(683)), 0...682),
    (IndexRange(from: .including(300), to: .including(900)), 300...900),
  ]

  @Test func `every range of a large index has what is in it, in order, either way`() throws {
    let (store, rank) = try Self.made()
    try store.compact(keeping: .latest)
    for (range, ranks) in Self.ranges {
      let expected = ranks.flatMap { [$0, $0, $0] }
      for descending in [false, true] {
        var found: [Int] = []
        try store.head.forEachObject(
          of: [EntityNumber(rawValue: 0)], indexedBy: rank, range, descending: descending
        ) {
          found.append($0.value?.integer ?? -1)
          return true
        }
        #expect(found == (descending ? expected.reversed() : expected), "\(ranks)")
      }
    }
    #expect(try store.verify(deep: true) == [])
    try store.close()
  }

  @Test func `what an index counts is what is there, in memory and in each of its runs`() throws {
    let disk = SimulatedDisk(seed: 8)
    let (store, rank) = try Self.made(on: disk)
    var largestRunCount = 0
    try store.checkpoint()
    let title = try store.key(named: "title")
    let context = try store.beginContext(name: "", on: store.lastCommit)
    // Alike for as long as an index holds a text.
    let long = String(repeating: "long", count: 9)
    func check() throws {
      let rows = try store.head.plain().values
      for (filter, admits) in [
        ("rank >= 0", { ($0[rank]?.integer ?? -1) >= 0 }),
        ("rank > 340 AND rank <= 900", { (341...900).contains($0[rank]?.integer ?? -1) }),
        ("rank == 7", { $0[rank]?.integer == 7 }),
        ("title == '\(long)2'", { $0[title]?.string == long + "2" }),
        ("title > '\(long)2'", { ($0[title]?.string ?? "") > long + "2" }),
      ] as [(String, (Row) -> Bool)] {
        let text = "Note where \(filter)"
        let query = try store.prepare(try Query(text), in: store.head, text: text)
        guard case .index = query.plan.access, query.plan.rest == nil else {
          return #expect(Bool(false), "\(text)")
        }
        #expect(try store.head.count(of: query) == rows.count(where: admits), "\(text)")
      }
    }
    // What comes last brings back what the first had taken away.
    let first = try store.head.plain()
    for divisor in [5, 13, 2, 5] {
      try check()
      let isLast = divisor == 5 && largestRunCount > 0
      // Some lose their rank, and some get another.
      let rows = try store.head.plain().sorted { $0.key < $1.key }
      let changes = rows.filter { Int($0.key.number) % divisor == 0 }.map { object, old in
        var row = isLast ? first[object] ?? old : old
        if isLast { return CommitRequest.Object(object, base: store.lastCommit, old, to: row) }
        row[rank] = Int(object.number) % 4 == 0 ? nil : .integer(Int(object.number) % 1_000)
        row[title] = .string(long + "\(Int(object.number) % 3 + divisor)")
        return CommitRequest.Object(object, base: store.lastCommit, old, to: row)
      }
      _ = try store.commit(CommitRequest(changes), by: context)
      try check()
      try store.checkpoint()
      largestRunCount = max(largestRunCount, disk.paths.count { $0.hasSuffix(".xi") })
    }
    try check()
    #expect(largestRunCount > 1, "runs are asked together")
    try store.endContext(context)
    try store.close()
  }

  @Test(arguments: 1...6)
  func `where a block of an index cannot be written nothing has changed, and later it can`(
    number: Int
  ) throws {
    let disk = SimulatedDisk(seed: 7)
    let (store, _) = try Self.made(on: disk)
    let (last, kept) = (store.lastCommit, store.firstKeptCommit)
    let names = (1...9).map { "000000000\($0).xi" }
    disk.faults = names.map {
      SimulatedFault(
        .failure(.noSpace), calls: [.write, .append, .allocate], name: $0, number: number)
    }
    let error = #expect(throws: StoreError.self) { try store.compact(keeping: .latest) }
    disk.faults = []
    #expect(error?.code == .disk)
    #expect(store.lastCommit == last && store.firstKeptCommit == kept)
    #expect(!disk.paths.contains { $0.hasSuffix(".xi") })
    #expect(try store.compact(keeping: .latest))
    #expect(try store.verify(deep: true) == [])
    try store.close()
  }
}
