internal import Synchronization

/// Whoever wants to be called when a store shows a commit; it ends when this is let go.
package final class CommitWatch: Sendable {
  private let isTold = Atomic(false)
  private let body: @Sendable (CommitWatch) -> Void

  fileprivate init(_ body: @escaping @Sendable (CommitWatch) -> Void) { self.body = body }

  /// Has the next commit be told again. What came before this is to be looked for after it.
  package func rearm() { isTold.store(false, ordering: .sequentiallyConsistent) }

  fileprivate func tell() {
    if !isTold.exchange(true, ordering: .sequentiallyConsistent) { body(self) }
  }
}

extension ReadableStore {
  /// Has a function be called with the next commit, and with the first after each `rearm`: on the thread that commits,
  /// in the midst of it. It is to note that, and to return.
  package func watchCommits(_ body: @escaping @Sendable (CommitWatch) -> Void) -> CommitWatch {
    let watch = CommitWatch(body)
    commitWatches.add(watch)
    return watch
  }
}

/// The watches of a store.
final class CommitWatches: Sendable {
  private struct Entry {
    weak var watch: CommitWatch?
  }

  private let isEmpty = Atomic(true)
  private let entries = Mutex<[Entry]>([])

  func add(_ watch: CommitWatch) {
    entries.withLock {
      $0.removeAll { $0.watch == nil }
      $0.append(Entry(watch: watch))
    }
    isEmpty.store(false, ordering: .sequentiallyConsistent)
  }

  func tell() {
    if isEmpty.load(ordering: .sequentiallyConsistent) { return }
    for watch in entries.withLock({ $0.compactMap(\.watch) }) { watch.tell() }
  }
}
