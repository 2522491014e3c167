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
  /// What objects are named by before the first, by what they are named by after it; and after the second, by what
  /// they are named by before it. Of those only whose names change.
  private var namesBefore: [PatchIdentity: PatchIdentity] = [:]
  private var namesAfter: [PatchIdentity: PatchIdentity] = [:]

  init(_ first: FlatPatch, _ second: FlatPatch) {
    self.first = first
    self.second = second
    for entry in first.entries where entry.patch.kind == .update {
      if let identity = entry.patch.identityAfter { namesBefore[identity] = entry.patch.identity }
    }
    for entry in second.entries where entry.patch.kind == .update {
      namesAfter[entry.patch.identity] = entry.patch.identityAfter
    }
  }

  private func before(_ identity: PatchIdentity) -> PatchIdentity {
    namesBefore[identity] ?? identity
  }

  private func after(_ identity: PatchIdentity) -> PatchIdentity {
    namesAfter[identity] ?? identity
  }

  func patch() throws(PatchError) -> Patch {
    var objects: [ObjectPatch] = []
    var taken: Set<Int> = []
    for entry in first.entries {
      // What has gone may come again under its name.
      let identity = entry.patch.identityAfter
      let next = identity.map { second.before[$0] } ?? revival(of: entry.patch.identity)
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
      for index in patch.added.indices {
        patch.added[index].identity = after(patch.added[index].identity)
      }
    } else {
      for index in patch.removed.indices {
        patch.removed[index].identity = before(patch.removed[index].identity)
      }
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
    guard let one else { return other.map { renamed($0, isFirst: false) } }
    guard let other else { return renamed(one, isFirst: true) }
    guard one.kind == other.kind else {
      throw PatchError(
        .doesNotFollow, at: path,
        "the relationship is \(one.kind) in one patch and \(other.kind) in the other.")
    }
    var joined = RelationshipPatch(one.kind)
    let isPlaced = one.kind == .ordered
    if isPlaced,
      let order = RelationshipPatch.joined(one, other, before: before, after: after)
    {
      (joined.removed, joined.added) = order
    } else {
      let (come, goneThen) = (Set(one.added.map(\.identity)), Set(other.removed.map(\.identity)))
      joined.removed =
        one.removed
        + other.removed.filter { !come.contains($0.identity) }
        .map { .init(before($0.identity), position: $0.position) }
      joined.added =
        one.added.filter { !goneThen.contains($0.identity) }
        .map { .init(after($0.identity), position: $0.position) } + other.added
    }
    dropWhatIsBack(&joined)
    return joined.removed.isEmpty && joined.added.isEmpty ? nil : joined
  }

  /// What has gone and come back has done neither.
  private func dropWhatIsBack(_ patch: inout RelationshipPatch) {
    // By the name that each has in the end.
    let gone = patch.removed.map {
      RelationshipPatch.Member(finally($0.identity), position: $0.position)
    }
    if patch.kind == .ordered {
      if gone == patch.added { (patch.removed, patch.added) = ([], []) }
      return
    }
    let back = Set(gone).intersection(patch.added)
    if back.isEmpty { return }
    patch.removed = zip(patch.removed, gone).filter { !back.contains($1) }.map(\.0)
    patch.added.removeAll { back.contains($0) }
  }

  /// What an object is named by after both that was named so before.
  private func finally(_ identity: PatchIdentity) -> PatchIdentity {
    guard let index = first.before[identity] else { return after(identity) }
    return after(first.entries[index].patch.identityAfter ?? identity)
  }
}
