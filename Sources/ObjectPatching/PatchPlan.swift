internal import EventFold
internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

/// What applying a patch to a context does, worked out without doing any of it.
struct PatchPlan {
  /// An object that is there, or one that the patch makes.
  enum Target: Hashable {
    case existing(ObjectID)
    /// By the place of its step.
    case made(Int)
  }

  /// Where a relationship is to lead.
  struct Link {
    let property: Property
    /// Where it leads now.
    let former: [Target]
    var targets: [Target]
    /// Whether the patch says it at the other end only.
    var isImplied = false

    /// Whether it is to lead elsewhere than now.
    var isChange: Bool { targets != former }
  }

  /// A relationship of an object.
  struct LinkEnd: Hashable {
    let target: Target
    let key: KeyNumber
  }

  /// What becomes of one object.
  struct Step {
    let entry: FlatPatch.Entry
    let info: EntityInfo
    /// The object, where it is there.
    var object: ObjectID?
    /// What the object is named by after the patch, where that is another identifier than before.
    var newName: PatchIdentity?
    /// What is done; nil for nothing.
    var effect: ObjectPatch.Kind?
    /// Attributes that are set, null for no value.
    var values: [String: Value] = [:]
    /// Whether the delegate patches the attributes, but for the identifier.
    var isByHand = false
    /// Relationships that change, and that the objects at the other ends hold.
    var keysHeldElsewhere: [String] = []
    /// Whether it is not renamed, as another object has the name and the policy leaves it that.
    var keepsName = false

    var path: PatchPath { entry.path }
    /// Copied where it is asked for; of many steps, their entry is.
    var patch: ObjectPatch { entry.patch }
    var kind: ObjectPatch.Kind { entry.patch.kind }

    /// Whether a deletion says all of its object: what is there besides was added since.
    var saysAll: Bool { patch.saysAll(of: info.properties.lazy.compactMap(\.attribute)) }

    /// The values of a patch that is made by hand that are set all the same: that by which others find the object.
    func identifierAlone(of values: [String: Value]) -> [String: Value] {
      values.filter { info.property($0.key)?.attribute?.isIdentifier ?? false }
    }

    /// Whether the delegate has anything to patch: attributes that change, or those of what comes to be here and was
    /// elsewhere.
    var asksDelegate: Bool {
      guard isByHand, let effect, effect != .deletion else { return false }
      let values = effect == .creation ? [patch.new, patch.old] : [patch.new]
      return values.contains { values in
        let values = values ?? [:]
        return values.count > identifierAlone(of: values).count
      }
    }
  }

  let context: ManagedObjectContext
  let policy: PatchPolicy
  let flat: FlatPatch
  /// Whether a delegate may make objects.
  let hasDelegate: Bool
  let lookup: PatchLookup
  var steps: [Step] = []
  /// Where relationships are to lead, by object and key.
  var links: [Target: [KeyNumber: Link]] = [:]
  /// The same relationships, in the order in which the patch says them.
  var linkOrder: [LinkEnd] = []
  /// The conflicts that keep the patch from being applied, in its order.
  var conflicts: [PatchConflict] { noted.sorted { $0.index < $1.index }.map(\.conflict) }
  private var noted: [(index: Int, conflict: PatchConflict)] = []
  /// The conflicts that the policy has decided.
  private var decided: [(index: Int, conflict: PatchConflict)] = []
  var found: [PatchIdentity: ObjectID?] = [:]
  /// The steps that mean objects.
  var taken: [ObjectID: Int] = [:]
  /// Objects that go, and objects that are named otherwise, so that others may have what they were named by.
  var going: Set<ObjectID> = []
  var renamed: Set<ObjectID> = []
  /// Objects that were to be named otherwise, and that the policy leaves what they are named by.
  var keepingNames: Set<ObjectID> = []
  /// The places of steps that are named by an ID, and whose objects get an identifier, by that.
  var newlyNamed: [PatchIdentity: Int] = [:]
  /// The IDs under which objects come to be that were not given here.
  var idsTakenOver: Set<ObjectID> = []
  /// What other contexts have made and not saved, where that was asked for.
  var madeElsewhere: Set<ObjectID>?
  /// Ends of relationships to one that do not lead where the patch says, and stay as they are.
  var endsLeft: Set<LinkEnd> = []
  /// The owners that objects come to of which they can have one, by the ends that are to lead there.
  var comers: [LinkEnd: Target] = [:]
  /// Ends of which several things are said.
  var contested: Set<LinkEnd> = []
  /// What leads to objects by the patch and did not before, once deletions are looked at.
  var leading: [LinkEnd: [Target]] = [:]
  /// What deletions would take with them that is to stay, by the places of their steps. The policy keeps what would be
  /// deleted then.
  var withheld: [Int: [CascadeLoss]] = [:]
  /// Objects of which nothing is to stay, nor of what they take along.
  var losingNothing: Set<Target> = []
  /// What goes with what is deleted, besides what the patch deletes itself.
  var goingAlong: [ObjectID] = []

