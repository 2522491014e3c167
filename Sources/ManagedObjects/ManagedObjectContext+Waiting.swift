internal import ObjectModel
internal import ObjectStore

// What Observation waits for of objects that nobody holds: it is told though there is no instance that changes.
extension ManagedObjectContext {
  /// The state of an object that is about to change; also of one that nobody holds, where Observation waits for it. An
  /// instance is made for that, and kept until what changes together has changed: between `beginTelling` and
  /// `endTelling`.
  func watchedState(of object: ObjectID) -> ObjectState? {
    if let state = state(of: object) { return state }
    guard watching.left[object] != nil, let instance = instance(of: object) else { return nil }
    watching.told.append(instance)
    return instance.state
  }

  /// Tells Observation of what a commit has changed of objects that nobody has held since it was read, and that were
  /// not refreshed: there was no instance then, or it was read later and has what the commit made of it.
  func tellWaiting(of commit: Commit) {
    if watching.objectCount == 0 { return }
    beginTelling()
    defer { endTelling() }
    for change in commit.changes {
      guard let state = watchedState(of: change.objectID), let watch = state.watch,
        let base = watch.leftAt, base < commit.number
      else { continue }
      let isChanged = change.kind == .updated ? Set(change.values.keys) : watch.tracked
      tellWaiting(of: state, watch.tracked.intersection(isChanged))
    }
  }

  /// Tells Observation of objects that nobody has held since it was read, where it waits for them: they may have changed.
  func tellWaiting(of objects: [ObjectID]) {
    if watching.objectCount == 0 { return }
    beginTelling()
    defer { endTelling() }
    for object in objects {
      guard let state = watchedState(of: object), let watch = state.watch, watch.leftAt != nil
      else { continue }
      tellWaiting(of: state, watch.tracked)
    }
  }

  private func tellWaiting(of state: ObjectState, _ names: Set<String>) {
    for name in names.sorted() {
      willChange(state, name)
      didChange(state, name)
    }
  }
}
