internal import EventFold
public import ObjectModel
public import ObjectStore

/// A save whose commit was sent, until it is known how that has ended.
final class SaveOnItsWay {
  let sent: SentCommit
  let unsaved: [Unsaved]
  let saved: [ManagedObject]
  /// How it ended.
  var result: Result<Commit?, any Error>?

  init(_ sent: SentCommit, _ unsaved: [Unsaved], _ saved: [ManagedObject]) {
    self.sent = sent
    self.unsaved = unsaved
    self.saved = saved
  }
}

// Saves that do not keep their thread while the disk syncs.
extension ManagedObjectContext {
  /// Saves as `save` does, and lets the caller's thread do something else while the commit is on its way to the disk.
  ///
  /// Hooks, validation and notifications run where the caller does, as ever. If something else there changes the
  /// context meanwhile, that waits for the save first, as a save that is not asynchronous would: what is changed then
  /// is not in this commit. A save that has begun is not cancelled.
  ///
  /// - Throws: as `save` does.
  @discardableResult
  public nonisolated(nonsending) func save(
    author: String? = nil, message: String? = nil, userInfo: [String: Value] = [:],
    durability: Durability? = nil
  ) async throws -> Commit? {
    guard let save = try beginSave(author, message, userInfo, durability) else { return nil }
    saveOnItsWay = save
    // So that the next change of each object finds that there is a save to wait for.
    beginStretch()
    let outcome = await writer.writableStore.outcome(of: save.sent)
    settle(save, outcome)
    return try save.result?.get() ?? nil
  }

  /// Saves as `save(retrying:)` does, and lets the caller's thread do something else while a commit is on its way to the
  /// disk.
  ///
  /// - Parameter count: how often it is tried again.
  /// - Throws: as `save`, and the conflicts of the last try.
  @discardableResult
  public nonisolated(nonsending) func save(
    retrying count: Int, author: String? = nil, message: String? = nil,
    userInfo: [String: Value] = [:], durability: Durability? = nil
  ) async throws -> Commit? {
    for _ in 0..<max(0, count) {
      do {
        return try await save(
          author: author, message: message, userInfo: userInfo, durability: durability)
      } catch let conflicts as MergeConflicts {
        if view.parent == nil { await writer.writableStore.catchUpLater() }
        for conflict in conflicts.objects { refresh(conflict.objectID, mergeChanges: true) }
      }
    }
    return try await save(
      author: author, message: message, userInfo: userInfo, durability: durability)
  }

  /// Waits for the commit of a save, and does what follows it.
  func finish(_ save: SaveOnItsWay) throws -> Commit? {
    do throws(StoreError) {
      try writer.writableStore.finish(save.sent)
      settle(save, .success(()))
    } catch {
      settle(save, .failure(error))
    }
    return try save.result?.get() ?? nil
  }

  /// Waits for a save that is on its way: whatever changes the context comes after it.
  @inline(__always)
  func settleSave() {
    if saveOnItsWay != nil { settleSlowly() }
  }

  private func settleSlowly() {
    guard let save = saveOnItsWay else { return }
    // How it ended is told where the save is awaited.
    _ = try? finish(save)
  }

  /// Notes how a save ended, once.
  private func settle(_ save: SaveOnItsWay, _ outcome: Result<Void, StoreError>) {
    guard save.result == nil else { return }
    saveOnItsWay = nil
    // Whatever is being read just now: what follows a save is tracked.
    let depth = untrackedDepth
    untrackedDepth = 0
    defer { untrackedDepth = depth }
    switch outcome {
    case .success: save.result = .success(conclude(save))
    case .failure(let error):
      save.result = .failure(error)
      perform(.saveFailed("\(error)"))
    }
    // What others have saved meanwhile was not brought in.
    if commitWatch != nil, schedulesProcessing { scheduleProcessing() }
  }
}
