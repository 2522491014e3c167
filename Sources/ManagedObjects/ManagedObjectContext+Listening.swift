internal import ObjectModel
public import ObjectStore

extension ManagedObjectContext {
  // MARK: Notifications

  /// Has a closure called with the objects that have changed, each time that pending changes were processed and
  /// there are some. To fetch is no change.
  public func onChange(_ handler: @escaping (ObjectsDidChange) -> Void) -> ObservationToken {
    token(of: listeners.add(onChange: handler))
  }

  /// Has a closure called when a save begins, before anything else.
  public func onWillSave(_ handler: @escaping () -> Void) -> ObservationToken {
    token(of: listeners.add(onWillSave: handler))
  }

  /// Has a closure called when a save has succeeded, with its commit, or nil where nothing changed that the store
  /// keeps. After a save that failed it is not called.
  public func onDidSave(_ handler: @escaping (Commit?) -> Void) -> ObservationToken {
    token(of: listeners.add(onDidSave: handler))
  }

  private func token(of number: Int) -> ObservationToken {
    ObservationToken { [weak self] in
      let removed = self?.listeners.remove(number)
      withExtendedLifetime(removed) {}
    }
  }

  // MARK: Sequences

  /// What the context tells of itself from now on, to be read by one task, on any thread. It does not keep the
  /// context, and ends with it. For a reader that is slow the newest 256 are kept.
  public var notifications: AsyncStream<ContextNotification> { listeners.addNotifications() }

  /// What changes in the context from now on, with old and new values, to be read by one task, on any thread. It does
  /// not keep the context, and ends with it. For a reader that is slow the newest 256 are kept; their numbers tell
  /// that others were dropped.
  public var changes: AsyncStream<ContextChange> { listeners.addChanges() }

  // MARK: Telling

  func tellWillSave() {
    for number in listeners.willSaveNumbers { listeners.willSaveHandler(number)?() }
    listeners.yield(.willSave)
  }

  func tellDidSave(_ commit: Commit?) {
    for number in listeners.didSaveNumbers { listeners.didSaveHandler(number)?(commit) }
    listeners.yield(.didSave(commit))
  }

  /// Ends the event, and tells what has changed in it; not in the midst of a patch, which is one event.
  func tellChanges() {
    if openPatch != nil { return }
    tellFollowers(event)
    guard listeners.hearsChanges, !event.isEmpty else {
      endEvent()
      return
    }
    // What is changed by those who are told belongs to the next event.
    let ended = event
    endEvent()
    let changed = changedObjects(of: ended)
    if changed.isEmpty { return }
    if listeners.hasChangeReaders {
      listeners.changeCount += 1
      listeners.yield(change(changed, ended, number: listeners.changeCount))
    }
    guard listeners.hearsObjects else { return }
    listeners.yield(.objectsDidChange(changed))
    let numbers = listeners.changeNumbers
    if numbers.isEmpty { return }
    let objects = ObjectsDidChange(
      inserted: Set(changed.inserted.compactMap(instance(of:))),
      updated: Set(changed.updated.compactMap(instance(of:))),
      deleted: Set(changed.deleted.compactMap(instance(of:))),
      refreshed: Set(changed.refreshed.compactMap(instance(of:))))
    for number in numbers { listeners.changeHandler(number)?(objects) }
  }
}
