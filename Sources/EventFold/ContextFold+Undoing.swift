package import ObjectModel

extension ContextFold {
  /// What undoing a step brings back, if it is undone next: what goes into the edit `undone` or `redone`.
  ///
  /// Of a counter, a set, ordered members or a dictionary that merges by key it is what is there now with just
  /// what the step did taken back, so that what others did, and a merge or a refresh brought, stays.
  ///
  /// - Parameter row: the row that an object had at a commit; nil where there was none.
  /// - Throws: what `row` throws.
  ///
  /// Costs: time in proportion to the step and to the sets and arrays in it.
  package func restorations<RowError>(
    of step: UndoStep, row: (ObjectID, CommitNumber) throws(RowError) -> Row?
  ) throws(RowError) -> [Restoration] {
    var restorations: [Restoration] = []
    for object in step.objects {
      var entries: [Restoration.Entry] = []
      for entry in object.entries {
        if case .value(let value) = entry.before {
          entries.append(.init(entry.key, value))
        } else {
          let value = try value(of: entry.key, of: object.object, row)
          entries.append(.init(entry.key, entry.before.restored(from: value)))
        }
      }
      restorations.append(Restoration(object.object, object.kind, entries))
    }
    return restorations
  }

  private func value<RowError>(
    of key: KeyNumber, of object: ObjectID,
    _ row: (ObjectID, CommitNumber) throws(RowError) -> Row?
  ) throws(RowError) -> Value? {
    if let draft = objects[object] { return draft.value(of: key) }
    return try row(object, base(of: object))?[key] ?? traits[object.entity]?.defaults[key]
  }

  /// Ends a step, if anything was changed since the last one ended.
  mutating func endStep(named name: String?) {
    guard !recorder.isEmpty else { return }
    undoSteps.append(recorder.step(named: name, leaving: objects))
    recorder = StepRecorder()
  }

  /// Forgets the oldest of the steps that can be undone, so that so many are left. Undoing them is folded
  /// afterwards, too: where the same edits are folded without forgetting, they are known.
  package mutating func forgetSteps(beyond count: Int) {
    guard undoSteps.count > count else { return }
    undoSteps.removeFirst(undoSteps.count - max(count, 0))
    hasEarlierSteps = true
  }

  /// Forgets what can be redone, as a change does. Where the same edits are folded without forgetting, it is known
  /// until the next change, and what is undone and redone until then comes before it.
  package mutating func forgetRedoSteps() { redoSteps = [] }

  mutating func undo(
    _ restorations: [Restoration], _ row: RowReading
  ) throws(ContextFoldError<RowUnread>) {
    guard !isResumable || hasEarlierSteps || !undoSteps.isEmpty || !recorder.isEmpty else {
      throw .contradiction(.nothingToUndo(number))
    }
    let (restored, drafts) = try restored(by: restorations, row)
    endStep(named: nil)
    let name = undoSteps.popLast()?.name
    let opposite = restore(restored, drafts, named: name)
    if isResumable { redoSteps.append(opposite) }
  }

  mutating func redo(
    _ restorations: [Restoration], _ row: RowReading
  ) throws(ContextFoldError<RowUnread>) {
    // A change since the last border has taken away what could be redone.
    guard !isResumable || hasEarlierSteps || !redoSteps.isEmpty else {
      throw .contradiction(.nothingToRedo(number))
    }
    let (restored, drafts) = try restored(by: restorations, row)
    let name = redoSteps.popLast()?.name
    let opposite = restore(restored, drafts, named: name)
    if isResumable { undoSteps.append(opposite) }
  }

  /// What comes back, and the drafts of the objects that are not in memory; all is had before anything is changed.
  private func restored(
    by restorations: [Restoration], _ row: RowReading
  ) throws(ContextFoldError<RowUnread>) -> ([RestoredObject], [ObjectID: ObjectDraft]) {
    var drafts: [ObjectID: ObjectDraft] = [:]
    for restoration in restorations where objects[restoration.object] == nil {
      drafts[restoration.object] = try draft(of: restoration.object, row)
    }
    do throws(FoldError) {
      return (try whole(restorations, drafts), drafts)
    } catch {
      throw .contradiction(error)
    }
  }

  /// Brings back what was, which is all; gives the step that does the opposite.
  private mutating func restore(
    _ restored: [RestoredObject], _ drafts: [ObjectID: ObjectDraft], named name: String?
  ) -> UndoStep {
    for (object, draft) in drafts { adopt(object, draft) }
    var opposite = StepRecorder()
    for each in restored {
      guard let index = objects.index(of: each.object) else { continue }
      let traits = traits[each.object.entity] ?? KeyTraits()
      objects[index].restore(each, traits, &opposite)
    }
    let step = opposite.step(named: name, leaving: objects)
    for each in restored { tidy(each.object) }
    return step
  }
}
