internal import DiskAccess
package import EventFold
internal import Journaling
internal import ObjectModel

extension JournaledStore {
  /// Has a context that has ended go on under its number, with what it can undo and redo.
  ///
  /// What it had not saved when it ended was given up, with the steps that were made since its last save. A
  /// context that was left by an earlier process is resumed as it was left.
  ///
  /// - Throws: where the journal has not all its edits any more, or the context is open.
  package func resume(
    _ session: Session
  ) throws(StoreError) -> (context: LiveContext, content: ContextFold) {
    guard session.store == store else { throw .contextOfAnotherStore(session.contextName) }
    let isGivenUp = cataloguing.withLock { givenUp.contains { $0.number == session.context } }
    if isGivenUp { try tryToEndGivenUp() }
    // No compaction may drop the edits meanwhile.
    return try whileCheckpointing { () throws(StoreError) in
      try drafting.withLock { () throws(StoreError) in
        if let left = leftContexts.open[session.context],
          session.firstEdit ?? left.firstEdit == left.firstEdit
        {
          guard let resumed = try takeLeft(session.context) else {
            throw .sessionMissing(session)
          }
          return resumed
        }
        return try resumeEnded(session)
      }
    }
  }

  private func resumeEnded(
    _ session: Session
  ) throws(StoreError) -> (context: LiveContext, content: ContextFold) {
    let number = session.context
    let (isOpen, hasBegun, eras) = cataloguing.withLock {
      (catalogue.contexts[number] != nil, number < catalogue.nextContext, catalogue.eras)
    }
    guard !isOpen else { throw .sessionOpen(session) }
    guard hasBegun else { throw .sessionUnknown(session) }
    let firstEdit = try firstEdit(of: session)
    // What others edit while this is made durable may be in no frame yet, and need not be read.
    let lastEdit = journal.editsOfNextCommit.upperBound.rawValue - 1
    _ = try settle()
    let folded = try ContextFolding.whole(
      number, from: firstEdit, through: lastEdit, eras, of: self)
    guard let folded else { throw .sessionMissing(session) }
    if let problem = folded.problem { throw problem }
    let context = LiveContext(
      number, name: folded.fold.name, firstEdit: firstEdit, lastEdit: lastEdit,
      folded.standing)
    try noteTime()
    try cataloguing.withLock { () throws(StoreError) in
      try record(
        .contextResumed(
          number, name: folded.fold.name, on: folded.standing.base,
          oldest: folded.standing.oldest, firstEdit: firstEdit))
      liveContexts[number] = context
    }
    return (context, folded.fold)
  }

  /// The edit with which a session began, where the journal still has it.
  func firstEdit(of session: Session) throws(StoreError) -> UInt64 {
    guard session.store == store else { throw .contextOfAnotherStore(session.contextName) }
    guard let edit = session.firstEdit, try journalHas(EditNumber(edit)) else {
      throw .sessionMissing(session)
    }
    return edit
  }

  private func journalHas(_ edit: EditNumber) throws(StoreError) -> Bool {
    let reader = try journalReader()
    return try onJournal { () throws(JournalError) in try reader.firstEdit() <= edit }
  }
}

extension StoreError {
  fileprivate static func sessionUnknown(_ session: Session) -> StoreError {
    StoreError(
      .damaged,
      "the journal has the session of “\(session.contextName)” under a number that the store's checkpoint says "
        + "was never given; run a deep verification.")
  }

  static func sessionOpen(_ session: Session) -> StoreError {
    StoreError(
      .contextOpen,
      "the session of “\(session.contextName)” goes on already; use the context that has it.")
  }
}
