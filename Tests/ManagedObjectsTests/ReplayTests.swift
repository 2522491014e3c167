import DiskSimulation
import EventFold
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct ReplayTests {
  /// What a draft does not tell of a context as it was.
  private static func differences(_ session: RandomSession, _ tally: Tally) throws -> [String] {
    let image = session.stage.disk.imageAfterProcessDeath()
    let store = try JournaledStore(on: image, at: "store", model: try Stage.model())
    var differences: [String] = []
    for context in session.contexts {
      let draft = store.unsavedDrafts.first { $0.contextName == context.name }
      guard context.hasChanges else {
        if draft != nil { differences.append("\(context.name) is a draft without changes") }
        continue
      }
      guard let draft else {
        differences.append(
          "\(context.name) is no draft, and has \(context.fold.objects.values.filter(\.isDirty))")
        continue
      }
      if let problem = draft.problem { differences.append("\(context.name): \(problem)") }
      tally.count("drafts")
      tally.count("objects", context.fold.objects.count)
      tally.count("steps", context.fold.undoSteps.count + context.fold.redoSteps.count)
      let (live, replayed) = (context.fold, try store.resume(draft).content)
      // Quiet values from before the last save are not written again, and so are not told of.
      let (ours, theirs) = (Self.loud(live), Self.loud(replayed))
      for object in Set(ours.keys).union(theirs.keys).sorted() where ours[object] != theirs[object]
      {
        differences.append(
          "\(context.name): \(object) is \(String(describing: ours[object])), replayed "
            + "\(String(describing: theirs[object]))")
      }
      if live.undoSteps != replayed.undoSteps {
        differences.append("\(context.name): undo differs")
      }
      if live.redoSteps != replayed.redoSteps {
        differences.append("\(context.name): redo differs")
      }
    }
    try store.close()
    return differences
  }

  /// An object that is to be saved, but for what does not ask for it.
  private struct Loud: Equatable {
    let base: CommitNumber
    let baseRow: Row?
    let isThere: Bool
    let delta: Delta
  }

  private static func loud(_ fold: ContextFold) -> [ObjectID: Loud] {
    fold.objects.filter(\.value.isDirty).mapValues { draft in
      Loud(
        base: draft.base, baseRow: draft.baseRow, isThere: draft.isThere,
        delta: draft.delta.filter { !draft.quietKeys.contains($0.key) })
    }
  }

  @Test func `S76: a context that was killed comes back as it was, whatever it had done`() throws {
    let campaign = Campaign(count: "XJ_SESSIONS", inGate: 100)
    let tally = Tally()
    try campaign.forEachHistory(tally) { seed in
      let session = try RandomSession(seed: seed, contextCount: 2)
      let checked = session.dice.pick(40)
      for number in 0..<60 {
        session.step()
        guard number == checked || number == 59 else { continue }
        let differences = try Self.differences(session, tally)
        if !differences.isEmpty {
          tally.violation(
            "seed \(seed): \(differences[0])\n\(session.story.joined(separator: "\n"))")
          break
        }
      }
    }
    print("sessions: \(tally.summary)")
    #expect(tally["drafts"] >= campaign.count)
    #expect(tally.violations.isEmpty, "\(tally.violations)")
  }
}
