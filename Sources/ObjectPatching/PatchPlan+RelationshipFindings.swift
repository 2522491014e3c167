internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

// What can be told of relationships before any of it is done: whether they lead to as many objects as they must, and
// whether deletions are denied.
extension PatchPlan {
  /// Where a delegate is asked, nothing can be told: it may have anything lead anywhere.
  func relationshipFindings() throws -> [PatchFinding] {
    guard !hasDelegate,
      context.schema.entities.contains(where: { $0.properties.contains(where: \.isDemandingLinks) })
    else { return [] }
    var plan = self
    plan.leading = newLinks()
    return try Outcome(plan).findings()
  }
}

/// Where relationships lead when the patch is done, and what goes is gone.
private struct Outcome {
  private typealias Target = PatchPlan.Target
  private typealias End = PatchPlan.LinkEnd

  private let plan: PatchPlan
  private let gone: Set<ObjectID>
  private var ends: [End: Property] = [:]

  init(_ plan: PatchPlan) throws {
    self.plan = plan
    let deleted = plan.steps.compactMap { $0.effect == .deletion ? $0.object : nil }
    gone = Set(deleted + plan.goingAlong)
    noteChanged()
    try noteLinks()
    try noteLeft()
  }

  func findings() throws -> [PatchFinding] {
    var found: [(end: End, property: Property, kind: ValidationFailure.Kind)] = []
    for (end, property) in ends {
      if let kind = try failure(end, property) { found.append((end, property, kind)) }
    }
    for object in gone {
      let info = plan.context.schema.entity(object.entity)
      // A hook of its class may have them leave before.
      for property in info?.properties ?? [] where info?.objectClass == ManagedObject.self {
        guard property.relationship?.description.deleteRule == .deny else { continue }
        let end = End(target: .existing(object), key: property.key)
        let left = try left(end, property).compactMap(\.existing).sorted()
        if !left.isEmpty { found.append((end, property, .denied(left))) }
      }
    }
    // As the patch has them, and then those that it does not speak of.
    func place(_ end: End) -> (Int, UInt64, KeyNumber) {
      (step(of: end.target) ?? .max, end.target.existing?.rawValue ?? 0, end.key)
    }
    return found.sorted { place($0.end) < place($1.end) }
      .map { finding($0.end, $0.property, $0.kind) }
  }

  // MARK: What is to be looked at

  private mutating func note(_ target: Target, _ key: KeyNumber) {
    if case .existing(let object) = target, gone.contains(object) { return }
    guard let property = plan.info(of: target)?.property(key), property.isDemandingCount else {
      return
    }
    ends[End(target: target, key: key)] = property
  }

  /// Of what is saved, all is looked at.
  private mutating func noteChanged() {
    for (index, step) in plan.steps.enumerated() {
      guard let effect = step.effect, effect != .deletion, plan.changes(ofStep: index) else {
        continue
      }
      let target = effect == .creation ? Target.made(index) : step.object.map(Target.existing)
      guard let target else { continue }
      for property in step.info.properties { note(target, property.key) }
    }
  }

  /// What is led elsewhere, those that it was and is to be connected with, and those that these were connected with.
  private mutating func noteLinks() throws {
    for (target, links) in plan.links {
      for (key, link) in links where link.isChange {
        note(target, key)
        guard let inverse = link.property.relationship?.inverse else { continue }
        let (former, targets) = (Set(link.former), Set(link.targets))
        for member in former.symmetricDifference(targets) { note(member, inverse.key) }
        guard inverse.storage == .one else { continue }
        for member in targets.subtracting(former) {
          guard let back = plan.info(of: member)?.property(inverse.key) else { continue }
          for owner in try plan.shown(member, back) { note(owner, key) }
        }
      }
    }
  }

  /// What is connected with what goes, and follows that.
  private mutating func noteLeft() throws {
    for object in gone {
      for property in plan.context.schema.entity(object.entity)?.properties ?? [] {
        guard let relationship = property.relationship, let inverse = relationship.inverse,
          relationship.description.deleteRule == .nullify || inverse.storage == .inverse
        else { continue }
        for member in try plan.shown(.existing(object), property) { note(member, inverse.key) }
      }
    }
  }

  // MARK: What is found

  /// What is wrong with how many objects a relationship leads to; nil where nothing is, or nobody can tell yet.
  private func failure(_ end: End, _ property: Property) throws -> ValidationFailure.Kind? {
    guard let description = property.relationship?.description, !mayBeLed(end) else { return nil }
    return ValidationFailure.Kind(of: description, leadingTo: try count(end, property))
  }

  /// Whether where a relationship leads is not said by the object's patch, and may be given otherwise.
  private func mayBeLed(_ end: End) -> Bool {
    if let link = plan.links[end.target]?[end.key], !link.isImplied { return false }
    if let index = step(of: end.target), plan.steps[index].effect != nil {
      return plan.mayBeGiven(plan.steps[index])
    }
    return plan.info(of: end.target)?.objectClass != ManagedObject.self
  }

  private func count(_ end: End, _ property: Property) throws -> Int {
    // What nobody clears leads to what is gone, too.
    if let relationship = property.relationship, relationship.storage != .inverse,
      !plan.context.schema.isCleared(relationship)
    {
      let said = plan.links[end.target]?[end.key]?.targets
      return try (said ?? plan.shown(end.target, property)).count
    }
    return try left(end, property).count
  }

  /// What a relationship leads to that is there.
  private func left(_ end: End, _ property: Property) throws -> [Target] {
    try plan.destinations(ofGoing: end.target, property).filter { target in
      target.existing.map { !gone.contains($0) } ?? true
    }
  }

  private func step(of target: Target) -> Int? {
    switch target {
    case .existing(let object): plan.taken[object]
    case .made(let index): index
    }
  }

  private func finding(
    _ end: End, _ property: Property, _ kind: ValidationFailure.Kind
  ) -> PatchFinding {
    let step = step(of: end.target).map { plan.steps[$0] }
    return PatchFinding(
      path: step?.path.appending(property.name) ?? PatchPath(), identity: step?.patch.identity,
      objectID: end.target.existing, key: property.name, kind: kind)
  }
}

extension PatchPlan.Target {
  /// The object; nil where the patch makes it.
  fileprivate var existing: ObjectID? {
    if case .existing(let object) = self { object } else { nil }
  }
}

extension Property {
  /// Whether it is demanded to how many objects it leads.
  fileprivate var isDemandingCount: Bool {
    !isTransient && relationship?.isDemanding ?? false
  }

  /// Whether that is, or it may deny a deletion.
  fileprivate var isDemandingLinks: Bool {
    isDemandingCount || relationship?.description.deleteRule == .deny
  }
}
