internal import EventFold
public import ObjectModel
internal import ObjectStore

extension ManagedObjectContext {
  // MARK: Refreshing

  /// Has an object be as the store has it now.
  ///
  /// - Parameter keepingChanges: whether what was changed here is kept over it; otherwise the changes are given up,
  ///   and the object becomes a fault.
  public func refresh(_ object: ManagedObject, mergeChanges keepingChanges: Bool) {
    if isRefusedInPatch() { return }
    settleSave()
    let state = object.state
    guard state.attached() === self, state.isFault || state.isShownBelow else { return }
    if isOnlyHere(state) { return }
    refresh([state], keepingChanges: keepingChanges, reason: .refresh)
  }

  /// Whether an object was made here, also by undoing a deletion that was saved, and nobody else has made it: it could
  /// not be read again.
  private func isOnlyHere(_ state: ObjectState) -> Bool {
    guard state.standing == .inserted else { return false }
    do { return try shown(state.objectID, view.snapshot) == nil } catch { return false }
  }

  /// Whether an object is gone here that somebody has brought back.
  private func isShownAgain(_ state: ObjectState) -> Bool {
    guard isBack(state) else { return false }
    do throws(StoreError) { return try shown(state.objectID, view.snapshot) != nil } catch {
      readFailure = error
      return false
    }
  }

  /// Has an object of an ID be as the store has it now, as `refresh(_:mergeChanges:)` does.
  public func refresh(_ id: ObjectID, mergeChanges keepingChanges: Bool) {
    if let object = instance(of: id) { refresh(object, mergeChanges: keepingChanges) }
  }

  /// Has all objects be as the store has them now, and keeps what was changed here.
  ///
  /// A context that looks at a store for long does so from time to time, or is reset: compaction keeps what was read
  /// since, and not what was read before.
  public func refreshAllObjects() {
    if isRefusedInPatch() { return }
    _ = refreshedAllObjects()
  }

  /// Has all objects be as the store has them now; returns whether they could be read.
  func refreshedAllObjects() -> Bool {
    settleSave()
    let states = registered.values.map { $0.takeUnretainedValue() }
      .filter {
        !$0.isFault && $0.isShownBelow && ($0.presence != .gone || isShownAgain($0))
          && !isOnlyHere($0)
      }
      .sorted { $0.objectID < $1.objectID }
    guard refresh(states, keepingChanges: true, reason: .refresh) else { return false }
    if watching.objectCount > 0 {
      let faults = registered.values.map { $0.takeUnretainedValue() }.filter(\.isFault)
      tellWaiting(of: (watching.left.keys + faults.map(\.objectID)).sorted())
    }
    tellFollowersOfReset()
    // Nothing that was read stands further back than these do now.
    let bases = registered.values.lazy.map { $0.takeUnretainedValue() }
      .filter { !$0.isFault && $0.presence != .gone && $0.base != .none }.map(\.base)
    writer.releaseRead(before: bases.min())
    return true
  }

