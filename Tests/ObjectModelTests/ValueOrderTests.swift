// The order of all values is total, strict, and agrees with their equality and hashes.

import FoundationEssentials
import ObjectModel
import TestSupport
import Testing

@Suite struct ValueOrder {
  private static let campaign = Campaign(count: "XJ_VALUES", inGate: 150)

  private static func values() -> [Value] {
    var dice = Dice(seed: campaign.seed)
    return (0..<campaign.count).map { _ in dice.value() }
  }

  @Test func `of two values one precedes the other, or they are equal with equal hashes`() {
    let values = Self.values()
    for one in values {
      for other in values {
        let holding = [Value.precedes(one, other), one == other, Value.precedes(other, one)]
        if holding.count(where: { $0 }) != 1 {
          Issue.record("seed \(Self.campaign.seed): \(holding) for \(one) and \(other)")
        }
        if one == other, one.hashValue != other.hashValue {
          Issue.record("seed \(Self.campaign.seed): hashes differ of \(one) and \(other)")
        }
      }
    }
  }

  @Test func `what precedes a value precedes all that follow it`() {
    // In a sequence that is sorted by a total order, every pair is in order, not only neighbours.
    let sorted = Self.values().sorted(by: Value.precedes)
    for (index, one) in sorted.enumerated() {
      for other in sorted[index...] where Value.precedes(other, one) {
        Issue.record("seed \(Self.campaign.seed): \(other) precedes \(one)")
      }
    }
  }

  @Test func `the order does not depend on the order before`() {
    var dice = Dice(seed: Self.campaign.seed)
    let values = Self.values()
    let shuffled = values.shuffled(using: &dice)
    #expect(values.sorted(by: Value.precedes) == shuffled.sorted(by: Value.precedes))
  }

  @Test(.timeLimit(.minutes(1)))
  func `sets within sets are put in order in a time that grows with their size alone`() {
    let leaf = Value.set([.set([.integer(1)])])
    var value = leaf
    for _ in 0..<40 { value = .set([value, leaf]) }
    #expect(Set([value, leaf]).inOrder.first == leaf || Set([value, leaf]).inOrder.last == leaf)
    #expect(Value.precedes(value, leaf) != Value.precedes(leaf, value))
    #expect(!value.description.isEmpty)
  }

  @Test func `the members of a set are in the order of all values`() {
    for value in Self.values() {
      guard case .set(let members) = value else { continue }
      #expect(members.inOrder == members.sorted(by: Value.precedes))
    }
  }

  @Test func `kinds stand in the order of their numbers`() {
    #expect(samples.shuffled().sorted(by: Value.precedes).map(\.kind) == Value.Kind.allCases)
  }

  @Test func `contents stand in their own order`() {
    let rows: [[Value]] = [
      [false, true], [-2, -1, 0, 3], [.counter(-1), .counter(2)],
      [
        .real(-.nan), .real(-.infinity), -1.0, .real(-0.0), 0.0, 1.0, .real(.infinity), .real(.nan),
      ],
      ["", "A", "a", "aa", "b", "e\u{301}", "\u{E9}"],
      [[], [1], [1, 2], [2]], [[:], ["a": 2], ["a": 2, "b": 1], ["b": 1]],
      [.set([]), .set([1, 9]), .set([2])], [.decimal(-1), .decimal(Decimal(0.5)), .decimal(1)],
      [.data(Data()), .data(Data([1])), .data(Data([1, 0])), .data(Data([255]))],
    ]
    for row in rows { #expect(row.reversed().sorted(by: Value.precedes) == row) }
  }

  @Test func `keys are sorted by their bytes`() {
    let entries = ["b": 1, "a": 2, "\u{E9}": 3, "Z": 4] as [String: Value]
    #expect(entries.sortedByKey.map(\.key) == ["Z", "a", "b", "\u{E9}"])
  }
}

@Suite struct PropertyLists {
  @Test func `a property list holds texts, bytes, dates, booleans, numbers, and lists of them`() {
    let lists: Set<Value.Kind> = [
      .boolean, .integer, .real, .string, .data, .date, .array, .dictionary,
    ]
    for value in samples {
      #expect(value.isPropertyList == lists.contains(value.kind), "\(value.kind)")
      #expect(Value.array([value]).isPropertyList == value.isPropertyList)
      #expect(Value.dictionary(["a": value]).isPropertyList == value.isPropertyList)
      #expect(value.isWithinDepth)
    }
    #expect((["a": [1, ["b": "c"]]] as Value).isPropertyList)
    #expect(!(["a": [1, ["b": nil]]] as Value).isPropertyList)
  }

  @Test func `arrays, dictionaries and sets stand within each other to the largest depth`() {
    let wraps: [(Value) -> Value] = [
      { .array([$0]) }, { .dictionary(["a": $0]) }, { .set([$0]) },
    ]
    for wrap in wraps {
      var value = 1 as Value
      for _ in 0..<Value.largestDepth { value = wrap(value) }
      #expect(value.isWithinDepth)
      #expect(value.isPropertyList == (value.kind != .set))
      value = wrap(value)
      #expect(!value.isWithinDepth && !value.isPropertyList)
    }
  }

  @Test func `a value of any depth is refused without walking down it`() {
    let deep = nest(1_000_000)
    let (isWithin, isList) = (deep.isWithinDepth, deep.isPropertyList)
    let isAdmitted = AttributeType.transformed(by: "t").admits(deep)
    #expect(!isWithin && !isList && !isAdmitted)
    dismantle(deep)
  }
}
