internal import ObjectModel
public import ObjectStore

extension Patch {
  /// What commits of a store have done, in as few patches as say each coming and going: a member of a set or of a
  /// relationship to many that comes and goes again does so in two patches. Whoever merges what two stores have done, each
  /// without knowing of the other, needs to know of both. What goes and comes again itself, as when its deletion is undone,
  /// has not gone: what others have led there meanwhile stays.
  ///
  /// - Throws: as `init(_:of:options:)`.
  public static func steps(
    _ commits: [Commit], of store: ReadableStore, options: PatchOptions = PatchOptions()
  ) throws -> [Patch] {
    struct Place: Hashable {
      let object: ObjectID
      let key: String
    }
    var runs: [[Commit]] = []
    var changed: Set<Place> = []
    let awaitsReturns = Self.awaitsReturns(commits)
    for (index, commit) in commits.enumerated() {
      let places = commit.changes.flatMap { change in
        change.values.filter { $1.old.hasMembers || $1.new.hasMembers }.keys.map {
          Place(object: change.objectID, key: $0)
        }
      }
      if runs.isEmpty || !awaitsReturns[index] && !changed.isDisjoint(with: places) {
        runs.append([])
        changed = []
      }
      changed.formUnion(places)
      runs[runs.count - 1].append(commit)
    }
    // The last first: what they are read by goes back from later moments to earlier ones.
    let history = PatchHistory(store)
    return try runs.reversed().map { try Patch($0, of: history, options) }.reversed()
  }

  /// Of each commit, whether something is gone before it that comes again, in it or later.
  private static func awaitsReturns(_ commits: [Commit]) -> [Bool] {
    var left: [ObjectID: Int] = [:]
    // How many more are awaited from a commit on than before it.
    var difference = Array(repeating: 0, count: commits.count + 1)
    for (index, commit) in commits.enumerated() {
      for change in commit.changes {
        switch change.kind {
        case .deleted: left[change.objectID] = index
        case .inserted:
          if let gone = left.removeValue(forKey: change.objectID) {
            difference[gone + 1] += 1
            difference[index + 1] -= 1
          }
        case .updated: break
        }
      }
    }
    var count = 0
    return difference.dropLast().map { more in
      count += more
      return count > 0
    }
  }

  /// The patch for a store that others have been applied to, or were made of, of which it does not know: objects are
  /// named as those have renamed them.
  ///
  /// - Parameters:
  ///   - others: the patches, in their order.
  ///   - isYielding: whether members of sets and of relationships to many that these have had come or go stay as they are.
  ///     Where two stores merge what they have done, one of them is to yield, or what comes in the one and goes in the
  ///     other ends otherwise in each.
  public func rebased(over others: [Patch], isYielding: Bool) throws -> Patch {
    try Self.rebased([self], over: [others], isYielding: isYielding)[0]
  }

  /// Several patches that follow each other, each as `rebased(over:isYielding:)` makes it: what those before it rename is
  /// known by its new name.
  ///
  /// - Parameters:
  ///   - patches: the patches, in their order.
  ///   - others: what was done elsewhere after each of the patches was made, and before the next was, which knows of it;
  ///     after the last all that nobody knew of.
  ///   - isYielding: as there.
  ///
  /// Costs: what the others say is read once.
  public static func rebased(
    _ patches: [Patch], over others: [[Patch]], isYielding: Bool
  ) throws -> [Patch] {
    if others.joined().allSatisfy(\.objects.isEmpty) { return patches }
    var past = PatchPast()
    var pasts: [PatchPast] = []
    for index in patches.indices.reversed() {
      if index < others.count { try past.add(before: others[index]) }
      pasts.append(past)
    }
    var followed = FollowedNames()
    return try patches.map { patch in
      var past = pasts.removeLast()
      past.follow(followed)
      let rebased = try patch.rebased(over: past, isYielding)
      try followed.add(patch)
      return rebased
    }
  }

  private func rebased(over past: PatchPast, _ isYielding: Bool) throws(PatchError) -> Patch {
    var own: Set<PatchIdentity> = []
    for entry in try FlatPatch(self, nil).entries where entry.patch.kind != .deletion {
      if let name = entry.patch.identityAfter,
        entry.patch.kind == .creation || name != entry.patch.identity
      {
        own.insert(name)
      }
    }
    let rebasing = PatchRebasing(past: past, own: own, isYielding)
    return Patch(objects: objects.map { rebasing.patch($0) })
  }
}

/// What patches have done to names and to members, by the names that objects have after all of them.
private struct PatchPast {
  /// What comes to a set or a relationship, or goes.
  enum Member: Hashable {
    case value(Value)
    case object(PatchIdentity)
  }

  struct Place: Hashable {
    var identity: PatchIdentity
    let key: String
    var member: Member
  }

  fileprivate(set) var names: [PatchIdentity: PatchIdentity] = [:]
  fileprivate(set) var touched: Set<Place> = []

