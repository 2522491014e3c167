internal import ObjectModel

/// The object patches of a patch without nesting: each object's own changes once.
struct FlatPatch {
  /// An object's own changes. Whoever holds them does not copy them.
  final class Entry {
    /// Without what is nested.
    let patch: ObjectPatch
    /// With it.
    let source: ObjectPatch
    let path: PatchPath

    init(patch: ObjectPatch, source: ObjectPatch, path: PatchPath) {
      self.patch = patch
      self.source = source
      self.path = path
    }
  }

  private(set) var entries: [Entry] = []
  /// The places of entries, by what objects are named by before and after the patch.
  private(set) var before: [PatchIdentity: Int] = [:]
  private(set) var after: [PatchIdentity: Int] = [:]

  /// - Throws: where the changes of one object stand in several places.
  init(_ patch: Patch) throws(PatchError) {
    for (index, object) in patch.objects.enumerated() {
      try add(object, at: PatchPath().appending(index))
    }
  }

  /// Takes entries that are not nested.
  init(_ entries: [Entry]) throws(PatchError) {
    for entry in entries { try append(entry) }
  }

  private mutating func add(_ source: ObjectPatch, at path: PatchPath) throws(PatchError) {
    var own = source
    var children: [(patch: ObjectPatch, path: PatchPath)] = []
    for (key, relationship) in source.relationships.sorted(by: { $0.key < $1.key }) {
      var bare = relationship
      bare.patches = []
      try check(bare, at: path.appending(key))
      let added =
        relationship.patches.isEmpty ? [] : Set(relationship.added.map(\.identity))
      for (index, child) in relationship.patches.enumerated() {
        let place = path.appending(key)
        children.append((child, relationship.kind == .toOne ? place : place.appending(index)))
        // What comes to be under a relationship belongs to it, also where nobody says so.
        if child.kind == .creation, source.kind != .deletion,
          !added.contains(child.identity),
          !child.leads(to: source)
        {
          bare.added.append(RelationshipPatch.Member(child.identity))
        }
      }
      own.relationships[key] = bare.added.isEmpty && bare.removed.isEmpty ? nil : bare
    }
    if own.kind != .update || !(own.new ?? [:]).isEmpty || !own.relationships.isEmpty {
      try append(Entry(patch: own, source: source, path: path))
    }
    for (child, path) in children { try add(child, at: path) }
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
  /// Whether one of its relationships comes to lead to the object of another patch.
  fileprivate func leads(to other: ObjectPatch) -> Bool {
    let identities = [other.identity, other.identityAfter]
    return relationships.values.contains { patch in
      patch.added.contains { identities.contains($0.identity) }
    }
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
