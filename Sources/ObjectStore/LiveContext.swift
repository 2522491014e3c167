internal import Journaling
package import ObjectModel
internal import Synchronization

/// A context that has begun, as the store knows it.
package final class LiveContext: Sendable {
  package let number: ContextNumber
  /// The journal's edit with which it began.
  let firstEdit: UInt64
  private let state: Mutex<State>
  /// Whether the standing tells of something unsaved.
  private let isWorking: Atomic<Bool>
  /// No edit of the context has a higher number.
  private let last: Atomic<UInt64>
  private let isHeld = Atomic(true)

  private struct State {
    var name: String
    var standing: ContextStanding
    /// The commit that was sent last, until it is noted as saved.
    var sent: (number: CommitNumber, ticket: CommitTicket)?
  }

  /// - Parameter lastEdit: an edit that is not before the context's last one.
  init(
    _ number: ContextNumber, name: String, firstEdit: UInt64, lastEdit: UInt64,
    _ standing: ContextStanding
  ) {
    self.number = number
    self.firstEdit = firstEdit
    state = Mutex(State(name: name, standing: standing))
    isWorking = Atomic(standing.firstUnsavedEdit != nil)
    last = Atomic(lastEdit)
  }

  /// What the context is called.
  package var name: String { state.withLock { $0.name } }

  /// What is known of it without its edits.
  var standing: ContextStanding { state.withLock { $0.standing } }

  /// The same at a moment at which nothing is on its way: the context may not have been told yet that it has saved.
  ///
  /// - Parameter isMade: whether a commit that was sent is there.
  func standing(where isMade: (CommitTicket) -> Bool) -> ContextStanding {
    let (standing, sent) = state.withLock { ($0.standing, $0.sent) }
    guard let sent, isMade(sent.ticket) else { return standing }
    var settled = standing
    settled.settle(on: sent.number)
    return settled
  }

  /// The commit that the context stands on: of an object that stands there as well, the first edit needs no
  /// `based` before it.
  package var base: CommitNumber { standing.latest }

  /// From which edit on it has something to save; nil where it has nothing, or nobody is there to save it.
  var firstEditToSave: UInt64? {
    isHeld.load(ordering: .relaxed) ? standing.firstUnsavedEdit : nil
  }

  /// Notes that nobody has it any more, so that what is not saved is a draft from here on.
  package func letGo() { isHeld.store(false, ordering: .relaxed) }

  /// Notes that an edit is about to be recorded: before it is, so that nobody takes it for saved, or drops what it
  /// stands on.
  func willRecord(_ edit: Edit) {
    if let commit = edit.commitStoodOn { state.withLock { $0.standing.noteStanding(on: commit) } }
    if edit.isWork { willRecordWork() }
  }

  /// Notes that an edit is about to be recorded after which there may be something to save.
  func willRecordWork() {
    if isWorking.load(ordering: .relaxed) { return }
    let next = last.load(ordering: .relaxed) + 1
    state.withLock { $0.standing.noteWork(next) }
    isWorking.store(true, ordering: .relaxed)
  }

  /// Notes that an edit has been recorded.
  func didRecord(_ edit: Edit, _ number: UInt64) {
    didRecord(number)
    switch edit {
    case .set, .spliced, .setPrimitive, .inserted, .membersChanged, .deleted, .undone, .redone,
      .stepEnded,
      .undoSwitched, .saveFailed, .reconciled:
      // What is to be noted of these was noted before.
      return
    case .renamed(let name): state.withLock { $0.name = name }
    case .based, .refreshed, .merged, .rolledBack, .wasReset, .saved:
      note { $0.note(edit, number) }
    }
  }

  /// Notes that an edit has been recorded of which all that is to be noted was noted before.
  func didRecord(_ number: UInt64) { last.store(number, ordering: .relaxed) }

  /// Notes that everything recorded so far is in a commit that is on its way. It records nothing before it is told how
  /// that has ended.
  func didSend(_ number: CommitNumber, _ ticket: CommitTicket) {
    state.withLock { $0.sent = (number, ticket) }
  }

  /// Notes that everything recorded so far is saved.
  package func didSave(as commit: CommitNumber) {
    note { $0.settle(on: commit) }
    state.withLock { $0.sent = nil }
  }

  private func note(_ change: (inout ContextStanding) -> Void) {
    let isWorking = state.withLock {
      change(&$0.standing)
      return $0.standing.firstUnsavedEdit != nil
    }
    self.isWorking.store(isWorking, ordering: .relaxed)
  }
}
