internal import DiskAccess
package import ObjectModel
internal import Synchronization

/// What somebody has read and holds, of whom the journal does not know that it stands there: compaction keeps that
/// state, and all after it.
///
/// A context has one from its beginning. As long as it holds a state, an edit may say that an object stands there.
package final class CommitPin: Sendable {
  private let store: JournaledStore
  private let slot = CommitPins.Slot()

  package init(_ store: JournaledStore) {
    self.store = store
    store.pins.add(slot)
  }

  deinit { store.pins.remove(slot) }

  /// Holds the last state, and those that will be: call it before reading anything of them.
  package func hold() { store.pins.set(slot) { store.headNumber } }

  /// Gives up what is before a commit that is held.
  package func raise(to commit: CommitNumber) { slot.raise(to: commit.rawValue) }

  /// Gives up everything.
  package func release() { slot.release() }
}

/// What is held of a store by those who have read of it.
final class CommitPins: @unchecked Sendable {
  fileprivate static let nothing = UInt64.max

  fileprivate final class Slot: Sendable {
    private let commit = Atomic(CommitPins.nothing)

    /// The oldest commit that is held; nil where none is.
    var held: CommitNumber? {
      let commit = commit.load(ordering: .relaxed)
      return commit == CommitPins.nothing ? nil : CommitNumber(rawValue: commit)
    }

    func hold(_ commit: UInt64) { self.commit.store(commit, ordering: .relaxed) }

    /// Nobody else changes it meanwhile: a pin is its context's alone.
    func raise(to commit: UInt64) {
      if let held, held.rawValue < commit { hold(commit) }
    }

    func release() { hold(CommitPins.nothing) }
  }

  private let lock = Lock()
  /// Guarded by `lock`.
  private var slots: [ObjectIdentifier: Slot] = [:]

  fileprivate func add(_ slot: Slot) { lock.withLock { slots[ObjectIdentifier(slot)] = slot } }

  fileprivate func remove(_ slot: Slot) { lock.withLock { slots[ObjectIdentifier(slot)] = nil } }

  /// Has a slot hold the last state. Whoever looks for the oldest before that has cut the store no later than this
  /// state, and keeps it.
  fileprivate func set(_ slot: Slot, _ head: () -> CommitNumber) {
    lock.withLock { slot.hold(head().rawValue) }
  }

  /// The oldest commit that anybody holds.
  var oldest: CommitNumber? { lock.withLock { slots.values.lazy.compactMap(\.held).min() } }
}
