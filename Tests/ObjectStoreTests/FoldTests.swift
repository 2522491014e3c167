// Whatever way a state is come by, it is the same state.

import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct FoldTests {
  /// A history with everything in it that can happen to a store.
  private static func life(_ seed: UInt64, saves: Int) throws -> StoreLife {
    var life = try StoreLife(seed: seed)
    var dice = Dice(seed: seed)
    for _ in 0..<saves {
      try life.save()
      switch dice.pick(16) {
      case 0: try life.roll()
      case 1: try life.reopen()
      case 2: try life.store.checkpoint()
      case 3: try life.store.compact(keeping: .everything)
      default: break
      }
    }
    return life
  }

  /// Whether handles have all that a state has.
  private func hasHandles(_ snapshot: Snapshot, of state: PlainState) throws -> Bool {
    for (object, row) in state {
      guard let handle = try snapshot.handle(of: object), try handle.stored().row == row else {
        return false
      }
      for entry in row.entries {
        guard try handle.value(entry.key) == entry.value else { return false }
      }
    }
    return true
  }

  /// Compares the states of all commits that a store should have with what it says they are.
  private func compare(
    _ store: JournaledStore, _ states: [PlainState], from first: Int = 0, _ seed: UInt64,
    _ tally: Tally
  ) throws {
    var dice = Dice(seed: seed)
    for number in first..<states.count {
      let past = try store.snapshot(at: CommitNumber(rawValue: UInt64(number)))
      let state = try past.plain()
      if try state != states[number] || past.plainByBatches() != state
        || !hasHandles(past, of: state)
      {
        tally.count("differences")
        tally.violation("seed \(seed), commit \(number)")
      }
      if let fault = try IndexOracle(past, store.existingKey).fault(&dice) {
        tally.violation("seed \(seed), commit \(number): \(fault)")
      }
    }
    for object in Set(states[first...].flatMap(\.keys)) {
      for number in first..<states.count {
        let stored = try store.stored(object, at: CommitNumber(rawValue: UInt64(number)))
        if stored?.row != states[number][object] {
          tally.count("differences")
          tally.violation("seed \(seed), commit \(number), \(object)")
        }
        tally.count("rows")
      }
    }
    for finding in try store.verify(deep: true) { tally.violation("seed \(seed): \(finding)") }
    tally.count("states", states.count - first)
  }

  @Test func `S71: every state of random histories is the same, whatever was done to the store`()
    throws
  {
    let campaign = Campaign(count: "XJ_CAMPAIGN_HISTORIES", inGate: 60)
    let tally = Tally()
    try onBothCores(campaign.count) { round in
      let seed = campaign.seed &+ UInt64(round)
      do {
        try follow(seed, tally)
        tally.count("histories")
      } catch {
        tally.violation("seed \(seed): \(error)")
      }
    }
    print("seed \(campaign.seed): \(tally.summary), \(tally["differences"]) differences")
    #expect(tally.violations == "")
    #expect(tally["states"] > campaign.count * 30)
  }

  /// Goes through one history, and compares all states several times.
  private func follow(_ seed: UInt64, _ tally: Tally) throws {
    var life = try Self.life(seed, saves: 24)
    try compare(life.store, life.states, seed, tally)
    try life.reopen()
    try compare(life.store, life.states, seed, tally)
    let copy = "Copy.xjournal"
    try life.store.backup(to: copy)
    try life.save()
    let copied = try life.store(at: copy)
    try compare(copied, Array(life.states.dropLast(life.didCommit ? 1 : 0)), seed, tally)
    try copied.close()
    var dice = Dice(seed: seed)
    let first = dice.pick(life.states.count)
    try life.endContexts()
    try life.store.compact(keeping: .commits(since: CommitNumber(rawValue: UInt64(max(1, first)))))
    try compare(life.store, life.states, from: max(0, first - 1), seed, tally)
    try life.reopen()
    try compare(life.store, life.states, from: max(0, first - 1), seed, tally)
    try life.save()
    try life.endContexts()
    try life.store.compact(keeping: .latest)
    try compare(life.store, life.states, from: life.states.count - 1, seed, tally)
    try life.reopen()
    try compare(life.store, life.states, from: life.states.count - 1, seed, tally)
    try life.save()
    let last = life.states.count - 1
    try compare(life.store, life.states, from: last - (life.didCommit ? 1 : 0), seed, tally)
    try life.store.close()
  }
}
