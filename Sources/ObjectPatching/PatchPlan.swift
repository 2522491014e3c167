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

  /// What becomes of one object.
  struct Step {
    let entry: FlatPatch.Entry
    let info: EntityInfo
    /// The object, where it is there.
    var object: ObjectID?
    /// What is done; nil for nothing.
    var effect: ObjectPatch.Kind?
    /// Attributes that are set, null for no value.
    var values: [String: Value] = [:]
    /// Whether the delegate patches the attributes.
    var isByHand = false
    /// Relationships that change, and that the objects at the other ends hold.
    var keysHeldElsewhere: [String] = []

    var path: PatchPath { entry.path }
    var patch: ObjectPatch { entry.patch }
  }

  let context: ManagedObjectContext
  let policy: PatchPolicy
  let flat: FlatPatch
  let lookup: PatchLookup
  var steps: [Step] = []
  /// Where relationships are to lead, by object and key.
  var links: [Target: [KeyNumber: Link]] = [:]
  /// The conflicts that keep the patch from being applied, in its order.
  var conflicts: [PatchConflict] { noted.sorted { $0.index < $1.index }.map(\.conflict) }
  private var noted: [(index: Int, conflict: PatchConflict)] = []
  private var decided: [PatchConflict] = []
  private var found: [PatchIdentity: ObjectID?] = [:]
  /// Objects that go, or are named otherwise, so that others may have what they were named by.
  private var freed: Set<ObjectID> = []

  init(
    _ patch: Patch, _ context: ManagedObjectContext, _ policy: PatchPolicy,
    _ delegate: (any PatchDelegate)?
  ) throws {
    self.context = context
    self.policy = policy
    flat = try FlatPatch(patch)
    lookup = PatchLookup(context)
    let check = PatchCheck(context: context, lookup: lookup, delegate: delegate)
    for entry in flat.entries {
      let (info, checked) = try check.checked(entry)
      var step = Step(entry: checked, info: info)
      step.isByHand = delegate?.patchesByHand(entityNamed: info.name) ?? false
      steps.append(step)
    }
    try findObjects()
    for index in steps.indices { try decide(index) }
    for index in steps.indices { try planValues(index) }
    try planLinks()
  }

  // MARK: Objects

  private mutating func findObjects() throws {
    var taken: Set<ObjectID> = []
    for index in steps.indices where steps[index].patch.kind != .creation {
      let (patch, path) = (steps[index].patch, steps[index].path)
      var found = try object(patch.identity, at: path)
      // It may have its new name already.
      if found == nil, patch.kind == .update, let identity = patch.identityAfter,
        flat.before[identity] == nil
      {
        found = try object(identity, at: path)
      }
      guard let object = found else { continue }
      guard taken.insert(object).inserted else {
        throw PatchError(
          .repeatedObject, at: path,
          "the changes of \(patch.identity) stand in several places; put them in one.")
      }
      steps[index].object = object
      if patch.identityAfter != patch.identity { freed.insert(object) }
    }
  }

  /// The object of an identity as it is before the patch.
  func objectBefore(_ identity: PatchIdentity, at path: PatchPath) throws -> ObjectID? {
    if let index = flat.before[identity] { return steps[index].object }
    return try lookup.object(identity, at: path)
  }

  /// What an identity means after the patch; nil for nothing.
  mutating func target(_ identity: PatchIdentity, at path: PatchPath) throws -> Target? {
    if let index = flat.after[identity] {
      if steps[index].effect == .creation { return .made(index) }
      if let object = steps[index].object { return .existing(object) }
    }
    guard let object = try object(identity, at: path), !freed.contains(object) else { return nil }
    return .existing(object)
  }

  private mutating func object(_ identity: PatchIdentity, at path: PatchPath) throws -> ObjectID? {
    if let known = found[identity] { return known }
    let object = try lookup.object(identity, at: path)
    found[identity] = .some(object)
    return object
  }

  private mutating func decide(_ index: Int) throws {
    let (patch, path) = (steps[index].patch, steps[index].path)
    switch patch.kind {
    case .update where steps[index].object != nil:
      steps[index].effect = .update
      guard let identity = patch.identityAfter, identity != patch.identity else { return }
      if let other = try object(identity, at: path), !freed.contains(other) {
        throw PatchError(
          .ambiguousObject, at: path,
          "\(patch.identity) cannot become \(identity), which is there already; change that first.")
      }
    case .deletion where steps[index].object != nil: steps[index].effect = .deletion
    case .update: if note(.objectMissing, index) { steps[index].effect = .creation }
    case .deletion: _ = note(.objectMissing, index)
    case .creation:
      guard let other = try object(patch.identity, at: path), !freed.contains(other) else {
        steps[index].effect = .creation
        return
      }
      steps[index].object = other
      if policy == .merge || note(.objectExists, index) { steps[index].effect = .update }
    }
  }

  // MARK: Values

  private mutating func planValues(_ index: Int) throws {
    let step = steps[index]
    guard let effect = step.effect else { return }
    var values = step.patch.new ?? [:]
    if effect == .creation {
      if step.patch.kind == .update {
        // What it had elsewhere goes with it, where it may have that here.
        let old = (step.patch.old ?? [:]).filter { key, value in
          step.info.property(key)?.attribute?.type.admits(value) ?? true
        }
        values.merge(old) { new, _ in new }
      }
      if case .attribute(let key, let value) = step.patch.identity.identifier {
        values[key] = values[key] ?? value
        if step.isByHand { values = [key: values[key] ?? value] }
      } else if step.isByHand {
        values = [:]
      }
      steps[index].values = values
      return
    }
    guard let object = step.object, let row = try context.rowShown(of: object) else { return }
    if effect == .deletion { return try planDeletion(index, object, row) }
    if step.isByHand { return }
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      let number = step.info.property(key)?.key ?? context.store.existingKey(named: key)
      let current = number.flatMap { row[$0] } ?? .null
      // What comes to be over what is there was nothing before.
      let old = step.patch.kind == .creation ? .null : step.patch.old?[key]
      if current == value, policy != .refuse || old == nil { continue }
      if let old, old != current {
        // That something comes to be which is there has been told of already.
        if step.patch.kind == .creation, policy == .force {
          steps[index].values[key] = value
          continue
        }
        if policy == .merge, let number,
          case .merged(let merged) = ValueMerge(
            base: old, ours: value, theirs: current, context.mergeKindsOfObjects(object, number))
        {
          steps[index].values[key] = merged ?? .null
          continue
        }
        guard note(.value, index, key: key, old: old, new: value, current: current) else {
          continue
        }
      }
      steps[index].values[key] = value
    }
  }

  /// What goes is to be what the patch says, or what others have made of it would be lost.
  private mutating func planDeletion(_ index: Int, _ object: ObjectID, _ row: Row) throws {
    let step = steps[index]
    if step.isByHand { return }
    var isKept = false
    let old = step.patch.old ?? [:]
    for (key, value) in old.sorted(by: { $0.key < $1.key }) {
      let number = step.info.property(key)?.key ?? context.store.existingKey(named: key)
      let current = number.flatMap { row[$0] } ?? .null
      if current == value { continue }
      if !note(.value, index, key: key, old: value, new: nil, current: current) { isKept = true }
    }
    // Where all of it is said, what is there besides was added since.
    let isWhole = step.info.properties.allSatisfy {
      $0.attribute == nil || $0.isTransient || old[$0.name] != nil
    }
    for entry in row.entries where isWhole && step.info.property(entry.key) == nil {
      guard let name = context.store.name(of: entry.key), old[name] == nil else { continue }
      if !note(.value, index, key: name, old: nil, new: nil, current: entry.value) { isKept = true }
    }
    if isKept { steps[index].effect = nil }
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
    case .force, .keepOurs: decided.append(conflict)
    }
    return policy == .force
  }

  /// Whether nothing is done.
  var isEmpty: Bool { steps.indices.allSatisfy { keys(ofStep: $0) == nil } }

  /// The keys that a step sets, in their order; nil where it does nothing.
  private func keys(ofStep index: Int) -> [String]? {
    let step = steps[index]
    guard let effect = step.effect else { return nil }
    let target = effect == .creation ? Target.made(index) : step.object.map(Target.existing)
    var linked = step.keysHeldElsewhere
    if let links = target.flatMap({ links[$0] }) {
      linked += links.values.filter { $0.isChange && !$0.isImplied }.map(\.property.name)
    }
    if effect == .update, step.values.isEmpty, linked.isEmpty, !step.isByHand { return nil }
    return (Array(step.values.keys) + linked).sorted()
  }

  /// What is done, or would be.
  ///
  /// - Parameter made: the objects that were made, by the places of their steps.
  func report(_ made: [Int: ObjectID] = [:]) -> PatchReport {
    var objects: [PatchReport.Object] = []
    for (index, step) in steps.enumerated() {
      guard let effect = step.effect, let keys = keys(ofStep: index) else { continue }
      objects.append(
        PatchReport.Object(
          path: step.path, identity: step.patch.identity, objectID: step.object ?? made[index],
          kind: effect, keys: keys))
    }
    return PatchReport(objects: objects, conflicts: decided)
  }
}
