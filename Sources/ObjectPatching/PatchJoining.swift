internal import ObjectModel

/// Joins two patches, of which the second follows the first.
struct PatchJoining {
  let first: FlatPatch
  let second: FlatPatch
  let model: ManagedObjectModel
  /// Objects that a patch names by their IDs have identifiers as well where they lose or get these: their IDs by their
  /// identifiers, before the first patch, between the two, and after the second.
  let idsBefore: [PatchIdentity: PatchIdentity]
  private let idsBetween: [PatchIdentity: PatchIdentity]
  let idsAfter: [PatchIdentity: PatchIdentity]
  /// The places of entries, by what objects are named by before the patches.
  let placesInFirst: [PatchIdentity: Int]
  private let placesInSecond: [PatchIdentity: Int]
  /// What objects are named by before the first, by what they are named by after it; and after the second, by what
  /// they are named by before it. Of those only that change.
  private let namesBefore: [PatchIdentity: PatchIdentity]
  private var namesAfter: [PatchIdentity: PatchIdentity]

  init(_ first: FlatPatch, _ second: FlatPatch, _ model: ManagedObjectModel) {
    self.first = first
    self.second = second
    self.model = model
    typealias Names = [PatchIdentity: PatchIdentity]
    var (before, between, after): (Names, Names, Names) = ([:], [:], [:])
    for entry in first.entries {
      Self.note(entry.patch.old, of: entry.patch, in: &before)
      Self.note(entry.patch.new, of: entry.patch, in: &between)
    }
    for entry in second.entries {
      Self.note(entry.patch.old, of: entry.patch, in: &between)
      Self.note(entry.patch.new, of: entry.patch, in: &after)
    }
    func named(_ places: [PatchIdentity: Int], _ ids: Names) -> [PatchIdentity: Int] {
      Dictionary(places.map { (ids[$0] ?? $0, $1) }) { $1 }
    }
    (placesInFirst, placesInSecond) = (named(first.before, before), named(second.before, between))
    var (namesBefore, namesAfter): (Names, Names) = ([:], [:])
    for entry in first.entries where entry.patch.kind == .update {
      if let identity = entry.patch.identityAfter {
        namesBefore[between[identity] ?? identity] = entry.patch.identity
      }
    }
    for entry in second.entries where entry.patch.kind == .update {
      let identity = entry.patch.identity
      namesAfter[between[identity] ?? identity] = entry.patch.identityAfter
    }
    (idsBefore, idsBetween, idsAfter) = (before, between, after)
    (self.namesBefore, self.namesAfter) = (namesBefore, namesAfter)
    for patch in second.entries.map(\.patch) where patch.kind == .creation {
      let name = former(patch)
      if name != self.between(patch.identity) { self.namesAfter[name] = patch.identity }
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
  func between(_ identity: PatchIdentity) -> PatchIdentity { idsBetween[identity] ?? identity }

  /// The same of an object that is named as before the first; nil where that deletes it, and it does not come again.
  func next(_ identity: PatchIdentity) -> PatchIdentity? {
    guard let place = placesInFirst[idsBefore[identity] ?? identity] else {
      return between(identity)
    }
    return next(first.entries[place].patch)
  }

  /// The same of the object of a patch of the first.
  func next(_ patch: ObjectPatch) -> PatchIdentity? {
    guard patch.kind == .deletion else { return patch.identityAfter.map(between) }
    // What cannot be joined is told when it is.
    guard let index = try? revival(of: patch) else { return nil }
    return former(second.entries[index].patch)
  }

  /// The same of an object that is named as after the second.
  func former(_ identity: PatchIdentity) -> PatchIdentity {
    let name = idsAfter[identity] ?? identity
    guard let place = second.after[name] else { return between(name) }
    return former(second.entries[place].patch)
  }

  /// The same of the object of a patch of the second. What that makes under the name of another is told from it.
  func former(_ patch: ObjectPatch) -> PatchIdentity {
    let name = between(patch.identity)
    let isOther = placesInSecond[name] != nil || first.after[name] != nil
    return patch.kind == .creation && isOther ? Self.toBe(patch.identity) : name
  }

  /// What tells an object that is not there between the patches from another that has its name then. No attribute is
  /// without a name, so that nothing else is told by it.
  private static func toBe(_ identity: PatchIdentity) -> PatchIdentity {
    guard case .attribute(_, let value) = identity.identifier else { return identity }
    return PatchIdentity(identity.entityName, "", value)
  }

  func before(_ identity: PatchIdentity) -> PatchIdentity {
    namesBefore[between(identity)] ?? identity
  }

  func after(_ identity: PatchIdentity) -> PatchIdentity {
    namesAfter[between(identity)] ?? identity
  }

  /// Whether the second patch deletes an object.
  func goes(_ identity: PatchIdentity) -> Bool {
    placesInSecond[between(identity)].map { second.entries[$0].patch.kind == .deletion } ?? false
  }

  /// Refuses what the second patch makes under a name that it does not free, and under which the first leaves another.
  func refuseWhatIsThere() throws(PatchError) {
    for entry in second.entries where entry.patch.kind == .creation {
      let name = between(entry.patch.identity)
      guard first.after[name] != nil, placesInSecond[name] == nil else { continue }
      throw PatchError(
        .doesNotFollow, at: entry.path,
        "\(entry.patch.identity) is there after the first patch, and the other makes it; join patches of which one "
          + "begins where the other ends.")
    }
  }

  func patch() throws(PatchError) -> Patch {
    var objects: [ObjectPatch] = []
    var taken: Set<Int> = []
    for entry in first.entries {
      let next: Int?
      if let identity = entry.patch.identityAfter {
        next = placesInSecond[between(identity)]
      } else {
        // What has gone may come again under its ID.
        next = try entry.patch.kind == .deletion ? revival(of: entry.patch) : nil
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

  /// The place of the creation by which an object that has gone comes again under its ID, and so is changed in the
  /// end. What comes under the identifier of what has gone is another: what led to the one, and nobody cleared, does not
  /// lead to the other, and no patch says who that was.
  ///
  /// - Throws: where the deletion does not say all that the object had.
  func revival(of deletion: ObjectPatch) throws(PatchError) -> Int? {
    guard case .objectID = deletion.identity.identifier,
      let index = second.after[deletion.identity], second.entries[index].patch.kind == .creation
    else { return nil }
    guard deletion.saysAll(of: attributes(of: deletion)) else {
      throw PatchError(
        .doesNotFollow, at: second.entries[index].path,
        "\(deletion.identity) comes again, and the first patch does not say all that it had; join patches that say "
          + "what is deleted.")
    }
    return index
  }

  private func attributes(of patch: ObjectPatch) -> [AttributeDescription] {
    model.entity(named: patch.entityName)?.attributes ?? []
  }

  /// A patch that is joined with none, with names as they are before the first and after the second.
  private func renamed(_ patch: ObjectPatch, isFirst: Bool) -> ObjectPatch {
    var patch = patch
    for (key, relationship) in patch.relationships {
      patch.relationships[key] = renamed(relationship, isFirst: isFirst)
    }
    return patch
  }

  /// Both patches of one object; nil where nothing is left of them.
  private func joined(
    _ one: ObjectPatch, _ entry: FlatPatch.Entry
  ) throws(PatchError) -> ObjectPatch? {
    let other = entry.patch
    var joined: ObjectPatch
    switch (one.kind, other.kind) {
    case (.creation, .deletion):
      try refuseMisfit(one.newValues, entry)
      return nil
    case (.creation, .update):
      try refuseMisfit(one.newValues, entry)
      joined = one
      joined.new = one.newValues.merging(other.newValues) { $1 }
      joined.identity = other.identityAfter ?? one.identity
    case (.update, .update):
      try refuseMisfit(one.newValues, entry)
      joined = values(one, other)
      // What loses its identifier is named by its ID.
      if case .objectID = other.identity.identifier { joined.identity = other.identity }
    case (.update, .deletion):
      try refuseMisfit(one.newValues, entry)
      var old = other.oldValues
      for key in one.newValues.keys { old[key] = one.old?[key] }
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
    for (key, old) in entry.patch.oldValues {
      guard let value = values[key], value != old else { continue }
      throw PatchError(
        .doesNotFollow, at: entry.path.appending(key),
        "‘\(key)’ was \(old) before, and the first patch makes it \(value); join patches of which one begins where "
          + "the other ends.")
    }
  }

  private func values(_ one: ObjectPatch, _ other: ObjectPatch) -> ObjectPatch {
    var old = one.oldValues.merging(
      other.oldValues.filter { one.new?[$0.key] == nil }
    ) { first, _ in first }
    var new = one.newValues.merging(other.newValues) { $1 }
    for (key, value) in new where old[key] == value {
      new[key] = nil
      // What is left of all old values was asked for.
      if one.new?[key] != nil, other.new?[key] != nil { old[key] = nil }
    }
    return ObjectPatch(updating: one.identity, old: old, new: new)
  }

  /// What goes and comes again is changed. What is not said of it then begins as that of any new object.
  private func values(of one: ObjectPatch, thenOf other: ObjectPatch) -> ObjectPatch {
    var (old, new): ([String: Value], [String: Value]) = ([:], [:])
    var come = other.newValues
    for attribute in attributes(of: other)
    where !attribute.isTransient && come[attribute.name] == nil {
      if let value = attribute.filling { come[attribute.name] = value }
    }
    for key in Set(one.oldValues.keys).union(come.keys) {
      let (before, after) = (one.old?[key] ?? .null, come[key] ?? .null)
      if before != after { (old[key], new[key]) = (before, after) }
    }
    return ObjectPatch(updating: one.identity, old: old, new: new)
  }
}