  init(
    _ patch: Patch, _ context: ManagedObjectContext, _ policy: PatchPolicy,
    _ delegate: (any PatchDelegate)?
  ) throws {
    self.context = context
    self.policy = policy
    hasDelegate = delegate != nil
    flat = try FlatPatch(patch, context.store.model)
    lookup = PatchLookup(context)
    let check = PatchCheck(context: context, lookup: lookup, delegate: delegate)
    steps.reserveCapacity(flat.entries.count)
    found.reserveCapacity(flat.entries.count)
    taken.reserveCapacity(flat.entries.count)
    for entry in flat.entries {
      let (info, checked) = try check.checked(entry)
      var step = Step(entry: checked, info: info)
      step.isByHand = delegate?.patchesByHand(entityNamed: info.name) ?? false
      steps.append(step)
    }
    try findObjects()
    try plan()
  }

  private mutating func plan() throws {
    guard policy == .keepOurs else { return try planOnce() }
    let begun = self
    var before: Set<Int> = []
    for _ in 0..<Self.mostRounds {
      try planOnce()
      let found = withheld
      guard found.count > before.count else { return }
      before = Set(found.keys)
      // Names are not free that were taken for free, where what would go has to stay.
      self = begun
      withheld = found
    }
    throw PatchError(
      .tooLarge, at: before.min().map { steps[$0].path } ?? PatchPath(),
      "what stays has ever more stay, over and over; apply the patch in parts, or under another policy."
    )
  }

  /// How often all is planned anew as more is to stay. What follows from one plan is found by that, but for what several
  /// objects that do not come were to have.
  private static let mostRounds = 32

  private mutating func planOnce() throws {
    // Only what does go leaves its name to others.
    try decideDeletions()
    try noteNames()
    for index in steps.indices where steps[index].kind != .deletion { try decide(index) }
    for index in steps.indices where steps[index].kind != .deletion { try planValues(index) }
    try planLinks()
    try checkCascades()
  }

  mutating func keep(_ index: Int) { steps[index].effect = nil }

  // MARK: Conflicts

  /// Notes a conflict.
  ///
  /// - Returns: whether what the patch says is done all the same.
  mutating func note(
    _ kind: PatchConflict.Kind, _ index: Int, key: String? = nil, identity: PatchIdentity? = nil,
    old: Value? = nil, new: Value? = nil, current: Value? = nil
  ) -> Bool {
    let step = steps[index]
    let conflict = PatchConflict(
      path: key.map { step.path.appending($0) } ?? step.path,
      identity: identity ?? step.patch.identity,
      objectID: identity == nil ? step.object : nil, kind: kind, key: key, old: old, new: new,
      current: current)
    switch policy {
    case .refuse, .merge: noted.append((index, conflict))
    case .force, .keepOurs: decided.append((index, conflict))
    }
    return policy == .force
  }

  /// The object of a step, once it is known what becomes of it.
  func target(ofStep index: Int) -> Target? {
    steps[index].effect == .creation ? .made(index) : steps[index].object.map(Target.existing)
  }

  /// Whether nothing is done.
  var isEmpty: Bool { steps.indices.allSatisfy { keys(ofStep: $0) == nil } }

  /// Whether a step does anything.
  func changes(ofStep index: Int) -> Bool { keys(ofStep: index) != nil }

  /// The keys that a step sets, in their order; nil where it does nothing.
  private func keys(ofStep index: Int) -> [String]? {
    guard let effect = steps[index].effect else { return nil }
    var linked = steps[index].keysHeldElsewhere
    if !links.isEmpty, let target = target(ofStep: index), let links = links[target] {
      linked += links.values.filter { $0.isChange && !$0.isImplied }.map(\.property.name)
    }
    let values = steps[index].values.keys
    if effect == .update, values.isEmpty, linked.isEmpty, !steps[index].asksDelegate { return nil }
    return linked.isEmpty ? values.sorted() : (values + linked).sorted()
  }

  /// What is done, or would be.
  ///
  /// - Parameter made: the objects that were made, by the places of their steps.
  /// - Parameter findings: what keeps that from being saved, where it was looked for.
  func report(
    _ made: [Int: ObjectID] = [:], findings: [PatchFinding] = []
  ) -> PatchReport {
    var objects: [PatchReport.Object] = []
    objects.reserveCapacity(steps.count)
    for index in steps.indices {
      guard let effect = steps[index].effect, let keys = keys(ofStep: index) else { continue }
      let entry = steps[index].entry
      objects.append(
        PatchReport.Object(
          path: entry.path, identity: entry.patch.identity,
          objectID: steps[index].object ?? made[index], kind: effect, keys: keys))
    }
    let conflicts = decided.sorted { $0.index < $1.index }.map(\.conflict)
    return PatchReport(
      objects: objects, deletedAlong: goingAlong, conflicts: conflicts, findings: findings)
  }
}
