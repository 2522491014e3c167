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
    wholeNames = try options.wholeNames(in: [from, to])
    self.changes = changes
    self.from = PatchSide(from)
    self.to = PatchSide(to)
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
    let before = old.map { from.attributes(of: $0.object, $0.row) }
    let after = new.map { to.attributes(of: $0.object, $0.row) }
    switch (before, after) {
    case (nil, let after?):
      guard let new, let identity = to.identity(of: new.object, new.row) else { return nil }
      return ObjectPatch(creating: identity, new: after, relationships: relationships)
    case (let before?, nil):
      guard let old, let identity = from.identity(of: old.object, old.row) else { return nil }
      return ObjectPatch(deleting: identity, old: before, relationships: relationships)
    case (let before?, let after?):
      guard let old, let name = from.identity(of: old.object, old.row) else { return nil }
      let identity = Self.lasting(name, of: old.object, after)
      var (changedOld, changedNew): ([String: Value], [String: Value]) = ([:], [:])
      for (key, value) in before where value != after[key] ?? .null {
        changedOld[key] = value
        changedNew[key] = after[key] ?? .null
      }
      for (key, value) in after where before[key] == nil && !value.isNull {
        changedOld[key] = .null
        changedNew[key] = value
      }
      guard !changedNew.isEmpty || !relationships.isEmpty else { return nil }
      if wholeNames.contains(identity.entityName) {
        changedOld.merge(before) { changed, _ in changed }
      }
      return ObjectPatch(
        updating: identity, old: changedOld, new: changedNew, relationships: relationships)
    case (nil, nil): return nil
    }
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

  /// Whether a relationship leads to the same objects as before, and those that are gone are so for others, too.
  private func isSame(
    _ relationship: RelationshipInfo, from old: [ObjectID], to new: [ObjectID]
  ) throws(StoreError) -> Bool {
    guard isOneStore, old == new else { return false }
    for object in old {
      if counterparts[object] != nil { return false }
      // What led nowhere leads to what comes again, where nobody has cleared it.
      if !to.context.schema.isCleared(relationship), try from.identity(of: object) == nil,
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
