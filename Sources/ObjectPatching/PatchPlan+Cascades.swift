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
    // What goes with others stands behind them, most often.
    for index in steps.indices.reversed() where steps[index].effect == .deletion {
      let cascades = steps[index].info.cascades
      guard let object = steps[index].object, !cascades.isEmpty else { continue }
      let isWhole = steps[index].saysAll
      var losses: [CascadeLoss] = []
      var staying: [Leaving] = []
      for property in cascades {
        var lost: [Target] = []
        for member in try destinations(ofGoing: object, property) {
          if isWhole, try leavesUnsaid(member, property, index) {
            try leave(Leaving(member: member, owner: object, property: property))
            continue
          }
          let along = try whatStays(Leaving(member: member, owner: object, property: property))
          staying += along
          if isWhole || !along.isEmpty { lost.append(.existing(member)) }
        }
        if !lost.isEmpty { losses.append(CascadeLoss(property: property, objects: lost)) }
      }
      if losses.isEmpty { continue }
      if policy == .keepOurs {
        withheld[index] = losses
        keep(index)
      } else {
        noteLosses(losses, index)
        // Where the policy decides, what the patch speaks of leaves before.
        for each in staying { try leave(each) }
      }
    }
  }

  mutating func noteLosses(_ losses: [CascadeLoss], _ index: Int) {
    for loss in losses { _ = note(index, loss.property, [], [], loss.objects) }
  }

  /// What a cascade takes that the patch neither deletes itself nor has leave before.
  private func destinations(
    ofGoing object: ObjectID, _ property: Property
  ) throws -> [ObjectID] {
    let owner = Target.existing(object)
    let back = property.relationship?.inverse?.key
    return try context.destinationsShown(of: object, property).filter { member in
      if let step = taken[member] {
        // That it is not as the patch says has been told of; it is kept by one policy alone.
        let goes = steps[step].effect == .deletion || policy != .keepOurs
        if goes, steps[step].patch.kind == .deletion { return false }
      }
      let target = Target.existing(member)
      if let link = links[owner]?[property.key], !link.targets.contains(target) { return false }
      if let back {
        if let link = links[target]?[back], !link.targets.contains(owner) { return false }
        if let other = comers[LinkEnd(target: target, key: back)], other != owner { return false }
      }
      return try context.rowShown(of: member) != nil
    }
  }

  /// Whether a deletion that says all of its object says that another has left it before, which has no end to say so
  /// itself.
  private func leavesUnsaid(
    _ member: ObjectID, _ property: Property, _ index: Int
  ) throws -> Bool {
    if let inverse = property.relationship?.inverse, inverse.storage != .inverse { return false }
    let removed = steps[index].patch.relationships[property.name]?.removed ?? []
    return try removed.contains { try objectBefore($0.identity, at: steps[index].path) == member }
  }

  /// Has an object leave what goes.
  private mutating func leave(_ leaving: Leaving) throws {
    if leaving.property.relationship?.storage != .inverse {
      try unlink(leaving.member, from: leaving.owner, leaving.property, isImplied: true)
    }
    guard let inverse = leaving.property.relationship?.inverse, inverse.storage != .inverse,
      let back = context.schema.entity(leaving.member.entity)?.property(inverse.key)
    else { return }
    // What stays is told of.
    try unlink(leaving.owner, from: leaving.member, back, isImplied: false)
  }

  private mutating func unlink(
    _ member: ObjectID, from object: ObjectID, _ property: Property, isImplied: Bool
  ) throws {
    let former = try context.destinationsShown(of: object, property).map(Target.existing)
    var link =
      links[.existing(object)]?[property.key]
      ?? Link(property: property, former: former, targets: former, isImplied: true)
    link.targets.removeAll { $0 == .existing(member) }
    link.isImplied = link.isImplied && isImplied
    links[.existing(object), default: [:]][property.key] = link
  }

  /// What is to stay of an object and of what it takes with it when it goes.
  private func whatStays(_ leaving: Leaving) throws -> [Leaving] {
    var (waiting, known) = ([leaving], Set([leaving.member]))
    var staying: [Leaving] = []
    while let next = waiting.popLast() {
      if isToStay(next.member) {
        staying.append(next)
        continue
      }
      for property in context.schema.entity(next.member.entity)?.cascades ?? [] {
        for member in try destinations(ofGoing: next.member, property) {
          // What several take along leaves all of them.
          guard known.insert(member).inserted || isToStay(member) else { continue }
          waiting.append(Leaving(member: member, owner: next.member, property: property))
        }
      }
    }
    return staying
  }

  /// Whether the patch has an object be there afterwards, or the policy keeps it.
  private func isToStay(_ object: ObjectID) -> Bool {
    guard let step = taken[object] else { return false }
    switch steps[step].effect {
    case .update: return true
    case nil: return steps[step].patch.kind != .update
    default: return false
    }
  }
}

/// An object that a cascade would take with its owner.
private struct Leaving {
  let member: ObjectID
  let owner: ObjectID
  let property: Property
}

extension EntityInfo {
  /// The relationships whose destinations go with an object.
  fileprivate var cascades: [Property] {
    properties.filter { $0.relationship?.description.deleteRule == .cascade }
  }
}
