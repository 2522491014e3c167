// Whole lives of a store, at random: work from several contexts, faults, crashes in the midst of calls, clocks that jump,
// rivals for the lock, looks into the past; and what ends a life, as rot does and syncs that lie.

import Foundation
import TestSupport
import Testing

@Suite struct StoreLives {
  /// How long it goes on: so many lives, and where minutes are named, until they are over.
  @Test func `no life of a store breaks a promise`() throws {
    let campaign = Campaign(count: "XJ_LIVES", inGate: 400)
    let environment = ProcessInfo.processInfo.environment
    let seconds = environment["XJ_SECONDS"].flatMap { Double($0) }
    let isTraced = environment["XJ_TRACE"] != nil
    let tally = Tally()
    let begin = Date.now
    @Sendable func isOver() -> Bool { seconds.map { -begin.timeIntervalSinceNow >= $0 } ?? false }
    try onBothCores(campaign.count) { index in
      if tally.hasViolations || isOver() { return }
      let seed = campaign.seed &+ UInt64(index)
      var life = StoreLifetime(seed: seed, tally)
      if let violation = life.run() { tally.violation("seed \(seed): \(violation)") }
      tally.count("lives")
      if isTraced { print(life.trace.joined(separator: "\n")) }
      // The same seed is the same life.
      guard index % 16 == 0 else { return }
      var again = StoreLifetime(seed: seed, Tally())
      _ = again.run()
      if again.trace != life.trace { tally.violation("seed \(seed): another life the second time") }
      tally.count("lived twice")
    }
    print("lives from seed \(campaign.seed): \(tally.summary)")
    #expect(tally.violations == "")
    #expect(tally["lives"] > 0)
    guard tally["lives"] >= 400 else { return }
    #expect(tally["rotten and short"] > 5)
    for name in [
      "steps that failed", "failed syncs", "power losses", "process deaths", "crashes in a call",
      "looks into the past", "rivals", "clocks set", "full disks", "rotten", "rotten and opened",
      "lying syncs",
      "upgrades", "drafts resumed", "compact", "backup", "tag", "checkpoint", "discard",
    ] + StoreLifetime.faults.map(\.name) {
      #expect(tally[name] > 20, "\(name)")
    }
  }
}
