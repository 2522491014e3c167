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
  /// its object; and what the policy keeps, however far the cascade goes.
  mutating func checkCascades() throws {
    // What goes with others stands behind them, most often.
    for index in steps.indices.reversed() where steps[index].effect == .deletion {
      let cascades = steps[index].info.cascades
      guard let object = steps[index].object, !cascades.isEmpty else { continue }
      let isWhole = steps[index].saysAll
      var losses: [CascadeLoss] = []
      for property in cascades {
        var lost: [Target] = []
        for member in try destinations(ofGoing: object, property) {
          if isWhole, try leavesUnsaid(member, property, index) {
            try leave(member, object, property)
          } else if try isWhole || policy == .keepOurs && takesWhatIsKept(member) {
            lost.append(.existing(member))
          }
        }
        if !lost.isEmpty { losses.append(CascadeLoss(property: property, objects: lost)) }
      }
      if losses.isEmpty { continue }
      if policy == .keepOurs {
        withheld[index] = losses
        keep(index)
      } else {
        noteLosses(losses, index)
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

  private mutating func leave(
    _ member: ObjectID, _ object: ObjectID, _ property: Property
  ) throws {
    let former = try context.destinationsShown(of: object, property).map(Target.existing)
    var link =
      links[.existing(object)]?[property.key]
      ?? Link(property: property, former: former, targets: former, isImplied: true)
    link.targets.removeAll { $0 == .existing(member) }
    links[.existing(object), default: [:]][property.key] = link
  }

  /// Whether an object is kept, or takes what is kept with it when it goes.
  private func takesWhatIsKept(_ object: ObjectID) throws -> Bool {
    var (waiting, known) = ([object], Set([object]))
    while let next = waiting.popLast() {
      if let step = taken[next], steps[step].effect == nil, steps[step].patch.kind != .update {
        return true
      }
      for property in context.schema.entity(next.entity)?.cascades ?? [] {
        waiting += try destinations(ofGoing: next, property)
          .filter { known.insert($0).inserted }
      }
    }
    return false
  }
}

extension EntityInfo {
  /// The relationships whose destinations go with an object.
  fileprivate var cascades: [Property] {
    properties.filter { $0.relationship?.description.deleteRule == .cascade }
  }
}
