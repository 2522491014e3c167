import EventFold
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct RecoveringLawTests {
  /// All objects that a context has or the store has.
  private static func ids(_ session: RandomSession) -> [ObjectID] {
    let stored = ["Blog", "Post", "Comment", "Person"].flatMap { session.stage.objectIDs($0) }
    let fold = session.contexts[0].fold
    let steps = (fold.undoSteps + fold.redoSteps).flatMap(\.objects).map(\.object)
    return Set(stored + steps + fold.objects.keys).sorted()
  }

  /// The first thing in which a recovered context is not as the one that died.
  private static func difference(_ session: RandomSession, _ tally: Tally) throws -> String? {
    let context = session.contexts[0]
    let again = try session.stage.killed()
    guard let draft = again.store.unsavedDrafts.first else { return nil }
    let recovered = try ManagedObjectContext(recovering: draft, in: again.store)
    context.processPendingChanges()
    let ids = ids(session)
    func difference() -> String? {
      Picture(ids, in: context).difference(Picture(ids, in: recovered))
    }
    if let difference = difference() { return "recovered, \(difference)" }
    var steps = 0
    while context.canUndo {
      guard recovered.canUndo, recovered.undoActionName == context.undoActionName else {
        return "steps"
      }
      context.undo()
      recovered.undo()
      steps += 1
      if let difference = difference() { return "undone \(steps), \(difference)" }
      if recovered.hasChanges != context.hasChanges { return "changes after undoing \(steps)" }
    }
    if recovered.canUndo { return "more steps" }
    tally.count("steps", steps)
    while context.canRedo {
      context.redo()
      recovered.redo()
      steps -= 1
      if let difference = difference() { return "redone to \(steps), \(difference)" }
    }
    if recovered.canRedo { return "more to redo" }
    let saves = [context, recovered].map { context in
      do {
        return "\(try context.save()?.changes.count ?? 0)"
      } catch {
        return "\(error)"
      }
    }
    if saves[0] != saves[1] { return "saved \(saves)" }
    tally.count(saves[0].count < 4 ? "saves" : "refusals")
    let stored = Picture(ids, in: session.stage.context())
    return stored.difference(Picture(ids, in: again.context())).map { "stored, \($0)" }
  }

  @Test
  func `S50: whatever a context did, it undoes, redoes and saves after a crash as it would have`()
    throws
  {
    let campaign = Campaign(count: "XJ_RECOVERIES", inGate: 60)
    let tally = Tally()
    try campaign.forEachHistory(tally) { seed in
      let session = try RandomSession(seed: seed, contextCount: 1)
      for _ in 0..<50 { session.step() }
      if let difference = try Self.difference(session, tally) {
        tally.violation("seed \(seed): \(difference)\n\(session.story.joined(separator: "\n"))")
      }
    }
    print("recoveries: \(tally.summary)")
    #expect(tally["steps"] >= campaign.count && tally["saves"] > 0)
    #expect(tally.violations.isEmpty, "\(tally.violations)")
  }
}
