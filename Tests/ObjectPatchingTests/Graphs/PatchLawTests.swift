import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import TestSupport
import Testing

/// What must hold of the differences of any graphs.
@Suite struct PatchLawTests {
  @Test func `differences applied, inverted and joined lead where they should`() throws {
    let campaign = Campaign(count: "XJ_PATCHES", inGate: 30)
    let tally = Tally()
    try campaign.forEachHistory(tally) { seed in
      try PatchLaws(seed: seed).check(tally)
    }
    print("patches from seed \(campaign.seed): \(tally.summary)")
    #expect(tally["applied"] >= campaign.count)
    #expect(tally["conflicts"] >= campaign.count / 2)
    #expect(tally["unsaid"] >= campaign.count / 4)
    #expect(tally.violations.isEmpty, "\(tally.violations)")
  }
}

private struct PatchLaws {
  struct Broken: Error, CustomStringConvertible {
    let description: String
  }

  private let store: JournaledStore
  /// A copy of the store as it was after the first commit.
  private let copy: JournaledStore
  private let model: ManagedObjectModel
  private let commits: [CommitNumber]
  private let pictures: [GraphPicture]
  private let isNamed: Bool
  private let habits: [RandomGraph.Habit]
  private let seed: UInt64

  init(seed: UInt64) throws {
    self.seed = seed
    isNamed = seed.isMultiple(of: 2)
    let naming: RandomGraph.Habit = isNamed ? .reusingNames : .losingNames
    habits = seed % 4 < 2 ? [] : [naming, .leavingDeadEnds]
    var graph = try RandomGraph(seed: seed, isNamed: isNamed, habits: habits)
    store = graph.stage.store
    let begun = try graph.goOn(16)
    copy = try graph.stage.copy()
    commits = [begun, try graph.goOn(10), try graph.goOn(8)]
    model = try PatchStage.model()
    pictures = try commits.map { try GraphPicture(graph.stage.store.asOf(.commit($0))) }
  }

  func check(_ tally: Tally) throws {
    let first = try difference(0, 1)
    let second = try difference(1, 2)
    let both = try first.followed(by: second, model: model)
    let context = ManagedObjectContext(store, isolation: nil)
    try context.revert(to: .commit(commits[0]))
    try expect(context, 0, "reverting")

    try apply(first, to: context, tally)
    try expect(context, 1, "applying a difference")
    try applyAgain(first, to: context, 1, tally)
    // What changes nothing is no step.
    if !first.isEmpty {
      context.undo()
      try expect(context, 0, "undoing a patch")
      context.redo()
      try expect(context, 1, "redoing a patch")
    }
    try takeBack(first.inverted(), in: context, "applying an inverse", tally)
    try apply(both, to: context, tally)
    try expect(context, 2, "applying two that were joined")
    try takeBack(
      both.inverted(), in: context, "applying the inverse of two that were joined", tally)
    try checkUnsaid(first, second, in: context, tally)
    try applyForced(first, second, to: context)
    try checkHalves(first, tally)
    try checkRows(0, 1)
    try checkRows(1, 0)
    try checkRows(0, 2)
    try checkRows(2, 0)
    try checkBack(tally)
    if isNamed {
      try checkOtherStore(first, second, tally)
    } else {
      try checkRefusal(first, tally)
    }
    // What loses its identifier is named by its ID from then on, and a copy has made it under another.
    if !habits.contains(.losingNames) { try checkCopy(first, second) }
    try checkObjects(tally)
  }

  private func difference(_ one: Int, _ other: Int) throws -> Patch {
    let patch = try Patch.difference(
      from: store.asOf(.commit(commits[one])), to: store.asOf(.commit(commits[other])))
    guard try Patch(json: patch.json(), model: model, allowsDynamicKeys: true) == patch else {
      throw Broken(description: "another patch comes back from its JSON")
    }
    return patch
  }

  /// What leads back in time leads there, also to what comes again.
  private func checkBack(_ tally: Tally) throws {
    let context = ManagedObjectContext(store, isolation: nil)
    for (from, to) in [(2, 1), (2, 0)] {
      try context.revert(to: .commit(commits[from]))
      try apply(difference(from, to), to: context, tally)
      guard habits.contains(.losingNames) else {
        try expect(context, to, "applying a difference back in time")
        continue
      }
      // What comes again under its ID is the same to the store: what still led to it leads to it again.
      let picture = try GraphPicture(context).withoutDeadEnds
      if let difference = picture.difference(from: pictures[to].withoutDeadEnds) {
        throw Broken(
          description: "applying a difference back in time leads elsewhere:\n    \(difference)")
      }
    }
  }

