public import ObjectModel

extension Patch {
  /// One patch that does what this one and then another do. It is not nested.
  ///
  /// - Parameter model: says which relationships lead back: the one patch may say a connection at its one end, and the
  ///   other at its other.
  /// - Throws: `PatchError` where the other does not begin where this one ends.
  public func followed(
    by other: Patch, model: ManagedObjectModel
  ) throws(PatchError) -> Patch {
    let joining = PatchJoining(try FlatPatch(self), try FlatPatch(other))
    var ends = JoinedEnds(joining, model)
    return try ends.joining().patch()
  }
}

/// Joins two patches, of which the second follows the first.
struct PatchJoining {
  let first: FlatPatch
  let second: FlatPatch
  /// Objects that a patch names by their IDs have identifiers as well where they lose or get these: their IDs by their
  /// identifiers, before the first patch, between the two, and after the second.
  private(set) var idsBefore: [PatchIdentity: PatchIdentity] = [:]
  private(set) var idsBetween: [PatchIdentity: PatchIdentity] = [:]
  private(set) var idsAfter: [PatchIdentity: PatchIdentity] = [:]
  /// The places of entries, by what objects are named by before the patches.
  private(set) var placesInFirst: [PatchIdentity: Int] = [:]
  private(set) var placesInSecond: [PatchIdentity: Int] = [:]
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
  func between(_ identity: PatchIdentity) -> PatchIdentity { idsBetween[identity] ?? identity }

  /// The same of an object that is named as before the first; nil where that deletes it.
  func next(_ identity: PatchIdentity) -> PatchIdentity? {
    guard let place = placesInFirst[idsBefore[identity] ?? identity] else {
      return between(identity)
    }
    return first.entries[place].patch.identityAfter.map(between)
  }

  /// The same of the object of a patch of the first.
  func next(_ patch: ObjectPatch) -> PatchIdentity? { patch.identityAfter.map(between) }

  /// The same of an object that is named as after the second; nil where that makes it under the name of another.
  func former(_ identity: PatchIdentity) -> PatchIdentity? {
    let name = idsAfter[identity] ?? identity
    guard let place = second.after[name] else { return between(name) }
    return former(second.entries[place].patch)
  }

  /// The same of the object of a patch of the second.
  func former(_ patch: ObjectPatch) -> PatchIdentity? {
    let name = between(patch.identity)
    let isOther = placesInSecond[name] != nil || first.after[name] != nil
    return patch.kind == .creation && isOther ? nil : name
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
  func revival(of identity: PatchIdentity) -> Int? {
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
}
