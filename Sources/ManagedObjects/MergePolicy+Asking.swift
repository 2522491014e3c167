internal import EventFold
internal import ObjectModel
internal import ObjectStore

// A context's policy as the store asks it, on any thread, and what the model admits of its answers.

/// Keys by name and number, for any thread.
struct KeyNaming: Sendable {
  let store: ReadableStore

  func name(of key: KeyNumber) -> String? { store.name(of: key) }

  /// The number of a key, which is given one where it has none.
  func key(_ name: String) throws(StoreError) -> KeyNumber? {
    if let key = store.existingKey(named: name) { return key }
    return try (store as? JournaledStore)?.key(named: name)
  }
}

extension MergePolicy {
  func conflictPolicy(
    _ schema: Schema, _ names: KeyNaming,
    _ kindOf: @escaping @Sendable (ObjectID, KeyNumber) -> MergeKind
  ) -> ConflictPolicy {
    switch self {
    case .error: .tell
    case .mergeByPropertyStoreTrump: .storeWins
    case .mergeByPropertyObjectTrump: .objectWins
    case .overwrite: .overwrite
    case .rollback: .rollBack
    case .custom(let merge):
      .custom { conflict in
        merge(MergeConflict(conflict, schema, name: names.name)).merged(
          conflict, schema, names, kindOf)
      }
    }
  }
}

extension MergeResolution {
  fileprivate func merged(
    _ conflict: ObjectConflict, _ schema: Schema, _ names: KeyNaming,
    _ kindOf: @escaping @Sendable (ObjectID, KeyNumber) -> MergeKind
  ) -> ObjectMerge {
    switch self {
    case .deleted:
      guard conflict.ours != nil, conflict.theirs != nil else { return .merged(nil) }
      return .conflict(conflict.objected(.deletes))
    case .asUnder(let policy):
      let policy = policy.conflictPolicy(schema, names, kindOf)
      return ObjectMerge(conflict, policy) { kindOf(conflict.object, $0) }
    case .values(let values):
      var row = conflict.theirs ?? conflict.ours ?? Row()
      let info = schema.entity(conflict.object.entity)
      for (name, value) in values.sorted(by: { $0.key < $1.key }) {
        do throws(Refusal) {
          let (key, taken) = try Self.taken(value, for: name, info, schema, names)
          row[key] = taken
        } catch {
          return .conflict(conflict.objected(.notAdmitted(error.reason)))
        }
      }
      return .merged(row)
    }
  }

  private struct Refusal: Error {
    let reason: String
  }

  /// What an object takes of a value that a policy has made, and the number of its key.
  private static func taken(
    _ value: Value, for name: String, _ info: EntityInfo?, _ schema: Schema, _ names: KeyNaming
  ) throws(Refusal) -> (key: KeyNumber, value: Value?) {
    if let property = info?.property(name) {
      switch property.admitted(value, schema) {
      case .success(let value): return (property.key, value)
      case .failure(let failure): throw Refusal(reason: "\(name) \(failure.reason)")
      }
    }
    guard info?.virtualAttributes[name] == nil else {
      throw Refusal(reason: "\(name) is computed and not stored; name what it is computed of.")
    }
    guard value.isNull || value.isPropertyList else {
      throw Refusal(reason: "\(name) cannot be \(value), which is no property list.")
    }
    do throws(StoreError) {
      if let key = try names.key(name) { return (key, value.isNull ? nil : value) }
    } catch {
      throw Refusal(reason: "\(name) has no number in the store: \(error)")
    }
    throw Refusal(reason: "\(name) is no key of the store, and this store is only read.")
  }
}

extension ObjectConflict {
  fileprivate func objected(_ objection: Objection) -> ObjectConflict {
    var conflict = self
    conflict.objection = objection
    return conflict
  }
}

extension Property {
  /// Why a value that a program's function has made is not stored, in what follows the name of the property.
  struct NotAdmitted: Error {
    let reason: String
  }

  /// What is stored of a value that a program's function has made while it was merged, when nothing is validated any
  /// more.
  func admitted(_ value: Value?, _ schema: Schema) -> Result<Value?, NotAdmitted> {
    func no(_ reason: String) -> Result<Value?, NotAdmitted> {
      .failure(NotAdmitted(reason: reason))
    }
    if isTransient { return no("is transient, and not saved.") }
    if isAnsweredFromInverse { return no("is answered from its inverse; set that.") }
    guard let taken = taken(value) else {
      return no("cannot be \(value ?? .null); it takes \(takenDescription).")
    }
    let leadsToNone = relationship != nil && taken.value.destinations.isEmpty
    guard let value = taken.value, !leadsToNone else {
      return isOptional ? .success(nil) : no("must have a value.")
    }
    if let broken = rules.first(where: { !$0.admits(value) }) {
      return no("is \(value) and \(broken).")
    }
    if let relationship {
      if let other = schema.stranger(among: Value?.some(value).destinations, to: relationship) {
        return no(
          "cannot lead to \(other), which is no \(relationship.description.destination) of this store."
        )
      }
      let count = Value?.some(value).destinations.count
      if ValidationFailure.Kind(of: relationship.description, leadingTo: count) != nil {
        return no("cannot lead to \(count) objects.")
      }
    }
    return .success(value)
  }
}
