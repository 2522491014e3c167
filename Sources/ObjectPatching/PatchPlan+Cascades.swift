internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

/// What a deletion would take with it by a relationship, and is to stay.
struct CascadeLoss {
  let property: Property
  let objects: [PatchPlan.Target]
}

// What deletions take with them by the model's rules.
extension PatchPlan {
  /// Notes what cascades would take that the patch does not have go: what was added since, where a deletion says all of
  /// its object; and, however far the cascade goes, what the patch has be there afterwards, and what the policy keeps.
  mutating func checkCascades() throws {
    guard steps.contains(where: { $0.effect == .deletion && !$0.info.cascades.isEmpty }) else {
      return
    }
    leading = newLinks()
    losingNothing = []
    for index in try deletionsInTurn() {
      let cascades = steps[index].info.cascades
      guard let object = steps[index].object, !cascades.isEmpty else { continue }
      let isWhole = steps[index].saysAll
      var losses: [CascadeLoss] = []
      var staying: [Leaving] = []
      for property in cascades {
        var lost: [Target] = []
        let left = isWhole ? try leftUnsaid(property, index) : []
        for member in try destinations(ofGoing: .existing(object), property) {
          let leaving = Leaving(member: member, owner: .existing(object), property: property)
          if left.contains(member) {
            try leave(leaving)
            continue
          }
          let along = try whatStays(leaving)
          staying += along
          if isWhole || !along.isEmpty { lost.append(member) }
        }
        if !lost.isEmpty { losses.append(CascadeLoss(property: property, objects: lost)) }
      }
      if losses.isEmpty { continue }
      if policy == .keepOurs {
        withheld[index] = losses
        keep(index)
        losingNothing = []
      } else {
        noteLosses(losses, index)
        // Where the policy decides, what the patch speaks of leaves before.
        for each in staying { try leave(each) }
      }
    }
    goingAlong = try whatGoesAlong()
  }

  /// The deletions; where what one keeps decides over others, each behind those that it takes along.
  private func deletionsInTurn() throws -> [Int] {
    let deletions = steps.indices.filter { steps[$0].effect == .deletion }
    guard policy == .keepOurs else { return deletions }
    var order: [Int] = []
    var known: Set<ObjectID> = []
    for case let object? in deletions.map({ steps[$0].object }) where known.insert(object).inserted
    {
      var path = [(object: object, rest: try takenAlong(object))]
      while let last = path.indices.last {
        guard let next = path[last].rest.popLast() else {
          let object = path.removeLast().object
          if let step = taken[object], steps[step].effect == .deletion { order.append(step) }
          continue
        }
        if known.insert(next).inserted { path.append((next, try takenAlong(next))) }
      }
    }
    return order
  }

  private func takenAlong(_ object: ObjectID) throws -> [ObjectID] {
    try (context.schema.entity(object.entity)?.cascades ?? []).flatMap {
      try context.destinationsShown(of: object, $0)
    }
  }

  /// What cascades take that the patch does not delete itself.
  private func whatGoesAlong() throws -> [ObjectID] {
    var waiting = steps.compactMap { $0.effect == .deletion ? $0.object : nil }
    var known = Set(waiting)
    var along: [ObjectID] = []
    while let next = waiting.popLast() {
      for property in context.schema.entity(next.entity)?.cascades ?? [] {
        for case .existing(let member) in try destinations(ofGoing: .existing(next), property)
        where known.insert(member).inserted {
          along.append(member)
          waiting.append(member)
        }
      }
    }
    return along.sorted()
  }

  mutating func noteLosses(_ losses: [CascadeLoss], _ index: Int) {
    for loss in losses { _ = note(index, loss.property, [], [], loss.objects) }
  }

  /// What a cascade takes that the patch neither deletes itself nor has leave before.
  private func destinations(ofGoing owner: Target, _ property: Property) throws -> [Target] {
    let back = property.relationship?.inverse?.key
    let held = try shown(owner, property)
    let staying = held.filter { target in
      if let link = links[owner]?[property.key], !link.targets.contains(target) { return false }
      if let back {
        if let link = links[target]?[back], !link.targets.contains(owner) { return false }
        if let other = comers[LinkEnd(target: target, key: back)], other != owner { return false }
      }
      return true
    }
    let coming = arrivals(at: owner, property, back).filter { !held.contains($0) }
    return try (staying + coming).filter { target in
      guard case .existing(let member) = target else { return true }
      if let step = taken[member] {
        // That it is not as the patch says has been told of; it is kept by one policy alone.
        let goes = steps[step].effect == .deletion || policy != .keepOurs
        if goes, steps[step].patch.kind == .deletion { return false }
      }
      return try context.rowShown(of: member) != nil
    }
  }

