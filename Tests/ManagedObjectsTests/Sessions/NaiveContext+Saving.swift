import ManagedObjects
import ObjectModel
import ObjectStore

/// What a save comes to.
enum NaiveOutcome: Equatable {
  /// Nothing that the store keeps was changed.
  case nothing
  case failed(String)
  case saved(Int)
  case invalid(Set<Failure>)
  case conflicts(Set<Conflict>)

  struct Failure: Hashable {
    let object: ObjectID
    let key: String?
    let kind: ValidationFailure.Kind
  }

  struct Conflict: Hashable {
    let object: ObjectID
    /// Base, ours and theirs of each key.
    let keys: [String: [Value?]]
    let isDeletedHere: Bool
    let isDeletedInStore: Bool
  }

  /// What a context's save came to.
  init(_ world: NaiveWorld, _ save: () throws -> Commit?) {
    do {
      guard let commit = try save() else {
        self = .nothing
        return
      }
      self = .saved(Int(commit.number.rawValue))
    } catch let errors as ValidationErrors {
      self = .invalid(
        Set(errors.failures.map { Failure(object: $0.objectID, key: $0.key, kind: $0.kind) }))
    } catch let conflicts as MergeConflicts {
      self = .conflicts(
        Set(
          conflicts.objects.map {
            Conflict(
              object: $0.objectID, keys: Self.sides($0, world), isDeletedHere: $0.isDeletedHere,
              isDeletedInStore: $0.isDeletedInStore)
          }))
    } catch {
      self = .failed("\(error)")
    }
  }

  private static func sides(_ conflict: MergeConflict, _ world: NaiveWorld) -> [String: [Value?]] {
    var keys: [String: [Value?]] = [:]
    for (key, sides) in conflict.keys {
      let info = world.key(key, of: conflict.objectID)
      keys[key] = [sides.base, sides.ours, sides.theirs].map { info.held($0) }
    }
    return keys
  }

}

/// What becomes of an object that a rival has changed since.
enum NaivePolicy: CaseIterable {
  case error, storeWins, objectWins, overwrite, rollback

  var merging: MergePolicy {
    switch self {
    case .error: .error
    case .storeWins: .mergeByPropertyStoreTrump
    case .objectWins: .mergeByPropertyObjectTrump
    case .overwrite: .overwrite
    case .rollback: .rollback
    }
  }
}

extension NaiveContext {
  func save(_ policy: NaivePolicy) -> NaiveOutcome {
    notifications.append(.willSave)
    for _ in 0..<Self.largestTryCount {
      processPendingChanges()
      dropDeadReferences(policy)
      let dirty = objects.filter { $0.value.isDirty }
      let failures = failures(dirty)
      guard failures.isEmpty else { return .invalid(failures) }
      var rows: [ObjectID: Values?] = [:]
      var conflicts: Set<NaiveOutcome.Conflict> = []
      for (id, object) in dirty {
        let ours = stored(id, object.now)
        // What is as it was is not written, and so meets nobody.
        guard ours != object.snapshot else { continue }
        // What others have changed and changed back is as it was: only who asks to be told hears of it.
        let isSettled =
          policy == .error
          ? !world.isChanged(id, after: object.base)
          : world.row(id, at: world.head) == object.snapshot
        if isSettled {
          rows.updateValue(ours, forKey: id)
        } else if let merged = merge(id, object, ours, policy) {
          rows.updateValue(merged, forKey: id)
        } else {
          conflicts.insert(conflict(id, object, ours))
        }
      }
      guard conflicts.isEmpty else { return .conflicts(conflicts) }
      let asked = dirty.mapValues { NaiveEnds.Asked(base: $0.snapshot, row: $0.now) }
      let ends = NaiveEnds(world, rows, asked)
      guard ends.stillLedTo.isEmpty else {
        followRules(ofStillLedTo: ends.stillLedTo)
        continue
      }
      return finish(dirty, ends.kept)
    }
    return .failed("what is deleted is still led to, however often rules are followed")
  }

  private static let largestTryCount = 20

  /// Makes the commit.
  private func finish(_ dirty: [ObjectID: Object], _ rows: [ObjectID: Values?]) -> NaiveOutcome {
    let before = world.head
    let commit = world.commit(rows)
    // What a save takes stands on the commit afterwards, also what was set as it was.
    for (id, object) in dirty {
      // What others have made of it is told with the next changes.
      if stored(id, object.now) != world.row(id, at: world.head) { touch(id) }
      put(id, settled(id, object, Object(base: world.head, world.row(id, at: world.head))))
    }
    // What leads back to it now is told, too.
    for id in rows.keys where dirty[id] == nil && objects[id]?.snapshot != nil {
      guard world.row(id, at: before) != world.row(id, at: world.head) else { continue }
      touch(id)
      put(id, readAnew(read(id), id, telling: false))
    }
    notifications.append(.didSave(commit))
    return commit.map { .saved($0) } ?? .nothing
  }

  /// Saves, and on conflicts refreshes what they are about and saves again.
  func save(_ policy: NaivePolicy, retrying count: Int) -> NaiveOutcome {
    for _ in 0..<count {
      let outcome = save(policy)
      guard case .conflicts(let conflicts) = outcome else { return outcome }
      for id in conflicts.map(\.object).sorted() { refresh(id) }
    }
    return save(policy)
  }

