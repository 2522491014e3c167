import TestSupport
import Testing

/// Random sessions of several contexts against the naive model.
@Suite struct NaiveModelTests {
  @Test func `contexts do what the naive model does, whatever is done in them`() throws {
    let campaign = Campaign(count: "XJ_SESSIONS", inGate: 200)
    let tally = Tally()
    try campaign.forEachHistory(tally) { seed in
      let stepCount = 34
      let pair = try SessionPair(seed: seed, steps: Array(0..<stepCount))
      tally.count("steps", pair.story.count)
      tally.count("commits", pair.world.head)
      for (word, count) in pair.told { tally.count(word, count) }
      guard pair.difference != nil, !tally.hasViolations else {
        if pair.difference != nil { tally.violation("seed \(seed) differs") }
        return
      }
      let shrunk = try SessionPair.shrunk(seed: seed, stepCount: stepCount)
      tally.violation(
        "seed \(seed): \(shrunk.difference ?? "")\n  \(shrunk.story.joined(separator: "\n  "))")
    }
    print("sessions from seed \(campaign.seed): \(tally.summary)")
    #expect(tally["commits"] >= campaign.count)
    for word in NaiveNotification.allWords {
      #expect(tally[word] >= campaign.count / 2, "hardly anything was told of: \(word)")
    }
    #expect(tally["given"] >= campaign.count && tally["covered"] >= campaign.count / 4)
    #expect(tally.violations.isEmpty, "\(tally.violations)")
  }
}
