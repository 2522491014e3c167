import EventFold
import ObjectModel
import TestSupport
import Testing

@Suite struct ValueMerges {
  private static let kinds: [MergeKind] = [
    .asWhole, .counter, .set, .orderedSet, .byKey, .custom { _, _, _ in nil },
  ]

  private func merge(
    _ base: Value?, _ ours: Value?, _ theirs: Value?, _ kind: MergeKind
  ) -> ValueMerge {
    ValueMerge(base: base, ours: ours, theirs: theirs, kind)
  }

  @Test func `a merge without a rival is what the one side did, for every kind`() {
    var dice = Dice(seed: 83)
    for round in 0..<3_000 {
      let (base, changed) = (dice.pick(5) == 0 ? nil : dice.value(), dice.value())
      for kind in Self.kinds {
        #expect(merge(base, changed, base, kind) == .merged(changed), "seed 83, round \(round)")
        #expect(merge(base, base, changed, kind) == .merged(changed), "seed 83, round \(round)")
      }
    }
  }

  @Test func `S32: what two sides add to a counter is added up, whoever comes first`() {
    #expect(merge(.counter(1), .counter(4), .counter(5), .counter) == .merged(.counter(8)))
    #expect(merge(.counter(1), .counter(4), .counter(4), .counter) == .merged(.counter(7)))
    #expect(merge(nil, .counter(3), .counter(4), .counter) == .merged(.counter(7)))
    var dice = Dice(seed: 84)
    for _ in 0..<2_000 {
      let values = (0..<3).map { _ in Value.counter(dice.pick(2_000) - 1_000) }
      #expect(
        merge(values[0], values[1], values[2], .counter)
          == merge(values[0], values[2], values[1], .counter))
    }
  }

  @Test func `a counter that would grow too large is a conflict, not a trap`() {
    let (ours, theirs) = (Value.counter(.max), Value.counter(.max - 1))
    #expect(merge(.counter(0), ours, theirs, .counter) == .conflict(ours: ours, theirs: theirs))
    #expect(
      merge(.counter(.min), .counter(1), .counter(2), .counter)
        == .conflict(ours: .counter(1), theirs: .counter(2)))
    #expect(merge(1, 2, 3, .counter) == .conflict(ours: 2, theirs: 3))
  }

  @Test
  func `destinations of which both sides have left none are no value, and no members are a set`() {
    func set(_ numbers: UInt64...) -> Value { .set(Set(numbers.map { .reference(object($0)) })) }
    #expect(merge(set(1, 2), set(1), set(2), .destinations) == .merged(nil))
    #expect(merge(set(1, 2), set(1), set(2), .set) == .merged(.set([])))
    #expect(merge(.set([1, 2]), .set([1]), .set([2]), .set) == .merged(.set([])))
  }

  @Test func `S33: members inserted by both survive, and what one side removed is out`() {
    #expect(
      merge(.set([1, 2]), .set([1, 2, 3]), .set([2, 4]), .set) == .merged(.set([2, 3, 4])))
    #expect(merge(nil, .set([1]), .set([2]), .set) == .merged(.set([1, 2])))
    // Theirs inserted and removed it again; our insertion is younger than what they knew.
    #expect(merge(.set([]), .set([1]), .set([2]), .set) == .merged(.set([1, 2])))
    // We removed what they kept.
    #expect(merge(.set([1, 2]), .set([2]), .set([1, 2, 3]), .set) == .merged(.set([2, 3])))
    var dice = Dice(seed: 85)
    for _ in 0..<3_000 {
      let sets = (0..<3).map { _ in
        Set((0..<5).filter { _ in dice.pick(2) == 0 }.map(Value.integer))
      }
      let values = sets.map(Value.set)
      let merged = merge(values[0], values[1], values[2], .set)
      #expect(merged == merge(values[0], values[2], values[1], .set))
      guard case .merged(.set(let members)) = merged else {
        Issue.record("sets never conflict: \(sets)")
        continue
      }
      for member in 0..<5 {
        let (base, ours, theirs) = (
          sets[0].contains(.integer(member)), sets[1].contains(.integer(member)),
          sets[2].contains(.integer(member))
        )
        let isIn = base ? ours && theirs : ours || theirs
        #expect(members.contains(.integer(member)) == isIn, "\(member) of \(sets)")
      }
    }
  }

  @Test func `ordered members merge as sets do, each once, and keep the order of who moved them`() {
    #expect(
      merge([1, 2, 3], [3, 2, 1], [1, 2, 3, 4], .orderedSet) == .merged([3, 4, 2, 1]))
    #expect(merge([1, 2, 3], [1, 9, 2, 3], [3, 1, 2], .orderedSet) == .merged([3, 1, 9, 2]))
    #expect(merge([1], [0, 1], [1, 2], .orderedSet) == .merged([0, 1, 2]))
    var dice = Dice(seed: 86)
    for _ in 0..<5_000 {
      let rows = (0..<3).map { _ in
        (0..<6).filter { _ in dice.pick(3) > 0 }.shuffled(using: &dice).map(Value.integer)
      }
      let merged = merge(.array(rows[0]), .array(rows[1]), .array(rows[2]), .orderedSet)
      guard case .merged(.array(let members)?) = merged else {
        Issue.record("ordered sets never conflict: \(rows)")
        continue
      }
      #expect(Set(members).count == members.count, "each once: \(rows)")
      let sets = rows.map { Value.set(Set($0)) }
      #expect(
        merge(sets[0], sets[1], sets[2], .set) == .merged(.set(Set(members))), "\(rows)")
    }
  }

  @Test func `S25: dictionaries merge key by key, within each other, too`() {
    let base: Value = ["a": 1, "b": ["x": 1, "y": 1], "c": 1]
    let ours: Value = ["a": 2, "b": ["x": 2, "y": 1], "c": 1]
    let theirs: Value = ["a": 1, "b": ["x": 1, "y": 3], "d": 4]
    #expect(
      merge(base, ours, theirs, .byKey) == .merged(["a": 2, "b": ["x": 2, "y": 3], "d": 4]))
    #expect(
      merge(base, ours, theirs, .asWhole) == .conflict(ours: ours, theirs: theirs))
    #expect(merge(nil, ["a": 1], ["b": 2], .byKey) == .merged(["a": 1, "b": 2]))
  }

  @Test func `one key that two sides changed is a conflict of that key alone`() {
    let merged = merge(
      ["a": 1, "b": ["x": 1]], ["a": 2, "b": ["x": 5], "o": 1], ["a": 1, "b": ["x": 6], "t": 1],
      .byKey)
    #expect(
      merged
        == .conflict(
          ours: ["a": 2, "b": ["x": 5], "o": 1, "t": 1],
          theirs: ["a": 2, "b": ["x": 6], "o": 1, "t": 1]))
    // One removed the key, the other changed it.
    #expect(
      merge(["a": 1], [:], ["a": 2], .byKey) == .conflict(ours: [:], theirs: ["a": 2]))
  }

  @Test func `S35: a merge function is asked only where both changed, and may decline`() {
    let longest = MergeKind.custom { base, ours, theirs in
      guard let ours = ours?.string, let theirs = theirs?.string else { return nil }
      return .init(.string(ours.count > theirs.count ? ours : theirs))
    }
    #expect(merge("a", "bbb", "cc", longest) == .merged("bbb"))
    #expect(merge("a", "a", "cc", longest) == .merged("cc"))
    #expect(merge("a", nil, "cc", longest) == .conflict(ours: nil, theirs: "cc"))
    #expect(merge("a", "b", "c", .custom { _, _, _ in .init(.null) }) == .merged(nil))
  }

  @Test func `the same change by both is one change where values merge as a whole`() {
    #expect(merge(1, 2, 2, .asWhole) == .merged(2))
    #expect(merge(1, nil, nil, .asWhole) == .merged(nil))
    #expect(merge(1, .null, nil, .asWhole) == .merged(nil))
    #expect(merge(1, 2, 3, .asWhole) == .conflict(ours: 2, theirs: 3))
  }
}
