internal import EventFold
internal import ObjectModel
internal import ObjectStore

// What follows a save, when the commit is there.
extension ManagedObjectContext {
  /// Does what follows a commit that was made, or was not needed as all of it is there already; where somebody else has
  /// done it, what they did is had, too. Nothing is read for it, as nothing may go wrong any more.
  func conclude(_ save: SaveOnItsWay) -> Commit? {
    let (content, number) = (save.sent.content, save.sent.number)
    if let content {
      writer.live?.didSave(as: number)
      ownNumbers[content.context] = number
    } else {
      writer.record(.saved(number))
    }
    // Where somebody else's changes were merged, an object has more than was saved, and where theirs won nothing
    // of it is in the commit.
    let hasMerged = !save.sent.merged.isEmpty
    var rows =
      hasMerged ? save.sent.merged : [ObjectID: Row?](minimumCapacity: save.unsaved.count)
    for each in save.unsaved where rows[each.object] == nil {
      rows.updateValue(each.row, forKey: each.object)
    }
    let merged = didSave(save.unsaved, save.saved, rows, hasMerged: hasMerged, as: number)
    let commit = content.map { store.publicCommit($0, rows) }
    for object in merged where object.state.presence == .there { object.awake(from: .merge) }
    for object in save.saved { object.didSave() }
    tellDidSave(commit)
    return commit
  }

  /// Has objects stand on the commit that they are in, with the rows that they have there.
  ///
  /// - Returns: those that have something of somebody else's by it.
  private func didSave(
    _ unsaved: [Unsaved], _ saved: [ManagedObject], _ rows: [ObjectID: Row?],
    hasMerged: Bool, as number: CommitNumber
  ) -> [ManagedObject] {
    var mergedStates: [ObjectState] = []
    for each in unsaved where hasMerged && rows[each.object] != .some(each.row) {
      if let state = state(of: each.object) { mergedStates.append(state) }
    }
    let far = statesAtOtherEnds(rows, unsaved, number)
    // Of those at other ends it is told whatever they were known to be: others may have changed them and this back.
    let keys = keysChanging(of: mergedStates) { rows[$0.objectID] ?? nil }
    beginTelling()
    defer { endTelling() }
    // What was deleted loses its values now; computed keys of others may have been made of them.
    let vanishing = willChange(saved.map(\.state).filter { $0.presence == .deleted }, [:])
    defer { didChange(vanishing) }
    transition(mergedStates + far, changing: keys) {
      for object in saved { endUntracked(of: object.state) }
      apply(.saved(number), rows: rows)
      beginStretch()
      for object in saved {
        let state = object.state
        let row = rows[state.objectID] ?? nil
        let isBack = state.presence == .deleted && row != nil
        state.stand(on: number, with: row.map { RowHandle(StoredRow($0, changed: number)) })
        // What was set over it when it was deleted is given up, and what others have saved is not to be hidden.
        if isBack, state.untracked != nil { coverUntracked(of: state, state.untrackedKeys) }
        settle(state)
      }
      for state in far { adopt(rows[state.objectID] ?? nil, by: state, at: number) }
      if rows.count > unsaved.count { noteOtherEnds(rows, at: number) }
    }
    tellOfOtherEnds(rows, unsaved)
    releaseUnneeded()
    if !mergedStates.isEmpty || !far.isEmpty, schedulesProcessing { scheduleProcessing() }
    return mergedStates.compactMap(\.object)
  }

  /// The objects that are read and that a commit has changed for them to lead back, though they were not saved.
  private func statesAtOtherEnds(
    _ rows: [ObjectID: Row?], _ unsaved: [Unsaved], _ number: CommitNumber
  ) -> [ObjectState] {
    guard rows.count > unsaved.count else { return [] }
    let asked = Set(unsaved.map(\.object))
    return rows.keys.filter { !asked.contains($0) }.sorted().compactMap(state(of:))
      .filter { !$0.isFault && $0.presence != .gone && $0.base < number }
  }

  /// Has the journal say that objects that were not saved, and are not read, stand on a commit that has changed them:
  /// who goes on with the context reads them there to undo what it did to them.
  private func noteOtherEnds(_ rows: [ObjectID: Row?], at number: CommitNumber) {
    for (object, row) in rows.sorted(by: { $0.key < $1.key })
    where fold.keepsPlace(of: object) && fold.base(of: object) < number {
      perform(.refreshed([object], keepingChanges: true, at: number), rows: [object: row])
    }
  }

  /// Tells of objects that were not saved, and that a commit has changed for them to lead back, though nobody holds them
  /// here.
  private func tellOfOtherEnds(_ rows: [ObjectID: Row?], _ unsaved: [Unsaved]) {
    if rows.count <= unsaved.count { return }
    let others = Set(rows.keys).subtracting(unsaved.map(\.object))
    tellWaiting(of: others.sorted())
    tellFollowers(ParentChanges(changed: others))
  }

  /// Has an object that was not saved have what a commit has made of it.
  private func adopt(_ row: Row?, by state: ObjectState, at number: CommitNumber) {
    if state.hasDraft || held[state.objectID] != nil {
      // What no save takes of it is kept over that.
      perform(
        .refreshed([state.objectID], keepingChanges: true, at: number),
        rows: [state.objectID: row])
    }
    state.base = number
    state.handle = row.map { RowHandle(StoredRow($0, changed: number)) }
    settle(state)
  }

  /// Lets go of objects that have no changes and that the undo history does not need. It is not looked for them at every
  /// save where that takes long, so that a save does not cost what all before it have left.
  private func releaseUnneeded() {
    guard savesUntilRelease <= 0 || held.count > heldAfterRelease * 2 else {
      savesUntilRelease -= 1
      return
    }
    var lookedAtCount = held.count
    defer {
      heldAfterRelease = held.count
      savesUntilRelease = lookedAtCount / 8
    }
    // One that does not show what is untracked is found here by who gives that up.
    var unneeded = Set(
      held.filter { id, object in
        fold.objects[id]?.isDirty != true && !object.state.isCovering
      }.keys)
    // Mostly the last steps are about what is held.
    for step in [fold.undoSteps, fold.redoSteps].joined().reversed() {
      if unneeded.isEmpty { return }
      lookedAtCount += step.objects.count
      for each in step.objects { unneeded.remove(each.object) }
    }
    for id in unneeded { held[id] = nil }
  }
}
