internal import ObjectModel

extension Patch {
  /// One patch that does what this one and then another do. It is not nested.
  ///
  /// - Throws: `PatchError` where the other does not begin where this one ends.
  public func followed(by other: Patch) throws(PatchError) -> Patch {
    try PatchJoining(try FlatPatch(self), try FlatPatch(other)).patch()
  }
}

/// Joins two patches, of which the second follows the first.
private struct PatchJoining {
  private let first: FlatPatch
  private let second: FlatPatch
  /// Objects that a patch names by their IDs have identifiers as well where they lose or get these: their IDs by their
  /// identifiers, before the first patch, between the two, and after the second.
  private var idsBefore: [PatchIdentity: PatchIdentity] = [:]
  private var idsBetween: [PatchIdentity: PatchIdentity] = [:]
  private var idsAfter: [PatchIdentity: PatchIdentity] = [:]
  /// The places of entries, by what objects are named by before the patches.
  private var placesInFirst: [PatchIdentity: Int] = [:]
  private var placesInSecond: [PatchIdentity: Int] = [:]
  /// What objects are named by before the first, by what they are named by after it; and after the second, by what
  /// they are named by before it. Of those only that change.
  private var namesBefore: [PatchIdentity: PatchIdentity] = [:]
  private var namesAfter: [PatchIdentity: PatchIdentity] = [:]

  init(_ first: FlatPatch, _ second: FlatPatch) {
    self.first = first
    self.second = second
    for entry in first.entries {
      Self.note(entry.patch.old, of: entry.patch, in: &idsBefore)
      Self.note(entry.patch.new, of: entry.patch, in: &idsBetween)
    }
    for entry in second.entries {
      Self.note(entry.patch.old, of: entry.patch, in: &idsBetween)
      Self.note(entry.patch.new, of: entry.patch, in: &idsAfter)
    }
    for (identity, place) in first.before { placesInFirst[idsBefore[identity] ?? identity] = place }
    for (identity, place) in second.before { placesInSecond[between(identity)] = place }
    for entry in first.entries where entry.patch.kind == .update {
      if let identity = entry.patch.identityAfter {
        namesBefore[between(identity)] = entry.patch.identity
      }
    }
    for entry in second.entries where entry.patch.kind == .update {
      namesAfter[between(entry.patch.identity)] = entry.patch.identityAfter
    }
  }

  /// Notes what may be the identifier of what is named by its ID. Which of the values is one, nobody asks for who does
  /// not know it.
  private static func note(
    _ values: [String: Value]?, of patch: ObjectPatch,
    in ids: inout [PatchIdentity: PatchIdentity]
  ) {
    guard case .objectID = patch.identity.identifier else { return }
    for (key, value) in values ?? [:] where !value.isNull {
      ids[PatchIdentity(patch.entityName, key, value)] = patch.identity
    }
  }

  /// What tells an object from others between the two patches.
  private func between(_ identity: PatchIdentity) -> PatchIdentity {
    idsBetween[identity] ?? identity
  }

  private func before(_ identity: PatchIdentity) -> PatchIdentity {
    namesBefore[between(identity)] ?? identity
  }

  private func after(_ identity: PatchIdentity) -> PatchIdentity {
    namesAfter[between(identity)] ?? identity
  }

  /// Whether the second patch deletes an object.
  private func goes(_ identity: PatchIdentity) -> Bool {
    placesInSecond[between(identity)].map { second.entries[$0].patch.kind == .deletion } ?? false
  }

  func patch() throws(PatchError) -> Patch {
    var objects: [ObjectPatch] = []
    var taken: Set<Int> = []
    for entry in first.entries {
      let next: Int?
      if let identity = entry.patch.identityAfter {
        next = placesInSecond[between(identity)]
      } else {
        // What has gone may come again under its name.
        next = entry.patch.kind == .deletion ? revival(of: entry.patch.identity) : nil
      }
      guard let next else {
        objects.append(renamed(entry.patch, isFirst: true))
        continue
      }
      taken.insert(next)
      if let joined = try joined(entry.patch, second.entries[next]) { objects.append(joined) }
    }
    for (index, entry) in second.entries.enumerated() where !taken.contains(index) {
      var patch = renamed(entry.patch, isFirst: false)
      if patch.kind != .creation { patch.identity = before(patch.identity) }
      objects.append(patch)
    }
    return Patch(objects: objects.filter { !$0.isEmpty })
  }

