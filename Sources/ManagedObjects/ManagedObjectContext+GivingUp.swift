internal import EventFold
internal import ObjectModel

// What is not saved, given up.
extension ManagedObjectContext {
  /// Gives up everything that is not saved, and the undo history. Nothing is fetched.
  ///
  /// Costs: time in proportion to what is unsaved and can be undone, and not to what was read.
  public func rollback() {
    if isRefusedInPatch() { return }
    settleSave()
    discardPending()
    processPendingChanges()
    breakGroups()
    // The step that it would have named is given up.
    actionName = nil
    // What redoing has led back to what the store has shows again what is untracked, though nothing is unsaved of it.
    let covering = held.values.map(\.state).filter { !$0.hasDraft && $0.isCovering }
    let states = (statesWithDrafts + covering).sorted { $0.objectID < $1.objectID }
    let objects = states.compactMap(\.object)
    var keys: [ObjectID: [KeyNumber]] = [:]
    for state in states where state.standing == .updated || state.standing == .unchanged {
      let changed = fold.objects[state.objectID]?.delta.keys.map(\.self) ?? []
      keys[state.objectID] = state.coveredKeys.union(changed).sorted()
    }
    transition(states, changing: keys) {
      perform(.rolledBack)
      endRefused()
      beginStretch()
      for state in states { state.uncover() }
      // Before anybody is told, who may change something again.
      pendingDeletions = []
      held = [:]
    }
    for object in objects where object.state.presence == .there { object.awake(from: .rollback) }
    tellChanges()
  }

  /// Ends, for the journal, a context of which it has not all edits, and that has nothing unsaved any more: it would not
  /// know that what it has was given up.
  private func endRefused() {
    if writer.failure != nil { writer.finish() }
  }

  /// Forgets all objects, what is not saved of them, and the undo history. An object that is still held says so
  /// when it is used.
  public func reset() {
    if isRefusedInPatch() { return }
    settleSave()
    breakGroups()
    perform(.wasReset)
    endRefused()
    beginStretch()
    (actionName, readFailure, unstored) = (nil, nil, [])
    let states = registered.values.map { $0.takeUnretainedValue() }
    registered = [:]
    held = [:]
    pendingDeletions = []
    endEvent()
    tellFollowersOfReset()
    writer.releaseRead()
    for state in states {
      state.context = nil
      (state.isForgotten, state.isFault, state.standing) = (true, true, .unchanged)
    }
    endTelling(of: states)
  }
}
