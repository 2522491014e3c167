internal import EventFold
internal import ObjectModel
internal import ObjectStore

// What those who listen to a context are told of an event.
extension ManagedObjectContext {
  func changedObjects(of event: ContextEvent) -> ChangedObjects {
    var changed = ChangedObjects()
    let both = event.inserted.intersection(event.deleted)
    changed.inserted = event.inserted.subtracting(both)
    changed.deleted = event.deleted.subtracting(both)
    // What came and went has not been there; what went and came back is another.
    changed.updated = both.filter { isShownThere($0) }
    changed.updated.formUnion(
      Set(event.changed).subtracting(changed.inserted).subtracting(changed.deleted)
        .subtracting(both).filter { isShownThere($0) })
    changed.refreshed = event.refreshed.subtracting(changed.inserted).subtracting(changed.deleted)
      .subtracting(changed.updated).subtracting(both).filter { isShownThere($0) }
    return changed
  }

  /// Whether an object is there, as far as the context knows.
  private func isShownThere(_ object: ObjectID) -> Bool {
    state(of: object).map { $0.presence == .there } ?? true
  }

  func change(
    _ changed: ChangedObjects, _ event: ContextEvent, number: Int
  ) -> ContextChange {
    var objects: [ContextChange.Object] = []
    func add(_ ids: Set<ObjectID>, _ kind: ContextChange.Kind) {
      for id in ids {
        guard let info = schema.entity(id.entity) else { continue }
        objects.append(
          ContextChange.Object(
            objectID: id, entityName: info.name, kind: kind,
            values: differences(of: id, kind, event)))
      }
    }
    add(changed.inserted, .inserted)
    add(changed.updated, .updated)
    add(changed.deleted, .deleted)
    add(changed.refreshed, .refreshed)
    return ContextChange(number: number, objects: objects.sorted { $0.objectID < $1.objectID })
  }

  private func differences(
    of id: ObjectID, _ kind: ContextChange.Kind, _ event: ContextEvent
  ) -> [String: Commit.ChangedValue] {
    guard let state = instance(of: id)?.state else { return [:] }
    var values: [String: Commit.ChangedValue] = [:]
    func add(_ key: KeyNumber, old: Value?, new: Value?) {
      guard old != new, let name = name(of: key, state) else { return }
      values[name] = Commit.ChangedValue(old: old, new: new)
    }
    switch kind {
    case .inserted:
      for entry in heldRow(of: state).entries { add(entry.key, old: nil, new: entry.value) }
    case .deleted:
      if let row = state.deletion?.row {
        for entry in row.entries { add(entry.key, old: entry.value, new: nil) }
      } else {
        for (key, old) in event.valuesBefore[id] ?? [:] { add(key, old: old, new: nil) }
      }
    case .updated, .refreshed:
      for (key, old) in event.valuesBefore[id] ?? [:] {
        add(key, old: old, new: currentValue(of: state, key))
      }
    }
    return values
  }

  // MARK: What was before

  /// What an object has now.
  func heldRow(of state: ObjectState) -> Row {
    fireQuietly(state)
    var row = Row()
    if state.hasDraft, let draft = fold.objects[state.objectID] {
      row = draft.row ?? Row()
    } else {
      row = storedRow(state) ?? Row()
    }
    for (key, value) in untrackedValues(of: state) { row[key] = value }
    return row
  }

  /// The value of a key as it is now, also of a relationship that is answered from its inverse.
  func currentValue(of state: ObjectState, _ key: KeyNumber) -> Value? {
    guard let property = state.entity.property(key) else { return heldValue(of: state, key) }
    return primitiveValue(of: state, property)
  }

  /// Notes for those who listen what an object has, before it may become another in all keys.
  func noteAllBefore(of state: ObjectState) {
    guard !state.isFault, state.presence == .there else { return }
    var keys = heldRow(of: state).entries.map(\.key)
    keys += state.entity.properties.filter { $0.relationship?.storage != .inverse }.map(\.key)
    for key in keys { noteBefore(of: state, key) }
  }

  /// Notes for those who listen that what leads back to an object is about to change.
  func noteOwner(_ owner: ObjectState, _ key: KeyNumber) {
    guard listeners.hearsChanges, !owner.isFault, owner.presence == .there else { return }
    noteChanged(owner)
    // Of destinations that nobody has read nobody knows what they were.
    if listeners.hasChangeReaders, owner.members?[key] != nil { noteBefore(of: owner, key) }
  }
}
