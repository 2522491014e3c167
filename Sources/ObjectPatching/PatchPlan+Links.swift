internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

// Where relationships are to lead.
extension PatchPlan {
  /// A connection that a patch has at the end that does not hold it.
  private struct Implied {
    let index: Int
    let key: String
    let member: Target
    let property: Property
    let former: [Target]
    let owner: Target?
  }

  mutating func planLinks() throws {
    var implied: [Implied] = []
    for index in steps.indices {
      let step = steps[index]
      for (key, patch) in step.patch.relationships.sorted(by: { $0.key < $1.key }) {
        guard steps[index].effect != nil, let property = step.info.property(key),
          let relationship = property.relationship
        else { continue }
        let removed = try self.removed(patch, index, key)
        let added = try self.added(patch, index, key)
        guard let removed, let added else { continue }
        if relationship.storage == .inverse {
          implied += try self.implied(index, key, relationship, removed, added)
        } else {
          try plan(index, property, patch, removed: removed, added: added)
        }
      }
    }
    plan(implied)
  }

  // MARK: Members

  /// The objects that a relationship leads to no more; nil where one is not there, and the rest is not to be done.
  private mutating func removed(
    _ patch: RelationshipPatch, _ index: Int, _ key: String
  ) throws -> [Target]? {
    let path = steps[index].path.appending(key)
    var targets: [Target] = []
    for member in patch.removed {
      if let object = try objectBefore(member.identity, at: path) {
        targets.append(.existing(object))
      } else if steps[index].effect != .creation,
        !note(.objectMissing, index, key: key, identity: member.identity)
      {
        return nil
      }
    }
    return targets
  }

  /// The objects that a relationship comes to lead to.
  private mutating func added(
    _ patch: RelationshipPatch, _ index: Int, _ key: String
  ) throws -> [(target: Target, position: Int?)]? {
    if steps[index].effect == .deletion { return [] }
    let path = steps[index].path.appending(key)
    var targets: [(Target, Int?)] = []
    for member in patch.added {
      if case .objectID(let object) = member.identity.identifier,
        object.store != context.store.tag, flat.after[member.identity] == nil
      {
        throw PatchError(
          .otherLineage, at: path,
          "\(object) is the ID of an object of another store; give \(member.identity.entityName) an identifier "
            + "attribute to patch across stores.")
      }
      if let target = try target(member.identity, at: path) {
        targets.append((target, member.position))
      } else if !note(.objectMissing, index, key: key, identity: member.identity) {
        return nil
      }
    }
    return targets
  }

  // MARK: Held here

  private mutating func plan(
    _ index: Int, _ property: Property, _ patch: RelationshipPatch, removed: [Target],
    added: [(target: Target, position: Int?)]
  ) throws {
    let step = steps[index]
    guard step.effect != .creation, let object = step.object else {
      links[.made(index), default: [:]][property.key] = Link(
        property: property, former: [], targets: added.map(\.target))
      return
    }
    let row = try context.rowShown(of: object)
    let current = row?[property.key].destinations.map { Target.existing($0) } ?? []
    let new: [Target]
    let fits: Bool
    switch patch.kind {
    case .toOne:
      new = added.map(\.target)
      // What comes to be over what is there led nowhere before.
      fits = current == removed
    case .toMany:
      let (held, going, coming) = (Set(current), Set(removed), added.map(\.target))
      new = current.filter { !going.contains($0) } + coming.filter { !held.contains($0) }
      fits = going.isSubset(of: held) && held.isDisjoint(with: coming)
    case .ordered: (new, fits) = Self.ordered(current, patch, removed, added)
    }
    if step.effect == .deletion {
      if fits || note(index, property, removed, [], current) { return }
      return keep(index)
    }
    if !fits, step.patch.kind != .creation || policy != .force {
      let merges = policy == .merge && (patch.kind != .toOne || new == current)
      if !merges, !note(index, property, removed, added.map(\.target), current) { return }
    }
    links[.existing(object), default: [:]][property.key] = Link(
      property: property, former: current, targets: new)
  }

