import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct RevertingLawTests {
  /// All objects that any commit has had.
  private static func ids(_ store: JournaledStore) throws -> [ObjectID] {
    Set(try store.commits(since: 0).flatMap(\.changes).map(\.objectID)).sorted()
  }

  private static func difference(_ session: RandomSession, _ tally: Tally) throws -> String? {
    let store = session.stage.store
    let head = store.lastCommit.rawValue
    guard head > 1 else { return nil }
    let ids = try ids(store)
    let moment = Moment.commit(CommitNumber(rawValue: UInt64(session.dice.pick(Int(head)))))
    let past = Picture(ids, in: try store.asOf(moment))

    // One commit after another taken back leads to the same as going back at once.
    let single = session.stage.context()
    var number = head
    while try store.commit(at: moment).rawValue < number {
      try single.revert(.commit(CommitNumber(rawValue: number)))
      number -= 1
    }
    if let difference = past.difference(Picture(ids, in: single)) {
      return "one by one: \(difference)"
    }
    let context = session.stage.context()
    try context.revert(to: moment)
    if let difference = past.difference(Picture(ids, in: context)) {
      return "at once: \(difference)"
    }
    tally.count("commits", Int(head - number))
    let before = Picture(ids, in: session.stage.context())
    context.undo()
    if let difference = before.difference(Picture(ids, in: context)) {
      return "undone: \(difference)"
    }
    context.redo()
    do {
      try context.save()
    } catch let errors as ValidationErrors {
      tally.count("refused by a deny rule")
      return errors.failures.allSatisfy {
        if case .denied = $0.kind { true } else { false }
      } ? nil : "\(errors)"
    }
    let stored = Picture(ids, in: session.stage.context())
    return past.difference(stored).map { "saved: \($0)" }
  }

  @Test func `S52: whatever was saved, everything goes back to what it was at any commit`() throws {
    let campaign = Campaign(count: "XJ_REVERTS", inGate: 60)
    let tally = Tally()
    try campaign.forEachHistory(tally) { seed in
      let session = try RandomSession(seed: seed, contextCount: 1)
      for _ in 0..<80 { session.step() }
      if let difference = try Self.difference(session, tally) {
        tally.violation("seed \(seed): \(difference)\n\(session.story.joined(separator: "\n"))")
      }
    }
    print("reverts: \(tally.summary)")
    #expect(tally["commits"] >= campaign.count)
    #expect(tally.violations.isEmpty, "\(tally.violations)")
  }
}
