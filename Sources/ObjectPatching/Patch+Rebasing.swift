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
  /// Costs: what the patches and the others say is read once.
  public static func rebased(
    _ patches: [Patch], over others: [[Patch]], isYielding: Bool
  ) throws -> [Patch] {
    if others.joined().allSatisfy(\.objects.isEmpty) { return patches }
    var past = PatchPast()
    for index in patches.indices.reversed() {
      try past.add(before: index < others.count ? others[index] : [])
    }
    return try patches.map { patch in
      let entries = try FlatPatch(patch, nil).entries.map(\.patch)
      let rebased = patch.rebased(over: past, entries, isYielding)
      past.go(beyond: entries)
      return rebased
    }
  }

  /// - Parameter entries: its own, without nesting.
  private func rebased(
    over past: PatchPast, _ entries: [ObjectPatch], _ isYielding: Bool
  ) -> Patch {
    var rebasing = PatchRebasing(past, entries, isYielding)
    var rebased: [ObjectPatch] = []
    for object in objects { rebased.append(rebasing.patch(object)) }
    return Patch(objects: rebased + rebasing.freed)
  }
}

private struct PatchRebasing {
  private let past: PatchPast
  private let isYielding: Bool
  /// The names that objects get by the patch itself, with those they have before; nil for none.
  private var own: [PatchIdentity: PatchIdentity?] = [:]
  /// What comes to be under relationships that it does not come to.
  private(set) var freed: [ObjectPatch] = []

  init(_ past: PatchPast, _ entries: [ObjectPatch], _ isYielding: Bool) {
    (self.past, self.isYielding) = (past, isYielding)
    for entry in entries where entry.kind != .deletion {
      guard let name = entry.identityAfter else { continue }
      if entry.kind == .creation {
        own[name] = .some(nil)
      } else if name != entry.identity {
        own[name] = entry.identity
      }
    }
  }

  private func after(_ name: PatchIdentity) -> PatchIdentity {
    own.keys.contains(name) ? name : past.name(of: name)
  }

  /// What others know an object by that is named so after the patch; nil for nothing.
  private func origin(after name: PatchIdentity) -> PatchIdentity? {
    guard let before = own[name] else { return past.origin(of: name) }
    return before.map(past.origin(of:)) ?? past.originOfNew(name)
  }

  mutating func patch(_ source: ObjectPatch) -> ObjectPatch {
    var patch = source
    if source.kind != .creation {
      patch.identity = past.name(of: source.identity)
      // What is only said of the name, as it does not change, is said of the one it has.
      if case .attribute(let key, let value) = patch.identity.identifier, source.kind == .update,
        source.new?[key] == nil, patch.old?[key] != nil
      {
        patch.old?[key] = value
      }
    }
    let origin =
      source.kind == .creation
      ? past.originOfNew(source.identity) : past.origin(of: source.identity)
    for (key, relationship) in source.relationships.sorted(by: { $0.key < $1.key }) {
      let rebased = self.relationship(relationship, key, of: origin)
      let isNothing =
        rebased.removed.isEmpty && rebased.added.isEmpty && rebased.patches.isEmpty
      patch.relationships[key] = isNothing ? nil : rebased
    }
    if isYielding, source.kind != .deletion { yieldMembers(&patch, of: origin) }
    return patch
  }

  private mutating func relationship(
    _ source: RelationshipPatch, _ key: String, of object: PatchIdentity?
  ) -> RelationshipPatch {
    typealias Member = RelationshipPatch.Member
    func isLeft(_ member: PatchIdentity?) -> Bool {
      guard isYielding, source.kind != .toOne, let member else { return false }
      return isTouched(object, key, .object(member))
    }
    var patch = RelationshipPatch(source.kind)
    patch.removed = source.removed.filter { !isLeft(past.origin(of: $0.identity)) }
      .map { Member(past.name(of: $0.identity), position: $0.position) }
    patch.added = source.added.filter { !isLeft(origin(after: $0.identity)) }
      .map { Member(after($0.identity), position: $0.position) }
    for child in source.patches {
      let rebased = self.patch(child)
      if child.kind == .creation, isLeft(origin(after: child.identity)) {
        freed.append(rebased)
      } else {
        patch.patches.append(rebased)
      }
    }
    return patch
  }

  private func isTouched(
    _ object: PatchIdentity?, _ key: String, _ member: PatchPast.Member
  ) -> Bool {
    object.map { past.hasTouched(PatchPast.Place(identity: $0, key: key, member: member)) } ?? false
  }

  /// Has members of sets be as the patch has them before, where others have had them come or go.
  private func yieldMembers(_ patch: inout ObjectPatch, of object: PatchIdentity?) {
    for (key, new) in patch.newValues {
      let old = patch.old?[key]
      let left = Value.changedMembers(from: old, to: new).filter {
        isTouched(object, key, .value($0))
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

extension Value? {
  /// Whether it is something that has members which come and go.
  fileprivate var hasMembers: Bool { self?.set != nil || self?.array != nil }
}
