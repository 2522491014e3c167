internal import EventFold
package import ObjectModel

/// A patch that is being applied.
struct OpenPatch {
  /// How many groups are open, with the patch's own.
  let groupDepth: Int
  /// How often more undo is to be switched off when it has been applied.
  var undoDisabledCount = 0
  /// Whether something was refused to who could not be told.
  var hasRefused = false
  /// The objects that were inserted since they were last asked for.
  var inserted: [ObjectID] = []
}

// A patch is one step: all of it, or nothing.
extension ManagedObjectContext {
  /// Whether what comes now can be taken back by itself.
  package var canTakeBack: Bool { groupDepth == 0 && undoDisabledDepth == 0 }

  /// Does something as one step that can be undone, also where a hook or a delegate fetches meanwhile; or as a part of
  /// the group that is open. Pending changes were processed before, and what was changed till now is a step from here on.
  /// Nothing that would break the step is done meanwhile.
  ///
  /// Where it throws, what it did is taken back, if `canTakeBack` says so before.
  package func asStep<Result>(named name: String, _ body: () throws -> Result) throws -> Result {
    if groupDepth == 0, untrackedDepth == 0 { endStep() }
    // What a save that is on its way calls is not in the midst of the patch.
    settleSave()
    let (canTakeBack, brokenBefore, nameBefore) = (canTakeBack, brokenGroupCount, actionName)
    let (outer, deletionsBefore) = (openPatch, pendingDeletions)
    groupDepth += 1
    openPatch = OpenPatch(groupDepth: groupDepth)
    actionName = name
    do {
      let result = try body()
      // What delete rules call belongs to the step.
      if propagatesDeletesAtEndOfEvent { propagateDeletions() }
      try refuseBroken(canTakeBack)
      let count = close(within: outer)
      endUndoGrouping()
      switchUndo(by: count)
      if groupDepth > 0 {
        if !fold.hasOpenStep || outer != nil { actionName = nameBefore }
        processPendingChanges()
      }
      return result
    } catch {
      guard canTakeBack else {
        let count = close(within: outer)
        endUndoGrouping()
        switchUndo(by: count)
        actionName = nameBefore
        throw error
      }
      pendingDeletions = deletionsBefore
      let isTakenBack = takeBack()
      let count = close(within: outer)
      (groupDepth, brokenGroupCount, actionName) = (0, brokenBefore, nameBefore)
      switchUndo(by: count)
      tellChanges()
      if isTakenBack { throw error }
      let failure = readFailure.map { "\($0)" } ?? "others have changed something meanwhile"
      throw ContextError.patchNotTakenBack(reason: "\(error)", failure: failure)
    }
  }

  /// Throws where something was asked for that would have broken the step. It was not done; but whoever asked takes it for
  /// done.
  private func refuseBroken(_ canTakeBack: Bool) throws(ContextError) {
    guard let patch = openPatch, patch.hasRefused || groupDepth != patch.groupDepth else { return }
    if canTakeBack { throw .isPatching }
    // All of the patch is there and stays, as it cannot be taken back by itself: the next save tells.
    groupDepth = patch.groupDepth
    readFailure = ContextError.isPatching
  }

  /// The patch is being applied no more.
  ///
  /// - Returns: how often more undo is to be switched off; less where negative.
  private func close(within outer: OpenPatch?) -> Int {
    let (count, inserted) = (openPatch?.undoDisabledCount ?? 0, takeInserted())
    openPatch = outer
    guard outer != nil else { return count }
    openPatch?.undoDisabledCount += count
    openPatch?.inserted += inserted
    return 0
  }

  /// The objects that were inserted in the patch that is being applied, since this was last asked.
  package func takeInserted() -> [ObjectID] {
    let inserted = openPatch?.inserted ?? []
    if !inserted.isEmpty { openPatch?.inserted = [] }
    return inserted
  }

  /// Does what was put off while the patch was being applied.
  private func switchUndo(by count: Int) {
    for _ in 0..<max(0, count) { disableUndoRegistration() }
    for _ in 0..<max(0, -count) { enableUndoRegistration() }
  }

  /// Takes back the step that is open, and leaves nothing of it: objects are no longer changed that were not before,
  /// and neither undo nor redo knows of it.
  ///
  /// - Returns: whether nothing is left of it.
  private func takeBack() -> Bool {
    let count = fold.undoSteps.count
    if fold.hasOpenStep { perform(.stepEnded(name: nil)) }
    guard fold.undoSteps.count > count, let step = fold.undoSteps.last else { return true }
    // What a hook has changed meanwhile is a step of its own, and leaves nothing to be redone.
    guard restore(step, { .undone($0) }), fold.undoSteps.count == count, !fold.hasOpenStep,
      !fold.redoSteps.isEmpty
    else { return false }
    // In the journal, too, there is nothing left to be redone but a step that does nothing.
    perform(.redone([]))
    perform(.undone([]))
    fold.forgetRedoSteps()
    return true
  }

  // MARK: What would break it

  /// Throws in the midst of a patch.
  func refuseInPatch() throws(ContextError) {
    if openPatch != nil { throw .isPatching }
  }

  /// Whether that is now, for what cannot throw: the patch is refused then.
  func isRefusedInPatch() -> Bool {
    if openPatch == nil { return false }
    openPatch?.hasRefused = true
    return true
  }
}
