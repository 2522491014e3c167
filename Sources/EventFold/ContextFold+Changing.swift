package import ObjectModel

// Changes of objects whose drafts are in memory.

extension ContextFold {
  mutating func insert(_ object: ObjectID) {
    guard let index = objects.index(of: object) else { return }
    register { $0.noteAbsence(object) }
    objects[index].comeToBe(withRoomFor: traits[object.entity]?.keyCount ?? 0)
  }

  /// Sets a value of an object that is in memory and there.
  ///
  /// - Returns: whether it is; otherwise nothing is changed.
  @discardableResult
  mutating func set(_ object: ObjectID, _ key: KeyNumber, to value: Value?) -> Bool {
    guard let index = objects.index(of: object),
      let before = objects[index].exchange(key, for: value)
    else { return false }
    register(object, key, from: before, to: value)
    return true
  }

  /// Notes what a value was before it was set, as other changes are noted.
  mutating func register(
    _ object: ObjectID, _ key: KeyNumber, from before: Value?, to value: Value?
  ) {
    guard registersUndo, isResumable else { return }
    if !redoSteps.isEmpty { redoSteps = [] }
    // Only dictionaries merge by key.
    let isByKey =
      (value ?? before)?.kind == .dictionary
      && traits[object.entity]?.byKey.contains(key) ?? false
    recorder.note(object, key, from: before, to: value, isByKey: isByKey)
  }

  /// Goes on by setting a value of an object that is in memory and there, as `apply` does, which costs more.
  ///
  /// - Returns: false where it is not; nothing is changed then.
  package mutating func setHeld(_ object: ObjectID, _ key: KeyNumber, to value: Value?) -> Bool {
    guard set(object, key, to: value.stored) else { return false }
    editCount += 1
    return true
  }

  mutating func setPrimitive(_ object: ObjectID, _ key: KeyNumber, to value: Value?) {
    guard let index = objects.index(of: object) else { return }
    if objects[index].isThere { objects[index].setPrimitive(key, to: value) }
    tidy(object)
  }

  /// Whether the value has members; where it has none, nothing is changed.
  mutating func changeMembers(
    _ object: ObjectID, _ key: KeyNumber, inserted: [ObjectID], removed: [ObjectID]
  ) -> Bool {
    guard let index = objects.index(of: object) else { return false }
    if registersUndo, isResumable,
      recorder.takeOrder(of: object, key, is: objects[index].value(of: key))
    {
      redoSteps = []
      objects[index].changeOrder(of: key, inserted: inserted, removed: removed)
      recorder.putOrder(of: object, key, objects[index].value(of: key))
      return true
    }
    let before = objects[index].changeMembers(of: key, inserted: inserted, removed: removed)
    guard let before else {
      tidy(object)
      return false
    }
    register { $0.note(object, key, before) }
    return true
  }

  mutating func delete(_ object: ObjectID) {
    guard let index = objects.index(of: object) else { return }
    let row = objects[index].row ?? Row()
    register { $0.noteAll(object, row) }
    objects[index].become(nil)
    objects[index].isDirty = !objects[index].isAsInBase
    tidy(object)
  }

  /// Has values that are as in the base count as unchanged.
  mutating func reconcile(_ object: ObjectID, _ keys: [KeyNumber]) {
    guard let index = objects.index(of: object) else { return }
    objects[index].reconcile(keys)
    tidy(object)
  }

  /// Notes what was before a change, unless it is not to be undone. Nothing can be redone afterwards.
  private mutating func register(_ note: (inout StepRecorder) -> Void) {
    guard registersUndo, isResumable else { return }
    redoSteps = []
    note(&recorder)
  }
}

extension ContextFold {
  /// Takes a draft into memory.
  mutating func adopt(_ object: ObjectID, _ draft: ObjectDraft) {
    if !ownBases.isEmpty { ownBases[object] = nil }
    objects[object] = draft
  }

  /// Forgets an object that is as in its base, but for where it stands.
  mutating func tidy(_ object: ObjectID) {
    guard let draft = objects[object], !draft.isDirty, draft.isAsInBase else { return }
    if !recorder.isEmpty { recorder.noteLeft(object, draft) }
    objects[object] = nil
    place(object, on: draft.base)
  }

  /// Says where an object without changes stands.
  mutating func place(_ object: ObjectID, on commit: CommitNumber) {
    // Where other places are forgotten, this one is not to be taken for one of them.
    ownBases[object] = commit == base && isResumable ? nil : commit
  }
}
