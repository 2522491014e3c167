import ObjectModel

// Relationships: both sides are changed at once, and deleted objects leave what led to them.
extension NaiveContext {
  /// The objects that a key of an object leads to.
  func destinations(_ id: ObjectID, _ key: String) -> [ObjectID] {
    Self.objects(value(id, key))
  }

  static func objects(_ value: Value?) -> [ObjectID] {
    switch value {
    case .reference(let id)?: [id]
    case .set(let members)?: members.compactMap(\.reference).sorted()
    case .array(let members)?: members.compactMap(\.reference)
    default: []
    }
  }

  /// Sets a relationship. One to many in which no member comes, goes or moves is not changed.
  func relate(_ id: ObjectID, _ key: String, _ value: Value?) {
    let info = world.key(key, of: id)
    let (old, new) = (destinations(id, key), Self.objects(value))
    if info.kind != .toOne, old == new { return }
    // What belongs to a blog follows from the posts.
    if key != "blog" {
      for former in old where !new.contains(former) { leave(former, info.inverse, id) }
      for destination in new where !old.contains(destination) {
        lead(destination, info.inverse, to: id)
      }
    }
    if info.kind != .derived { hold(id, key, value) }
  }

  /// Has an object lead to another no more, if it does and is there.
  private func leave(_ id: ObjectID, _ key: String, _ other: ObjectID) {
    guard isThere(id), destinations(id, key).contains(other) else {
      if key == "blog" { notePost(id, goneFrom: other) }
      return
    }
    switch world.key(key, of: id).kind {
    case .toOne: hold(id, key, nil)
    case .toMany: hold(id, key, .set((value(id, key)?.set ?? []).subtracting([.reference(other)])))
    case .ordered:
      hold(id, key, .array((value(id, key)?.array ?? []).filter { $0 != .reference(other) }))
    default: break
    }
  }

  /// Has an object lead to another; where it leads to one, what it led to before leads back no more.
  private func lead(_ id: ObjectID, _ key: String, to other: ObjectID) {
    guard isThere(id) else { return }
    let info = world.key(key, of: id)
    if key == "blog" {
      hold(id, key, .reference(other))
      return notePost(id, of: other)
    }
    if destinations(id, key).contains(other) { return }
    switch info.kind {
    case .toOne:
      for former in destinations(id, key) { leave(former, info.inverse, id) }
      hold(id, key, .reference(other))
    case .toMany: hold(id, key, .set((value(id, key)?.set ?? []).union([.reference(other)])))
    case .ordered: hold(id, key, .array((value(id, key)?.array ?? []) + [.reference(other)]))
    default: break
    }
  }

  // MARK: Deleting

  /// Runs the delete rules of what was deleted, and ends the step.
  func processPendingChanges() {
    while !pendingDeletions.isEmpty { propagate(pendingDeletions.removeFirst()) }
    if history.groupDepth == 0 { history.endStep() }
    tell()
  }

  /// Rules follow what the object led to when it was deleted, what others have had lead to it since, and what still
  /// leads back to it.
  private func propagate(_ id: ObjectID) {
    guard !isThere(id) else { return }
    for (key, info) in (NaiveKey.model[world.entity(id)] ?? [:]).sorted(by: { $0.key < $1.key })
    where info.isRelationship {
      let led = info.kind == .derived ? Array(posts(of: id)) : Self.objects(read(id).remains?[key])
      for destination in Set(led).union(late[id]?[key] ?? []).sorted() {
        guard leads(destination, info.inverse, toDeleted: id) else { continue }
        switch NaiveKey.rule(key) {
        case .cascade: delete(destination)
        case .deny, .noAction: break
        case .nullify: leave(destination, info.inverse, id)
        }
      }
    }
  }

  /// Whether an object is there and leads to a deleted one; also where it is changed here in other ways and others
  /// have had it lead there.
  private func leads(_ id: ObjectID, _ key: String, toDeleted deleted: ObjectID) -> Bool {
    guard isThere(id) else { return false }
    if destinations(id, key).contains(deleted) { return true }
    let isLate = late[deleted]?[world.key(key, of: id).inverse]?.contains(id) ?? false
    return isLate && read(id).differs && !isLedElsewhere(id, key)
  }

  private func isLedElsewhere(_ id: ObjectID, _ key: String) -> Bool {
    guard let object = objects[id] else { return false }
    if !object.isThere { return object.isDirty }
    return object.now?[key] != object.snapshot?[key]
  }

  /// The blogs that keep deleted persons from being deleted: that are there and still lead to them.
  func denials() -> [ObjectID: [ObjectID]] {
    var denials: [ObjectID: [ObjectID]] = [:]
    for (id, object) in objects where object.isDeletedHere && world.entity(id) == "Person" {
      let known = Self.objects(object.remains?["edits"])
      let blogs = Set(known).union(late[id]?["edits"] ?? []).sorted().filter {
        leads($0, "editor", toDeleted: id)
      }
      if !blogs.isEmpty { denials[id] = blogs }
    }
    return denials
  }

  /// Runs the rules of deleted objects for what leads to them in the store, also of what goes with them.
  func followRules(ofStillLedTo ids: Set<ObjectID>) {
    var pending = ids
    var done: Set<ObjectID> = []
    while let id = pending.sorted().last {
      pending.remove(id)
      done.insert(id)
      findLate(id)
      pendingDeletions.append(id)
      while !pendingDeletions.isEmpty {
        let next = pendingDeletions.removeFirst()
        if !done.contains(next) { pending.insert(next) }
        propagate(next)
      }
    }
  }

  /// What leads to an object in the store and nowhere else here. What was read of it before, and is not changed, is
  /// read anew.
  private func findLate(_ id: ObjectID) {
    var found: [String: Set<ObjectID>] = [:]
    for (other, row) in world.commits[world.head] {
      for (key, value) in row where world.key(key, of: other).isRelationship {
        guard Self.objects(value).contains(id), !isLedElsewhere(other, key) else { continue }
        found[world.key(key, of: other).inverse, default: []].insert(other)
      }
    }
    late[id] = found
    var stale: Set<ObjectID> = []
    for (key, others) in found {
      let inverse = world.key(key, of: id).inverse
      for other in others {
        guard let object = objects[other], !object.isDirty,
          !Self.objects(object.now?[inverse]).contains(id)
        else { continue }
        stale.insert(other)
      }
    }
    reading(stale) { for id in stale { readAnew(id) } }
  }
}
