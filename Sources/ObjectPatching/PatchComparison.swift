internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

/// Compares two states, object by object.
struct PatchComparison {
  /// What tells whether two members of a relationship are the same object.
  enum Token: Hashable {
    case object(ObjectID)
    case identity(PatchIdentity)
  }

  let from: PatchSide
  let to: PatchSide
  let options: PatchOptions
  /// The names of entities of whose objects all old attributes are given.
  let wholeNames: Set<String>
  /// Whether an object has the same ID on both sides.
  let isOneStore: Bool
  /// What lies between two moments of one store, where that has been read.
  let changes: [ObjectID: NetChange]?
  /// Whether the second side is the later one, where it is another moment of the same store.
  let isForward: Bool
  /// Objects that are taken for others of the other side, though they have not the same ID or identity.
  var counterparts: [ObjectID: ObjectID] = [:]
  /// The objects that are on the first side what others of the second are, where these are named by their IDs: by theirs
  /// they are named after the patch, too.
  var originals: [ObjectID: ObjectID] = [:]

  /// - Throws: where the options name what is not there.
  init(
    _ from: ManagedObjectContext, _ to: ManagedObjectContext, _ options: PatchOptions,
    _ changes: [ObjectID: NetChange]? = nil
  ) throws(PatchError) {
    try self.init(
      PatchSide(from), PatchSide(to), options, changes,
      isForward: from.shownSnapshot.number < to.shownSnapshot.number)
  }

  init(
    _ from: PatchSide, _ to: PatchSide, _ options: PatchOptions,
    _ changes: [ObjectID: NetChange]?, isForward: Bool
  ) throws(PatchError) {
    wholeNames = try options.wholeNames(of: [from, to])
    self.changes = changes
    self.isForward = isForward
    self.from = from
    self.to = to
    self.options = options
    isOneStore = from.store === to.store
  }

  func token(before object: ObjectID) throws(StoreError) -> Token? {
    if let counterpart = counterparts[object] { return try token(after: counterpart) }
    if isOneStore { return .object(object) }
    return try from.identity(of: object).map { .identity($0) }
  }

  func token(after object: ObjectID) throws(StoreError) -> Token? {
    if isOneStore { return .object(object) }
    return try to.identity(of: object).map { .identity($0) }
  }

  /// What becomes of one object, without what is nested; nil where nothing does.
  func patch(
    from old: (object: ObjectID, row: Row)?, to new: (object: ObjectID, row: Row)?
  ) throws(StoreError) -> ObjectPatch? {
    let relationships = try relationships(from: old, to: new)
    switch (old, new) {
    case (nil, let new?):
      guard let identity = to.identity(of: new.object, new.row) else { return nil }
      let values = to.attributes(of: new.object, new.row)
      return ObjectPatch(creating: identity, new: values, relationships: relationships)
    case (let old?, nil):
      guard let identity = from.identity(of: old.object, old.row) else { return nil }
      let values = from.attributes(of: old.object, old.row)
      return ObjectPatch(deleting: identity, old: values, relationships: relationships)
    case (let old?, let new?):
      guard let name = from.identity(of: old.object, old.row) else { return nil }
      var changed = changedAttributes(from: old, to: new)
      guard !changed.new.isEmpty || !relationships.isEmpty else { return nil }
      if wholeNames.contains(name.entityName) {
        changed.old.merge(from.attributes(of: old.object, old.row)) { changed, _ in changed }
      }
      return ObjectPatch(
        updating: Self.lasting(name, of: old.object, changed.new), old: changed.old,
        new: changed.new, relationships: relationships)
    case (nil, nil): return nil
    }
  }

  /// The attributes that differ, null where there is no value.
  private func changedAttributes(
    from old: (object: ObjectID, row: Row), to new: (object: ObjectID, row: Row)
  ) -> (old: [String: Value], new: [String: Value]) {
    var changed: (old: [String: Value], new: [String: Value]) = ([:], [:])
    func note(_ name: String, _ before: Value?, _ after: Value?) {
      let (before, after) = (before ?? .null, after ?? .null)
      if before == after { return }
      changed.old[name] = before
      changed.new[name] = after
    }
    guard from.schema === to.schema, old.object.entity == new.object.entity else {
      let before = from.attributes(of: old.object, old.row)
      let after = to.attributes(of: new.object, new.row)
      for (name, value) in before { note(name, value, after[name]) }
      for (name, value) in after where before[name] == nil { note(name, nil, value) }
      return changed
    }
    // What neither row has is the same; others may have said nothing of it.
    for entry in old.row.entries {
      if let name = from.name(ofAttribute: entry.key, of: old.object) {
        note(name, entry.value, new.row[entry.key])
      }
    }
    for entry in new.row.entries where old.row[entry.key] == nil {
      if let name = to.name(ofAttribute: entry.key, of: new.object) {
        note(name, nil, entry.value)
      }
    }
    return changed
  }

