import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport

// What programs do with a context as a whole, at random.
extension SessionPair {
  func process(_ side: Side) {
    tell(side, "process")
    side.context.processPendingChanges()
    side.naive.processPendingChanges()
  }

  func beginGroup(_ side: Side) {
    guard side.groupCount < 2 else { return }
    side.groupCount += 1
    tell(side, "begin a group")
    side.context.beginUndoGrouping()
    side.naive.beginGroup()
  }

  func endGroup(_ side: Side) {
    guard side.groupCount > 0 else { return }
    side.groupCount -= 1
    tell(side, "end a group")
    side.context.endUndoGrouping()
    side.naive.endGroup()
  }

  func undo(_ side: Side) {
    tell(side, "undo")
    side.context.undo()
    side.naive.undo()
  }

  func redo(_ side: Side) {
    tell(side, "redo")
    side.context.redo()
    side.naive.redo()
  }

  func rollback(_ side: Side) {
    tell(side, "rollback")
    side.context.rollback()
    side.naive.rollback()
  }

  func refresh(_ side: Side) {
    guard let id = pick(dice.pick(4) == 0 ? "Blog" : "Post", side) else { return }
    tell(side, "refresh \(hold(side, id))")
    side.context.refresh(hold(side, id), mergeChanges: true)
    side.naive.refresh(id)
  }

  func refreshOne(_ side: Side) {
    guard let id = pick(["Comment", "Person"][dice.pick(2)], side) else { return }
    tell(side, "refresh \(hold(side, id))")
    side.context.refresh(hold(side, id), mergeChanges: true)
    side.naive.refresh(id)
  }

  /// Brings in the last commit, unless the context has something of it that the store never had.
  func mergeLast(_ side: Side) {
    guard world.head > 0,
      let commit = try? stage.store.commits(since: stage.store.lastCommit.previous).last
    else { return }
    let objects = commit.changes.compactMap { side.naive.objects[$0.objectID] }
    guard objects.allSatisfy({ $0.snapshot != nil }) else { return }
    tell(side, "merge commit \(commit.number)")
    side.context.merge(from: commit)
    side.naive.merge(from: world.head)
  }

  /// Makes a fault, and fires it at once.
  func giveUp(_ side: Side) {
    guard let id = pick("Post", side) else { return }
    tell(side, "give up \(hold(side, id))")
    side.context.refresh(hold(side, id), mergeChanges: false)
    _ = hold(side, id).value(forKey: "title")
    side.naive.giveUp(id)
  }

  func refreshAll(_ side: Side) {
    tell(side, "refresh all")
    side.context.refreshAllObjects()
    side.naive.refreshAll()
  }

  func save(_ side: Side, _ policy: NaivePolicy) {
    side.context.mergePolicy = policy.merging
    let outcome = NaiveOutcome(world) { try side.context.save() }
    tell(side, "save under \(policy): \(outcome)")
    check(side, outcome, side.naive.save(policy))
  }

  func saveAgain(_ side: Side) {
    let (policy, count) = (NaivePolicy.allCases[dice.pick(5)], 1 + dice.pick(2))
    side.context.mergePolicy = policy.merging
    let outcome = NaiveOutcome(world) { try side.context.save(retrying: count) }
    tell(side, "save under \(policy), retrying \(count): \(outcome)")
    check(side, outcome, side.naive.save(policy, retrying: count))
  }

  private func check(_ side: Side, _ outcome: NaiveOutcome, _ expected: NaiveOutcome) {
    if outcome != expected {
      return differs("\(side.number): save is \(outcome)\n  and not \(expected)")
    }
    if case .saved = outcome {
      compareStore()
      do throws(StoreError) {
        let broken = try stage.brokenEnds()
        if !broken.isEmpty { differs("\(side.number): \(broken)") }
      } catch {
        differs("the store cannot be read: \(error)")
      }
    }
  }
}