  /// What a commit says by itself is what comparing the rows says, and what the store says of two moments.
  private func checkRows(_ one: Int, _ other: Int) throws {
    let rows = try Patch.difference(
      from: store.asOf(.commit(commits[one])), to: store.asOf(.commit(commits[other])),
      options: PatchOptions(wholeEntities: ["Book", "Film", "Note"]))
    let contexts = try difference(one, other)
    guard contexts == Patch(objects: rows.objects.map(\.withOldOfChanged)) else {
      throw Broken(
        description: "the commits say something else than the rows:\n\(contexts)\n\(rows)")
    }
    let moments = try Patch.difference(
      in: store, from: .commit(commits[one]), to: .commit(commits[other]))
    guard moments == contexts else {
      throw Broken(description: "the store says something else of two moments")
    }
  }

  /// Applies an inverse. What was deleted and has an identifier comes again as another object, to which nothing leads
  /// that was not cleared when it went.
  private func takeBack(
    _ inverse: Patch, in context: ManagedObjectContext, _ what: String, _ tally: Tally
  ) throws {
    try apply(inverse, to: context, tally)
    guard habits.contains(.leavingDeadEnds) else { return try expect(context, 0, what) }
    let picture = try GraphPicture(context).withoutDeadEnds
    if let difference = picture.difference(from: pictures[0].withoutDeadEnds) {
      throw Broken(description: "\(what) leads elsewhere:\n    \(difference)")
    }
    try context.revert(to: .commit(commits[0]))
    try expect(context, 0, "reverting again")
  }

  /// What is created under a relationship comes to it, also where neither end says so.
  private func checkUnsaid(
    _ first: Patch, _ second: Patch, in context: ManagedObjectContext, _ tally: Tally
  ) throws {
    let unsaid = Patch(objects: first.objects.map { $0.leavingUnsaid(model) })
    if unsaid == first { return }
    guard try Patch(json: unsaid.json(), model: model, allowsDynamicKeys: true) == unsaid else {
      throw Broken(description: "another patch comes back from JSON that does not say all")
    }
    for inverse in [try unsaid.inverted(), try unsaid.inverted(model: model)] {
      try apply(unsaid, to: context, tally)
      try expect(context, 1, "applying what says nothing of what it creates")
      try takeBack(inverse, in: context, "applying the inverse of that", tally)
    }
    let both = try unsaid.followed(by: second, model: model)
    try apply(both, to: context, tally)
    try expect(context, 2, "applying that and what follows, joined")
    try takeBack(both.inverted(), in: context, "applying the inverse of both", tally)
    tally.count("unsaid")
  }

  /// A relationship that is said at one end only is set at both; where some is said here and some there, both ends lead
  /// to each other.
  private func checkHalves(_ patch: Patch, _ tally: Tally) throws {
    var dice = Dice(seed: seed)
    var dropped: Set = [
      dice.next() % 2 == 0 ? "friends" : "fans", dice.next() % 2 == 0 ? "boss" : "deputy",
      dice.next() % 2 == 0 ? "next" : "previous", "holders", "whole",
    ]
    // What a cascade would delete has to say by itself that it has left.
    if patch.hasWhatLeavesBeforeCascades { dropped.remove("whole") }
    let context = ManagedObjectContext(store, isolation: nil)
    try context.revert(to: .commit(commits[0]))
    try apply(patch.dropping { key in dropped.contains(key) }, to: context, tally)
    try expect(context, 1, "applying what one end says")
    try context.revert(to: .commit(commits[0]))
    // What would go with something, and does not say that it has left that, is a conflict.
    try patch.dropping { _ in dice.next() % 2 == 0 }.apply(to: context, policy: .force)
    if let oneSided = try GraphPicture(context).oneSided { throw Broken(description: oneSided) }
    tally.count("halves")
  }

