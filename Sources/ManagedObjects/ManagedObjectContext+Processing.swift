internal import EventFold
internal import ObjectModel
internal import ObjectStore

// What a context does by itself.
extension ManagedObjectContext {
  // MARK: Once a turn

  /// Has pending changes be processed when the main actor is free next. Contexts of the main actor do so with the
  /// first change after they were processed last.
  func scheduleProcessing() {
    schedulesProcessing = false
    let context = WeakContext(context: self)
    Task { @MainActor in context.context?.processScheduled() }
  }

  private func processScheduled() {
    processPendingChanges()
    schedulesProcessing = true
    // What was changed by those who were told just now waits for the next turn. An open group waits for its end.
    if groupDepth == 0 && fold.hasOpenStep || !event.isEmpty { scheduleProcessing() }
  }

  /// Whether the next turn will process nothing, unless something changes before.
  package var schedulesNothing: Bool { schedulesProcessing }

  // MARK: Other contexts' commits

  /// Begins to bring in what others save: all that came since the oldest state that an object here is in. Contexts of
  /// the main actor do it by themselves when it is free next.
  func beginMerging() {
    if let parent = view.parent { return beginFollowing(parent) }
    if isOfMainActor {
      let context = WeakContext(context: self)
      commitWatch = store.watchCommits { watch in
        Task { @MainActor in
          watch.rearm()
          context.context?.processPendingChanges()
        }
      }
    }
    let bases = registered.values.lazy.map { $0.takeUnretainedValue() }
      .filter { !$0.isFault && $0.base != .none }.map(\.base)
    mergedThrough = bases.min() ?? store.lastCommit
  }

  /// Brings in what others have saved since that was done last.
  func mergeWhatCame() {
    // Not between the hooks of a save, which have prepared what is to be saved.
    // Nor in the midst of a patch, which has compared its old values with what there was.
    guard automaticallyMergesChanges, !marks.collectsSets, saveOnItsWay == nil, openPatch == nil,
      writer.refusal == nil
    else { return }
    if view.parent != nil {
      do throws(StoreError) { try mergeFromParent() } catch { readFailure = error }
      return
    }
    let last = store.lastCommit
    if last <= mergedThrough { return }
    do throws(StoreError) {
      while mergedThrough < last {
        let (begin, commits) = (mergedThrough, try nextCommits(through: last))
        let lastToNote = commits.last { !isOwn($0) }?.number
        // Who is told of one may have the next brought in already.
        for commit in commits where commit.number > mergedThrough {
          mergedThrough = commit.number
          if isOwn(commit) { continue }
          let isNoted = commit.number == lastToNote
          // What could not be read is brought in when that is tried next, and then without what still cannot.
          if bringIn(commit, isNoted: isNoted, evenInPart: unreadThrough >= commit.number) == nil {
            (mergedThrough, unreadThrough) = (commit.number.previous, commit.number)
            return
          }
        }
        // What others had compaction drop meanwhile is not waited for.
        if mergedThrough == begin { mergedThrough = last }
      }
    } catch {
      // What they were cannot be read, perhaps as compaction has dropped it; what there is now can.
      let (begin, failure) = (mergedThrough, readFailure)
      mergedThrough = last
      if refreshedAllObjects() { return }
      if unreadThrough < last {
        (mergedThrough, unreadThrough) = (begin, last)
      } else {
        readFailure = failure
      }
    }
  }

  /// The next commits to be brought in; of many not all, so that memory holds for any number of them.
  private func nextCommits(through last: CommitNumber) throws(StoreError) -> [Commit] {
    var commits: [Commit] = []
    try store.forEachCommit(since: mergedThrough) { commit in
      commits.append(commit)
      return commits.count < 1_000 && commit.number < last
    }
    return commits
  }

  /// Whether a commit is the context's own, from before it was resumed, too.
  private func isOwn(_ commit: Commit) -> Bool {
    writer.live?.number == commit.context
      || ownNumbers[commit.context].map { commit.number <= $0 } ?? false
  }
}

/// A context for a task of the main actor, where it is used only if that is its own.
private struct WeakContext: @unchecked Sendable {
  weak let context: ManagedObjectContext?
}