  /// Notes that a relationship does not lead where the patch says.
  private mutating func note(
    _ index: Int, _ property: Property, _ removed: [Target], _ added: [Target],
    _ current: [Target]
  ) -> Bool {
    func value(_ targets: [Target]) -> Value? {
      let references = targets.compactMap { target -> Value? in
        if case .existing(let object) = target { .reference(object) } else { nil }
      }
      if property.relationship?.storage == .one { return references.first }
      return property.relationship?.storage == .array ? .array(references) : .set(Set(references))
    }
    return note(
      .value, index, key: property.name, old: value(removed), new: value(added),
      current: value(current))
  }

  /// The order that a patch makes of one, and whether that is as the patch says.
  private static func ordered(
    _ current: [Target], _ patch: RelationshipPatch, _ removed: [Target],
    _ added: [(target: Target, position: Int?)]
  ) -> ([Target], Bool) {
    var fits = removed.count == patch.removed.count
    for (member, target) in zip(patch.removed, removed) {
      if let place = member.position {
        if !current.indices.contains(place) || current[place] != target { fits = false }
      } else if !current.contains(target) {
        fits = false
      }
    }
    let going = Set(removed)
    let coming = Set(added.map(\.target))
    if current.contains(where: { coming.contains($0) && !going.contains($0) }) { fits = false }
    var new = current.filter { !going.contains($0) && !coming.contains($0) }
    for (target, position) in added.sorted(by: { $0.position ?? .max < $1.position ?? .max }) {
      let place = position ?? new.count
      if place > new.count || place < 0 { fits = false }
      new.insert(target, at: max(0, min(place, new.count)))
    }
    return (new, fits)
  }

  // MARK: Held at the other end

  private mutating func implied(
    _ index: Int, _ key: String, _ relationship: RelationshipInfo, _ removed: [Target],
    _ added: [(target: Target, position: Int?)]
  ) throws -> [Implied] {
    guard let back = relationship.inverse?.key else { return [] }
    let step = steps[index]
    let owner = step.effect == .creation ? Target.made(index) : step.object.map(Target.existing)
    guard let owner else { return [] }
    var implied: [Implied] = []
    for (target, isAdded) in removed.map({ ($0, false) }) + added.map({ ($0.target, true) }) {
      let entity: EntityInfo?
      var former: [Target] = []
      switch target {
      case .existing(let object):
        entity = context.schema.entity(object.entity)
        former = try context.rowShown(of: object)?[back].destinations.map(Target.existing) ?? []
      case .made(let other): entity = steps[other].info
      }
      guard let property = entity?.property(back) else { continue }
      if (former == [owner]) == isAdded {
        // What has gone elsewhere meanwhile stays there where both sides are merged.
        if policy == .merge, !isAdded { continue }
        if policy != .merge, !note(.value, index, key: key, new: .null, current: .null) { continue }
      }
      if step.effect == .deletion { continue }
      implied.append(
        Implied(
          index: index, key: key, member: target, property: property, former: former,
          owner: isAdded ? owner : nil))
    }
    return implied
  }

  /// What the holding end says itself comes first; what comes stands over what goes.
  private mutating func plan(_ implied: [Implied]) {
    for each in implied.sorted(by: { $0.owner == nil && $1.owner != nil }) {
      if let said = links[each.member]?[each.property.key], !said.isImplied { continue }
      let link = Link(
        property: each.property, former: each.former, targets: each.owner.map { [$0] } ?? [],
        isImplied: true)
      links[each.member, default: [:]][each.property.key] = link
      if link.isChange, !steps[each.index].keysHeldElsewhere.contains(each.key) {
        steps[each.index].keysHeldElsewhere.append(each.key)
      }
    }
  }
}
