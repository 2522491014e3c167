import EventFold
import Foundation
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
    var last: Date?
    for event in try store.events() {
      let folds = event.date == last ? nil : watched.folds[event.date]
      last = event.date
      for fold in folds ?? [] {
        tally.count("states")
        let replayed = replay.contexts[fold.number.rawValue]
        if let difference = difference(fold, replayed) { return "before \(event): \(difference)" }
      }
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

  /// The first thing in which a context, after each event, is not as its events add up to.
  private static func difference(_ fold: ContextFold, _ replayed: ContextFold?) -> String? {
    guard let replayed else { return "\(fold.name) never began" }
    for object in Set(fold.objects.keys).union(replayed.objects.keys).sorted() {
      let (was, now) = (Unsaved(fold.objects[object]), Unsaved(replayed.objects[object]))
      if was != now { return "\(fold.name): \(object) is \(now), and was \(was)" }
    }
    func told<Answer: Equatable>(_ what: String, _ part: (ContextFold) -> Answer) -> String? {
      let (was, now) = (part(fold), part(replayed))
      return was == now ? nil : "\(fold.name): \(what) is \(now), and was \(was)"
    }
    return told("the name") { $0.name } ?? told("the base") { $0.base }
      ?? told("the count of edits") { $0.editCount }
      ?? told("whether undo is on") { $0.registersUndo }
      ?? told("the open step") { $0.openStep } ?? told("what can be undone") { $0.undoSteps }
      ?? told("what can be redone") { $0.redoSteps }
  }

  /// What is unsaved of an object. On what it stands is of no matter where only values are set that no save takes: it
  /// may be a fault.
  private struct Unsaved: Equatable {
    let base: CommitNumber?
    let baseRow: Row?
    let standing: ObjectDraft.Kind?
    let delta: Delta?
    let quietKeys: Set<KeyNumber>

    init(_ draft: ObjectDraft?) {
      base = draft?.base
      baseRow = draft?.isDirty ?? false ? draft?.baseRow : nil
      standing = draft?.kind
      delta = draft?.delta
      quietKeys = draft?.quietKeys ?? []
    }
  }

  @Test
  func `S74: the events of a store replay its contexts, event by event, to what they were`() throws
  {
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
