// Queries of a store find what looking at every object finds, whatever form the objects are in.

import DiskSimulation
import ObjectModel
import ObjectQuery
import ObjectStore
import TestSupport
import Testing

@Suite struct QueryingTests {
  /// A query that finds something else than looking at every object does, in words; nil where all agree.
  private static func fault(
    _ snapshot: Snapshot, of life: ModelLife, with changes: PlainChanges?, count: Int,
    _ dice: inout Dice, _ tally: Tally
  ) throws -> String? {
    guard let era = snapshot.era else { return nil }
    let isLater = era.model.entity(named: "Person")?.attribute("rank") != nil
    var rows = try snapshot.plain()
    for (object, row) in changes?.rows ?? [:] { rows[object] = row }
    let world = PlainWorld(rows, era, life.store.existingKey, life.store.name)
    let known = rows.keys.sorted()
    for _ in 0..<count {
      let text = RandomClubs.query(known, isLater: isLater, &dice, hasVirtual: changes != nil)
      let bound = try Query(text).bound(
        to: era.model, KeysWithVirtual(stored: life.store.storedKeys), text: text)
      let query = SnapshotQuery(bound, in: snapshot)
      let expected = try world.objects(of: bound)
      let found = try snapshot.objects(of: query, with: changes)
      if found != expected.map(\.objectID) {
        return "\(text) finds \(found), and not \(expected.map(\.objectID)): \(query.explanation)"
      }
      let number = try snapshot.count(of: query, with: changes)
      if number != expected.count { return "\(text) counts \(number): \(query.explanation)" }
      let paths = bound.sort.map(\.path)
      let values = try snapshot.values(of: paths, in: query, with: changes)
      let expectedValues = try expected.map { object in try paths.map(object.value(of:)) }
      if values.map(\.values) != expectedValues || values.map(\.object) != found {
        return "\(text) gives \(values), and not \(expectedValues)"
      }
      switch query.plan.access {
      case .all: tally.count("by rows")
      case .nothing: tally.count("by nothing")
      case .index: tally.count("by an index")
      case .union: tally.count("by several indexes")
      }
      if query.plan.walk != nil { tally.count("along an index") }
      if !found.isEmpty { tally.count("with finds") }
    }
    return nil
  }

  @Test
  func
    `S67: a query finds what looking at every object finds, in runs, changes, drafts and the past`()
    throws
  {
    let campaign = Campaign(count: "XJ_CAMPAIGN_QUERIES", inGate: 5)
    let tally = Tally()
    try campaign.forEachHistory(tally) { seed in
      var dice = Dice(seed: seed)
      var isLater = false
      var life = try ModelLife(try RandomClubs.model(isLater: false), seed: seed)
      for step in 0..<16 {
        let changes = try RandomClubs.changes(
          of: life, try life.head, isLater: isLater, count: 1 + dice.pick(16), &dice)
        if try changes.contains(where: {
          try life.store.head.row(of: $0.key) != $0.value.map(life.row)
        }) {
          try life.save(changes)
        }
        switch dice.pick(8) {
        case 0: try life.store.checkpoint()
        case 1: try life.store.compact(keeping: .everything)
        case 2:
          isLater = isLater || dice.pick(2) == 0
          try life.reopen(try RandomClubs.model(isLater: isLater))
        case 3: try life.crash(try RandomClubs.model(isLater: isLater))
        default: break
        }
        let head = life.store.head
        if let fault = try Self.fault(head, of: life, with: nil, count: 8, &dice, tally) {
          tally.violation("seed \(seed), step \(step): \(fault)")
        }
        let drafted = try RandomClubs.changes(
          of: life, try life.head, isLater: isLater, count: dice.pick(9), &dice)
        let unsaved = PlainChanges(rows: try drafted.mapValues { try $0.map(life.row) })
        if let fault = try Self.fault(head, of: life, with: unsaved, count: 8, &dice, tally) {
          tally.violation("seed \(seed), step \(step), unsaved: \(fault)")
        }
        let commit = dice.pick(life.states.count)
        let past = try life.store.snapshot(at: CommitNumber(rawValue: UInt64(commit)))
        if let fault = try Self.fault(past, of: life, with: nil, count: 4, &dice, tally) {
          tally.violation("seed \(seed), step \(step), as of commit \(commit): \(fault)")
        }
        if tally.hasViolations { return }
      }
      try life.store.close()
    }
    #expect(tally.violations == "")
    for kind in ["by rows", "by an index", "by several indexes", "along an index", "with finds"] {
      #expect(tally[kind] > campaign.count, "\(kind)")
    }
    print("seed \(campaign.seed), \(tally.summary)")
  }

