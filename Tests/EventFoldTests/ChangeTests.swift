import EventFold
import FoundationEssentials
import ObjectModel
import TestSupport
import Testing

@Suite struct Changes {
  @Test func `the difference of two states leads from one to the other, and its inverse back`()
    throws
  {
    var dice = Dice(seed: 81)
    var spliced = 0
    for round in 0..<20_000 {
      let old = dice.row()
      let new = dice.row(near: old)
      let difference = ObjectChange.difference(of: object(1), from: old, to: new)
      guard let difference else {
        #expect(old == new, "seed 81, round \(round)")
        continue
      }
      #expect(old != new)
      #expect(try difference.applied(to: old) == new, "seed 81, round \(round)")
      #expect(try difference.inverse.applied(to: new) == old, "seed 81, round \(round)")
      #expect(difference.inverse.inverse == difference)
      #expect(
        ObjectChange.difference(of: object(1), from: new, to: old) == difference.inverse,
        "seed 81, round \(round)")
      spliced +=
        difference.entries.filter { if case .spliced = $0.change { true } else { false } }
        .count
    }
    #expect(spliced > 500)
  }

  @Test func `a change made of another state is refused, and names the value`() throws {
    var dice = Dice(seed: 82)
    var refused = 0
    for round in 0..<5_000 {
      let old = dice.row()
      let change = ObjectChange.difference(of: object(1), from: old, to: dice.row(near: old))
      guard let change, let entry = change.entries.first, change.kind != .inserted,
        var other = old
      else { continue }
      other[entry.key] = .string("neither of them")
      refused += 1
      #expect(throws: FoldError.valueDoesNotFit(object(1), entry.key), "round \(round)") {
        try change.applied(to: other)
      }
    }
    #expect(refused > 1_000)
  }

  @Test func `an object is inserted once, and changed or deleted only while it is there`() throws {
    let row = Row([key(1): 1])
    let inserted = try #require(ObjectChange.difference(of: object(1), from: nil, to: row))
    let deleted = inserted.inverse
    #expect(throws: FoldError.objectDoesNotFit(object(1), .inserted)) {
      try inserted.applied(to: row)
    }
    #expect(throws: FoldError.objectDoesNotFit(object(1), .deleted)) {
      try deleted.applied(to: nil)
    }
    // A deletion that does not know of a value would lose it on the way back.
    #expect(throws: FoldError.valueDoesNotFit(object(1), key(2))) {
      try deleted.applied(to: Row([key(1): 1, key(2): 2]))
    }
  }

  @Test func `S1: a value set to nothing is a change, and null is nothing`() throws {
    let row = Row([key(1): 1])
    let change = try #require(ObjectChange.difference(of: object(1), from: row, to: Row()))
    #expect(change.entries == [.init(key(1), .replaced(old: 1, new: nil))])
    #expect(ValueChange.difference(from: .null, to: nil) == nil)
    #expect(ValueChange.replaced(old: .null, new: 1).applied(to: nil)?.value == 1)
    #expect(Row([key(1): .null]) == Row())
  }

  @Test func `a history folds in pieces as at once, and backward to every state it had`() throws {
    for seed in UInt64(1)...100 {
      var dice = Dice(seed: seed)
      var states: [[ObjectID: Row]] = [[:]]
      var commits: [[ObjectChange]] = []
      for _ in 0..<30 {
        var state = states[states.count - 1]
        var changes: [ObjectChange] = []
        for number in UInt64(1)...4 where dice.pick(2) == 0 {
          let (object, old) = (object(number), state[object(number)])
          let new = dice.row(near: old)
          if let change = ObjectChange.difference(of: object, from: old, to: new) {
            changes.append(change)
          }
          state[object] = new
        }
        states.append(state)
        commits.append(changes)
      }
      #expect(try folded(commits[...], from: [:]) == states.last, "seed \(seed)")
      let cut = dice.pick(commits.count)
      let middle = try folded(commits[..<cut], from: [:])
      #expect(middle == states[cut], "seed \(seed), cut at \(cut)")
      #expect(try folded(commits[cut...], from: middle) == states.last, "seed \(seed)")
      var state = states[commits.count]
      for number in commits.indices.reversed() {
        for change in commits[number].reversed() {
          state[change.object] = try change.inverse.applied(to: state[change.object])
        }
        #expect(state == states[number], "seed \(seed), back to \(number)")
      }
    }
  }

  private func folded(
    _ commits: ArraySlice<[ObjectChange]>, from state: [ObjectID: Row]
  ) throws -> [ObjectID: Row] {
    var state = state
    for change in commits.joined() {
      state[change.object] = try change.applied(to: state[change.object])
    }
    return state
  }

  @Test func `counters change by an amount, unless it cannot be taken back`() {
    #expect(ValueChange.difference(from: .counter(3), to: .counter(10)) == .counted(7))
    #expect(
      ValueChange.difference(from: nil, to: .counter(10)) == .replaced(old: nil, new: .counter(10)))
    for (old, new) in [(0, Int.min), (Int.min, 0), (Int.min, Int.max), (Int.max, -2)] {
      let change = ValueChange.difference(from: .counter(old), to: .counter(new))
      #expect(change?.applied(to: .counter(old))?.value == .counter(new))
      #expect(change?.inverse.applied(to: .counter(new))?.value == .counter(old))
    }
    #expect(ValueChange.counted(1).applied(to: .counter(.max)) == nil)
    #expect(ValueChange.counted(1).applied(to: .integer(1)) == nil)
    #expect(ValueChange.counted(1).applied(to: nil) == nil)
  }

  @Test func `members change by what was inserted and removed`() {
    let change = ValueChange.difference(from: .set([1, 2]), to: .set([2, 3]))
    #expect(change == .regrouped(inserted: [3], removed: [1]))
    #expect(change?.applied(to: .set([1, 5]))?.value == .set([3, 5]))
    #expect(change?.applied(to: .set([5])) == nil, "what is removed was not there")
    #expect(change?.applied(to: .set([1, 3])) == nil, "what is inserted was there")
  }
}