  /// The place of the creation of what is named as something was that has gone.
  private func revival(of identity: PatchIdentity) -> Int? {
    guard let index = second.after[identity], second.entries[index].patch.kind == .creation else {
      return nil
    }
    return index
  }

  /// A patch that is joined with none, with names as they are before the first and after the second.
  private func renamed(_ patch: ObjectPatch, isFirst: Bool) -> ObjectPatch {
    var patch = patch
    for (key, relationship) in patch.relationships {
      patch.relationships[key] = renamed(relationship, isFirst: isFirst)
    }
    return patch
  }

  private func renamed(_ patch: RelationshipPatch, isFirst: Bool) -> RelationshipPatch {
    var patch = patch
    if isFirst {
      patch.added = staying(patch.added) { _ in false }
        .map { .init(after($0.identity), position: $0.position) }
    } else {
      for index in patch.removed.indices {
        patch.removed[index].identity = before(patch.removed[index].identity)
      }
    }
    return patch
  }

  /// Of the members that come by the first patch those that the second does not delete, which it may do without saying
  /// so of the relationship: what leads to them leads nowhere.
  private func staying(
    _ members: [RelationshipPatch.Member], _ isSaid: (PatchIdentity) -> Bool
  ) -> [RelationshipPatch.Member] {
    var (staying, goneCount): ([RelationshipPatch.Member], Int) = ([], 0)
    for member in members.sorted(by: RelationshipPatch.Member.precedes) {
      if goes(member.identity), !isSaid(between(member.identity)) {
        goneCount += 1
      } else {
        staying.append(
          .init(member.identity, position: member.position.map { $0 - goneCount }))
      }
    }
    return goneCount == 0 ? members : staying
  }

  /// Both patches of one object; nil where nothing is left of them.
  private func joined(
    _ one: ObjectPatch, _ entry: FlatPatch.Entry
  ) throws(PatchError) -> ObjectPatch? {
    let other = entry.patch
    var joined: ObjectPatch
    switch (one.kind, other.kind) {
    case (.creation, .deletion): return nil
    case (.creation, .update):
      try refuseMisfit(one.new ?? [:], entry)
      joined = one
      joined.new = (one.new ?? [:]).merging(other.new ?? [:]) { $1 }
      joined.identity = other.identityAfter ?? one.identity
    case (.update, .update):
      try refuseMisfit(one.new ?? [:], entry)
      joined = values(one, other)
      // What loses its identifier is named by its ID.
      if case .objectID = other.identity.identifier { joined.identity = other.identity }
    case (.update, .deletion):
      try refuseMisfit(one.new ?? [:], entry)
      var old = other.old ?? [:]
      for key in (one.new ?? [:]).keys { old[key] = one.old?[key] }
      joined = ObjectPatch(deleting: one.identity, old: old)
    case (.deletion, .creation):
      joined = values(of: one, thenOf: other)
    default:
      throw PatchError(
        .doesNotFollow, at: entry.path,
        "\(other.identity) is not as the first patch leaves it; join patches of which one begins where the other ends."
      )
    }
    joined.relationships = [:]
    for key in Set(one.relationships.keys).union(other.relationships.keys) {
      joined.relationships[key] = try relationship(
        one.relationships[key], other.relationships[key], entry.path.appending(key))
    }
    return joined
  }

  private func refuseMisfit(
    _ values: [String: Value], _ entry: FlatPatch.Entry
  ) throws(PatchError) {
    for (key, old) in entry.patch.old ?? [:] {
      guard let value = values[key], value != old else { continue }
      throw PatchError(
        .doesNotFollow, at: entry.path.appending(key),
        "‘\(key)’ was \(old) before, and the first patch makes it \(value); join patches of which one begins where "
          + "the other ends.")
    }
  }