  // MARK: What is read

  /// A store with many objects in runs, just opened.
  private static func largeLife(_ count: Int) throws -> ModelLife {
    var options = StoreOptions.small
    options.unflushedByteCount = 4 << 20
    options.run.blockRowCount = 64
    var life = try ModelLife(try RandomClubs.model(isLater: false), options: options)
    let person = EntityNumber(rawValue: 1)
    var objects: [ObjectID: [String: Value]?] = [:]
    for number in 0..<count {
      let padding = String(repeating: "padding \(number * 7919) ", count: 4)
      objects[try life.store.newObject(of: person)] = [
        "name": .string("name \(number)"), "nick": .string(padding), "age": .integer(number),
        "wins": .counter(number % 7), "score": .real(Double(number)), "mood": .string(padding),
      ]
    }
    try life.save(objects)
    try life.store.checkpoint()
    try life.reopen(try RandomClubs.model(isLater: false))
    return life
  }

  private static func objects(_ text: String, _ life: ModelLife) throws -> [ObjectID] {
    let head = life.store.head
    return try head.objects(of: try life.store.prepare(try Query(text), in: head, text: text))
  }

  /// How many bytes of runs of rows, and of index entries, a query reads.
  private static func bytesRead(
    by text: String, finding count: Int, _ life: ModelLife
  ) throws -> (rows: Int, entries: Int) {
    let first = life.disk.trace.count
    life.disk.isTracing = true
    let found = try objects(text, life)
    life.disk.isTracing = false
    #expect(found.count == count, "\(text)")
    func byteCount(_ suffix: String) -> Int {
      let reads = life.disk.trace.dropFirst(first).filter {
        $0.contains(" read ") && $0.contains(suffix)
      }
      return reads.map { $0.split(separator: " ") }
        .reduce(0) { $0 + (Int($1[$1.count - 2]) ?? 0) }
    }
    return (byteCount(".xr"), byteCount(".xi"))
  }

  @Test
  func `S69: what an index tells is found without a row being read, and in little of the index`()
    throws
  {
    let life = try Self.largeLife(3_000)
    let text = "Person where age BETWEEN {1000, 1009}"
    let query = try life.store.prepare(try Query(text), in: life.store.head)
    #expect(query.explanation == "index on age from 1000 to 1009")
    let few = try Self.bytesRead(by: text, finding: 10, life)
    let all = try Self.bytesRead(by: "Person where age >= 0", finding: 3_000, life)
    #expect(few.rows == 0 && all.rows == 0)
    #expect(few.entries > 0 && few.entries * 4 < all.entries, "\(few), \(all)")
  }

  @Test func `a query by an index reads of the rows only those that are left to be tested`() throws
  {
    let life = try Self.largeLife(3_000)
    let few = try Self.bytesRead(
      by: "Person where name == 'name 77' AND wins == 0", finding: 1, life)
    let all = try Self.bytesRead(by: "Person where nick != 'x'", finding: 3_000, life)
    #expect(few.rows > 0 && few.rows * 20 < all.rows, "\(few), \(all)")
  }

