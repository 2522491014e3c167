package import ObjectModel
internal import Synchronization

/// A context that has begun, as the store knows it.
package final class LiveContext: Sendable {
  package let number: ContextNumber
  private let currentName: Mutex<String>
  /// The journal's edit with which it began.
  let firstEdit: UInt64
  /// No edit of the context before this one is unsaved; 0 where none at all is.
  private let firstUnsaved: Atomic<UInt64>
  private let last: Atomic<UInt64>

  init(
    _ number: ContextNumber, name: String, firstEdit: UInt64, firstUnsavedEdit: UInt64? = nil
  ) {
    self.number = number
    currentName = Mutex(name)
    self.firstEdit = firstEdit
    firstUnsaved = Atomic(firstUnsavedEdit ?? 0)
    last = Atomic(max(firstEdit, firstUnsavedEdit ?? 0))
  }

  /// What the context is called.
  package var name: String { currentName.withLock { $0 } }

  /// The first edit that may not have been saved or given up; nil where there is none.
  var firstUnsavedEdit: UInt64? {
    let number = firstUnsaved.load(ordering: .acquiring)
    return number == 0 ? nil : number
  }

  /// Notes that an edit is about to be recorded: before it is, so that nobody takes it for saved.
  func willRecord(_ edit: Edit) {
    guard edit.isWork, firstUnsaved.load(ordering: .relaxed) == 0 else { return }
    firstUnsaved.store(last.load(ordering: .relaxed) + 1, ordering: .releasing)
  }

  /// Notes that an edit has been recorded.
  func didRecord(_ edit: Edit, _ number: UInt64) {
    last.store(number, ordering: .relaxed)
    if case .renamed(let name) = edit { currentName.withLock { $0 = name } }
    if edit.endsWork { firstUnsaved.store(0, ordering: .releasing) }
  }

  /// Notes that everything recorded so far is saved.
  func didSave() { firstUnsaved.store(0, ordering: .releasing) }
}

extension Edit {
  /// Whether there may be something to save after it.
  var isWork: Bool {
    switch self {
    case .inserted, .set, .setPrimitive, .membersChanged, .deleted, .undone, .redone, .refreshed:
      true
    case .renamed, .based, .stepEnded, .undoSwitched, .merged, .rolledBack, .wasReset, .saved,
      .saveFailed:
      false
    }
  }

  /// Whether there is nothing to save after it.
  var endsWork: Bool {
    switch self {
    case .rolledBack, .wasReset, .saved: true
    default: false
    }
  }
}
