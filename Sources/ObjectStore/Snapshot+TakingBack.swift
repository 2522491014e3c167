internal import EventFold
internal import ObjectModel

extension Snapshot {
  /// Makes it the snapshot before its commit.
  ///
  /// - Throws: where the commit does not fit; the snapshot then is worth nothing.
  mutating func takeBack(_ commit: CommitContent) throws(StoreError) {
    for change in commit.changes {
      guard let stored = try stored(change.object), stored.changed == commit.number else {
        throw .chainBroken(change.object, in: commit.number)
      }
      do throws(FoldError) {
        set(change.object, try change.inverse.applied(to: stored.row), change.previous)
      } catch {
        throw .pastMisfit(error, commit.number)
      }
    }
    number = commit.number.previous
  }
}
