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
    var places = policy == .keepOurs ? PlacesTaken(self) : nil
    var waiting = Array(try deletionsInTurn().reversed())
    while let index = waiting.popLast() {
      guard let object = steps[index].object, steps[index].effect == .deletion else { continue }
      let (losses, staying) = try self.losses(object, index)
      if losses.isEmpty { continue }
      if policy == .keepOurs {
        withheld[index] = losses
        keep(index)
        losingNothing = []
        waiting += try giveUpWhatComes(insteadOf: object, &places).reversed()
      } else {
        noteLosses(losses, index)
        // Where the policy decides, what the patch speaks of leaves before.
        try leave(staying)
      }
    }
    goingAlong = try whatGoesAlong()
  }

  /// What a deletion would take along that is not to go, and how what stays of that is held.
  private mutating func losses(
    _ object: ObjectID, _ index: Int
  ) throws -> ([CascadeLoss], [Leaving]) {
    let (owner, isWhole) = (Target.existing(object), steps[index].saysAll)
    var losses: [CascadeLoss] = []
    var staying: [Leaving] = []
    for property in steps[index].info.cascades {
      var lost: [Target] = []
      let members = try destinations(ofGoing: owner, property)
      let left = isWhole ? try leftUnsaid(property, index) : []
      try leave(
        members.filter(left.contains)
          .map { Leaving(member: $0, owner: owner, property: property) })
      for member in members where !left.contains(member) {
        let along = try whatStays(Leaving(member: member, owner: owner, property: property))
        staying += along
        if isWhole || !along.isEmpty { lost.append(member) }
      }
      if !lost.isEmpty { losses.append(CascadeLoss(property: property, objects: lost)) }
    }
    return (losses, staying)
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
    try context.schema.cascades(of: object.entity).flatMap {
      try context.destinationsShown(of: object, $0)
    }
  }

  /// What cascades take that the patch does not delete itself.
  private func whatGoesAlong() throws -> [ObjectID] {
    var waiting = steps.compactMap { $0.effect == .deletion ? $0.object : nil }
    var known = Set(waiting)
    var along: [ObjectID] = []
    while let next = waiting.popLast() {
      for property in context.schema.cascades(of: next.entity) {
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

  /// What a deletion that says all of its object says to have left it before, and has no end to say so itself.
  private func leftUnsaid(_ property: Property, _ index: Int) throws -> Set<Target> {
    if let inverse = property.relationship?.inverse, inverse.storage != .inverse { return [] }
    let removed = steps[index].patch.relationships[property.name]?.removed ?? []
    return Set(
      try removed.compactMap {
        try objectBefore($0.identity, at: steps[index].path).map(Target.existing)
      })
  }

  /// Has objects leave what goes: all that leave one object at once.
  private mutating func leave(_ leavings: [Leaving]) throws {
    var partings: [LinkEnd: Parting] = [:]
    for leaving in leavings {
      let property = leaving.property
      if property.relationship?.storage != .inverse {
        let end = LinkEnd(target: leaving.owner, key: property.key)
        partings[end, default: Parting(property: property)].members.insert(leaving.member)
      }
      guard let inverse = property.relationship?.inverse, inverse.storage != .inverse,
        let back = info(of: leaving.member)?.property(inverse.key)
      else { continue }
      let end = LinkEnd(target: leaving.member, key: back.key)
      partings[end, default: Parting(property: back)].members.insert(leaving.owner)
      // What stays is told of.
      partings[end]?.isImplied = false
    }
    for (end, parting) in partings { try part(parting, at: end) }
  }

  private mutating func part(_ parting: Parting, at end: LinkEnd) throws {
    var link: Link
    if let known = links[end.target]?[end.key] {
      link = known
    } else {
      let former = try shown(end.target, parting.property)
      link = Link(property: parting.property, former: former, targets: former, isImplied: true)
    }
    link.targets.removeAll(where: parting.members.contains)
    link.isImplied = link.isImplied && parting.isImplied
    links[end.target, default: [:]][end.key] = link
  }

  /// What is to stay of an object and of what it takes with it when it goes.
  mutating func whatStays(_ leaving: Leaving) throws -> [Leaving] {
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

  func info(of target: Target) -> EntityInfo? {
    switch target {
    case .existing(let object): context.schema.entity(object.entity)
    case .made(let index): steps[index].info
    }
  }

  /// An object that a cascade would take with its owner.
  struct Leaving {
    let member: Target
    let owner: Target
    let property: Property
  }

  /// What a relationship is to lead to no more.
  private struct Parting {
    let property: Property
    var members: Set<Target> = []
    /// Whether that is said at the other end only.
    var isImplied = true
  }
}

extension Schema {
  /// The relationships by which an entity's objects take others along when they go.
  func cascades(of entity: EntityNumber) -> [Property] { self.entity(entity)?.cascades ?? [] }
}

extension EntityInfo {
  /// The relationships whose destinations go with an object.
  var cascades: [Property] {
    properties.filter { $0.relationship?.description.deleteRule == .cascade }
  }
}
