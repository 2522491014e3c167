internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

/// Does what a plan says.
struct PatchExecution {
  private let plan: PatchPlan
  private let context: ManagedObjectContext
  private let delegate: (any PatchDelegate)?
  /// The objects that were made, by the places of their steps; held, so that a delegate finds what it has made.
  private var made: [Int: ManagedObject] = [:]
  /// The objects that steps mean.
  private var taken: Set<ObjectID>
  /// The places of steps whose objects the delegate has made, by these.
  private var given: [ObjectID: Int] = [:]

  init(_ plan: PatchPlan, _ delegate: (any PatchDelegate)?) {
    self.plan = plan
    context = plan.context
    self.delegate = delegate
    taken = Set(plan.taken.keys)
  }

  /// - Returns: the objects that were made, by the places of their steps.
  mutating func run() throws -> [Int: ObjectID] {
    let values = try plan.steps.indices.map { try numbered(plan.steps[$0]) }
    try takeOverIDs()
    var revived: [ManagedObject] = []
    // What the delegate makes along with an object may be what an earlier step creates.
    try askDelegate()
    for index in plan.steps.indices
    where plan.steps[index].effect == .creation && made[index] == nil {
      made[index] = insert(plan.steps[index], &revived)
    }
    var changes: [ObjectID: [(key: KeyNumber, value: Value?)]] = [:]
    changes.reserveCapacity(plan.steps.count)
    for index in plan.steps.indices where plan.steps[index].effect != nil {
      guard !values[index].isEmpty, let object = object(index) else { continue }
      changes[object] = values[index]
    }
    for (target, links) in plan.links {
      guard let object = object(of: target) else { continue }
      for (key, link) in links {
        changes[object, default: []].append(
          (key, Self.value(link, try members(link, of: object))))
      }
    }
    context.bring(changes, deleting: [])
    for index in plan.steps.indices where plan.steps[index].asksDelegate {
      let step = plan.steps[index]
      guard let object = object(index) else { continue }
      try delegate?.patch(context.object(with: object), with: step.patch, at: step.path)
    }
    let deleted = plan.steps.lazy.filter { $0.effect == .deletion }.compactMap(\.object)
    context.bring([:], deleting: Set(deleted))
    for object in revived { object.awake(from: .undoOfDelete) }
    return made.mapValues(\.objectID)
  }

  /// The values of a step by the numbers of keys. New keys get theirs before anything is changed.
  private func numbered(_ step: PatchPlan.Step) throws -> [(key: KeyNumber, value: Value?)] {
    var values: [(key: KeyNumber, value: Value?)] = []
    if step.effect == nil || step.effect == .deletion { return values }
    for (name, value) in step.values {
      if let property = step.info.property(name) {
        values.append((property.key, value.unlessNull))
      } else if !value.isNull || context.store.existingKey(named: name) != nil {
        values.append((try context.keyNumber(name), value.unlessNull))
      }
    }
    return values
  }

  /// Has no object but those of the patch get their IDs, not even what the delegate makes meanwhile.
  private func takeOverIDs() throws {
    if plan.idsTakenOver.isEmpty { return }
    let given = context.takeOver(plan.idsTakenOver)
    let step = plan.steps.first { step in
      guard case .objectID(let object) = step.patch.identity.identifier else { return false }
      return step.effect == .creation && given.contains(object)
    }
    guard let step else { return }
    throw PatchError(
      .ambiguousObject, at: step.path,
      "the ID of \(step.patch.identity) was given to another object just now; apply the patch again."
    )
  }

  private mutating func askDelegate() throws {
    guard let delegate else { return }
    _ = context.takeInserted()
    for (index, step) in plan.steps.enumerated()
    where step.effect == .creation && made[index] == nil {
      guard
        let object = try delegate.makeObject(for: step.entry.source, at: step.path, in: context)
      else { continue }
      guard object.context === context, object.entity.name == step.info.name else {
        throw PatchError(
          .delegateFailed, at: step.path,
          "the delegate made \(object) for \(step.patch.identity); make an object of that entity in the context it "
            + "is given.")
      }
      guard taken.insert(object.objectID).inserted else {
        throw PatchError(
          .repeatedObject, at: step.path,
          "the delegate gave \(object) for \(step.patch.identity), and the patch speaks of that elsewhere; give each "
            + "an object of its own.")
      }
      note(object, index)
      try adoptChildren(context.takeInserted())
    }
  }

  private mutating func note(_ object: ManagedObject, _ index: Int) {
    made[index] = object
    given[object.objectID] = index
  }

  private func insert(_ step: PatchPlan.Step, _ revived: inout [ManagedObject]) -> ManagedObject {
    if case .objectID(let id) = step.patch.identity.identifier, let found = context.insert(id) {
      if found.isRevived { revived.append(found.object) }
      return found.object
    }
    return context.insert(step.info.name)
  }

  /// What a delegate has made along with an object is not made again.
  private mutating func adoptChildren(_ objects: [ObjectID]) throws {
    for object in objects where !taken.contains(object) {
      guard let info = context.schema.entity(object.entity),
        let row = try context.rowShown(of: object)
      else { continue }
      let identity = info.identity(of: object, row, info.identifierProperty)
      guard let index = plan.flat.after[identity] ?? plan.newlyNamed[identity],
        plan.steps[index].effect == .creation, let child = context.registeredObject(for: object)
      else { continue }
      guard made[index] == nil else {
        throw PatchError(
          .repeatedObject, at: plan.steps[index].path,
          "the delegate made \(identity) by itself, and along with another object; make it once.")
      }
      taken.insert(object)
      note(child, index)
    }
  }

  // MARK: Relationships

  /// Where a relationship is to lead. That of an object which the delegate made also leads where the delegate had it
  /// lead, but for what the patch has lead elsewhere.
  private func members(_ link: PatchPlan.Link, of owner: ObjectID) throws -> [ObjectID] {
    let members = link.targets.compactMap { object(of: $0) }
    guard given[owner] != nil, let relationship = link.property.relationship,
      relationship.storage != .one || members.isEmpty
    else { return members }
    let held = try context.rowShown(of: owner)?[link.property.key].destinations ?? []
    let said = Set(members)
    return members
      + held.filter { member in
        !said.contains(member) && !isLedElsewhere(member, relationship.inverse, than: owner)
      }
  }

  private func isLedElsewhere(
    _ member: ObjectID, _ inverse: RelationshipInfo.Inverse?, than owner: ObjectID
  ) -> Bool {
    guard let inverse else { return false }
    let target = given[member].map(PatchPlan.Target.made) ?? .existing(member)
    let end = PatchPlan.LinkEnd(target: target, key: inverse.key)
    if let said = plan.links[target]?[inverse.key] {
      return !said.targets.contains { object(of: $0) == owner }
    }
    return plan.comers[end].map { object(of: $0) != owner } ?? false
  }

  private func object(_ index: Int) -> ObjectID? {
    made[index]?.objectID ?? plan.steps[index].object
  }

  private func object(of target: PatchPlan.Target) -> ObjectID? {
    switch target {
    case .existing(let object): object
    case .made(let index): made[index]?.objectID
    }
  }

  private static func value(_ link: PatchPlan.Link, _ members: [ObjectID]) -> Value? {
    let references = members.map { Value.reference($0) }
    if references.isEmpty { return nil }
    switch link.property.relationship?.storage {
    case .one: return references[0]
    case .array: return .array(references)
    default: return .set(Set(references))
    }
  }
}

extension Value {
  /// The value; none where it is null.
  fileprivate var unlessNull: Value? {
    if isNull { return nil }
    return self
  }
}
