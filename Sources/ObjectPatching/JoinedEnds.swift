internal import ObjectModel

/// Has two patches that are joined say each connection that both speak of at the same ends: where its one end holds it
/// there, and else at both ends, if one of them does. What only one of them speaks of stays as it is said.
struct JoinedEnds {
  /// An end of a connection, with objects as they are named between the patches.
  private struct End: Hashable {
    let object: PatchIdentity
    let key: String
    let member: PatchIdentity

    /// The relationship, whatever it leads to.
    var place: Place { Place(object: object, key: key) }
  }

  private struct Place: Hashable {
    let object: PatchIdentity
    let key: String
  }

  /// What a patch says of a relationship: where it leads, or where it leads no more.
  private struct Said: Hashable {
    let place: Place
    let isAdded: Bool
  }

  /// What one of the patches says.
  private struct Side {
    var patches: [(patch: ObjectPatch, source: FlatPatch.Entry)]
    var indexes: [PatchIdentity: Int] = [:]
    var added: Set<End> = []
    var removed: Set<End> = []
    var places: Set<Place> = []
    /// The same, in order.
    var ends: [(end: End, isAdded: Bool)] = []

    func says(_ end: End) -> Bool { added.contains(end) || removed.contains(end) }

    mutating func note(_ end: End, isAdded: Bool) {
      let isNew = isAdded ? added.insert(end).inserted : removed.insert(end).inserted
      if isNew { ends.append((end, isAdded)) }
      places.insert(end.place)
    }
  }

  private let names: PatchJoining
  private var first: Side
  private var second: Side

  private var model: ManagedObjectModel { names.model }

  init(_ joining: PatchJoining) {
    names = joining
    first = Self.side(joining, isFirst: true)
    second = Self.side(joining, isFirst: false)
  }

  private static func side(_ names: PatchJoining, isFirst: Bool) -> Side {
    let entries = (isFirst ? names.first : names.second).entries
    var side = Side(patches: entries.map { ($0.patch, $0) })
    for (index, entry) in entries.enumerated() {
      let object = isFirst ? names.next(entry.patch) : names.former(entry.patch)
      guard let object else { continue }
      side.indexes[object] = index
      for (key, patch) in entry.patch.relationships.sorted(by: { $0.key < $1.key }) {
        for (members, isAdded) in [(patch.removed, false), (patch.added, true)] {
          for member in members {
            // It speaks of the relationship also where the member is not there between the patches.
            side.places.insert(Place(object: object, key: key))
            let name = nameBetween(member.identity, isAdded: isAdded, isFirst: isFirst, names)
            if let name { side.note(End(object: object, key: key, member: name), isAdded: isAdded) }
          }
        }
      }
    }
    return side
  }

  /// What an object is named by between the patches, of which one names it.
  private static func nameBetween(
    _ member: PatchIdentity, isAdded: Bool, isFirst: Bool, _ names: PatchJoining
  ) -> PatchIdentity? {
    switch (isFirst, isAdded) {
    case (true, false): names.next(member)
    case (false, true): names.former(member)
    default: names.between(member)
    }
  }

  // MARK: Relationships

  private func relationship(_ end: End) -> RelationshipDescription? {
    model.entity(named: end.object.entityName)?.relationship(end.key)
  }

  private func opposite(_ end: End) -> End? {
    relationship(end)?.inverse.map { End(object: end.member, key: $0, member: end.object) }
  }

  private func isToOne(_ end: End) -> Bool { relationship(end)?.isToMany == false }

  // MARK: Joining

  /// The two patches, said at the same ends.
  mutating func joining() throws(PatchError) -> PatchJoining {
    try names.refuseWhatIsThere()
    leaveOwners()
    // What they said at the beginning.
    var (one, other) = (first, second)
    sayWhatGoes(in: &one)
    say(in: &one, as: first, where: second, isFirst: true)
    say(in: &other, as: second, where: first, isFirst: false)
    return PatchJoining(try Self.flat(one), try Self.flat(other), model)
  }

  /// What comes to one owner by the second patch leaves the one that the first has given it.
  private mutating func leaveOwners() {
    var owners: [Place: End] = [:]
    for (end, isAdded) in first.ends where isAdded {
      if let opposite = opposite(end), isToOne(opposite) { owners[opposite.place] = end }
    }
    var side = second
    for (end, isAdded) in second.ends where isAdded {
      guard let opposite = opposite(end), let owner = owners[opposite.place], owner != end,
        !second.says(owner)
      else { continue }
      add(owner, isAdded: false, to: &side, isFirst: false, like: end)
    }
    second = side
  }