  /// Takes in what was done before all that it knows.
  mutating func add(before patches: [Patch]) throws(PatchError) {
    for patch in patches.reversed() {
      let entries = try FlatPatch(patch, nil).entries.map(\.patch)
      var renamed: [PatchIdentity: PatchIdentity] = [:]
      for entry in entries where entry.kind == .update {
        if let name = entry.identityAfter, name != entry.identity { renamed[entry.identity] = name }
      }
      func after(_ name: PatchIdentity) -> PatchIdentity { names[name] ?? name }
      func before(_ name: PatchIdentity) -> PatchIdentity { after(renamed[name] ?? name) }
      for entry in entries where entry.kind != .deletion {
        let identity = entry.kind == .creation ? after(entry.identity) : before(entry.identity)
        for (key, relationship) in entry.relationships where relationship.kind != .toOne {
          let members =
            relationship.removed.map { before($0.identity) }
            + relationship.added.map { after($0.identity) }
          for member in members {
            touched.insert(Place(identity: identity, key: key, member: .object(member)))
          }
        }
        for (key, new) in entry.new ?? [:] {
          for member in Value.changedMembers(from: entry.old?[key], to: new) {
            touched.insert(Place(identity: identity, key: key, member: .value(member)))
          }
        }
      }
      let earlier = renamed.map { (name: $0, then: after($1)) }
      for given in renamed.values { names[given] = nil }
      for (name, then) in earlier { names[name] = then }
    }
  }
}

extension PatchPast {
  /// Has what patches rename, which are applied after all of them, be known by its new name.
  fileprivate mutating func follow(_ followed: FollowedNames) {
    if followed.names.isEmpty { return }
    var renamed: [PatchIdentity: PatchIdentity] = [:]
    for (name, now) in followed.names { renamed[names[name] ?? name] = now }
    for name in followed.names.keys { names[name] = nil }
    touched = Set(
      touched.map { place in
        var place = place
        place.identity = renamed[place.identity] ?? place.identity
        if case .object(let member) = place.member, let name = renamed[member] {
          place.member = .object(name)
        }
        return place
      })
  }
}

/// What patches that follow each other rename, by the names before the first.
private struct FollowedNames {
  private(set) var names: [PatchIdentity: PatchIdentity] = [:]
  private var former: [PatchIdentity: PatchIdentity] = [:]

  mutating func add(_ patch: Patch) throws(PatchError) {
    var renamed: [(first: PatchIdentity, now: PatchIdentity)] = []
    for entry in try FlatPatch(patch, nil).entries.map(\.patch) where entry.kind == .update {
      guard let now = entry.identityAfter, now != entry.identity else { continue }
      renamed.append((former.removeValue(forKey: entry.identity) ?? entry.identity, now))
    }
    for (first, now) in renamed {
      names[first] = now
      former[now] = first
    }
  }
}

private struct PatchRebasing {
  let past: PatchPast
  /// The names that objects get by the patch itself.
  let own: Set<PatchIdentity>
  let isYielding: Bool

  init(past: PatchPast, own: Set<PatchIdentity>, _ isYielding: Bool) {
    self.past = past
    self.own = own
    self.isYielding = isYielding
  }

  private func before(_ name: PatchIdentity) -> PatchIdentity { past.names[name] ?? name }

  private func after(_ name: PatchIdentity) -> PatchIdentity {
    own.contains(name) ? name : before(name)
  }

  func patch(_ source: ObjectPatch) -> ObjectPatch {
    var patch = source
    if source.kind != .creation {
      patch.identity = before(source.identity)
      // What is only said of the name, as it does not change, is said of the one it has.
      if case .attribute(let key, let value) = patch.identity.identifier, source.kind == .update,
        source.new?[key] == nil, patch.old?[key] != nil
      {
        patch.old?[key] = value
      }
    }
    for (key, relationship) in source.relationships {
      let rebased = self.relationship(relationship, key, of: patch.identity)
      let isNothing =
        rebased.removed.isEmpty && rebased.added.isEmpty && rebased.patches.isEmpty
      patch.relationships[key] = isNothing ? nil : rebased
    }
    if isYielding, source.kind != .deletion { yieldMembers(&patch) }
    return patch
  }

  private func relationship(
    _ source: RelationshipPatch, _ key: String, of identity: PatchIdentity
  ) -> RelationshipPatch {
    typealias Member = RelationshipPatch.Member
    func isLeft(_ member: Member) -> Bool {
      isYielding && source.kind != .toOne
        && past.touched.contains(
          .init(identity: identity, key: key, member: .object(member.identity)))
    }
    var patch = source
    patch.removed = source.removed.map { Member(before($0.identity), position: $0.position) }
    patch.added = source.added.map { Member(after($0.identity), position: $0.position) }
    patch.removed.removeAll(where: isLeft)
    patch.added.removeAll(where: isLeft)
    patch.patches = source.patches.map(self.patch)
    return patch
  }

  /// Has members of sets be as the patch has them before, where others have had them come or go.
  private func yieldMembers(_ patch: inout ObjectPatch) {
    for (key, new) in patch.new ?? [:] {
      let old = patch.old?[key]
      let left = Value.changedMembers(from: old, to: new).filter {
        past.touched.contains(.init(identity: patch.identity, key: key, member: .value($0)))
      }
      if left.isEmpty { continue }
      var members = new.set ?? []
      let former = old?.set ?? []
      for member in left {
        if former.contains(member) { members.insert(member) } else { members.remove(member) }
      }
      if members == former, patch.kind == .update {
        patch.new?[key] = nil
        patch.old?[key] = nil
      } else {
        patch.new?[key] = .set(members)
      }
    }
  }
}

extension Value {
  /// What comes to a set or goes from it; nothing where it is none.
  fileprivate static func changedMembers(from old: Value?, to new: Value) -> Set<Value> {
    let values = [old ?? .null, new]
    guard values.contains(where: { $0.set != nil }),
      values.allSatisfy({ $0.isNull || $0.set != nil })
    else { return [] }
    return (old?.set ?? []).symmetricDifference(new.set ?? [])
  }
}

extension Value? {
  /// Whether it is something that has members which come and go.
  fileprivate var hasMembers: Bool { self?.set != nil || self?.array != nil }
}
