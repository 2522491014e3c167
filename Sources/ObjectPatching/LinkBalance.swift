internal import ManagedObjects
internal import ObjectModel

/// Has both ends of relationships say the same that objects hold at both ends, where a patch says one connection at
/// one end and another at the other: what comes stands over what goes, what a relationship to one says over what its
/// inverse says, and what the patch says later over what it says before.
struct LinkBalance {
  private typealias Target = PatchPlan.Target
  private typealias End = PatchPlan.LinkEnd

  /// A member of relationships of one kind, which one owner can have only.
  private struct Belonging: Hashable {
    let key: KeyNumber
    let inverse: KeyNumber
    let member: Target
  }

  private struct Pair {
    let end: End
    let inverse: KeyNumber
    let member: Target

    var opposite: End { End(target: member, key: inverse) }
  }

  private(set) var links: [PatchPlan.Target: [KeyNumber: PatchPlan.Link]]
  /// Ends of which one said another thing than another.
  private(set) var contested: Set<PatchPlan.LinkEnd> = []
  private var members: [PatchPlan.LinkEnd: Set<PatchPlan.Target>] = [:]
  /// The ends that have lost members, which are still among their targets.
  private var taken: Set<PatchPlan.LinkEnd> = []
  private var owners: [Belonging: Set<PatchPlan.Target>] = [:]

  init(_ links: [PatchPlan.Target: [KeyNumber: PatchPlan.Link]], _ order: [PatchPlan.LinkEnd]) {
    self.links = links
    let held = order.filter { end in
      let inverse = links[end.target]?[end.key]?.property.relationship?.inverse
      return inverse != nil && inverse?.storage != .inverse
    }
    // Where one end of one relationship is all there is, the other follows.
    if held.count < 2 { return }
    var (gone, come, comeToOne): ([Pair], [Pair], [Pair]) = ([], [], [])
    for end in held {
      guard let link = links[end.target]?[end.key], let relationship = link.property.relationship,
        let inverse = relationship.inverse?.key
      else { continue }
      let (before, after) = (Set(link.former), Set(link.targets))
      members[end] = after
      for member in link.targets { note(end, inverse, member, isOwner: true) }
      gone += link.former.filter { !after.contains($0) }
        .map { Pair(end: end, inverse: inverse, member: $0) }
      let pairs = link.targets.filter { !before.contains($0) }
        .map { Pair(end: end, inverse: inverse, member: $0) }
      if relationship.storage == .one { comeToOne += pairs } else { come += pairs }
    }
    for pair in gone { part(pair) }
    for pair in come + comeToOne { connect(pair) }
    for end in taken {
      let targets = targets(of: end)
      self.links[end.target]?[end.key]?.targets = targets
    }
  }

  /// Where an end leads of which members were taken, in the order they came; one that was taken and put again came
  /// last.
  private func targets(of end: End) -> [Target] {
    var left = members[end] ?? []
    let targets = links[end.target]?[end.key]?.targets ?? []
    return targets.reversed().filter { left.remove($0) != nil }.reversed()
  }

  // MARK: Pairs

  private mutating func part(_ pair: Pair) { take(pair.end.target, from: pair.opposite) }

  private mutating func connect(_ pair: Pair) {
    for end in [pair.end, pair.opposite] where isToOne(end) {
      let member = end == pair.end ? pair.member : pair.end.target
      for other in members[end] ?? [] where other != member {
        take(other, from: end)
        if let inverse = inverse(of: end) {
          take(end.target, from: End(target: other, key: inverse))
        }
      }
    }
    release(pair.end, pair.inverse, pair.member)
    release(pair.opposite, pair.end.key, pair.end.target)
    put(pair.member, into: pair.end)
    put(pair.end.target, into: pair.opposite)
  }

  /// Takes a member of which there can be one owner from the others that have it.
  private mutating func release(_ end: End, _ inverse: KeyNumber, _ member: Target) {
    let belonging = Belonging(key: end.key, inverse: inverse, member: member)
    for other in owners[belonging] ?? [] where other != end.target {
      take(member, from: End(target: other, key: end.key))
    }
  }

  // MARK: Ends

  private mutating func take(_ member: Target, from end: End) {
    guard members[end]?.remove(member) != nil else { return }
    taken.insert(end)
    guard let inverse = inverse(of: end) else { return }
    contested.insert(End(target: member, key: inverse))
    note(end, inverse, member, isOwner: false)
  }

  private mutating func put(_ member: Target, into end: End) {
    guard members[end]?.insert(member).inserted ?? false else { return }
    links[end.target]?[end.key]?.targets.append(member)
    if let inverse = inverse(of: end) { note(end, inverse, member, isOwner: true) }
  }

  private mutating func note(_ end: End, _ inverse: KeyNumber, _ member: Target, isOwner: Bool) {
    guard links[end.target]?[end.key]?.property.relationship?.inverse?.storage == .one else {
      return
    }
    let belonging = Belonging(key: end.key, inverse: inverse, member: member)
    if isOwner {
      owners[belonging, default: []].insert(end.target)
    } else {
      owners[belonging]?.remove(end.target)
    }
  }

  private func isToOne(_ end: End) -> Bool {
    links[end.target]?[end.key]?.property.relationship?.storage == .one
  }

  private func inverse(of end: End) -> KeyNumber? {
    links[end.target]?[end.key]?.property.relationship?.inverse?.key
  }
}