  /// What a save takes of a row: all but transient values.
  private func stored(_ id: ObjectID, _ row: Values?) -> Values? {
    row?.filter { world.key($0.key, of: id).kind != .transient }
  }

  /// An object after a save: its transient values stay, and count as set without asking for another save. What was
  /// given and something is set over is given no more.
  private func settled(_ id: ObjectID, _ old: Object, _ saved: Object) -> Object {
    var new = saved.given(asBy: old)
    new.given = new.given.filter { !old.set.contains($0.key) }
    guard new.isThere, let transient = old.now?["scratch"] else { return new }
    new.now?["scratch"] = transient
    if old.set.contains("scratch") { (new.set, new.quiet) = (["scratch"], ["scratch"]) }
    return new
  }

  // MARK: Dead references

  /// Takes out what was led to objects that will not be there; nothing where a deletion is denied, as it stays then.
  private func dropDeadReferences(_ policy: NaivePolicy) {
    guard denials().isEmpty else { return }
    for (id, object) in objects where object.isDirty && object.isThere {
      for key in object.set where world.key(key, of: id).isRelationship {
        let before = Self.objects(object.snapshot?[key])
        let dead = Self.objects(object.now?[key])
          .filter { !before.contains($0) && !willBeThere($0, policy) }.map(Value.reference)
        guard !dead.isEmpty else { continue }
        let left: Value? =
          switch object.now?[key] {
          case .set(let members)?: .set(members.subtracting(dead))
          case .array(let members)?: .array(members.filter { !dead.contains($0) })
          default: .none
          }
        touch(id)
        setPrimitive(id, key, world.key(key, of: id).held(left))
      }
    }
    tell()
  }

  /// Whether an object will be there after a save: also what others have deleted and the policy brings back, or
  /// refuses to lose.
  private func willBeThere(_ id: ObjectID, _ policy: NaivePolicy) -> Bool {
    let object = objects[id]
    if let object, object.isDeletedHere { return false }
    if let object, object.isInserted { return true }
    if world.row(id, at: world.head) != nil { return true }
    guard let object, object.isUpdated, stored(id, object.now) != object.snapshot else {
      return false
    }
    return [.error, .objectWins, .overwrite].contains(policy)
  }

  // MARK: Validating

  private func failures(_ dirty: [ObjectID: Object]) -> Set<NaiveOutcome.Failure> {
    var failures: Set<NaiveOutcome.Failure> = []
    for (id, object) in dirty where object.isThere && world.entity(id) == "Post" {
      func fail(_ key: String, _ kind: ValidationFailure.Kind) {
        failures.insert(.init(object: id, key: key, kind: kind))
      }
      if object.now?["title"] == nil { fail("title", .missing) }
      if let author = object.now?["author"], (author.string ?? "").count > 10 {
        fail("author", .breaksRule(author, .maxLength(10)))
      }
    }
    for (id, blogs) in denials() {
      failures.insert(.init(object: id, key: "edits", kind: .denied(blogs)))
    }
    return failures
  }

  // MARK: Conflicts

  /// What an object is to be that a rival has changed; nil where that cannot be told without asking.
  private func merge(
    _ id: ObjectID, _ object: Object, _ ours: Values?, _ policy: NaivePolicy
  ) -> Values?? {
    let theirs = world.row(id, at: world.head)
    if ours == nil, theirs == nil { return .some(nil) }
    switch policy {
    case .overwrite: return .some(ours)
    case .rollback: return .some(theirs)
    default: break
    }
    let base = object.snapshot ?? [:]
    guard let ours, let theirs else {
      // One has deleted it: there are no properties to go through.
      switch policy {
      case .storeWins: return .some(theirs)
      case .objectWins: return .some(ours)
      default: return nil
      }
    }
    let changed = Set(ours.keys).union(base.keys).filter { ours[$0] != base[$0] }
    var merged = theirs
    for key in changed {
      var info = world.key(key, of: id)
      if policy == .error, !info.merges { return nil }
      // What came back on both sides nobody has added to anything.
      if object.snapshot == nil, info.kind == .counter { info = NaiveKey(kind: .plain) }
      let isContested = theirs[key] != base[key] && theirs[key] != ours[key] && !info.merges
      if isContested, policy == .error { return nil }
      if isContested, policy == .storeWins { continue }
      merged[key] = info.put(ours[key], madeOf: base[key], on: theirs[key])
    }
    return .some(merged)
  }

  private func conflict(_ id: ObjectID, _ object: Object, _ ours: Values?) -> NaiveOutcome.Conflict
  {
    let (base, theirs) = (object.snapshot, world.row(id, at: world.head))
    let all = Set((ours ?? [:]).keys).union((base ?? [:]).keys).union((theirs ?? [:]).keys)
    var keys: [String: [Value?]] = [:]
    for key in all where ours?[key] != base?[key] || theirs?[key] != base?[key] {
      keys[key] = [base?[key], ours?[key], theirs?[key]]
    }
    return NaiveOutcome.Conflict(
      object: id, keys: keys, isDeletedHere: ours == nil, isDeletedInStore: theirs == nil)
  }
}
