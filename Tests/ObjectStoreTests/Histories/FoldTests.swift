// Whatever way a state is come by, it is the same state.

import DiskSimulation
import Journaling
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct FoldTests {
  @Test func `S71: every state of random histories is the same, whatever was done to the store`()
    throws
  {
    let campaign = Campaign(count: "XJ_CAMPAIGN_HISTORIES", inGate: 4)
    let tally = Tally()
    try campaign.forEachHistory(tally) { seed in try follow(seed, tally) }
    print("seed \(campaign.seed): \(tally.summary), \(tally["differences"]) differences")
    #expect(tally.violations == "")
    #expect(tally["states"] > campaign.count * 300)
    #expect(tally["states dropped"] > campaign.count * 30)
    #expect(tally["openings with checkpoint"] > tally["openings"] / 2)
    #expect(tally["openings with tail"] > tally["openings"] / 2)
  }

  /// Goes through one history, and compares all of its states with those that a replay from nothing makes.
  private func follow(_ seed: UInt64, _ tally: Tally) throws {
    var life = try StoreLife(seed: seed)
    let opened = try work(&life, seed, tally)
    let replay = try JournalReplay(on: life.disk, at: StoreLife.path)
    let comparison = FoldComparison(seed: seed, states: replay.states, tally: tally)
    comparison.compare("edits", replay.statesByEdits)
    comparison.compare("what was meant", life.states)
    comparison.compare("checkpoint and tail", opened)
    try comparison.compare("as it is", life.store)
    try life.reopen()
    try comparison.compare("opened", life.store)
    try life.endContexts()
    for keeping in Self.keepings(ofCommits: replay.states.count - 1, seed) {
      try compareCompacted(life, keeping, comparison)
    }
    let copy = "Copy.xjournal"
    try life.store.backup(to: copy)
    try life.save()
    let copied = try life.store(at: copy)
    try comparison.compare("copied", copied)
    try copied.close()
    try goOn(&life, seed, tally)
    try life.store.close()
  }

  /// Saves, with everything in between that can happen to a store.
  ///
  /// - Returns: the state after each commit, as opening finds it that begins with the checkpoint there is then.
  private func work(_ life: inout StoreLife, _ seed: UInt64, _ tally: Tally) throws -> [PlainState]
  {
    var dice = Dice(seed: seed)
    var states: [PlainState] = [[:]]
    for _ in 0..<24 {
      try life.save()
      if life.didCommit { states.append(try opened(life, tally)) }
      switch dice.pick(16) {
      case 0: try life.roll()
      case 1: try life.reopen()
      case 2: try life.store.checkpoint()
      case 3: try life.store.compact(keeping: .everything)
      default: break
      }
    }
    return states
  }

  private func opened(_ life: StoreLife, _ tally: Tally) throws -> PlainState {
    let disk = life.disk.imageAfterProcessDeath()
    let reader = try JournalReader(at: StoreLife.path, on: disk)
    let store = try life.store(on: disk)
    if !reader.manifest.attachments.isEmpty { tally.count("openings with checkpoint") }
    if store.unflushedByteCount > 0 { tally.count("openings with tail") }
    if !store.unsavedDrafts.isEmpty { tally.violation("a context that has saved is a draft") }
    tally.count("openings")
    return try store.head.plain()
  }

  /// What compaction may be asked to keep of a history, and the first commit that it must keep then.
  private static func keepings(
    ofCommits count: Int, _ seed: UInt64
  ) -> [(words: String, keeping: Keeping, first: Int)] {
    var dice = Dice(seed: seed)
    let firsts = [1, 1 + dice.pick(count), count]
    return [("everything", .everything, 1), ("the latest", .latest, count + 1)]
      + firsts.map { ("\($0) on", .commits(since: CommitNumber(rawValue: UInt64($0))), $0) }
  }

  /// Compacts a copy of the store, and compares what is kept, then and after opening it again.
  private func compareCompacted(
    _ life: StoreLife, _ kept: (words: String, keeping: Keeping, first: Int),
    _ comparison: FoldComparison
  ) throws {
    let disk = life.disk.imageAfterProcessDeath()
    let store = try life.store(on: disk)
    try store.compact(keeping: kept.keeping)
    try comparison.compare("compacted, keeping \(kept.words)", store, keeping: kept.first)
    try store.close()
    let again = try life.store(on: disk)
    try comparison.compare("opened, keeping \(kept.words)", again, keeping: kept.first)
    try again.close()
  }

  /// Compacts the store itself again and again, and goes on saving.
  private func goOn(_ life: inout StoreLife, _ seed: UInt64, _ tally: Tally) throws {
    for kept in Self.keepings(ofCommits: life.states.count - 1, seed).reversed() {
      try life.endContexts()
      try life.store.compact(keeping: kept.keeping)
      try life.save()
      let comparison = FoldComparison(seed: seed, states: life.states, tally: tally)
      try comparison.compare("going on, with \(kept.words)", life.store, keeping: life.states.count)
      try life.reopen()
      try comparison.compare("going on, opened", life.store, keeping: life.states.count)
    }
  }
}
