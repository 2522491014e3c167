internal import EventFold
internal import ObjectModel

// What is undone at once: steps, groups of them, and what is no step.
extension ManagedObjectContext {
  /// Runs delete rules, ends the undo step that is being made, and tells who watches what has changed.
  ///
  /// Saving, undoing, redoing, rolling back and fetching what is pending call it.
  public func processPendingChanges() { processPendingChanges(endingStep: true) }

  /// Has what is pending be as it will be saved, for a fetch that is to find it. Hooks of a save look things up, too, and
  /// what they change is no step by that.
  func processForFetch() {
    view.parent?.processForFetch()
    if marks.collectsSets {
      if propagatesDeletesAtEndOfEvent { propagateDeletions() }
      // What a transformer cannot store is told by the save.
      try? storePending()
    } else {
      processPendingChanges()
    }
  }

  /// - Parameters:
  ///   - isEnded: whether what has been changed is a step from here on.
  ///   - isOfHooks: whether that is what hooks of a save have made of the step before.
  func processPendingChanges(endingStep isEnded: Bool, ofHooks isOfHooks: Bool = false) {
    // Not from within a hook that nothing is tracked of: what delete rules do has to be.
    if untrackedDepth > 0 { return }
    if propagatesDeletesAtEndOfEvent { propagateDeletions() }
    // What a transformer cannot store is told by the save.
    try? storePending()
    if isEnded, groupDepth == 0 { endStep(ofHooks: isOfHooks) }
    mergeWhatCame()
    tellChanges()
  }

  /// Ends the step, if anything that can be undone came since the last one.
  func endStep(ofHooks isOfHooks: Bool = false) {
    defer { actionName = nil }
    guard fold.hasOpenStep else { return }
    perform(.stepEnded(name: isOfHooks ? UndoStep.nameOfHooks : actionName))
    forgetEarlySteps()
  }

  /// Forgets the oldest steps, where more can be undone than is asked for.
  func forgetEarlySteps() {
    guard levelsOfUndo > 0, fold.undoSteps.count > levelsOfUndo else { return }
    let count = stepCount
    var (kept, levels) = (0, 0)
    for step in fold.undoSteps.reversed() where levels < levelsOfUndo {
      if !step.isOfHooks { levels += 1 }
      kept += 1
    }
    fold.forgetSteps(beyond: kept)
    forgottenStepCount += count - stepCount
  }

  /// How many steps can be undone, and were forgotten before these.
  var stepCount: Int { forgottenStepCount + fold.undoSteps.count }

  /// Names the step that is being made, or the group that is open: what changes before pending changes are processed
  /// next. Where nothing does, the name is forgotten then. An empty name is none.
  public func setActionName(_ name: String) {
    actionName = name
    if schedulesProcessing { scheduleProcessing() }
  }

  /// Whether there is something to undo.
  public var canUndo: Bool { fold.hasOpenStep || !fold.undoSteps.isEmpty }

  /// Whether there is something to redo.
  public var canRedo: Bool { !fold.hasOpenStep && !fold.redoSteps.isEmpty }

  /// The name of what would be undone next; nil where it has none.
  public var undoActionName: String? {
    fold.hasOpenStep ? actionName : fold.undoSteps.last { !$0.isOfHooks }?.name
  }

  /// The name of what would be redone next; nil where it has none.
  public var redoActionName: String? {
    canRedo ? fold.redoSteps.last { !$0.isOfHooks }?.name : nil
  }

  /// Begins a group: until it ends, everything is one step. Groups may stand within each other.
  public func beginUndoGrouping() {
    if groupDepth == 0 { processPendingChanges() }
    groupDepth += 1
  }

  /// Ends a group; the outermost becomes a step.
  public func endUndoGrouping() {
    if groupDepth == 0, brokenGroupCount > 0 {
      brokenGroupCount -= 1
      return
    }
    if let patch = openPatch, groupDepth <= patch.groupDepth, isRefusedInPatch() { return }
    precondition(
      groupDepth > 0, "a group is ended that was not begun; each end needs its beginning.")
    groupDepth -= 1
    if groupDepth > 0 { return }
    processPendingChanges()
    // Where nothing was changed there is no step, and the next one is not to be called so.
    actionName = nil
  }

  /// Ends all groups; those who began them may still do so.
  func breakGroups() {
    brokenGroupCount += groupDepth
    groupDepth = 0
  }

  /// Switches undo off, until it was switched on as often: what is changed meanwhile cannot be undone. While a patch is
  /// being applied that has no effect yet, as the patch is to be taken back as a whole.
  public func disableUndoRegistration() {
    if openPatch != nil {
      openPatch?.undoDisabledCount += 1
      return
    }
    if undoDisabledDepth == 0 {
      processPendingChanges()
      perform(.undoSwitched(isOn: false))
    }
    undoDisabledDepth += 1
  }

  /// Switches undo on again.
  public func enableUndoRegistration() {
    let count = openPatch?.undoDisabledCount ?? 0
    precondition(undoDisabledDepth + count > 0, "undo is switched on that was not switched off.")
    if openPatch != nil {
      openPatch?.undoDisabledCount -= 1
      return
    }
    undoDisabledDepth -= 1
    if undoDisabledDepth == 0 {
      processPendingChanges()
      perform(.undoSwitched(isOn: true))
    }
  }
}
