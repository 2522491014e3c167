// Indexes say what a scan of the rows would, whatever is done to the store.

import DiskSimulation
import EventFold
import FoundationEssentials
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct IndexTests {
  /// A value of every kind that can be indexed, and a relationship to many that is answered from its inverse.
  private static func model() throws -> ManagedObjectModel {
    let types: [AttributeType] = [
      .boolean, .integer, .real, .decimal, .string, .data, .date, .uuid, .url, .counter,
      .reference,
    ]
    return try ManagedObjectModel(entities: [
      EntityDescription(
        "Person",
        attributes: types.map {
          AttributeDescription("\($0)", $0, isIndexed: true)
        },
        relationships: [
          RelationshipDescription("boss", to: "Person", inverse: "staff"),
          RelationshipDescription("staff", to: "Person", inverse: "boss", isToMany: true),
        ]),
      EntityDescription(
        "Pilot", parent: "Person",
        attributes: [AttributeDescription("licence", .string, isIdentifier: true)]),
      EntityDescription("Ghost", attributes: [AttributeDescription("string", .string)]),
    ])
  }

  private static let keys = [
    "boolean", "integer", "real", "decimal", "string", "data", "date", "uuid", "url", "counter",
    "reference", "boss", "licence",
  ]

  private static func value(
    _ name: String, _ known: [ObjectID], _ dice: inout Dice
  ) -> Value? {
    if dice.pick(6) == 0 { return nil }
    func text() -> String {
      let beginning = String(repeating: "abcdefgh", count: dice.pick(5))
      return beginning + ["", "\0", "a", "b", "é", "zz"][dice.pick(6)] + "\(dice.pick(3))"
    }
    let reals: [Double] = [
      0, -0.0, .nan, -.nan, .infinity, -.infinity, 1.5, -1.5, .leastNonzeroMagnitude, 1e300,
    ]
    switch name {
    case "boolean": return .boolean(dice.pick(2) == 0)
    case "integer": return .integer([.min, -7, 0, 3, 1 << 40, .max][dice.pick(6)])
    case "counter": return .counter(dice.pick(9) - 4)
    case "real": return .real(reals[dice.pick(reals.count)])
    case "date":
      return .date(Date(timeIntervalSinceReferenceDate: Double(dice.pick(9) - 4) * 1e7))
    case "decimal":
      let numbers = [
        "0", "-1", "1", "10", "9.99", "-9.99", "1e20", "-1e-20", "12.5", "12.50",
        "34028236692093846346337460743176821145", "-0.1", "1e127",
      ]
      return Decimal(string: numbers[dice.pick(numbers.count)]).map { .decimal($0) }
    case "data": return .data(Data(text().utf8))
    case "uuid":
      let byte = UInt8(dice.pick(4) * 80)
      return .uuid(UUID(uuid: (byte, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, byte)))
    case "url":
      return URL(string: "http://a.de/\(String(repeating: "x", count: dice.pick(20)))")
        .map { .url($0) }
    case "reference", "boss":
      return known.isEmpty ? nil : .reference(known[dice.pick(known.count)])
    default: return .string(text())
    }
  }

  /// Changes some objects at random, and commits them.
  private static func save(_ life: inout ModelLife, _ dice: inout Dice) throws {
    let state = try life.head
    let known = state.keys.sorted()
    var changes: [ObjectID: [String: Value]?] = [:]
    for _ in 0...dice.pick(6) {
      let entity = EntityNumber(rawValue: UInt16(dice.pick(3)))
      if known.isEmpty || dice.pick(3) == 0 {
        changes[try life.store.newObject(of: entity)] = values(entity, known, &dice)
      } else {
        let object = known[dice.pick(known.count)]
        if dice.pick(5) == 0 {
          changes[object] = .some(nil)
        } else {
          var values = state[object] ?? [:]
          for (name, value) in Self.values(object.entity, known, &dice) where dice.pick(3) == 0 {
            values[name] = value
          }
          changes[object] = values
        }
      }
    }
    if try changes.allSatisfy({ try life.store.head.row(of: $0.key) == $0.value.map(life.row) }) {
      return
    }
    try life.save(changes)
  }

  private static func values(
    _ entity: EntityNumber, _ known: [ObjectID], _ dice: inout Dice
  ) -> [String: Value] {
    var values: [String: Value] = [:]
    for name in keys where name != "licence" || entity.rawValue == 1 {
      if let value = value(name, known, &dice) { values[name] = value }
    }
    return entity.rawValue == 2 ? values.filter { $0.key == "string" } : values
  }

  private static func expectAgreement(
    _ life: ModelLife, _ dice: inout Dice, _ seed: UInt64, _ place: String
  ) throws {
    let fault = try IndexOracle(life.store.head, life.store.existingKey, thoroughness: 2)
      .fault(&dice)
    #expect(fault == nil, "seed \(seed), \(place)")
  }

  @Test
  func `S69: indexes say what the rows say after every commit, checkpoint, compaction and opening`()
    throws
  {
    let campaign = Campaign(count: "XJ_CAMPAIGN_INDEXES", inGate: 5)
    try onBothCores(campaign.count) { round in
      let seed = campaign.seed &+ UInt64(round)
      var dice = Dice(seed: seed)
      do {
        var life = try ModelLife(try Self.model(), seed: seed)
        for step in 0..<24 {
          try Self.save(&life, &dice)
          switch dice.pick(10) {
          case 0: try life.store.checkpoint()
          case 1: try life.store.compact(keeping: .everything)
          case 2: try life.reopen(try Self.model())
          case 3: try life.crash(try Self.model())
          case 4: try life.store.compact(keeping: .latest)
          default: break
          }
          try Self.expectAgreement(life, &dice, seed, "step \(step)")
        }
        #expect(try life.fault() == nil, "seed \(seed)")
        try life.store.close()
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
    print("seed \(campaign.seed), \(campaign.count) histories")
  }

  @Test func `an object of an entity whose key is not indexed is in no index`() throws {
    var life = try ModelLife(try Self.model())
    let ghost = try life.insert("Ghost", ["string": "boo"])
    let person = try life.insert("Person", ["string": "boo"])
    let key = try life.store.key(named: "string")
    let head = life.store.head
    #expect(!head.hasIndex(of: key, ghost.entity))
    #expect(try !head.forEachObject(of: [ghost.entity], indexedBy: key) { _ in true })
    var found: [ObjectID] = []
    try head.forEachObject(of: [person.entity], indexedBy: key) {
      found.append($0.object)
      return true
    }
    #expect(found == [person])
  }

  @Test func `an index goes on no further than it is asked to`() throws {
    var life = try ModelLife(try Self.model())
    for number in 0..<9 { _ = try life.insert("Person", ["integer": .integer(number)]) }
    let key = try life.store.key(named: "integer")
    let person = EntityNumber(rawValue: 0)
    var found: [Int] = []
    try life.store.head.forEachObject(
      of: [person], indexedBy: key, IndexRange(from: .excluding(2)), descending: true
    ) {
      found.append($0.value?.integer ?? 0)
      return found.count < 3
    }
    #expect(found == [8, 7, 6])
  }

  @Test func `long strings that begin alike are told apart, but need a second look at a bound`()
    throws
  {
    var life = try ModelLife(try Self.model())
    let beginning = String(repeating: "x", count: 30)
    let one = try life.insert("Person", ["string": .string(beginning + "1")])
    _ = try life.insert("Person", ["string": .string(beginning + "2")])
    let short = try life.insert("Person", ["string": "y"])
    let key = try life.store.key(named: "string")
    let equal = try Self.found(life, key, .equal(to: .string(beginning + "1")))
    #expect(equal.map(\.object) == [one])
    #expect(equal.map(\.isCertain) == [false])
    let above = try Self.found(life, key, IndexRange(from: .excluding(.string(beginning + "1"))))
    #expect(above.map(\.isCertain) == [false, false, true])
    #expect(above.last?.object == short)
    #expect(above.last?.value == "y")
    let all = try Self.found(life, key, IndexRange(from: .including("x")))
    #expect(all.map(\.isCertain) == [true, true, true])
    #expect(all[0].value == nil)
  }

  private static func found(
    _ life: ModelLife, _ key: KeyNumber, _ range: IndexRange
  ) throws -> [IndexedObject] {
    var found: [IndexedObject] = []
    try life.store.head.forEachObject(
      of: [EntityNumber(rawValue: 0), EntityNumber(rawValue: 1)], indexedBy: key, range
    ) {
      found.append($0)
      return true
    }
    return found
  }
}
