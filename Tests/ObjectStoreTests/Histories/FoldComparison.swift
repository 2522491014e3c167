// The states that a history should have, and the ways to them that are compared.

import EventFold
import ObjectModel
import ObjectStore
import TestSupport

/// Compares the states of a history with those that one way after another leads to.
struct FoldComparison {
  let seed: UInt64
  /// The state after each commit; the first is that before any.
  let states: [PlainState]
  let tally: Tally

  private func differ(_ way: String, _ what: String) {
    tally.count("differences")
    tally.violation("seed \(seed), \(way): \(what)")
  }

  /// Compares states from a number on, up to the last.
  func compare(_ way: String, _ found: [PlainState], from first: Int = 0) {
    if found.count != states.count - first {
      differ(way, "\(found.count) states of \(states.count - first)")
    }
    for (number, (state, expected)) in zip(found, states[first...]).enumerated()
    where state != expected {
      differ(way, "commit \(number + first)")
    }
    tally.count("states", found.count)
  }

  /// The same from the state that what a store keeps begins with, by each means that it has to tell them.
  ///
  /// - Parameter kept: the first commit that it must keep.
  func compare(_ way: String, _ store: JournaledStore, keeping kept: Int = 1) throws {
    let first = Int(store.firstKeptCommit.rawValue) - 1
    if first >= kept { differ(way, "commits before \(first + 1) are dropped") }
    tally.count("states dropped", first)
    try compareSnapshots(way, store, from: first)
    try compareRows(way, store, from: first)
    try compareBackward(way, store, from: first)
    for finding in try store.verify(deep: true) { differ(way, finding.description) }
  }

  /// The state at each commit, as a snapshot of it tells: by rows, by batches, by handles, by indexes.
  private func compareSnapshots(_ way: String, _ store: JournaledStore, from first: Int) throws {
    var dice = Dice(seed: seed)
    var found: [PlainState] = []
    for number in first...Int(store.lastCommit.rawValue) {
      let past = try store.snapshot(at: CommitNumber(rawValue: UInt64(number)))
      let state = try past.plain()
      found.append(state)
      if try past.plainByBatches() != state { differ(way, "batches of commit \(number)") }
      if try !hasHandles(past, of: state) { differ(way, "handles of commit \(number)") }
      if let fault = try IndexOracle(past, store.existingKey).fault(&dice) {
        differ(way, "commit \(number): \(fault)")
      }
      guard dice.chance(4) else { continue }
      let later = number + dice.pick(Int(store.lastCommit.rawValue) - number + 1)
      let counted = try store.snapshot(
        at: past.number,
        countedBackFrom: try store.snapshot(at: CommitNumber(rawValue: UInt64(later))),
        isIndexed: dice.chance(2))
      if try counted.plain() != state { differ(way, "commit \(number), known from \(later)") }
      if let fault = try IndexOracle(counted, store.existingKey).fault(&dice) {
        differ(way, "commit \(number), known from \(later): \(fault)")
      }
    }
    compare(way, found, from: first)
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

  /// Each object by itself at each commit, those that are gone or were not there yet too.
  private func compareRows(_ way: String, _ store: JournaledStore, from first: Int) throws {
    for object in Set(states[first...].flatMap(\.keys)) {
      for number in first..<states.count {
        let stored = try store.stored(object, at: CommitNumber(rawValue: UInt64(number)))
        if stored?.row != states[number][object] {
          differ(way, "commit \(number), \(object) by itself")
        }
        tally.count("rows")
      }
    }
  }

  /// What the head becomes when one commit after another is taken back.
  private func compareBackward(_ way: String, _ store: JournaledStore, from first: Int) throws {
    var state = try store.head.plain()
    var found = [state]
    for number in (first..<Int(store.lastCommit.rawValue)).reversed() {
      let commit = try store.content(of: CommitNumber(rawValue: UInt64(number + 1)))
      for change in commit.changes {
        state[change.object] = try change.inverse.applied(to: state[change.object])
      }
      found.append(state)
    }
    compare("\(way), backward", found.reversed(), from: first)
  }
}
