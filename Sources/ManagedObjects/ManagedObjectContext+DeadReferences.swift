internal import EventFold
internal import ObjectModel
internal import ObjectStore

// What leads to objects that are gone is not saved.
extension ManagedObjectContext {
  /// Takes out of what is to be saved what was led to objects that are deleted, here or by others: as their delete
  /// rule would have done that nullifies, had it known of it. It is nothing that could be undone.
  ///
  /// What a save is to refuse because a deletion is denied is left as it is.
  ///
  /// - Throws: where something was led to an object that another context has made and not saved.
  func dropDeadReferences() throws {
    let dead = try deadReferences()
    guard !dead.isEmpty, deniedDeletions().isEmpty else { return }
    try refuseUnsaved(dead)
    beginTelling()
    for each in dead { drop(each) }
    endTelling()
    tellChanges()
  }

  private struct DeadReferences {
    let object: ObjectID
    let key: KeyNumber
    let destinations: Set<ObjectID>
  }

  /// What was led to objects that will not be there after the save.
  private func deadReferences() throws -> [DeadReferences] {
    let head = view.shared
    var known: [ObjectID: Bool] = [:]
    var dead: [DeadReferences] = []
    for (object, draft) in fold.objects.mayBeDirty where draft.isDirty && draft.isThere {
      guard let info = schema.entity(object.entity), info.hasRelationships else { continue }
      for entry in draft.delta.entries where entry.value.leadsSomewhere {
        let key = entry.key
        // What no save takes can stay as it is.
        guard let property = info.property(key), property.relationship != nil, !property.isTransient
        else { continue }
        let before = Set((draft.baseRow?[key]).destinations)
        var missing: Set<ObjectID> = []
        for destination in entry.value.destinations where !before.contains(destination) {
          let isThere = try known[destination] ?? willBeThere(destination, head)
          known[destination] = isThere
          if !isThere { missing.insert(destination) }
        }
        if !missing.isEmpty {
          dead.append(DeadReferences(object: object, key: key, destinations: missing))
        }
      }
    }
    return dead.sorted { ($0.object, $0.key) < ($1.object, $1.key) }
  }

  /// What is not there yet is no deletion to follow.
  private func refuseUnsaved(_ dead: [DeadReferences]) throws {
    var madeElsewhere: Set<ObjectID>?
    for each in dead {
      for destination in each.destinations.sorted() where try !hasKnown(destination) {
        let made = try madeElsewhere ?? objectsMadeElsewhere()
        madeElsewhere = made
        guard made.contains(destination) else { continue }
        throw ContextError.destinationUnsaved(
          each.object, key: name(of: each.key, each.object), destination: destination)
      }
    }
  }

  private func willBeThere(_ object: ObjectID, _ head: SharedSnapshot) throws -> Bool {
    let draft = fold.objects[object]
    if let draft {
      if !draft.isThere { return false }
      if draft.baseRow == nil, draft.isDirty { return true }
    }
    if try shown(object, head) != nil { return true }
    // What was changed here and deleted by others comes back, or keeps all from being saved; or it stays deleted.
    guard let draft, draft.isDirty, isChanged(object, draft) else { return false }
    return switch mergePolicy {
    case .error, .mergeByPropertyObjectTrump, .overwrite, .custom: true
    case .mergeByPropertyStoreTrump, .rollback: false
    }
  }

  private func isChanged(_ object: ObjectID, _ draft: ObjectDraft) -> Bool {
    let transient = schema.transientKeys(of: object.entity)
    return draft.delta.contains { key, value in
      !transient.contains(key) && value != draft.baseRow?[key]
    }
  }

  private func drop(_ dead: DeadReferences) {
    guard let state = instance(of: dead.object)?.state else { return }
    let left = heldValue(of: state, dead.key).without(dead.destinations)
    base(state)
    willChange(state, dead.key)
    guard isThereStill(state) else {
      didChange(state, dead.key)
      return
    }
    noteChange(of: state, dead.key)
    perform(.setPrimitive(dead.object, dead.key, left))
    settle(state)
    for destination in dead.destinations.sorted() {
      noteReference(of: dead.object, dead.key, from: destination, to: nil)
    }
    didChange(state, dead.key)
  }
}

extension Value? {
  /// Whether it leads to objects, if it is a relationship's.
  fileprivate var leadsSomewhere: Bool {
    switch self {
    case .reference?: true
    case .set(let members)?: !members.isEmpty
    case .array(let members)?: !members.isEmpty
    default: false
    }
  }

  /// The value of a relationship without some destinations; one that leads to none has no value.
  fileprivate func without(_ objects: Set<ObjectID>) -> Value? {
    func stays(_ value: Value) -> Bool { value.reference.map { !objects.contains($0) } ?? true }
    switch self {
    case .reference(let object)?:
      if objects.contains(object) { return nil }
      return self
    case .set(let members)?:
      let left = members.filter(stays)
      if left.isEmpty { return nil }
      return .set(left)
    case .array(let members)?:
      let left = members.filter(stays)
      if left.isEmpty { return nil }
      return .array(left)
    default: return self
    }
  }
}