  /// Where a relationship leads before the patch.
  private func shown(_ owner: Target, _ property: Property) throws -> [Target] {
    guard case .existing(let object) = owner else { return [] }
    return try context.destinationsShown(of: object, property).map(Target.existing)
  }

  /// What the patch has come to something, said at either end.
  private func arrivals(at owner: Target, _ property: Property, _ back: KeyNumber?) -> [Target] {
    let said = links[owner]?[property.key]?.targets ?? []
    guard let back else { return said }
    let comers = (leading[LinkEnd(target: owner, key: back)] ?? []).filter { target in
      !said.contains(target) && links[target]?[back]?.targets.contains(owner) ?? false
    }
    return said + comers
  }

  /// What leads to objects by the patch and did not before, by these and the keys by which it does.
  private func newLinks() -> [LinkEnd: [Target]] {
    var found: [LinkEnd: [Target]] = [:]
    for end in linkOrder {
      guard let link = links[end.target]?[end.key] else { continue }
      let former = Set(link.former)
      for target in link.targets where !former.contains(target) {
        found[LinkEnd(target: target, key: end.key), default: []].append(end.target)
      }
    }
    return found
  }

  /// What a deletion that says all of its object says to have left it before, and has no end to say so itself.
  private func leftUnsaid(_ property: Property, _ index: Int) throws -> Set<Target> {
    if let inverse = property.relationship?.inverse, inverse.storage != .inverse { return [] }
    let removed = steps[index].patch.relationships[property.name]?.removed ?? []
    return Set(
      try removed.compactMap {
        try objectBefore($0.identity, at: steps[index].path).map(Target.existing)
      })
  }

  /// Has an object leave what goes.
  private mutating func leave(_ leaving: Leaving) throws {
    if leaving.property.relationship?.storage != .inverse {
      try unlink(leaving.member, from: leaving.owner, leaving.property, isImplied: true)
    }
    guard let inverse = leaving.property.relationship?.inverse, inverse.storage != .inverse,
      let back = info(of: leaving.member)?.property(inverse.key)
    else { return }
    // What stays is told of.
    try unlink(leaving.owner, from: leaving.member, back, isImplied: false)
  }

  private mutating func unlink(
    _ member: Target, from owner: Target, _ property: Property, isImplied: Bool
  ) throws {
    var link: Link
    if let known = links[owner]?[property.key] {
      link = known
    } else {
      let former = try shown(owner, property)
      link = Link(property: property, former: former, targets: former, isImplied: true)
    }
    link.targets.removeAll { $0 == member }
    link.isImplied = link.isImplied && isImplied
    links[owner, default: [:]][property.key] = link
  }

  /// What is to stay of an object and of what it takes with it when it goes.
  private mutating func whatStays(_ leaving: Leaving) throws -> [Leaving] {
    if losingNothing.contains(leaving.member) { return [] }
    var (waiting, known) = ([leaving], Set([leaving.member]))
    var staying: [Leaving] = []
    while let next = waiting.popLast() {
      if isToStay(next.member) {
        staying.append(next)
        continue
      }
      for property in info(of: next.member)?.cascades ?? [] {
        for member in try destinations(ofGoing: next.member, property) {
          // What several take along leaves all of them.
          guard !losingNothing.contains(member),
            known.insert(member).inserted || isToStay(member)
          else { continue }
          waiting.append(Leaving(member: member, owner: next.member, property: property))
        }
      }
    }
    if staying.isEmpty { losingNothing.formUnion(known) }
    return staying
  }

  /// Whether the patch has an object be there afterwards, or the policy keeps it.
  private func isToStay(_ target: Target) -> Bool {
    guard case .existing(let object) = target else { return true }
    guard let step = taken[object] else { return false }
    switch steps[step].effect {
    case .update: return true
    case nil: return steps[step].patch.kind != .update
    default: return false
    }
  }

  private func info(of target: Target) -> EntityInfo? {
    switch target {
    case .existing(let object): context.schema.entity(object.entity)
    case .made(let index): steps[index].info
    }
  }
}

/// An object that a cascade would take with its owner.
private struct Leaving {
  let member: PatchPlan.Target
  let owner: PatchPlan.Target
  let property: Property
}

extension EntityInfo {
  /// The relationships whose destinations go with an object.
  fileprivate var cascades: [Property] {
    properties.filter { $0.relationship?.description.deleteRule == .cascade }
  }
}