  /// What an object is named by: its ID where it loses its identifier, as the ID is what it is named by then.
  static func lasting(
    _ identity: PatchIdentity, of object: ObjectID, _ new: [String: Value]
  ) -> PatchIdentity {
    guard case .attribute(let key, _) = identity.identifier, new[key]?.isNull ?? false else {
      return identity
    }
    return PatchIdentity(identity.entityName, object)
  }

  private func relationships(
    from old: (object: ObjectID, row: Row)?, to new: (object: ObjectID, row: Row)?
  ) throws(StoreError) -> [String: RelationshipPatch] {
    if let old, let new, from.schema === to.schema, old.object.entity == new.object.entity {
      return try changedRelationships(from: old, to: new)
    }
    let before = old.map { from.relationships(of: $0.object, $0.row) } ?? []
    let after = new.map { to.relationships(of: $0.object, $0.row) } ?? []
    var patches: [String: RelationshipPatch] = [:]
    for (property, members) in before {
      let others = after.first { $0.property.name == property.name }
      // What the other side does not hold is no difference that could be told.
      if new != nil, others == nil { continue }
      guard let relationship = property.relationship else { continue }
      if let others, try isSame(relationship, from: members, to: others.to) { continue }
      patches[property.name] = try patch(
        relationship.patchKind, from: members, to: others?.to ?? [])
    }
    for (property, members) in after where old == nil {
      guard let kind = property.relationship?.patchKind else { continue }
      patches[property.name] = try patch(kind, from: [], to: members)
    }
    return patches
  }

  /// The relationships that differ, of the same model on both sides.
  private func changedRelationships(
    from old: (object: ObjectID, row: Row), to new: (object: ObjectID, row: Row)
  ) throws(StoreError) -> [String: RelationshipPatch] {
    var patches: [String: RelationshipPatch] = [:]
    for property in from.relationships(of: old.object) {
      guard let relationship = property.relationship else { continue }
      let (before, after) = (old.row[property.key], new.row[property.key])
      if before == nil, after == nil { continue }
      let (members, others) = (before.destinations, after.destinations)
      if try isSame(relationship, from: members, to: others) { continue }
      patches[property.name] = try patch(relationship.patchKind, from: members, to: others)
    }
    return patches
  }

  /// Whether a relationship leads to the same objects as before, and those that are gone are so for others, too.
  private func isSame(
    _ relationship: RelationshipInfo, from old: [ObjectID], to new: [ObjectID]
  ) throws(StoreError) -> Bool {
    guard isOneStore, old == new else { return false }
    for object in old {
      if counterparts[object] != nil { return false }
      // What led nowhere leads to what comes again, where nobody has cleared it.
      if !to.schema.isCleared(relationship), try from.identity(of: object) == nil,
        try to.identity(of: object) != nil
      {
        return false
      }
    }
    return true
  }

  /// What an object of the second side is named by after the patch.
  private func identityAfter(of object: ObjectID) throws(StoreError) -> PatchIdentity? {
    let identity = try to.identity(of: object)
    guard let identity, case .objectID = identity.identifier, let original = originals[object]
    else { return identity }
    return PatchIdentity(identity.entityName, original)
  }

  private func patch(
    _ kind: RelationshipPatch.Kind, from old: [ObjectID], to new: [ObjectID]
  ) throws(StoreError) -> RelationshipPatch? {
    var (before, after): ([Named], [Named]) = ([], [])
    var staying: Set<ObjectID> = []
    // What leads to an object that is not there leads nowhere.
    for object in new {
      if let token = try token(after: object), let name = try identityAfter(of: object) {
        after.append(Named(token: token, identity: name))
        if isOneStore, !counterparts.isEmpty { staying.insert(object) }
      }
    }
    for object in old {
      guard let name = try from.identity(of: object) else { continue }
      // What leads to the same object as before does not lead to the one that this is taken for.
      let token = staying.contains(object) ? .object(object) : try token(before: object)
      if let token { before.append(Named(token: token, identity: name)) }
    }
    var patch = RelationshipPatch(kind)
    if kind == .ordered {
      let order = MemberOrder(from: before.map(\.token), to: after.map(\.token))
      patch.removed = order.removed.map { .init(before[$0].identity, position: $0) }
      patch.added = order.added.map { .init(after[$0].identity, position: $0) }
    } else if before.count <= 1, after.count <= 1 {
      if before.first?.token == after.first?.token { return nil }
      patch.removed = before.map { .init($0.identity) }
      patch.added = after.map { .init($0.identity) }
    } else {
      let (tokensBefore, tokensAfter) = (Set(before.map(\.token)), Set(after.map(\.token)))
      patch.removed = before.filter { !tokensAfter.contains($0.token) }.map { .init($0.identity) }
      patch.added = after.filter { !tokensBefore.contains($0.token) }.map { .init($0.identity) }
      patch.removed.sort(by: RelationshipPatch.Member.precedes)
      patch.added.sort(by: RelationshipPatch.Member.precedes)
    }
    return patch.removed.isEmpty && patch.added.isEmpty ? nil : patch
  }

  private struct Named {
    let token: Token
    let identity: PatchIdentity
  }
}