  private func apply(_ patch: Patch, to context: ManagedObjectContext, _ tally: Tally) throws {
    let expected = try patch.report(applyingTo: context)
    let report = try patch.apply(to: context)
    guard expected.objects.map(\.path) == report.objects.map(\.path) else {
      throw Broken(description: "the report beforehand is not that of applying")
    }
    tally.count("applied")
    tally.count("objects", report.objects.count)
  }

  private func applyAgain(
    _ patch: Patch, to context: ManagedObjectContext, _ place: Int, _ tally: Tally
  ) throws {
    if patch.isEmpty { return }
    do {
      try patch.apply(to: context)
      // What only swaps names finds all as it says it is, and swaps them again.
      if let misfit = pictures[place].misfit(of: patch) {
        throw Broken(description: "applying twice found no conflict, and \(misfit)")
      }
      tally.count("applied again")
      context.undo()
    } catch let conflicts as PatchConflicts {
      tally.count("conflicts", conflicts.conflicts.count)
    } catch let error as PatchError where error.code == .ambiguousObject {
      // What was renamed is there, and so is what has taken its name.
      tally.count("conflicts")
    }
    try expect(context, place, "applying twice")
  }

  /// What was made of one state does not break another, whatever becomes of it there.
  private func applyForced(
    _ first: Patch, _ second: Patch, to context: ManagedObjectContext
  ) throws {
    for policy in PatchPolicy.allCases {
      do {
        try second.apply(to: context, policy: policy, named: "\(policy)")
        if context.undoActionName == "\(policy)" { context.undo() }
      } catch is PatchConflicts {
        if policy == .force || policy == .keepOurs {
          throw Broken(description: "there is a conflict though the policy \(policy) decides them")
        }
      } catch let error as PatchError where error.code == .ambiguousObject {}
      try expect(context, 0, "undoing a patch under the policy \(policy)")
    }
  }

  /// A store follows another by patches, and is compared with it.
  private func checkOtherStore(_ first: Patch, _ second: Patch, _ tally: Tally) throws {
    let follower = try PatchStage(seed: seed &+ 1)
    let context = follower.context()
    try apply(.difference(in: store, from: .commit(0), to: .commit(commits[0])), to: context, tally)
    try expect(context, 0, "filling another store")
    try context.save()
    try first.apply(to: follower.store)
    try expect(follower.context(), 1, "following")
    try second.apply(to: follower.store)
    try expect(follower.context(), 2, "following again")
    let back = try Patch.difference(from: follower.context(), to: store.asOf(.commit(commits[0])))
    let last = follower.context()
    try apply(back, to: last, tally)
    try expect(last, 0, "applying the difference of two stores")
  }

  /// A store of another lineage takes nothing that is named by an ID.
  private func checkRefusal(_ patch: Patch, _ tally: Tally) throws {
    let isForeign = patch.dropping { _ in false }.objects.contains { object in
      guard case .objectID = object.identity.identifier else { return false }
      let named = object.kind == .creation ? object.new?["guid"] : object.old?["guid"]
      return named?.isNull ?? true
    }
    if !isForeign { return }
    let other = try PatchStage(seed: seed &+ 1)
    for policy in PatchPolicy.allCases {
      do {
        try patch.apply(to: other.store, policy: policy)
        throw Broken(description: "another lineage takes objects by their IDs")
      } catch let error as PatchError where error.code == .otherLineage {
        tally.count("other lineages")
      }
    }
    guard other.store.lastCommit == .none else {
      throw Broken(description: "another lineage has a commit")
    }
  }

  /// A copy of the store follows it, also with objects that have no identifiers.
  private func checkCopy(_ first: Patch, _ second: Patch) throws {
    for (place, patch) in [(1, first), (2, second)] {
      try patch.apply(to: copy)
      try expect(ManagedObjectContext(copy, isolation: nil), place, "following in a copy")
    }
    let left = try Patch.difference(
      from: ManagedObjectContext(copy, isolation: nil),
      to: ManagedObjectContext(store, isolation: nil))
    guard left.isEmpty else {
      throw Broken(description: "a copy that follows is left with \(left)")
    }
  }

