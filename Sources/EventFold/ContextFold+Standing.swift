package import ObjectModel

// What moves a context's objects to other commits, keeping their changes or giving them up. All rows are had
// before anything is changed.

extension ContextFold {
  /// Whether it is kept where an object stands that does not stand where the context does.
  package func keepsPlace(of object: ObjectID) -> Bool {
    objects[object] != nil || ownBases[object] != nil
  }

  /// Says where an object stands of which it is not kept.
  package mutating func putBack(_ object: ObjectID, on commit: CommitNumber) {
    if !keepsPlace(of: object) { place(object, on: commit) }
  }

  /// No longer keeps where an object without changes stands: whoever follows the context finds it out when it
  /// is needed, and puts it back.
  package mutating func forgetPlace(of object: ObjectID) { ownBases[object] = nil }

  /// Puts a row under an object of which nothing but values that no save takes is unsaved, as they do not need the one
  /// they were set on: an empty one while nobody reads the object, and what it has when somebody does.
  ///
  /// - Returns: whether it is such an object.
  @discardableResult
  package mutating func replaceRow(of object: ObjectID, by row: Row) -> Bool {
    guard let draft = objects[object], !draft.isDirty, draft.baseRow != nil,
      draft.delta.keys.allSatisfy({ isTransient($0, of: object) })
    else { return false }
    objects[object] = draft.standing(on: row, at: draft.base)
    return true
  }

  /// Has what is changed of an object stand on another row, of a commit.
  package mutating func stand(_ object: ObjectID, on row: Row, at commit: CommitNumber) {
    objects[object] = objects[object]?.standing(on: row, at: commit)
  }

  mutating func refresh(
    _ refreshed: [ObjectID], keepingChanges: Bool, at commit: CommitNumber,
    _ row: RowReading
  ) throws(ContextFoldError<RowUnread>) {
    var moved: [ObjectID: ObjectDraft] = [:]
    if keepingChanges {
      for object in refreshed {
        if let draft = objects[object] { moved[object] = try move(object, draft, to: commit, row) }
      }
    }
    for object in refreshed {
      if let draft = objects[object], !recorder.isEmpty { recorder.noteLeft(object, draft) }
      objects[object] = nil
      if let draft = moved[object] { adopt(object, draft) } else { place(object, on: commit) }
    }
  }

  /// What stands on a later commit has more than is brought in, and stays there. What others have left as it was keeps
  /// also what was set as it was.
  mutating func merge(
    _ commit: CommitNumber, _ row: RowReading
  ) throws(ContextFoldError<RowUnread>) {
    var rows: [ObjectID: Row?] = [:]
    for (object, draft) in objects where draft.base < commit {
      rows.updateValue(try read(object, commit, row), forKey: object)
    }
    merge(commit, rows: rows)
  }

  /// Does the same where the rows are had.
  ///
  /// - Parameter rows: what objects have there that stand on earlier commits. Of `objects.behind` none may be missing;
  ///   of the others nobody has changed those that are between where all of them stand (`objects.floor`) and there.
  package mutating func merge(_ commit: CommitNumber, rows: [ObjectID: Row?]) {
    var moved: [ObjectID: ObjectDraft?] = [:]
    for (object, row) in rows {
      guard let draft = objects[object], draft.base < commit else { continue }
      if row == draft.baseRow {
        moved[object] = draft.standing(on: row, at: commit)
      } else {
        // Noted before, as what others have of it is not the step's that is being made.
        if !recorder.isEmpty { recorder.noteLeft(object, draft) }
        let traits = traits[object.entity] ?? KeyTraits()
        moved.updateValue(draft.moved(to: commit, row: row, traits), forKey: object)
      }
    }
    objects.raise(to: commit)
    for (object, draft) in moved { objects[object] = draft }
    // A commit before that was in already, and its rows may be gone.
    base = max(base, commit)
    ownBases = Places()
  }

  mutating func save(
    as commit: CommitNumber, _ row: RowReading
  ) throws(ContextFoldError<RowUnread>) {
    var kept: [ObjectID: ObjectDraft] = [:]
    var saved: [ObjectID] = []
    for (object, draft) in objects.mayBeDirty {
      let left = draft.isDirty ? try unsavable(of: object, draft, commit, row) : draft
      if let left { kept[object] = left } else { saved.append(object) }
    }
    // What others have of an object is not the step's that is being made.
    if !recorder.isEmpty { recorder.noteLeft(objects) }
    for object in saved { place(object, on: commit) }
    objects.settle(kept)
    editCount = 0
  }

  /// The transient values of an object that a save takes, which stay and do not ask for another save.
  private func unsavable(
    of object: ObjectID, _ draft: ObjectDraft, _ commit: CommitNumber,
    _ row: RowReading
  ) throws(ContextFoldError<RowUnread>) -> ObjectDraft? {
    guard draft.isThere, let traits = traits[object.entity], !traits.transient.isEmpty else {
      return nil
    }
    let delta = draft.delta.filter { key, value in
      traits.transient.contains(key) && value != traits.defaults[key]
    }
    guard !delta.isEmpty, let saved = try read(object, commit, row) else { return nil }
    var left = ObjectDraft(base: commit, baseRow: saved, defaults: traits.defaults)
    left.delta = delta
    left.quietKeys = Set(delta.keys)
    return left
  }

  private func move(
    _ object: ObjectID, _ draft: ObjectDraft, to commit: CommitNumber,
    _ row: RowReading
  ) throws(ContextFoldError<RowUnread>) -> ObjectDraft? {
    let row = draft.base == commit ? draft.baseRow : try read(object, commit, row)
    return draft.moved(to: commit, row: row, traits[object.entity] ?? KeyTraits())
  }

  mutating func rollBack() {
    for (object, draft) in objects { place(object, on: draft.base) }
    objects.removeAll()
    forgetSteps()
  }

  mutating func reset() {
    objects.removeAll()
    ownBases = Places()
    forgetSteps()
  }

  private mutating func forgetSteps() {
    recorder = StepRecorder()
    undoSteps = []
    redoSteps = []
    hasEarlierSteps = false
    editCount = 0
  }
}
