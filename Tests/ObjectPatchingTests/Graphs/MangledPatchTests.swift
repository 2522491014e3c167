import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import TestSupport
import Testing

/// What must hold of patches that nobody in his right mind would make.
@Suite struct MangledPatchTests {
  @Test func `S81: whatever a patch says, it is applied whole, or nothing is changed`() throws {
    let campaign = Campaign(count: "XJ_MANGLED_PATCHES", inGate: 40)
    let tally = Tally()
    try campaign.forEachHistory(tally) { seed in
      var mangling = try Mangling(seed: seed)
      for _ in 0..<6 { try mangling.check(tally) }
      for _ in 0..<4 { try mangling.checkJoined(tally) }
    }
    print("mangled patches from seed \(campaign.seed): \(tally.summary)")
    #expect(tally["applied"] >= campaign.count)
    #expect(tally["refused"] >= campaign.count)
    #expect(tally["joined"] >= campaign.count / 8)
    #expect(tally["not joined"] >= campaign.count / 4)
    #expect(tally.violations.isEmpty, "\(tally.violations)")
  }
}

private struct Mangling {
  struct Broken: Error, CustomStringConvertible {
    let description: String
  }

  private let store: JournaledStore
  private let commits: [CommitNumber]
  private var dice: Dice
  private var identities: [PatchIdentity] = []

  init(seed: UInt64) throws {
    dice = Dice(seed: seed)
    let habits: [RandomGraph.Habit] = [.reusingNames, .losingNames, .leavingDeadEnds]
    var graph = try RandomGraph(
      seed: seed, isNamed: false, habits: Array(habits.prefix(Int(seed % 4))))
    store = graph.stage.store
    commits = [try graph.goOn(16), try graph.goOn(10), try graph.goOn(8)]
  }

  private mutating func roll(_ count: Int) -> Int { Int(dice.next() % UInt64(count)) }

  mutating func check(_ tally: Tally) throws {
    guard let patch = try patch() else { return }
    let context = try context()
    for policy in PatchPolicy.allCases { try check(patch, policy, context, tally) }
  }

  /// Two that know nothing of each other are not joined, or to one that is as any other.
  mutating func checkJoined(_ tally: Tally) throws {
    guard let one = try patch(), let other = try patch() else { return }
    let (model, context) = (try PatchStage.model(), try context())
    let joined: Patch
    do throws(PatchError) {
      joined = try one.followed(by: other, model: model)
    } catch {
      return tally.count("not joined")
    }
    guard joined.objects.flatMap(\.identities).allSatisfy({ !$0.isNameless }) else {
      throw Broken(description: "joining gives names that nothing has: \(joined)")
    }
    tally.count("joined")
    for policy in PatchPolicy.allCases { try check(joined, policy, context, tally) }
  }

  /// A mangled difference; nil where nothing differs.
  private mutating func patch() throws -> Patch? {
    var patch = try Patch.difference(
      from: store.asOf(.commit(commits[roll(3)])), to: store.asOf(.commit(commits[roll(3)])))
    identities = patch.objects.flatMap(\.identities)
    if identities.isEmpty { return nil }
    for _ in 0...roll(4) { patch.objects = mangled(patch.objects) }
    return patch
  }

  /// A context with the store as it is at any of the moments.
  private mutating func context() throws -> ManagedObjectContext {
    let context = ManagedObjectContext(store, isolation: nil)
    try context.revert(to: .commit(commits[roll(3)]))
    try context.save()
    return context
  }

  private func check(
    _ patch: Patch, _ policy: PatchPolicy, _ context: ManagedObjectContext, _ tally: Tally
  ) throws {
    let (before, names, events) = (
      try GraphPicture(context), try doubledNames(context), try store.events().count
    )
    func expectBefore(_ what: String) throws {
      if let difference = try GraphPicture(context).difference(from: before) {
        throw Broken(description: "\(what) under \(policy) leaves\n    \(difference)\n\(patch)")
      }
    }
    var report: PatchReport?
    do {
      report = try patch.apply(to: context, policy: policy, named: "\(policy)")
    } catch is PatchError {
      try expectBefore("an error")
      tally.count("refused")
    } catch is PatchConflicts {
      try expectBefore("a conflict")
      tally.count("conflicts")
      guard policy == .refuse || policy == .merge else {
        throw Broken(description: "\(policy) decides all conflicts")
      }
    }
    if context.undoActionName != "\(policy)" {
      guard try !context.hasChanges && store.events().count == events else {
        throw Broken(description: "what does nothing under \(policy) leaves a trace: \(patch)")
      }
      return
    }
    if let oneSided = try GraphPicture(context).oneSided {
      throw Broken(description: "\(oneSided) under \(policy): \(patch)")
    }
    for object in report?.objects ?? [] where object.kind != .deletion {
      let found = try object.objectID.map { try context.existingObject(with: $0) }
      guard let found, !found.isDeleted else {
        throw Broken(description: "\(object.identity) is not there under \(policy): \(patch)")
      }
    }
    guard try doubledNames(context).isSubset(of: names) else {
      throw Broken(description: "an identifier is given twice under \(policy): \(patch)")
    }
    context.undo()
    try expectBefore("undoing")
    context.rollback()
    tally.count("applied")
  }