  /// What two objects lead to becomes the same.
  private func checkObjects(_ tally: Tally) throws {
    let (old, new) = (
      try store.asOf(.commit(commits[0])), try store.asOf(.commit(commits[2]))
    )
    let context = ManagedObjectContext(store, isolation: nil)
    try context.revert(to: .commit(commits[0]))
    for object in try old.fetch(FetchRequest("Thing")).prefix(3) {
      guard let other = try? new.existingObject(with: object.objectID) else { continue }
      let patch = try Patch.difference(from: object, to: other)
      guard patch.objects.count < 2 || patch.objects.allSatisfy({ !$0.isEmpty }) else {
        throw Broken(description: "the difference of two objects has empty parts")
      }
      do {
        try apply(patch, to: context, tally)
      } catch let conflicts as PatchConflicts
        where conflicts.conflicts.allSatisfy({ $0.kind == .objectExists })
      {
        // What has given its name up cannot be reached from the two, and so has it still.
        try expect(context, 0, "a conflict of two objects")
        tally.count("names not free")
        continue
      } catch let error as PatchError where error.code == .ambiguousObject {
        try expect(context, 0, "a name of two objects")
        tally.count("names not free")
        continue
      }
      let left = try Patch.difference(
        from: try context.existingObject(with: object.objectID), to: other)
      guard left.isEmpty else {
        throw Broken(description: "applying the difference of two objects leaves \(left)")
      }
      if !patch.isEmpty { context.undo() }
      try expect(context, 0, "undoing the difference of two objects")
      tally.count("object pairs")
    }
  }

  private func expect(_ context: ManagedObjectContext, _ place: Int, _ what: String) throws {
    if let difference = try GraphPicture(context).difference(from: pictures[place]) {
      throw Broken(description: "\(what) leads elsewhere:\n    \(difference)")
    }
  }
}

extension Patch {
  /// The patch without nesting, and without what some relationships come to lead to or lead to no more.
  fileprivate func dropping(_ isDropped: (String) -> Bool) -> Patch {
    Patch(objects: objects.flatMap { $0.dropping(isDropped) })
  }
}

extension Patch {
  /// Whether parts of something that is deleted are not deleted with it.
  fileprivate var hasWhatLeavesBeforeCascades: Bool {
    let deletions = dropping { _ in false }.objects.filter { $0.kind == .deletion }
    let gone = Set(deletions.map(\.identity))
    return deletions.contains { deletion in
      deletion.relationships["parts"]?.removed.contains { !gone.contains($0.identity) } ?? false
    }
  }
}

extension ObjectPatch {
  fileprivate func dropping(_ isDropped: (String) -> Bool) -> [ObjectPatch] {
    var (own, nested) = (self, [ObjectPatch]())
    for (key, relationship) in relationships.sorted(by: { $0.key < $1.key }) {
      nested += relationship.patches.flatMap { $0.dropping(isDropped) }
      own.relationships[key]?.patches = []
      if isDropped(key) { own.relationships[key] = nil }
    }
    return [own] + nested
  }

  /// The patch that says at no end of what it creates under relationships without an order that it comes to them.
  fileprivate func leavingUnsaid(_ model: ManagedObjectModel) -> ObjectPatch {
    var patch = self
    let names =
      [identity] + (new?["guid"].map { [PatchIdentity(identity.entityName, "guid", $0)] } ?? [])
    for (key, relationship) in relationships {
      let inverse = model.entity(named: identity.entityName)?.relationship(key)?.inverse
      var bare = relationship
      bare.patches = relationship.patches.map { child in
        var child = child.leavingUnsaid(model)
        guard kind != .deletion, child.kind == .creation, relationship.kind != .ordered else {
          return child
        }
        if let inverse, let back = child.relationships[inverse] {
          if back.kind == .ordered { return child }
          child.relationships[inverse]?.added.removeAll { names.contains($0.identity) }
          if child.relationships[inverse]?.isEmpty ?? false { child.relationships[inverse] = nil }
        }
        bare.added.removeAll { $0.identity == child.identity }
        return child
      }
      patch.relationships[key] = bare
    }
    return patch
  }

  /// The patch with old values of those attributes only that it changes.
  fileprivate var withOldOfChanged: ObjectPatch {
    var patch = self
    if kind == .update { patch.old = old?.filter { new?[$0.key] != nil } }
    for key in relationships.keys {
      patch.relationships[key]?.patches = relationships[key]?.patches.map(\.withOldOfChanged) ?? []
    }
    return patch
  }
}
