internal import EventFold
internal import ObjectModel
internal import ObjectStore

extension ManagedObjectContext {
  /// Runs something that may change any value of some objects, and has everything follow that depends on them:
  /// what the objects know of themselves, relationships that are answered from their inverse, and who watches.
  ///
  /// - Parameters:
  ///   - keys: which keys may change, by object; any where nothing is said of an object. One of which none does is not
  ///     told of as changed.
  ///   - isRefresh: whether the objects are told of as refreshed, and not as changed.
  func transition(
    _ states: [ObjectState], changing keys: [ObjectID: [KeyNumber]] = [:],
    isRefresh: Bool = false, _ body: () -> Void
  ) {
    let before = states.map { references(of: $0) }
    let wereThere = states.map { $0.presence == .there }
    var drafts: [ObjectID: ObjectDraft] = [:]
    for state in states where state.hasDraft && state.presence == .there {
      drafts[state.objectID] = fold.objects[state.objectID]
    }
    beginTelling()
    defer { endTelling() }
    let watched = willChange(states, keys)
    for state in states {
      if !isRefresh, keys[state.objectID]?.isEmpty != true { noteChanged(state) }
      if listeners.hasChangeReaders { noteAllBefore(of: state) }
      state.forgetDecoded()
    }
    body()
    for state in states { adopt(state, was: drafts[state.objectID]) }
    for (state, wasThere) in zip(states, wereThere) where wasThere != (state.presence == .there) {
      if wasThere {
        event.deleted.insert(state.objectID)
      } else {
        event.inserted.insert(state.objectID)
      }
    }
    for (state, old) in zip(states, before) {
      if state.isFault {
        // What it has is not known before it is read again.
        for (key, owner) in old { forgetMembers(of: owner, leadingBackBy: key, of: state) }
        if drafts[state.objectID] != nil { noteReturn(of: state, from: old) }
        continue
      }
      let new = references(of: state)
      for (key, reference) in old where new[key] != .some(reference) {
        noteReference(of: state.objectID, key, from: reference, to: new[key] ?? nil)
      }
      for (key, reference) in new where old[key] == nil {
        noteReference(of: state.objectID, key, from: nil, to: reference)
      }
    }
    didChange(watched)
  }

  /// The keys that objects have other values of where they come to have these rows, for `transition`; nothing is said of
  /// those that come or go, nor of those that hold what is not tracked.
  func keysChanging(
    of states: [ObjectState], to row: (ObjectState) -> Row?
  ) -> [ObjectID: [KeyNumber]] {
    var keys: [ObjectID: [KeyNumber]] = [:]
    for state in states where state.presence == .there && state.untracked == nil {
      guard let now = currentRow(of: state), let next = row(state) else { continue }
      let transient = schema.transientKeys(of: state.objectID.entity)
      keys[state.objectID] = next.keysApart(from: now).filter { !transient.contains($0) }
    }
    return keys
  }

  /// Has owners that an object was led away from have it among their members again, though it has not been read: what was
  /// changed of it has been given up.
  private func noteReturn(of state: ObjectState, from old: [KeyNumber: ObjectID?]) {
    // Who cannot read it is told when it is read.
    guard let row = try? shown(state.objectID, view.snapshot)?.stored().row else { return }
    for (key, former) in old {
      guard let owner = row[key]?.reference, owner != former,
        let inverse = state.entity.property(key)?.relationship?.inverse,
        let members = self.state(of: owner)?.members?[inverse.key],
        !members.contains(state.objectID)
      else { continue }
      noteReference(of: state.objectID, key, from: nil, to: owner)
    }
  }

  private func forgetMembers(
    of owner: ObjectID?, leadingBackBy key: KeyNumber, of state: ObjectState
  ) {
    guard let owner = owner.flatMap(watchedState(of:)),
      let inverse = state.entity.property(key)?.relationship?.inverse
    else { return }
    willChange(owner, inverse.key)
    owner.members?[inverse.key] = nil
    didChange(owner, inverse.key)
  }

  /// What the relationships to one of an object lead to, where others are answered from them.
  private func references(of state: ObjectState) -> [KeyNumber: ObjectID?] {
    guard !state.isFault, state.presence == .there else { return [:] }
    var references: [KeyNumber: ObjectID?] = [:]
    for property in state.entity.properties {
      if property.relationship?.inverse?.storage == .inverse {
        references[property.key] = .some(reference(of: state, property.key))
      }
    }
    return references
  }

  /// Has an object be what the fold now says of it.
  ///
  /// - Parameter draft: what was changed of it before.
  private func adopt(_ state: ObjectState, was draft: ObjectDraft?) {
    settle(state)
    guard !state.isFault else { return }
    let isThere = fold.objects[state.objectID]?.isThere ?? (state.handle != nil)
    switch (state.presence, isThere) {
    case (.there, false):
      // Of what was deleted before and has been refreshed, what it led to then is kept for its delete rules.
      if state.deletion == nil {
        var row = draft?.row ?? storedRow(state)
        for (key, value) in state.untracked ?? [:] where draft?.delta[key] == nil {
          row?[key] = value
        }
        state.deletion = row.map { ObjectState.Deletion(row: $0) }
      }
      state.presence = state.handle == nil ? .gone : .deleted
    case (.deleted, true), (.gone, true):
      state.presence = .there
      state.deletion = nil
    default: break
    }
  }
}
