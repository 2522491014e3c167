internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

// Where relationships are to lead.
extension PatchPlan {
  mutating func planLinks() throws {
    var implied: [Implied] = []
    for index in steps.indices where steps[index].kind != .deletion {
      implied += try planLinks(ofStep: index)
    }
    try plan(implied)
    keepEndsLeft()
    if !links.isEmpty {
      let balance = LinkBalance(links, linkOrder)
      links = balance.links
      contested.formUnion(balance.contested)
    }
    noteComers()
  }

  private mutating func noteComers() {
    for (owner, links) in links {
      for link in links.values {
        guard let inverse = link.property.relationship?.inverse, inverse.storage == .one else {
          continue
        }
        let former = Set(link.former)
        for member in link.targets where !former.contains(member) {
          comers[LinkEnd(target: member, key: inverse.key)] = owner
        }
      }
    }
  }

  /// Notes where the relationships of what is to go do not lead where the patch says.
  mutating func checkLinksOfDeletion(_ index: Int) throws { _ = try planLinks(ofStep: index) }

  private mutating func planLinks(ofStep index: Int) throws -> [Implied] {
    var implied: [Implied] = []
    if steps[index].patch.relationships.isEmpty { return implied }
    let (entry, info) = (steps[index].entry, steps[index].info)
    for (key, patch) in entry.patch.relationships.sorted(by: { $0.key < $1.key }) {
      guard steps[index].effect != nil, let property = info.property(key),
        let relationship = property.relationship
      else { continue }
      let removed = try self.removed(patch, index, key)
      let added = try self.added(patch, index, key)
      guard let removed, let added else { continue }
      if relationship.storage == .inverse {
        implied += try self.implied(index, key, relationship, removed, added)
      } else {
        try plan(index, property, relationship, patch, removed: removed, added: added)
      }
    }
    return implied
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
      } else if steps[index].effect != .creation, policy != .merge,
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
    var (targets, known): ([(Target, Int?)], Set<Target>) = ([], [])
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
        if patch.added.count > 1, !known.insert(target).inserted {
          throw PatchError(.repeatedObject, at: path, "an object comes twice; name it once.")
        }
        targets.append((target, member.position))
      } else if !note(.objectMissing, index, key: key, identity: member.identity) {
        return nil
      }
    }
    return targets
  }

  // MARK: Held here

  private mutating func plan(
    _ index: Int, _ property: Property, _ relationship: RelationshipInfo,
    _ patch: RelationshipPatch, removed: [Target], added: [(target: Target, position: Int?)]
  ) throws {
    let step = steps[index]
    guard step.effect != .creation, let object = step.object else {
      let targets =
        patch.kind == .ordered ? Self.ordered([], patch, [], added).0 : added.map(\.target)
      return plan(Link(property: property, former: [], targets: targets), of: .made(index))
    }
    let current = try destinations(of: object, property, relationship, except: removed)
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
    case .ordered:
      (new, fits) = try order(of: object, property, relationship, patch, removed, added)
    }
    if step.effect == .deletion {
      if fits || note(index, property, removed, [], current) { return }
      return keep(index)
    }
    if !fits, step.patch.kind != .creation || policy != .force {
      let merges = policy == .merge && (patch.kind != .toOne || new == current)
      if !merges, !note(index, property, removed, added.map(\.target), current) {
        if patch.kind == .toOne {
          endsLeft.insert(LinkEnd(target: .existing(object), key: property.key))
        }
        return
      }
    }
    plan(Link(property: property, former: current, targets: new), of: .existing(object))
  }

  mutating func plan(_ link: Link, of target: Target) {
    let former = links[target, default: [:]].updateValue(link, forKey: link.property.key)
    let end = LinkEnd(target: target, key: link.property.key)
    if former == nil { linkOrder.append(end) } else { contested.insert(end) }
  }

  /// The order that a patch makes of one here, and whether that is as the patch says. Its places may count what goes by
  /// the patch, as those of joined ones do, or not.
  private func order(
    of object: ObjectID, _ property: Property, _ relationship: RelationshipInfo,
    _ patch: RelationshipPatch, _ removed: [Target], _ added: [(target: Target, position: Int?)]
  ) throws -> ([Target], Bool) {
    let current = try destinations(of: object, property, relationship, except: removed)
    let order = Self.ordered(current, patch, removed, added)
    if order.1 { return order }
    let whole = try destinations(
      of: object, property, relationship, except: removed, countsGoing: true)
    guard whole != current else { return order }
    let (longer, fits) = Self.ordered(whole, patch, removed, added)
    guard fits else { return order }
    let staying = Set(current).union(added.map(\.target))
    return (longer.filter(staying.contains), true)
  }

  /// Where a relationship leads here. What leads to an object that is gone leads nowhere; nor does what leads to one
  /// that goes by the patch, unless that says so or it is to be counted.
  private func destinations(
    of object: ObjectID, _ property: Property, _ relationship: RelationshipInfo,
    except removed: [Target], countsGoing: Bool = false
  ) throws -> [Target] {
    var found = try context.rowShown(of: object)?[property.key].destinations ?? []
    // Others follow when what they lead to goes.
    if !context.schema.isCleared(relationship) {
      let said = Set(removed)
      found = try found.filter { member in
        if said.contains(.existing(member)) { return true }
        if going.contains(member) { return countsGoing }
        return try context.rowShown(of: member) != nil
      }
    }
    return found.map { .existing($0) }
  }

  /// Notes that a relationship does not lead where the patch says.
  mutating func note(
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
    let (held, going, coming) = (Set(current), Set(removed), Set(added.map(\.target)))
    for (member, target) in zip(patch.removed, removed) {
      if let place = member.position {
        if !current.indices.contains(place) || current[place] != target { fits = false }
      } else if !held.contains(target) {
        fits = false
      }
    }
    if current.contains(where: { coming.contains($0) && !going.contains($0) }) { fits = false }
    let kept = current.filter { !going.contains($0) && !coming.contains($0) }
    var (new, keptCount): ([Target], Int) = ([], 0)
    for (target, position) in added.sorted(by: { $0.position ?? .max < $1.position ?? .max }) {
      let comeCount = new.count - keptCount
      // As many of those that stay before it as its place leaves room for.
      let before = min(max(position.map { $0 - comeCount } ?? kept.count, keptCount), kept.count)
      new += kept[keptCount..<before]
      keptCount = before
      // Where others have its place, or there are not as many before it.
      if let position, position != new.count { fits = false }
      new.append(target)
    }
    return (new + kept[keptCount...], fits)
  }
}