  private func doubledNames(_ context: ManagedObjectContext) throws -> Set<String> {
    var (names, doubled): (Set<String>, Set<String>) = ([], [])
    for entity in ["Book", "Film"] {
      for object in try context.fetch(FetchRequest(entity)) {
        let name = GraphPicture.name(of: object)
        if !names.insert(name).inserted { doubled.insert(name) }
      }
    }
    return doubled
  }

  // MARK: Mangling

  private mutating func identity() -> PatchIdentity {
    var identity = identities[roll(identities.count)]
    if roll(8) == 0, case .attribute(let key, _) = identity.identifier {
      identity.identifier = .attribute(key: key, .string("g\(roll(14))"))
    }
    return identity
  }

  private mutating func mangled(_ patches: [ObjectPatch]) -> [ObjectPatch] {
    var patches = patches
    guard !patches.isEmpty else { return patches }
    let place = roll(patches.count)
    switch roll(6) {
    case 0: patches.append(contentsOf: [ObjectPatch(updating: identity())])
    case 1: patches.remove(at: place)
    case 2: patches.append(patches[place])
    default: patches[place] = mangled(patches[place])
    }
    return patches
  }

  private mutating func mangled(_ patch: ObjectPatch) -> ObjectPatch {
    var patch = patch
    let keys = patch.relationships.keys.sorted()
    switch roll(9) {
    case 0: patch.identity = identity()
    case 1: patch.new = roll(3) == 0 ? nil : patch.old
    case 2: patch.old = roll(3) == 0 ? nil : patch.new
    case 3: patch.new?["guid"] = roll(3) == 0 ? .null : .string("g\(roll(14))")
    case 4: patch.old?["guid"] = .string("g\(roll(14))")
    case 5:
      let (key, kind): (String, RelationshipPatch.Kind) =
        [
          ("parent", .toOne), ("boss", .toOne), ("deputy", .toOne), ("whole", .toOne),
          ("friends", .toMany), ("fans", .toMany), ("holders", .toMany), ("children", .toMany),
          ("items", .ordered), ("parts", .ordered), ("path", .ordered), ("see", .toOne),
        ][roll(12)]
      let position = kind == .ordered ? roll(3) : nil
      let member = RelationshipPatch.Member(identity(), position: position)
      if roll(3) == 0 {
        patch.relationships[key, default: RelationshipPatch(kind)].removed.append(member)
      } else {
        patch.relationships[key, default: RelationshipPatch(kind)].added.append(member)
      }
    default:
      guard !keys.isEmpty else { return patch }
      let key = keys[roll(keys.count)]
      patch.relationships[key] = patch.relationships[key].map { mangled($0) }
    }
    return patch
  }

  private mutating func mangled(_ patch: RelationshipPatch) -> RelationshipPatch {
    var patch = patch
    switch roll(5) {
    case 0: patch.removed = []
    case 1: patch.added = []
    case 2: (patch.removed, patch.added) = (patch.added, patch.removed)
    case 3 where !patch.added.isEmpty: patch.added[roll(patch.added.count)].identity = identity()
    default: patch.patches = mangled(patch.patches)
    }
    return patch
  }
}

extension ObjectPatch {
  /// All that it names.
  fileprivate var identities: [PatchIdentity] {
    var all = [identity]
    for (_, patch) in relationships.sorted(by: { $0.key < $1.key }) {
      all += (patch.removed + patch.added).map(\.identity)
      for inner in patch.patches { all += inner.identities }
    }
    return all
  }
}

extension PatchIdentity {
  fileprivate var isNameless: Bool {
    guard case .attribute(let key, _) = identifier else { return false }
    return key.isEmpty
  }
}
