internal import DiskAccess
internal import EventCoding
internal import Journaling
internal import ObjectModel

/// Commits whose changes are applied together, in the order of their objects, and on a thread of their own where there
/// may be one, while the next are gathered.
///
/// Commit by commit, nearly every change would wait for a place in memory that no cache has. Object by object,
/// what many commits have changed lies side by side.
struct GatheredCommits {
  private var batch = Batch()
  private let largestByteCount: Int
  private let beside: Beside?

  /// - Parameters:
  ///   - byteCount: how much memory they may take, roughly.
  ///   - hasThread: whether there may be another thread.
  init(within byteCount: Int, hasThread: Bool) {
    let byteCount = min(byteCount, 32 << 20)
    // One part is gathered while another is applied.
    largestByteCount = max(1, hasThread ? byteCount / 2 : byteCount)
    beside = hasThread ? Beside() : nil
  }

  /// Whether it is time to apply them.
  var isFull: Bool { batch.byteCount >= largestByteCount }

  /// Takes a commit.
  ///
  /// - Parameter byteCount: how many bytes it has in the journal.
  mutating func add(_ side: CommitSide, in frame: FrameNumber, byteCount: Int) {
    batch.add(side, in: frame, byteCount: byteCount)
  }

  /// Has what was gathered be applied; there is none then. The state may be lent for it until all is applied.
  mutating func pass(to snapshot: inout Snapshot) throws(StoreError) {
    try giveBack(&snapshot)
    let full = batch.take()
    if let beside { beside.apply(full, to: &snapshot) } else { try full.apply(to: &snapshot) }
  }

  /// Applies everything to the state before it; there is none then.
  mutating func applyAll(to snapshot: inout Snapshot) throws(StoreError) {
    try giveBack(&snapshot)
    try batch.take().apply(to: &snapshot)
  }

  /// Waits until what is applied elsewhere has been, and gives the state back that was lent for it.
  private func giveBack(_ snapshot: inout Snapshot) throws(StoreError) {
    try beside?.giveBack(&snapshot)
  }

  private struct Batch {
    private var commits: [(head: CommitContent, frame: FrameNumber)] = []
    private var changes: [(change: CommitSide.Object, commit: Int)] = []
    private(set) var byteCount = 0

    mutating func add(_ side: CommitSide, in frame: FrameNumber, byteCount: Int) {
      for change in side.objects {
        changes.append((change, commits.count))
        self.byteCount += 128 + change.values.byteCount + change.others.byteCount
      }
      commits.append((side.head, frame))
      self.byteCount += 256 + byteCount
    }

    /// What there is; there is nothing then.
    mutating func take() -> Batch {
      defer { self = Batch() }
      return self
    }

    func apply(to snapshot: inout Snapshot) throws(StoreError) {
      var order = changes.indices.map { (object: changes[$0].change.object.rawValue, place: $0) }
      order.sort { ($0.object, $0.place) < ($1.object, $1.place) }
      for (_, place) in order {
        let (change, commit) = changes[place]
        do throws(SnapshotProblem) {
          try snapshot.apply(change, commits[commit].head.number)
        } catch {
          throw error.error(in: commits[commit].frame)
        }
      }
      if let last = commits.last { snapshot.advance(to: last.head) }
    }
  }

  /// Applies one part at a time. Only who gathers calls it, and only the thread touches the part, the state and the
  /// failure while it runs.
  private final class Beside: @unchecked Sendable {
    private var thread: BackgroundThread?
    private var waiting: Batch?
    private var lent: Snapshot?
    private var failure: StoreError?

    func apply(_ batch: Batch, to snapshot: inout Snapshot) {
      waiting = batch
      lent = snapshot
      // Nobody else may hold it, or all that is changed is copied.
      snapshot = Snapshot(emptyOf: snapshot.store)
      thread = try? BackgroundThread { [self] in applyWaiting() }
    }

    func giveBack(_ snapshot: inout Snapshot) throws(StoreError) {
      thread?.join()
      thread = nil
      // Where the system had no thread to give.
      applyWaiting()
      if let state = lent.take() { snapshot = state }
      if let failure { throw failure }
    }

    private func applyWaiting() {
      guard let batch = waiting.take(), var state = lent.take() else { return }
      do throws(StoreError) { try batch.apply(to: &state) } catch { failure = error }
      lent = state
    }
  }
}
