internal import EventFold
internal import ObjectModel
internal import ObjectStore

// Steps that are taken back, and made again.
extension ManagedObjectContext {
  /// Takes the last step back, also across saves, with what hooks of a save have made of it. Does nothing where there
  /// is none.
  public func undo() {
    if isRefusedInPatch() { return }
    settleSave()
    breakGroups()
    processPendingChanges()
    var isOfHooks = false
    repeat {
      guard let step = fold.undoSteps.last, restore(step, leavingRedo: true, { .undone($0) })
      else { break }
      isOfHooks = step.isOfHooks
    } while isOfHooks && !fold.hasOpenStep
    tellChanges()
    endFollowingUp()
  }

  /// Makes again what was undone last. Does nothing where there is nothing, or something was changed since.
  public func redo() {
    if isRefusedInPatch() { return }
    settleSave()
    breakGroups()
    processPendingChanges()
    repeat {
      guard let step = fold.redoSteps.last, restore(step, leavingRedo: true, { .redone($0) })
      else { break }
    } while canRedo && fold.redoSteps.last?.isOfHooks ?? false
    forgetEarlySteps()
    tellChanges()
    endFollowingUp()
  }

  /// Takes a step back, or makes it again; who listens to the context is still to be told.
  ///
  /// - Parameter leavesRedo: whether what follows from it is no step, so that what can be redone stays.
  /// - Returns: whether that was done.
  func restore(
    _ step: UndoStep, leavingRedo leavesRedo: Bool = false, _ edit: ([Restoration]) -> Edit
  ) -> Bool {
    endFollowingUp()
    let states = step.objects.compactMap { each -> ObjectState? in
      guard let object = instance(of: each.object) else { return nil }
      held[each.object] = object
      fireForUndo(object.state)
      return object.state
    }
    for state in states { base(state) }
    let restorations: [Restoration]
    do throws(StoreError) {
      restorations = try fold.restorations(of: step, row: rowForUndo).map(withoutEmptyMembers)
    } catch {
      // What it would bring back cannot be read: nothing is undone, and the next save says why.
      readFailure = error
      return false
    }
    var reasons: [ObjectID: AwakeReason] = [:]
    let isUndo = if case .undone = edit([]) { true } else { false }
    for restoration in restorations {
      reasons[restoration.object] =
        switch (restoration.kind, isUndo) {
        case (.inserted, true): .undoOfDelete
        case (.inserted, false): .redoOfInsert
        case (.deleted, true): .undoOfInsert
        case (.deleted, false): .redoOfDelete
        case (_, true): .undoOfUpdate
        case (_, false): .redoOfUpdate
        }
    }
    for restoration in restorations {
      guard let state = state(of: restoration.object) else { continue }
      // What was not stored yet when an object went is not stored yet when it comes back.
      let isComing = restoration.kind == .inserted && state.presence != .there
      for entry in restoration.entries where !(isComing && state.isPending(entry.key)) {
        replaceDecoded(of: state, entry.key)
      }
    }
    // An object that comes or goes changes in all its keys.
    var keys: [ObjectID: [KeyNumber]] = [:]
    for restoration in restorations where restoration.kind == .updated {
      keys[restoration.object] = restoration.entries.map(\.key)
    }
    var isDone = false
    var broughtBack: [Restoration] = []
    transition(states, changing: keys) {
      if isUndo { undoWhatObserversDid() }
      // Who was told that it is about to happen may have done something else.
      let isNext = (isUndo ? fold.undoSteps : fold.redoSteps).last == step && !fold.hasOpenStep
      if !isNext { return }
      for state in states { base(state) }
      // Here, and not before: who was told may have set what is no step.
      let count = isUndo ? fold.undoSteps.count : fold.redoSteps.count
      perform(edit((try? fold.shortened(restorations, row: rowForUndo)) ?? restorations))
      // Where something could not be read it is there still.
      if count == (isUndo ? fold.undoSteps.count : fold.redoSteps.count) { return }
      if leavesRedo { followUp = .expected }
      for restoration in restorations { coverUntracked(after: restoration) }
      if !unstored.isEmpty { broughtBack = restorations.filter { $0.kind == .inserted } }
      isDone = true
    }
    guard isDone else { return false }
    if !propagatesDeletesAtEndOfEvent {
      // Its delete rules are to run at the save, as they were.
      let redone = states.filter {
        reasons[$0.objectID] == .redoOfDelete && $0.presence == .deleted
      }
      pendingDeletions += redone
    }
    for restoration in broughtBack {
      if let state = state(of: restoration.object) { setPendingAgain(of: state) }
    }
    for state in states {
      // Who was called before may have had it be there, or not, otherwise than undoing has.
      guard let reason = reasons[state.objectID],
        (state.presence != .there) == reason.isDeletion
      else { continue }
      state.object?.awake(from: reason)
    }
    return true
  }

  /// What an object that is to be restored was at a commit.
  private func rowForUndo(
    _ object: ObjectID, _ commit: CommitNumber
  ) throws(StoreError) -> Row? {
    guard let state = state(of: object), state.base == commit else {
      return try store.row(of: object, at: commit)
    }
    return try state.handle?.stored().row
  }

  /// Takes back what observers have changed who were told that a step is about to be undone: it came after the step, and
  /// so is undone before it.
  private func undoWhatObserversDid() {
    guard fold.hasOpenStep else { return }
    perform(.stepEnded(name: nil))
    if let step = fold.undoSteps.last { _ = restore(step) { .undone($0) } }
  }

  /// A relationship that leads to none has no value.
  private func withoutEmptyMembers(_ restoration: Restoration) -> Restoration {
    guard let info = schema.entity(restoration.object.entity) else { return restoration }
    let entries = restoration.entries.map { entry in
      guard entry.content == .value(.set([])) || entry.content == .value(.array([])),
        info.property(entry.key)?.relationship != nil
      else { return entry }
      return Restoration.Entry(entry.key, nil)
    }
    return Restoration(restoration.object, restoration.kind, entries)
  }

  /// Reads an object that is to be restored: what was deleted and saved is a new one to the store.
  func fireForUndo(_ state: ObjectState) {
    if state.presence == .gone {
      state.isFault = false
    } else {
      fireQuietly(state)
    }
  }
}
