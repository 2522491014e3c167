internal import ObjectModel

/// The object patches of a patch without nesting: each object's own changes once.
struct FlatPatch {
  /// An object's own changes. Whoever holds them does not copy them.
  final class Entry {
    /// Without what is nested.
    let patch: ObjectPatch
    /// With it, where there is any.
    private let whole: ObjectPatch?
    let path: PatchPath

    init(patch: ObjectPatch, source: ObjectPatch? = nil, path: PatchPath) {
      self.patch = patch
      whole = source
      self.path = path
    }

    /// With what is nested.
    var source: ObjectPatch { whole ?? patch }
  }

  private(set) var entries: [Entry] = []
  /// The places of entries, by what objects are named by before and after the patch.
  private(set) var before: [PatchIdentity: Int] = [:]
  private(set) var after: [PatchIdentity: Int] = [:]

  /// - Parameter model: says which relationships lead back; as in `ObjectPatch.unsaidMembers(of:_:)`.
  /// - Throws: where the changes of one object stand in several places.
  init(_ patch: Patch, _ model: ManagedObjectModel?) throws(PatchError) {
    entries.reserveCapacity(patch.objects.count)
    before.reserveCapacity(patch.objects.count)
    after.reserveCapacity(patch.objects.count)
    for index in patch.objects.indices {
      try add(patch.objects[index], at: PatchPath().appending(index), model)
    }
  }

  /// Takes entries that are not nested.
  init(_ entries: [Entry]) throws(PatchError) {
    for entry in entries { try append(entry) }
  }

  private mutating func add(
    _ source: ObjectPatch, at path: PatchPath, _ model: ManagedObjectModel?
  ) throws(PatchError) {
    if source.relationships.isEmpty {
      if source.kind != .update || !source.newValues.isEmpty {
        try append(Entry(patch: source, path: path))
      }
      return
    }
    var own = source
    var children: [(patch: ObjectPatch, path: PatchPath)] = []
    for (key, relationship) in source.relationships.sorted(by: { $0.key < $1.key }) {
      var bare = relationship
      bare.patches = []
      try check(bare, at: path.appending(key))
      bare.added += source.unsaidMembers(of: key, model)
      for (index, child) in relationship.patches.enumerated() {
        let place = path.appending(key)
        children.append((child, relationship.kind == .toOne ? place : place.appending(index)))
      }
      own.relationships[key] = bare.added.isEmpty && bare.removed.isEmpty ? nil : bare
    }
    if own.kind != .update || !own.newValues.isEmpty || !own.relationships.isEmpty {
      try append(Entry(patch: own, source: source, path: path))
    }
    for (child, path) in children { try add(child, at: path, model) }
  }

  private func check(_ patch: RelationshipPatch, at path: PatchPath) throws(PatchError) {
    for member in patch.removed + patch.added {
      guard let place = member.position, place < 0 || place > Self.largestPosition else { continue }
      throw PatchError(
        .malformed, at: path, "\(place) is no position; count from 0 to \(Self.largestPosition).")
    }
  }

  /// More than any relationship has members, and few enough to count with.
  private static let largestPosition = 1 << 40

  private mutating func append(_ entry: Entry) throws(PatchError) {
    let index = entries.count
    let identity = entry.patch.identity
    if entry.patch.kind != .creation, before.updateValue(index, forKey: identity) != nil {
      throw .repeated(identity, entry.path)
    }
    if let identity = entry.patch.identityAfter, after.updateValue(index, forKey: identity) != nil {
      throw .repeated(identity, entry.path)
    }
    entries.append(entry)
  }
}

extension ObjectPatch {
  /// What comes to a relationship though the patch does not say so there: whatever is created under it belongs to it.
  ///
  /// - Parameter model: says which relationship leads back. What that says is not repeated here; without a model nobody
  ///   knows which that is, and it is.
  func unsaidMembers(of key: String, _ model: ManagedObjectModel?) -> [RelationshipPatch.Member] {
    guard kind != .deletion, let relationship = relationships[key],
      relationship.patches.contains(where: { $0.kind == .creation })
    else { return [] }
    let said = Set(relationship.added.map(\.identity))
    let inverse = model?.entity(named: entityName)?.relationship(key)?.inverse
    let names = [identity, identityAfter]
    return relationship.patches.filter { child in
      if child.kind != .creation || said.contains(child.identity) { return false }
      let back = inverse.flatMap { child.relationships[$0] }?.added ?? []
      return !back.contains { names.contains($0.identity) }
    }.map { RelationshipPatch.Member($0.identity) }
  }
}

extension PatchError {
  fileprivate static func repeated(_ identity: PatchIdentity, _ path: PatchPath) -> PatchError {
    PatchError(
      .repeatedObject, at: path,
      "the changes of \(identity) stand in several places; put them in one, and name it by its identity elsewhere."
    )
  }
}
