import EventFold
import ObjectModel
import TestSupport
import Testing

@Suite struct ObjectMerges {
  private static let policies: [ConflictPolicy] = [
    .tell, .storeWins, .objectWins, .overwrite, .rollBack,
  ]
  private let base = Row([key(1): 1, key(2): 2, key(3): .counter(0)])

  private func merge(
    _ base: Row?, _ ours: Row?, _ theirs: Row?, _ policy: ConflictPolicy
  ) -> ObjectMerge {
    let sides = ObjectConflict(object(1), base: base, ours: ours, theirs: theirs)
    return ObjectMerge(sides, policy) { $0 == key(3) ? .counter : .asWhole }
  }

  private func told(_ ours: Row?, _ theirs: Row?) -> ObjectMerge {
    .conflict(ObjectConflict(object(1), base: base, ours: ours, theirs: theirs))
  }

  @Test
  func `where only one side has changed something, that stands under every policy but telling`() {
    var dice = Dice(seed: 87)
    for _ in 0..<3_000 {
      let base = dice.row()
      let changed = dice.row(near: base)
      for policy in Self.policies {
        if base != changed { #expect(merge(base, base, changed, policy) == .merged(changed)) }
        guard case .tell = policy else {
          #expect(merge(base, changed, base, policy) == .merged(changed))
          continue
        }
        // What merges by itself does so, and nobody needs to be told.
        let sides = ObjectConflict(object(1), base: base, ours: changed, theirs: base)
        let mergesByItself =
          base == changed
          || base != nil && changed != nil && sides.ourKeys.isSubset(of: [key(3)])
        #expect(
          merge(base, changed, base, .tell)
            == (mergesByItself ? .merged(changed) : .conflict(sides)))
      }
    }
  }