  /// What led to one that the first patch deletes leads nowhere after that, also where only the deletion says so.
  private func sayWhatGoes(in side: inout Side) {
    for entry in names.first.entries where entry.patch.kind == .deletion {
      let gone = entry.patch.identity
      for (key, patch) in entry.patch.relationships.sorted(by: { $0.key < $1.key }) {
        let inverse = model.entity(named: gone.entityName)?.relationship(key)?.inverse
        for member in patch.removed {
          guard let inverse, let name = names.next(member.identity) else { continue }
          let place = Place(object: name, key: inverse)
          let relationship = model.entity(named: name.entityName)?.relationship(inverse)
          guard let relationship, !relationship.isToMany, second.places.contains(place) else {
            continue
          }
          let index = index(of: name, in: &side, like: entry, isFirst: true)
          var patch = side.patches[index].patch.relationships[inverse] ?? RelationshipPatch(.toOne)
          if patch.removed.isEmpty { patch.removed = [RelationshipPatch.Member(gone)] }
          side.patches[index].patch.relationships[inverse] = patch
        }
      }
    }
  }

  /// The place of an object's patch, which is made where there is none.
  private func index(
    of object: PatchIdentity, in side: inout Side, like entry: FlatPatch.Entry, isFirst: Bool
  ) -> Int {
    if let known = side.indexes[object] { return known }
    side.indexes[object] = side.patches.count
    let identity = isFirst ? names.before(object) : object
    side.patches.append((ObjectPatch(updating: identity), entry))
    return side.patches.count - 1
  }

  private func say(
    in side: inout Side, as said: Side, where other: Side, isFirst: Bool
  ) {
    var taken: [Said: Set<PatchIdentity>] = [:]
    for isAdding in [false, true] {
      for (end, isAdded) in said.ends where isAdded == isAdding {
        guard let relationship = relationship(end), let opposite = opposite(end),
          let inverse = self.relationship(opposite), !model.isAnsweredFromInverse(inverse)
        else { continue }
        let isMet =
          other.says(opposite) || isToOne(opposite) && other.places.contains(opposite.place)
        if model.isAnsweredFromInverse(relationship) {
          guard isMet || said.places.contains(opposite.place) else { continue }
          taken[Said(place: end.place, isAdded: isAdded), default: []].insert(end.member)
        } else if !isMet {
          continue
        }
        // What goes for good is left without a word.
        if !said.says(opposite), isFirst || !names.goes(end.object) {
          add(opposite, isAdded: isAdded, to: &side, isFirst: isFirst, like: end)
        }
      }
    }
    for (said, members) in taken { remove(members, said, from: &side, isFirst: isFirst) }
  }

  // MARK: Patches

  /// What one of the patches names an object by.
  private func nameInPatch(
    _ member: PatchIdentity, isAdded: Bool, isFirst: Bool
  ) -> PatchIdentity {
    switch (isFirst, isAdded) {
    case (true, false): names.before(member)
    case (false, true): names.after(member)
    default: member
    }
  }

  private func add(
    _ end: End, isAdded: Bool, to side: inout Side, isFirst: Bool, like other: End
  ) {
    guard let relationship = relationship(end), let like = side.indexes[other.object] else {
      return
    }
    let index = index(
      of: end.object, in: &side, like: side.patches[like].source, isFirst: isFirst)
    // What goes leads nowhere afterwards.
    if isAdded, side.patches[index].patch.kind == .deletion { return }
    let isToOne = !relationship.isToMany
    if isToOne, let said = side.patches[index].patch.relationships[end.key] {
      // What is said of one owner stands over what its inverse says.
      if !(isAdded ? said.added : said.removed).isEmpty { return }
    }
    let member = RelationshipPatch.Member(
      nameInPatch(end.member, isAdded: isAdded, isFirst: isFirst))
    // Where it lies, as each of many members comes by itself.
    side.patches[index].patch.relationships[
      end.key, default: RelationshipPatch(RelationshipPatch.Kind(relationship))
    ].add(member, isAdded: isAdded)
    side.note(end, isAdded: isAdded)
  }

  private func remove(
    _ members: Set<PatchIdentity>, _ said: Said, from side: inout Side, isFirst: Bool
  ) {
    let key = said.place.key
    guard let index = side.indexes[said.place.object],
      var patch = side.patches[index].patch.relationships[key]
    else { return }
    func isTaken(_ member: RelationshipPatch.Member) -> Bool {
      let name = Self.nameBetween(
        member.identity, isAdded: said.isAdded, isFirst: isFirst, names)
      return name.map(members.contains) ?? false
    }
    if said.isAdded {
      patch.added.removeAll(where: isTaken)
    } else {
      patch.removed.removeAll(where: isTaken)
    }
    let isEmpty = patch.added.isEmpty && patch.removed.isEmpty
    side.patches[index].patch.relationships[key] = isEmpty ? nil : patch
  }

  private static func flat(_ side: Side) throws(PatchError) -> FlatPatch {
    try FlatPatch(
      side.patches.map { patch, entry in
        FlatPatch.Entry(patch: patch, source: entry.source, path: entry.path)
      })
  }
}

extension RelationshipPatch {
  fileprivate mutating func add(_ member: Member, isAdded: Bool) {
    if isAdded { added.append(member) } else { removed.append(member) }
  }
}
