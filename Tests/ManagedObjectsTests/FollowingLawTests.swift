import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct FollowingLawTests {
  /// Whoever reads an object of a context anew, and what it is found to have.
  private static func fresh(_ context: ManagedObjectContext) -> ManagedObjectContext? {
    if let parent = context.parent { return ManagedObjectContext(parent: parent) }
    return (context.store as? JournaledStore).map { ManagedObjectContext($0) }
  }

  /// Has contexts that follow hold some of what they show, as programs do, and read where it leads.
  private static func hold(
    _ session: RandomSession, _ followers: [ManagedObjectContext], _ held: inout [ManagedObject]
  ) {
    guard !followers.isEmpty else { return }
    let context = followers[session.dice.pick(followers.count)]
    let entity = ["Blog", "Post", "Comment", "Person"][session.dice.pick(4)]
    guard let object = session.pick(entity, in: context) else { return }
    for relationship in object.entity.relationships where session.dice.chance(2) {
      _ = object.value(forKey: relationship.name)
    }
    held.append(object)
    if held.count > 12 { held.remove(at: session.dice.pick(held.count)) }
  }

  private static func difference(_ session: RandomSession, _ held: [ManagedObject]) -> String? {
    let followers = Array(session.contexts.dropLast())
    for context in followers.reversed() { context.rollback() }
    for context in followers { context.processPendingChanges() }
    let ids = ["Blog", "Post", "Comment", "Person"].flatMap { session.stage.objectIDs($0) }
    for (number, context) in followers.enumerated() {
      guard let fresh = fresh(context) else { return "no context" }
      let all = Set(ids + held.map(\.objectID)).sorted()
      let (shown, read) = (
        Picture(all, in: context, isStored: true), Picture(all, in: fresh, isStored: true)
      )
      if let difference = read.difference(shown) { return "context \(number): \(difference)" }
    }
    return nil
  }

  @Test
  func `S58, S66: whatever parents, children and others do, who follows shows what is there`()
    throws
  {
    let campaign = Campaign(count: "XJ_FOLLOWERS", inGate: 150)
    let tally = Tally()
    try campaign.forEachHistory(tally) { seed in
      let session = try RandomSession(seed: seed) { stage in
        let parent = stage.context()
        let child = ManagedObjectContext(parent: parent)
        let contexts = [parent, child, ManagedObjectContext(parent: child), stage.context()]
        for (number, context) in contexts.enumerated() { context.name = "context \(number)" }
        for context in contexts.dropLast() { context.automaticallyMergesChanges = true }
        return contexts
      }
      var held: [ManagedObject] = []
      for _ in 0..<40 {
        session.step()
        Self.hold(session, session.contexts.dropLast(), &held)
      }
      if let difference = Self.difference(session, held) {
        tally.violation("seed \(seed): \(difference)\n\(session.story.joined(separator: "\n"))")
      }
      tally.count("held", held.count)
    }
    print("followers: \(tally.summary)")
    #expect(tally["held"] > 0)
    #expect(tally.violations.isEmpty, "\(tally.violations)")
  }
}
