import EventFold
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct ChildContextLawTests {
  /// All objects that are there, or were.
  private static func ids(_ session: RandomSession) -> [ObjectID] {
    let stored = ["Blog", "Post", "Comment", "Person"].flatMap { session.stage.objectIDs($0) }
    let pending = session.contexts.flatMap { Array($0.fold.objects.keys) }
    let steps = session.contexts.flatMap { $0.fold.undoSteps + $0.fold.redoSteps }
    return Set(stored + pending + steps.flatMap(\.objects).map(\.object)).sorted()
  }

  /// Whether a draft, which stands on the store, would have to have an object: it is otherwise than there, and not only
  /// than its parent has made it.
  private static func isUnsaved(
    _ object: ObjectID, by child: ManagedObjectContext
  ) throws -> Bool {
    guard let draft = child.fold.objects[object] else { return false }
    let stored = try child.store.row(of: object, at: child.store.lastCommit)
    return (stored != nil) != draft.isThere || draft.delta.contains { stored?[$0.key] != $0.value }
  }

  private static func difference(_ session: RandomSession, _ tally: Tally) throws -> String? {
    let (parent, child) = (session.contexts[0], session.contexts[1])
    child.processPendingChanges()
    parent.processPendingChanges()
    // A draft of the child has what the child shows of all that it has changed.
    let again = try session.stage.killed()
    let changed = child.fold.objects.filter(\.value.isDirty).keys.sorted()
    if let draft = again.store.unsavedDrafts.first(where: { $0.contextName == "child" }) {
      if let problem = draft.problem { return "\(problem)" }
      let recovered = try ManagedObjectContext(recovering: draft, in: again.store)
      for object in changed {
        let (one, two) = (child.fold.objects[object]?.row, recovered.fold.objects[object]?.row)
        if one != two {
          return
            "\(object) is recovered as \(String(describing: two)), not \(String(describing: one))"
        }
      }
      tally.count("drafts")
    } else if let unsaved = try changed.first(where: { try isUnsaved($0, by: child) }) {
      return
        "the child is no draft, and has \(child.fold.objects[unsaved].map { "\($0)" } ?? "nothing")"
    }
    let ids = ids(session)
    // The child reads all that it has not changed anew, and then saves what it shows.
    child.refreshAllObjects()
    for id in ids { _ = try? child.existingObject(with: id) }
    let before = Picture(ids, in: parent)
    let stepCount = parent.undoSteps.count
    let shown = Picture(ids, in: child)
    do {
      try child.save()
    } catch is MergeConflicts {
      tally.count("conflicts")
      return nil
    } catch is ValidationErrors {
      tally.count("refusals")
      return nil
    }
    if shown.leadsAstray {
      // What its parent has led to what the child deletes goes by the parent's delete rules.
      tally.count("late")
    } else if let difference = shown.difference(Picture(ids, in: child)) {
      return "child after its save: \(difference)"
    }
    if let difference = Picture(ids, in: child, isStored: true).difference(
      Picture(ids, in: parent, isStored: true))
    {
      return "parent after the save: \(difference)"
    }
    tally.count("saves")
    if parent.undoSteps.count > stepCount {
      parent.undo()
      if let difference = before.difference(Picture(ids, in: parent)) {
        return "undone: \(difference)"
      }
      parent.redo()
    }
    do {
      try parent.save()
    } catch {
      return nil
    }
    let stored = Picture(ids, in: session.stage.context(), isStored: true)
    return stored.difference(Picture(ids, in: parent, isStored: true)).map { "stored: \($0)" }
  }

  @Test func `S66: whatever parent and child do, the child saves to the parent what it shows`()
    throws
  {
    let campaign = Campaign(count: "XJ_CHILDREN", inGate: 60)
    let tally = Tally()
    try campaign.forEachHistory(tally) { seed in
      let session = try RandomSession(seed: seed) { stage in
        let parent = stage.context()
        parent.name = "parent"
        let child = ManagedObjectContext(parent: parent)
        child.name = "child"
        child.automaticallyMergesChanges = seed % 2 == 0
        return [parent, child]
      }
      for _ in 0..<50 { session.step() }
      if let difference = try Self.difference(session, tally) {
        tally.violation("seed \(seed): \(difference)\n\(session.story.joined(separator: "\n"))")
      }
    }
    print("children: \(tally.summary)")
    #expect(tally["saves"] > 0 && tally["drafts"] > 0)
    #expect(tally.violations.isEmpty, "\(tally.violations)")
  }
}
