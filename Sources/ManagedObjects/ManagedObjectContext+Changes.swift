internal import EventFold
internal import ObjectModel
internal import ObjectStore

// What has changed in an object.
extension ManagedObjectContext {
  func changedValues(of state: ObjectState) -> [String: Value] {
    storePendingQuietly(of: state)
    guard state.hasDraft, let draft = fold.objects[state.objectID] else { return [:] }
    var changed: [String: Value] = [:]
    for (key, value) in draft.delta {
      let property = state.entity.property(key)
      // What the model declares is changed where it differs; a dynamic attribute where it was set.
      if property != nil, value == draft.unchangedValue(of: key), !state.isPending(key) { continue }
      guard let name = property?.name ?? store.name(of: key) else { continue }
      changed[name] = value ?? .null
    }
    return changed
  }

  func committedValues(of state: ObjectState, _ names: [String]?) -> [String: Value] {
    fireQuietly(state)
    let row = storedRow(state)
    var values: [String: Value] = [:]
    guard let names else {
      for property in state.entity.properties {
        values[property.name] = committedMembers(of: state, property) ?? .null
      }
      for entry in row?.entries ?? [] {
        if let name = state.entity.property(entry.key)?.name ?? store.name(of: entry.key) {
          values[name] = entry.value
        }
      }
      return values
    }
    for name in names {
      let property = state.entity.property(name)
      let key = property?.key ?? existingKey(name)
      values[name] =
        key.flatMap { row?[$0] } ?? property.flatMap { committedMembers(of: state, $0) }
        ?? Value.null
    }
    return values
  }

  /// The members of a relationship that is answered from its inverse, without what was changed here; nil where there
  /// are none, and for other properties.
  private func committedMembers(of state: ObjectState, _ property: Property) -> Value? {
    guard let relationship = property.relationship, relationship.storage == .inverse,
      let inverse = relationship.inverse, state.handle != nil
    else { return nil }
    func hasLedHere(_ draft: ObjectDraft) -> Bool {
      draft.baseRow?[inverse.key]?.reference == state.objectID
    }
    var members = members(of: state, property.key, relationship)
    members.keep { member in
      guard let draft = fold.objects[member], draft.isDirty else { return true }
      return hasLedHere(draft)
    }
    for object in unsavedObjects(leadingTo: state.objectID, by: inverse.key) {
      guard let draft = fold.objects[object], draft.isDirty, hasLedHere(draft),
        schema.isKind(object.entity, of: relationship.destination)
      else { continue }
      members.insert(object)
    }
    if members.isEmpty { return nil }
    return members.value
  }

  func valuesBeforeCurrentEvent(of state: ObjectState) -> [String: Value] {
    // What came to be in this event had nothing before.
    if event.inserted.contains(state.objectID) { return [:] }
    var before = (event.valuesBefore[state.objectID] ?? [:]).filter { key, _ in
      state.entity.property(key)?.relationship?.storage != .inverse
    }
    if groupDepth == 0, undoDisabledDepth == 0, let noted = fold.openStep(of: state.objectID) {
      for entry in noted.entries {
        before.updateValue(
          entry.before.restored(from: heldValue(of: state, entry.key)), forKey: entry.key)
      }
    }
    var values: [String: Value] = [:]
    for (key, value) in before {
      if let name = state.entity.property(key)?.name ?? store.name(of: key) {
        values[name] = value ?? .null
      }
    }
    return values
  }

  func reconcileChanges(of state: ObjectState) {
    settleSave()
    storePendingQuietly(of: state)
    guard state.hasDraft, let draft = fold.objects[state.objectID] else { return }
    reconcile(state, Array(draft.delta.keys))
  }

  /// No longer counts keys as changed that are as they were saved.
  func reconcile(_ state: ObjectState, _ keys: [KeyNumber]) {
    guard let draft = fold.objects[state.objectID] else { return }
    let equal = keys.filter { key in
      // What cannot be stored is not what was saved.
      if state.isPending(key) { return false }
      // Not `??`: what is absent and what is nil are different here.
      guard let value = draft.delta[key] else { return false }
      // Not `??` here either.
      if let before = state.untrackedValue(key) {
        return value == before && value == draft.unchangedValue(of: key)
      }
      return value == draft.unchangedValue(of: key)
    }
    if equal.isEmpty { return }
    perform(.reconciled(state.objectID, equal.sorted()))
    settle(state)
  }
}
