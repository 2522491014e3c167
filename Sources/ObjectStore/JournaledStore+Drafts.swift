internal import DiskAccess
package import EventFold
internal import Journaling
internal import ObjectModel

// Work of contexts that ended in disorder.
extension JournaledStore {
  /// What contexts had changed and not saved when their process ended, the one edited last first.
  ///
  /// It is offered and never applied unasked. A draft stays until it is recovered and saved, or discarded. One
  /// made under an earlier model is offered as the store's model reads it; what has no place there is left out.
  public var unsavedDrafts: [Draft] { drafting.withLock { leftContexts.drafts(of: store) } }

  /// Gives a draft up. That is an event too: the past still has its edits, until compaction drops them.
  public func discard(_ draft: Draft) throws(StoreError) {
    guard draft.store == store else { throw .contextOfAnotherStore(draft.contextName) }
    try drafting.withLock { () throws(StoreError) in
      guard leftContexts.has(draft) else { throw .draftMissing(draft) }
      try end(draft.context, .draftDiscarded(draft.context))
    }
    if options.durability == .synced {
      try onJournal { () throws(JournalError) in try journal.sync() }
    }
  }

  /// Brings a draft's context back: it goes on under its number, with what it held and what it can undo.
  package func resume(
    _ draft: Draft
  ) throws(StoreError) -> (context: LiveContext, content: ContextFold) {
    guard draft.store == store else { throw .contextOfAnotherStore(draft.contextName) }
    // No compaction may drop the edits meanwhile.
    return try whileCheckpointing { () throws(StoreError) in
      try drafting.withLock { () throws(StoreError) in
        guard leftContexts.has(draft), let resumed = try takeLeft(draft.context) else {
          throw .draftMissing(draft)
        }
        return resumed
      }
    }
  }

  /// Has a context that was left go on; nil where there is none. Holds `checkpointing` and `drafting`.
  func takeLeft(
    _ number: ContextNumber
  ) throws(StoreError) -> (context: LiveContext, content: ContextFold)? {
    guard let open = leftContexts.open[number] else { return nil }
    let whole = try mending(whileHeld: true) { (isLast) throws(StoreError) in
      try leftContexts.whole(number, self, sparingDamage: isLast)
    }
    guard let left = whole else { return nil }
    if left.problem != nil, let restated = try restate(left.fold) {
      do throws(StoreError) {
        try end(number, .contextEnded(number))
      } catch {
        // It stays the draft that it was, and what was begun for it must not be another.
        giveUp(restated.context)
        throw error
      }
      return restated
    }
    let context = LiveContext(
      number, name: left.fold.name, firstEdit: open.firstEdit, lastEdit: leftContexts.lastEdit,
      open.standing)
    cataloguing.withLock { liveContexts[number] = context }
    leftContexts.remove(number)
    return (context, left.fold)
  }

  /// Ends the contexts that were left and have nothing unsaved, so that nothing is kept for them.
  func endLeftContexts() throws(StoreError) {
    try drafting.withLock { () throws(StoreError) in
      for number in leftContexts.idle { try end(number, .contextEnded(number)) }
    }
  }

  private func end(_ number: ContextNumber, _ event: Event) throws(StoreError) {
    try noteTime()
    try cataloguing.withLock { () throws(StoreError) in _ = try record(event) }
    leftContexts.remove(number)
  }
}

extension StoreError {
  static func draftMissing(_ draft: Draft) -> StoreError {
    StoreError(
      .contextMissing,
      "the draft of “\(draft.contextName)” is not there any more: it was recovered or discarded.")
  }
}