  @Test func `the first by an indexed key are found along its index, and others are not read`()
    throws
  {
    let life = try Self.largeLife(3_000)
    let first = try Self.bytesRead(by: "Person sort -age limit 5", finding: 5, life)
    let later = try Self.bytesRead(
      by: "Person where age > 9 AND wins == 1 sort age limit 5", finding: 5, life)
    let all = try Self.bytesRead(by: "Person sort -wins limit 5", finding: 5, life)
    #expect(first.rows == 0 && first.entries < 20_000, "\(first)")
    #expect(later.rows > 0 && later.rows * 4 < all.rows, "\(later), \(all)")
    // What few objects pass is not looked for along the whole index.
    let rare = try Self.bytesRead(
      by: "Person where nick == mood AND wins == 9 sort -age limit 1", finding: 0, life)
    #expect(rare.entries < 40_000, "\(rare)")
  }

  @Test func `a filter over one key reads no column of another`() throws {
    let life = try Self.largeLife(1_000)
    let one = try Self.bytesRead(by: "Person where wins == 3", finding: 143, life)
    let all = try Self.bytesRead(by: "Person where wins == 3 AND nick != mood", finding: 0, life)
    #expect(one.rows > 0 && one.rows * 3 < all.rows, "\(one), \(all)")
  }

  @Test func `numbers in a block, over it, in neither and in memory are filtered alike`() throws {
    var life = try Self.largeLife(300)
    let wins = try life.store.key(named: "wins")
    func check() throws {
      let head = life.store.head
      let all = try head.plain().filter { $0.key.entity == EntityNumber(rawValue: 1) }
      for (relation, admits) in [
        ("< 3", { $0 < 3 }), ("> 11", { $0 > 11 }), ("== 0", { $0 == 0 }), (">= -1", { $0 >= -1 }),
        ("BETWEEN {2, 12}", { (2...12).contains($0) }), ("BETWEEN {5, 3}", { _ in false }),
      ] as [(String, (Int) -> Bool)] {
        let text = "Person where wins \(relation)"
        let expected = all.filter { $0.value[wins]?.counter.map(admits) ?? false }.keys.sorted()
        let query = try life.store.prepare(try Query(text), in: head, text: text)
        #expect(try head.objects(of: query) == expected, "\(text)")
        #expect(try head.count(of: query) == expected.count, "\(text)")
      }
    }
    /// Changes the numbers of some objects.
    func change(_ each: Int, to number: (Int) -> Int?) throws {
      var changes: [ObjectID: [String: Value]?] = [:]
      for (place, object) in try life.store.head.plain().keys.sorted().enumerated()
      where place % each == 0 {
        changes[object] = ["age": .integer(place), "wins": number(place).map { .counter($0) }]
          .compactMapValues(\.self)
      }
      try life.save(changes)
    }
    try check()
    try change(5) { _ in nil }
    try check()
    try life.store.compact(keeping: .everything)
    try check()
    try change(3) { $0 % 2 == 0 ? $0 % 20 - 4 : nil }
    try check()
    try life.crash(try RandomClubs.model(isLater: false))
    try check()
    try life.store.compact(keeping: .latest)
    try check()
  }

  @Test func `a key that no object can have is refused, and so is asking a store without a model`()
    throws
  {
    let life = try ModelLife(nil)
    let error = #expect(throws: QueryError.self) { try Self.objects("Person", life) }
    #expect(error?.code == .unknownEntity)
    #expect(error?.description.contains("no model") == true)
    let club = try ModelLife(try RandomClubs.model(isLater: false))
    let misspelt = #expect(throws: QueryError.self) {
      try Self.objects("Club where nmae == 'a'", club)
    }
    #expect(misspelt?.code == .unknownKey && misspelt?.place?.column == 12)
    // A dynamic attribute may be of any object, as soon as there was one.
    let word = "Club where mood == 'a' sort mood"
    #expect(throws: QueryError.self) { try Self.objects(word, club) }
    _ = try club.store.key(named: "mood")
    #expect(try Self.objects(word, club).isEmpty)
  }
}