  private func values(_ one: ObjectPatch, _ other: ObjectPatch) -> ObjectPatch {
    var old = (one.old ?? [:]).merging(
      (other.old ?? [:]).filter { one.new?[$0.key] == nil }
    ) { first, _ in first }
    var new = (one.new ?? [:]).merging(other.new ?? [:]) { $1 }
    for (key, value) in new where old[key] == value {
      new[key] = nil
      // What is left of all old values was asked for.
      if one.new?[key] != nil, other.new?[key] != nil { old[key] = nil }
    }
    return ObjectPatch(updating: one.identity, old: old, new: new)
  }

  /// What goes and comes again is changed.
  private func values(of one: ObjectPatch, thenOf other: ObjectPatch) -> ObjectPatch {
    var (old, new): ([String: Value], [String: Value]) = ([:], [:])
    for key in Set((one.old ?? [:]).keys).union((other.new ?? [:]).keys) {
      let (before, after) = (one.old?[key] ?? .null, other.new?[key] ?? .null)
      if before != after { (old[key], new[key]) = (before, after) }
    }
    return ObjectPatch(updating: one.identity, old: old, new: new)
  }

  private func relationship(
    _ one: RelationshipPatch?, _ other: RelationshipPatch?, _ path: PatchPath
  ) throws(PatchError) -> RelationshipPatch? {
    guard var one else { return other.map { renamed($0, isFirst: false) } }
    guard let other else { return renamed(one, isFirst: true) }
    guard one.kind == other.kind else {
      throw PatchError(
        .doesNotFollow, at: path,
        "the relationship is \(one.kind) in one patch and \(other.kind) in the other.")
    }
    let goneThen = Set(other.removed.map { between($0.identity) })
    one.added = staying(one.added, goneThen.contains)
    var joined = RelationshipPatch(one.kind)
    let isPlaced = one.kind == .ordered
    if isPlaced,
      let order = RelationshipPatch.joined(one, other, before: before, after: after)
    {
      (joined.removed, joined.added) = order
    } else {
      let come = Set(one.added.map { between($0.identity) })
      joined.removed =
        one.removed
        + other.removed.filter { !come.contains(between($0.identity)) }
        .map { .init(before($0.identity), position: $0.position) }
      joined.added =
        one.added.filter { !goneThen.contains(between($0.identity)) }
        .map { .init(after($0.identity), position: $0.position) } + other.added
    }
    dropWhatIsBack(&joined)
    return joined.removed.isEmpty && joined.added.isEmpty ? nil : joined
  }

  /// What has gone and come back has done neither.
  private func dropWhatIsBack(_ patch: inout RelationshipPatch) {
    // By what tells each from others in the end.
    let gone = patch.removed.map { member in
      finally(member.identity).map { RelationshipPatch.Member($0, position: member.position) }
    }
    let come = patch.added.map {
      RelationshipPatch.Member(idsAfter[$0.identity] ?? $0.identity, position: $0.position)
    }
    if patch.kind == .ordered {
      if gone == come { (patch.removed, patch.added) = ([], []) }
      return
    }
    let back = Set(gone.compactMap(\.self)).intersection(come)
    if back.isEmpty { return }
    patch.removed = zip(patch.removed, gone)
      .filter { $1.map { !back.contains($0) } ?? true }.map(\.0)
    patch.added = zip(patch.added, come).filter { !back.contains($1) }.map(\.0)
  }

  /// What tells an object in the end that was named so before; nil where it is gone, whatever is named so then.
  private func finally(_ identity: PatchIdentity) -> PatchIdentity? {
    var identity = idsBefore[identity] ?? identity
    if let place = placesInFirst[identity] {
      let patch = first.entries[place].patch
      if patch.kind == .deletion { return revival(of: identity) == nil ? nil : identity }
      guard let name = patch.identityAfter else { return nil }
      identity = name
    }
    if goes(identity) { return nil }
    let name = after(identity)
    return idsAfter[name] ?? name
  }
}