  @Test func `S63: a change there and back by a rival conflicts where conflicts are told`() {
    let ours = Row([key(1): 10, key(2): 2, key(3): .counter(0)])
    #expect(merge(base, ours, base, .tell) == told(ours, base))
    #expect(merge(base, nil, base, .tell) == told(nil, base))
    #expect(
      merge(nil, ours, nil, .tell)
        == .conflict(
          ObjectConflict(object(1), base: nil, ours: ours, theirs: nil)))
    let counted = Row([key(1): 1, key(2): 2, key(3): .counter(3)])
    #expect(merge(base, counted, base, .tell) == .merged(counted))
    #expect(merge(base, base, base, .tell) == .merged(base))
  }

  @Test func `S63: an object brought back without values conflicts with one that has some`() {
    let theirs = Row([key(1): 1])
    let sides = ObjectConflict(object(1), base: nil, ours: Row(), theirs: theirs)
    #expect(merge(nil, Row(), theirs, .tell) == .conflict(sides))
    #expect(merge(nil, Row(), Row(), .tell) == .merged(Row()))
    let counted = Row([key(3): .counter(2)])
    #expect(merge(nil, Row(), counted, .tell) == .merged(counted))
    #expect(merge(nil, Row(), theirs, .storeWins) == .merged(theirs))
    #expect(merge(nil, Row(), theirs, .objectWins) == .merged(theirs))
    #expect(merge(nil, Row(), theirs, .overwrite) == .merged(Row()))
  }

  @Test func `S63: a change that only one side made stands under both policies by property`() {
    let ours = Row([key(1): 10, key(2): 2, key(3): .counter(0)])
    let theirs = Row([key(1): 1, key(2): 20, key(3): .counter(0), key(4): "new"])
    let both = Row([key(1): 10, key(2): 20, key(3): .counter(0), key(4): "new"])
    #expect(merge(base, ours, theirs, .storeWins) == .merged(both))
    #expect(merge(base, ours, theirs, .objectWins) == .merged(both))
    #expect(merge(base, ours, theirs, .overwrite) == .merged(ours))
    #expect(merge(base, ours, theirs, .rollBack) == .merged(theirs))
  }

  @Test func `S63: where both changed a property, the policy says whose change stands`() {
    let ours = Row([key(1): 10, key(2): 20])
    let theirs = Row([key(1): 11, key(2): 2, key(3): .counter(0)])
    #expect(
      merge(base, ours, theirs, .storeWins) == .merged(Row([key(1): 11, key(2): 20])))
    #expect(
      merge(base, ours, theirs, .objectWins) == .merged(Row([key(1): 10, key(2): 20])))
  }

  @Test func `S32: a counter that came back with its object on both sides counts once`() {
    let (five, six) = (Row([key(3): .counter(5)]), Row([key(3): .counter(6)]))
    for policy in Self.policies { #expect(merge(nil, five, five, policy) == .merged(five)) }
    #expect(merge(nil, five, six, .objectWins) == .merged(five))
    #expect(merge(nil, five, six, .storeWins) == .merged(six))
    #expect(
      merge(nil, five, six, .tell)
        == .conflict(ObjectConflict(object(1), base: nil, ours: five, theirs: six)))
    #expect(merge(Row(), five, six, .objectWins) == .merged(Row([key(3): .counter(11)])))
  }

  @Test func `S63: by default a rival's change conflicts whatever the keys`() {
    let ours = Row([key(1): 10, key(2): 2, key(3): .counter(0)])
    let theirs = Row([key(1): 1, key(2): 20, key(3): .counter(0)])
    #expect(merge(base, ours, theirs, .tell) == told(ours, theirs))
    #expect(merge(base, ours, ours, .tell) == told(ours, ours))
    guard case .conflict(let conflict) = merge(base, ours, theirs, .tell) else { return }
    #expect(conflict.ourKeys == [key(1)] && conflict.theirKeys == [key(2)])
    #expect(conflict.changedKeys == [key(1), key(2)])
  }

  @Test func `S63: by default there is no conflict where all that we changed merges by itself`() {
    let ours = Row([key(1): 1, key(2): 2, key(3): .counter(3)])
    let theirs = Row([key(1): 9, key(2): 2, key(3): .counter(4)])
    #expect(
      merge(base, ours, theirs, .tell)
        == .merged(Row([key(1): 9, key(2): 2, key(3): .counter(7)])))
    // The same amount by both is two amounts.
    for policy in [ConflictPolicy.tell, .storeWins, .objectWins] {
      #expect(
        merge(base, ours, ours, policy)
          == .merged(Row([key(1): 1, key(2): 2, key(3): .counter(6)])))
    }
    // But it cannot merge into what cannot hold it.
    let full = Row([key(1): 1, key(2): 2, key(3): .counter(.max)])
    #expect(merge(base, ours, full, .tell) == told(ours, full))
  }

  @Test func `a deletion and a change conflict, and the policy says which of them stands`() {
    let changed = Row([key(1): 10])
    #expect(merge(base, nil, changed, .tell) == told(nil, changed))
    #expect(merge(base, changed, nil, .tell) == told(changed, nil))
    for (ours, theirs) in [(nil, changed), (changed, nil)] as [(Row?, Row?)] {
      #expect(merge(base, ours, theirs, .storeWins) == .merged(theirs))
      #expect(merge(base, ours, theirs, .rollBack) == .merged(theirs))
      #expect(merge(base, ours, theirs, .objectWins) == .merged(ours))
      #expect(merge(base, ours, theirs, .overwrite) == .merged(ours))
    }
  }

  @Test func `an object that both deleted is deleted, and nobody is asked`() {
    for policy in Self.policies { #expect(merge(base, nil, nil, policy) == .merged(nil)) }
  }

  @Test func `S63: a policy of one's own sees all three sides and says what becomes`() {
    let ours = Row([key(1): 10])
    let theirs = Row([key(1): 11])
    let longer = ConflictPolicy.custom { [base] sides in
      #expect(sides == ObjectConflict(object(1), base: base, ours: ours, theirs: theirs))
      return .merged(Row([key(1): 21]))
    }
    #expect(merge(base, ours, theirs, longer) == .merged(Row([key(1): 21])))
    #expect(merge(base, ours, theirs, .custom { .conflict($0) }) == told(ours, theirs))
    // It is asked where there is something to decide, deletions included, and nowhere else.
    #expect(merge(base, nil, theirs, .custom { .merged($0.theirs) }) == .merged(theirs))
    let unasked = ConflictPolicy.custom { sides in
      Issue.record("nobody has to decide")
      return .conflict(sides)
    }
    #expect(merge(base, base, theirs, unasked) == .merged(theirs))
    #expect(merge(base, ours, base, unasked) == .merged(ours))
    #expect(merge(base, nil, nil, unasked) == .merged(nil))
  }
}
