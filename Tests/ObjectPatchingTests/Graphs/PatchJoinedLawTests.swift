import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import TestSupport
import Testing

/// What must hold of joined patches that say connections at any of their ends, by dice.
@Suite struct PatchJoinedLawTests {
  @Test func `patches that say connections at any ends are joined to what both do`() throws {
    let campaign = Campaign(count: "XJ_PATCHES", inGate: 50)
    let tally = Tally()
    try campaign.forEachHistory(tally) { seed in
      try JoinedLaws(seed: seed).check(tally)
    }
    print("joined patches from seed \(campaign.seed): \(tally.summary)")
    #expect(tally["joined"] >= campaign.count)
    #expect(tally.violations.isEmpty, "\(tally.violations)")
  }
}

private struct JoinedLaws {
  struct Broken: Error, CustomStringConvertible {
    let description: String
  }

  private let store: JournaledStore
  private let commits: [CommitNumber]
  private let pictures: [GraphPicture]
  private let seed: UInt64

  init(seed: UInt64) throws {
    self.seed = seed
    let habits: [RandomGraph.Habit] = seed.isMultiple(of: 2) ? [.reusingNames] : []
    var graph = try RandomGraph(seed: seed, isNamed: true, habits: habits)
    store = graph.stage.store
    commits = [try graph.goOn(16), try graph.goOn(8), try graph.goOn(8)]
    pictures = try commits.map { [store] in try GraphPicture(store.asOf(.commit($0))) }
  }

  func check(_ tally: Tally) throws {
    var dice = Dice(seed: seed)
    // Forth and farther, and forth and back, where what has gone comes again.
    for last in [2, 0, 2, 0] {
      let one = SaidElsewhere(try difference(0, 1), &dice).patch
      let other = SaidElsewhere(try difference(1, last), &dice).patch
      let context = ManagedObjectContext(store, isolation: nil)
      func begin(_ place: Int) throws {
        try context.revert(to: .commit(commits[place]))
      }
      func apply(_ patch: Patch, _ place: Int, _ what: String) throws {
        do {
          try patch.apply(to: context)
        } catch {
          throw Broken(description: "\(what): \(error)\n\(one)\n\(other)\n\(patch)")
        }
        if let difference = try GraphPicture(context).difference(from: pictures[place]) {
          throw Broken(
            description: "\(what) leads elsewhere:\n    \(difference)\n\(one)\n\(other)\n\(patch)")
        }
      }
      try begin(0)
      try apply(one, 1, "the first")
      try apply(other, last, "the second")
      try apply(other.inverted(), 1, "the inverse of the second")
      try apply(one.inverted(), 0, "the inverse of the first")
      let joined = try one.followed(by: other, model: PatchStage.model())
      try apply(joined, last, "both")
      try apply(joined.inverted(), 0, "the inverse of both")
      tally.count("joined")
    }
  }

  private func difference(_ one: Int, _ other: Int) throws -> Patch {
    try Patch.difference(
      from: store.asOf(.commit(commits[one])), to: store.asOf(.commit(commits[other])))
  }
}

/// A difference that says who is whose child at the parent now and then: there alone, or there as well.
private struct SaidElsewhere {
  private(set) var objects: [ObjectPatch] = []

  init(_ patch: Patch, _ dice: inout Dice) {
    for object in patch.objects { flatten(object) }
    for index in objects.indices {
      let object = objects[index]
      guard let own = object.relationships["parent"] else { continue }
      let (isElsewhere, staysHere) = (dice.next() % 3 > 0, dice.next() % 3 == 0)
      guard isElsewhere else { continue }
      for owner in own.removed {
        let place = place { $0.kind != .creation && $0.identity == owner.identity }
        objects[place ?? new(owner.identity)].relationships[
          "children", default: RelationshipPatch(.toMany)
        ].removed.append(.init(object.identity))
      }
      for owner in own.added {
        let place = place { $0.kind != .deletion && $0.nameAfter == owner.identity }
        objects[place ?? new(owner.identity)].relationships[
          "children", default: RelationshipPatch(.toMany)
        ].added.append(.init(object.nameAfter))
      }
      if !staysHere { objects[index].relationships["parent"] = nil }
    }
  }

  var patch: Patch { Patch(objects: objects) }

  private func place(_ isIt: (ObjectPatch) -> Bool) -> Int? { objects.firstIndex(where: isIt) }

  private mutating func new(_ identity: PatchIdentity) -> Int {
    objects.append(ObjectPatch(updating: identity))
    return objects.count - 1
  }

  private mutating func flatten(_ patch: ObjectPatch) {
    var own = patch
    for key in patch.relationships.keys { own.relationships[key]?.patches = [] }
    own.relationships = own.relationships.filter { !$1.removed.isEmpty || !$1.added.isEmpty }
    objects.append(own)
    for (_, relationship) in patch.relationships.sorted(by: { $0.key < $1.key }) {
      for child in relationship.patches { flatten(child) }
    }
  }
}

extension ObjectPatch {
  /// What the object of a difference is named by after it.
  fileprivate var nameAfter: PatchIdentity {
    guard kind == .update, let value = new?["guid"] else { return identity }
    return PatchIdentity(entityName, "guid", value)
  }
}
