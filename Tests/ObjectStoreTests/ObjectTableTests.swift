// The table of a snapshot against a dictionary, and that no copy ever sees another's changes.

import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct ObjectTables {
  private static let store = StoreTag(rawValue: 7)

  private func id(_ number: UInt64, entity: UInt16 = 1, origin: UInt16 = 0) -> ObjectID {
    ObjectID(
      origin: origin, entity: EntityNumber(rawValue: entity), number: number, store: Self.store)
  }

  /// Numbers near each other, at the borders of levels, and far away.
  private func someID(_ dice: inout Dice) -> ObjectID {
    let number: UInt64 =
      switch Int.random(in: 0..<4, using: &dice) {
      case 0: .random(in: 0..<40, using: &dice)
      case 1: .random(in: 1_000..<1_050, using: &dice)
      case 2: .random(in: 1 << 20 - 3...1 << 20 + 3, using: &dice)
      default: ObjectID.largestNumber - .random(in: 0..<3, using: &dice)
      }
    return id(
      number, entity: .random(in: 1...3, using: &dice),
      origin: Bool.random(using: &dice) ? 0 : 0xFFFF)
  }

  private func contents(_ table: ObjectTable<Int>) -> [UInt64: Int] {
    var contents: [UInt64: Int] = [:]
    var last: UInt64?
    table.forEach { rawValue, element in
      #expect(last.map { $0 < rawValue } ?? true, "in the order of IDs")
      last = rawValue
      contents[rawValue] = element
    }
    return contents
  }

  @Test func `a table holds what a dictionary holds, whatever is set and removed`() {
    for seed in UInt64(1)...20 {
      var dice = Dice(seed: seed)
      var (table, truth) = (ObjectTable<Int>(), [ObjectID: Int]())
      var kept: [(ObjectTable<Int>, [ObjectID: Int])] = []
      for step in 0..<2_000 {
        let id = someID(&dice)
        let element = Int.random(in: 0..<3, using: &dice) > 0 ? step : nil
        table[id] = element
        truth[id] = element
        #expect(table.count == truth.count && table[id] == truth[id], "seed \(seed), step \(step)")
        if step % 97 == 0 { kept.append((table, truth)) }
      }
      // What was copied meanwhile is what it was then.
      for (table, truth) in kept + [(table, truth)] {
        let expected = Dictionary(uniqueKeysWithValues: truth.map { ($0.key.rawValue, $0.value) })
        #expect(contents(table) == expected, "seed \(seed)")
        for _ in 0..<50 {
          let id = someID(&dice)
          #expect(table[id] == truth[id], "seed \(seed), \(id)")
        }
      }
    }
  }

  @Test func `a table that has lost everything has nothing, and can be filled again`() {
    var table = ObjectTable<Int>()
    let ids = [id(0), id(1), id(31), id(32), id(1 << 30), id(5, entity: 2)]
    for id in ids { table[id] = 1 }
    for id in ids { table[id] = nil }
    #expect(table.isEmpty && contents(table).isEmpty)
    table[id(3)] = nil
    #expect(table.isEmpty)
    table[id(3)] = 4
    #expect(contents(table) == [id(3).rawValue: 4])
  }

  @Test func `the objects of an entity are walked from any number on, and no others`() {
    var table = ObjectTable<Int>()
    for number in stride(from: 0, to: UInt64(5_000), by: 7) {
      table[id(number)] = Int(number)
      table[id(number, entity: 2)] = -1
      table[id(number, origin: 1)] = -2
    }
    for first in [UInt64(0), 1, 7, 8, 1_023, 1_024, 1_025, 4_999, 5_000, 1 << 35] {
      var found: [UInt64] = []
      table.forEach(origin: 0, EntityNumber(rawValue: 1), from: first) { number, element in
        #expect(element == Int(number))
        found.append(number)
        return true
      }
      #expect(found == stride(from: 0, to: 5_000, by: 7).filter { $0 >= first })
    }
    var count = 0
    table.forEach(origin: 0, EntityNumber(rawValue: 1)) { _, _ in
      count += 1
      return count < 10
    }
    #expect(count == 10, "the walk stops when it is told to")
    table.forEach(origin: 0, EntityNumber(rawValue: 9)) { _, _ in
      Issue.record("there are none of this entity")
      return true
    }
  }
}