  /// - Returns: whether that was done; otherwise something cannot be read, which the next save tells.
  @discardableResult
  func refresh(_ states: [ObjectState], keepingChanges: Bool, reason: AwakeReason) -> Bool {
    if states.isEmpty { return true }
    settleSave()
    if keepingChanges { for state in states { storePendingQuietly(of: state) } }
    let head = view.snapshot
    var handles: [ObjectID: RowHandle] = [:]
    var rows: [ObjectID: Row?] = [:]
    do throws(StoreError) {
      for state in states {
        let handle = try shown(state.objectID, head)
        handles[state.objectID] = handle
        // Also of a fault, which may have values that no save takes.
        if fold.objects[state.objectID] != nil {
          let row = try handle?.stored().row
          rows[state.objectID] = .some(row)
          if let row, state.isFault { fold.replaceRow(of: state.objectID, by: row) }
        }
      }
    } catch {
      readFailure = error
      return false
    }
    let strong = states.compactMap(\.object)
    // What those who are told change is a change, and no part of the refresh.
    var (unchanged, number, changedBefore): ([ObjectState], UInt32, Int) = ([], marks.event, 0)
    var isDone = false
    beginTelling()
    transition(states, isRefresh: true) {
      unchanged = states.filter { $0.notedIn != marks.event }
      (number, changedBefore) = (marks.event, event.changed.count)
      do throws(StoreError) {
        // Who was told that it is about to happen may have been the first to change an object.
        for id in states.map(\.objectID) where rows[id] == nil && fold.objects[id] != nil {
          rows[id] = .some(try handles[id]?.stored().row)
        }
      } catch {
        readFailure = error
        return
      }
      if keepingChanges { for state in states { forgetEqualValues(of: state) } }
      let merged = keepingChanges ? valuesMergedByFunction(on: rows) : []
      for state in states where !state.isFault {
        untracked { state.object?.willTurnIntoFault() }
      }
      let commit = performRefresh(
        states.map(\.objectID), keepingChanges: keepingChanges, head, rows: rows)
      // Whoever replays this knows no functions.
      for each in merged { perform(.setPrimitive(each.object, each.key, each.value), rows: rows) }
      for state in states { turnIntoFault(state, keepingChanges: keepingChanges) }
      if keepingChanges {
        for state in states { fetch(state, handles[state.objectID], at: commit) }
      } else {
        for state in states { held[state.objectID] = nil }
      }
      isDone = true
    }
    if marks.event == number { forgetChanged(unchanged, since: changedBefore) }
    endTelling()
    if !isDone { return false }
    for state in states where state.presence == .there && keepingChanges {
      state.object?.awake(from: reason)
    }
    event.refreshed.formUnion(states.map(\.objectID))
    withExtendedLifetime(strong) {}
    return true
  }

  /// That objects were refreshed is told by itself: only what is changed here besides is told as changed.
  private func forgetChanged(_ states: [ObjectState], since start: Int) {
    let refreshed = Set(states.map(\.objectID))
    let others = event.changed[start...].filter { !refreshed.contains($0) }
    event.changed.replaceSubrange(start..., with: others)
    for state in states { state.notedIn = 0 }
  }

  /// Values of the model that were set as they were are not changes, and do not stay over newer ones, or over what a
  /// hook gives anew.
  private func forgetEqualValues(of state: ObjectState) {
    guard state.hasDraft, let draft = fold.objects[state.objectID] else { return }
    let keys = draft.delta.filter { key, value in
      state.entity.property(key) != nil && value == draft.unchangedValue(of: key)
        && !state.isPending(key)
    }
    if keys.isEmpty { return }
    perform(.reconciled(state.objectID, keys.keys.sorted()))
    settle(state)
  }

  /// Gives up what was read of an object.
  private func turnIntoFault(_ state: ObjectState, keepingChanges: Bool) {
    let wasFault = state.isFault
    state.isFault = true
    state.handle = nil
    state.members = nil
    state.untracked = nil
    if keepingChanges {
      state.forgetDecoded()
    } else {
      state.decoded = nil
      state.deletion = nil
      // What it is read at next may be later than what the journal says it stands on.
      state.basedIn = 0
    }
    if state.presence != .there { state.presence = .there }
    if wasFault { return }
    // What was changed is put back later, where it is kept.
    state.hasDraft = false
    state.isTurningIntoFault = true
    untracked { state.object?.didTurnIntoFault() }
    state.isTurningIntoFault = false
    // What the hook has set is nobody's: a fault has no values.
    state.untracked = nil
    state.forgetDecoded()
    state.forgetEmptySeldom()
  }

  /// Reads an object that is being refreshed, and puts what was changed here over it.
  private func fetch(_ state: ObjectState, _ handle: RowHandle?, at commit: CommitNumber) {
    state.isFault = false
    state.base = commit
    guard let handle else {
      state.presence = .gone
      state.handle = nil
      state.deletion = nil
      return
    }
    state.handle = handle
    state.hasDraft = false
    decodeFetched(state)
    untracked { state.object?.awakeFromFetch() }
    guard let draft = fold.objects[state.objectID] else { return }
    state.hasDraft = true
    forgetDecoded(of: state, changedIn: draft)
  }

  /// What a hook has made of what was fetched does not stand for what is changed over that.
  func forgetDecoded(of state: ObjectState, changedIn draft: ObjectDraft) {
    guard state.decoded != nil else { return }
    for key in draft.delta.keys where state.decoded?[key]?.isPending == false {
      state.decoded?[key] = nil
    }
  }
}
