import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// Sessions from what the store tells of them.
@Suite struct EventReplayTests {
  /// The first moment at which the events up to it do not add up to what the contexts were.
  private static func difference(_ watched: WatchedSession, _ tally: Tally) throws -> String? {
    let store = watched.session.stage.store
    var replay = EventReplay(store)
    var seen = 0
    for event in try store.events() {
      try replay.take(event)
      tally.count("events")
      guard case .renamed(let mark) = event.kind, let moment = watched.moments[mark] else {
        continue
      }
      seen += 1
      for context in moment {
        tally.count("moments")
        guard let fold = replay.contexts[context.number.rawValue] else {
          // It has never changed anything, and so has not begun.
          if context.hasChanges || context.canUndo { return "\(mark): \(context.name) never began" }
          continue
        }
        if let difference = context.difference(ContextMoment(fold, of: store)) {
          return "\(mark), \(context.name): \(difference)"
        }
      }
    }
    for (kind, count) in replay.counts { tally.count(kind, count) }
    return seen == watched.moments.count ? nil : "there are \(seen) marks"
  }

  @Test
  func `S74: the events of a store replay its contexts step by step to what they were`() throws {
    let campaign = Campaign(count: "XJ_REPLAYS", inGate: 40)
    let tally = Tally()
    try campaign.forEachHistory(tally) { seed in
      let watched = try WatchedSession(seed: seed)
      for _ in 0..<60 { watched.step() }
      guard let difference = try Self.difference(watched, tally) else { return }
      tally.violation(
        "seed \(seed): \(difference)\n\(watched.session.story.joined(separator: "\n"))")
    }
    print("replays from seed \(campaign.seed): \(tally.summary)")
    #expect(tally.violations.isEmpty, "\(tally.violations)")
    let kinds = [
      "renamed", "based", "inserted", "set", "spliced", "setPrimitive", "membersChanged", "deleted",
      "stepEnded", "undoSwitched", "undone", "redone", "refreshed", "rolledBack", "wasReset",
      "saved", "saveFailed", "reconciled",
    ]
    for kind in kinds { #expect(tally[kind] > 0, "nothing was \(kind)") }
  }
}
