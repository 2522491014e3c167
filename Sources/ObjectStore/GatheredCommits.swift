internal import EventCoding
internal import Journaling
internal import ObjectModel

/// Commits whose changes are applied together, in the order of their objects.
///
/// Commit by commit, nearly every change would wait for a place in memory that no cache has. Object by object,
/// what many commits have changed lies side by side.
struct GatheredCommits {
  private var commits: [(head: CommitContent, frame: FrameNumber)] = []
  private var changes: [(change: CommitSide.Object, commit: Int)] = []
  private let largestByteCount: Int
  private var byteCount = 0

  /// - Parameter byteCount: how much memory they may take, roughly.
  init(within byteCount: Int) { largestByteCount = min(byteCount, 32 << 20) }

  /// Whether it is time to apply them.
  var isFull: Bool { byteCount >= largestByteCount }

  /// Takes a commit.
  ///
  /// - Parameter byteCount: how many bytes it has in the journal.
  mutating func add(_ side: CommitSide, in frame: FrameNumber, byteCount: Int) {
    for change in side.objects {
      changes.append((change, commits.count))
      self.byteCount += 128 + change.values.byteCount + change.others.byteCount
    }
    commits.append((side.head, frame))
    self.byteCount += 256 + byteCount
  }

  /// Applies the changes to the state before them; there are none then.
  mutating func apply(to snapshot: inout Snapshot) throws(StoreError) {
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
    (commits, changes, byteCount) = ([], [], 0)
  }
}
