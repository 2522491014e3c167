internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

// Connections that are said at the end that does not hold them, and ends that stay as they are, whatever others say.
extension PatchPlan {
  /// A connection that a patch has at the end that does not hold it.
  struct Implied {
    let index: Int
    let key: String
    let member: Target
    let property: Property
    let former: [Target]
    let owner: Target?
  }

  mutating func implied(
    _ index: Int, _ key: String, _ relationship: RelationshipInfo, _ removed: [Target],
    _ added: [(target: Target, position: Int?)]
  ) throws -> [Implied] {
    guard let back = relationship.inverse?.key, let owner = target(ofStep: index),
      let property = steps[index].info.property(key)
    else { return [] }
    func implied(_ target: Target, isAdded: Bool) throws -> Implied? {
      let entity: EntityInfo?
      var former: [Target] = []
      switch target {
      case .existing(let object):
        entity = context.schema.entity(object.entity)
        former = try context.rowShown(of: object)?[back].destinations.map(Target.existing) ?? []
      case .made(let other): entity = steps[other].info
      }
      return entity?.property(back).map {
        Implied(
          index: index, key: key, member: target, property: $0, former: former,
          owner: isAdded ? owner : nil)
      }
    }
    let going = try removed.compactMap { try implied($0, isAdded: false) }
    let coming = try added.compactMap { try implied($0.target, isAdded: true) }
    // What has gone elsewhere meanwhile stays there.
    let leaving = going.filter { $0.former == [owner] }
    let fits = leaving.count == going.count && coming.allSatisfy { $0.former != [owner] }
    if policy != .force, case .existing = owner {
      for each in going where each.former != [owner] {
        endsLeft.insert(LinkEnd(target: each.member, key: back))
      }
    }
    if !fits, policy != .merge, case .existing = owner {
      let current = try membersShown(owner, property)
      guard note(index, property, removed, added.map(\.target), current) else {
        if steps[index].effect == .deletion { keep(index) }
        return []
      }
    }
    return steps[index].effect == .deletion ? [] : leaving + coming
  }

  private func membersShown(_ owner: Target?, _ property: Property) throws -> [Target] {
    guard case .existing(let object) = owner else { return [] }
    return try context.destinationsShown(of: object, property).map(Target.existing)
  }

  /// What comes stands over what goes, what the holding end says over what is said at the other, and what is said later
  /// over what is said before.
  mutating func plan(_ implied: [Implied]) throws {
    var left: [Implied] = []
    for each in implied.filter({ $0.owner == nil }) + implied.filter({ $0.owner != nil }) {
      let end = LinkEnd(target: each.member, key: each.property.key)
      if let owner = each.owner, each.former != [owner], endsLeft.contains(end) {
        left.append(each)
        continue
      }
      var link = Link(
        property: each.property, former: each.former, targets: each.owner.map { [$0] } ?? [],
        isImplied: true)
      if let said = links[each.member]?[each.property.key], !said.isImplied {
        guard said.targets.isEmpty, each.owner != nil else { continue }
        link.isImplied = false
      }
      plan(link, of: each.member)
      if link.isChange, !steps[each.index].keysHeldElsewhere.contains(each.key) {
        steps[each.index].keysHeldElsewhere.append(each.key)
      }
    }
    // Where both are merged, nothing was said of what does not come.
    if policy == .merge { try noteLeft(left) }
  }

  /// Notes what does not come to an owner as it has gone elsewhere, at once for each relationship: of many that do not
  /// come, each would be told with all members otherwise.
  private mutating func noteLeft(_ left: [Implied]) throws {
    var places: [StepKey: Int] = [:]
    var groups: [[Implied]] = []
    for each in left {
      let place = StepKey(index: each.index, key: each.key)
      if let known = places[place] {
        groups[known].append(each)
      } else {
        places[place] = groups.count
        groups.append([each])
      }
    }
    for group in groups {
      guard let first = group.first, let property = steps[first.index].info.property(first.key)
      else { continue }
      _ = note(
        first.index, property, [], group.map(\.member), try membersShown(first.owner, property))
    }
  }

  private struct StepKey: Hashable {
    let index: Int
    let key: String
  }

  /// Has nothing come to objects whose relationships to one stay as they are.
  mutating func keepEndsLeft() {
    if endsLeft.isEmpty { return }
    for end in linkOrder {
      guard var link = links[end.target]?[end.key],
        let inverse = link.property.relationship?.inverse
      else { continue }
      // Of most relationships no end is left.
      guard
        link.targets.contains(where: { endsLeft.contains(LinkEnd(target: $0, key: inverse.key)) })
      else { continue }
      let former = Set(link.former)
      link.targets.removeAll {
        !former.contains($0) && endsLeft.contains(LinkEnd(target: $0, key: inverse.key))
      }
      links[end.target]?[end.key] = link
    }
  }
}
