internal import EventFold
internal import ObjectModel

// Values that were set while nothing is tracked, as hooks do, and what is changed over them.
extension ManagedObjectContext {
  /// Whether what is set of an object is nobody's but the object's: nothing is tracked, and it did not come to be within
  /// the hook, which would leave an object without its values.
  @inline(__always)
  func isUntracked(_ state: ObjectState) -> Bool {
    untrackedDepth > 0 && !(state.isMadeUntracked && state.standing == .inserted)
  }

  func setUntracked(
    _ value: Value?, of state: ObjectState, _ key: KeyNumber, decoded: DecodedValue? = nil
  ) {
    replaceDecoded(of: state, key, by: decoded)
    if state.untracked == nil { state.untracked = [:] }
    state.untracked?.updateValue(value, forKey: key)
  }

  /// What was set while nothing was tracked, or changed over that.
  func valueOverStored(of state: ObjectState, _ key: KeyNumber) -> Value?? {
    guard let untracked = state.untracked?[key] else { return nil }
    if state.hasDraft, let changed = fold.objects[state.objectID]?.delta[key] { return changed }
    return untracked
  }

  /// What was set of an object while nothing was tracked, where nothing is changed over it.
  func untrackedValues(of state: ObjectState) -> [KeyNumber: Value?] {
    guard let untracked = state.untracked else { return [:] }
    guard state.hasDraft, let draft = fold.objects[state.objectID] else { return untracked }
    return untracked.filter { key, _ in draft.delta[key] == nil }
  }

  /// Notes that a key is about to be set over what was set of it while nothing was tracked, if that is shown, or if
  /// what is changed has only been put over it by reading the object again.
  func noteSetOver(_ state: ObjectState, _ key: KeyNumber) {
    guard state.untracked != nil,
      !state.isNotedSetOver(key) || fold.objects[state.objectID]?.delta[key] == nil
    else { return }
    state.noteSetOver(key, stepCount: fold.registersUndo ? stepCount : nil)
  }

  /// Has keys that the fold has nothing of any more show what is untracked again, unless they are led back to what was
  /// set over it.
  func coverUntracked(after restoration: Restoration) {
    guard let state = state(of: restoration.object), state.untracked != nil else { return }
    switch restoration.kind {
    case .updated: coverUntracked(of: state, Set(restoration.entries.map(\.key)))
    case .inserted: coverUntracked(of: state, state.untrackedKeys)
    case .deleted: break
    }
  }

  func coverUntracked(of state: ObjectState, _ keys: Set<KeyNumber>) {
    let delta = fold.objects[state.objectID]?.delta
    // What is done in an open group is a step, though it has not ended.
    let stepCount = stepCount + (fold.hasOpenStep ? 1 : 0)
    for key in keys where delta?[key] == nil { state.cover(key, stepCount: stepCount) }
  }

  /// Notes of an object that is about to go which keys are set over what is untracked, for when it is there again.
  func keepSetOver(of state: ObjectState) {
    if state.untracked == nil { return }
    state.keepSetOver(of: Set(fold.objects[state.objectID]?.delta.keys.map(\.self) ?? []))
  }

  /// What is saved of an object was set over what is untracked, and stays so.
  func endUntracked(of state: ObjectState) {
    if state.untracked == nil { return }
    for key in fold.objects[state.objectID]?.delta.keys.map(\.self) ?? [] {
      state.endUntracked(key)
    }
  }
}
