internal import EventCoding
internal import EventFold
internal import Journaling
internal import ObjectModel

extension Snapshot {
  /// Makes it the snapshot of the next commit.
  ///
  /// - Throws: where the commit does not fit the state it is to change; the snapshot then is worth nothing.
  mutating func apply(_ commit: CommitContent) throws(SnapshotProblem) {
    for change in commit.changes {
      let stored: StoredRow?
      do throws(StoreError) {
        stored = try self.stored(change.object)
      } catch {
        throw .unreadable(error)
      }
      // An object that came back: compaction may have forgotten, or not yet, that it was ever there.
      let follows =
        change.previous == stored?.changed ?? .none
        || change.kind == .inserted && stored?.row == nil
      guard follows else { throw .chainBroken(change.object, in: commit.number) }
      do throws(FoldError) {
        set(change.object, try change.applied(to: stored?.row), commit.number)
        index.apply(change) { stored?.row?[$0] }
      } catch {
        throw .misfit(error)
      }
    }
    advance(to: commit)
  }

  /// Makes it the snapshot of the next commit, of which only what became of the objects is known. Rows that
  /// it changes are not read where that is not needed.
  ///
  /// - Throws: where the commit is seen not to fit; the snapshot then is worth nothing.
  mutating func apply(_ side: CommitSide) throws(SnapshotProblem) {
    for change in side.objects { try apply(change, side.head.number) }
    advance(to: side.head)
  }

  /// Makes one of the changes of a commit. Those of different objects do not depend on each other.
  mutating func apply(
    _ change: CommitSide.Object, _ commit: CommitNumber
  ) throws(SnapshotProblem) {
    guard change.differences.isEmpty else {
      let (old, row) = try updated(change, commit)
      index.replace(old, by: row, of: change.object)
      return set(change.object, row, commit)
    }
    index.apply(change)
    var problem: SnapshotProblem?
    layers[0].update(change.object) { known in
      switch Overlay.made(by: change, commit, of: known) {
      case .success(let overlay): return overlay
      case .failure(let found):
        problem = found
        return known ?? .whole(StoredRow(nil, changed: .none))
      }
    }
    if let problem { throw problem }
  }

  /// The whole row of an object that a commit updates, before and after.
  private func updated(
    _ change: CommitSide.Object, _ commit: CommitNumber
  ) throws(SnapshotProblem) -> (old: Row, new: Row) {
    let stored: StoredRow?
    do throws(StoreError) {
      stored = try self.stored(change.object)
    } catch {
      throw .unreadable(error)
    }
    guard let stored, let old = stored.row else {
      throw .misfit(.objectDoesNotFit(change.object, .updated))
    }
    var row = old
    guard stored.changed == change.previous else { throw .chainBroken(change.object, in: commit) }
    for entry in change.values { row[entry.key] = entry.value }
    for entry in change.differences {
      guard let applied = entry.change.applied(to: row[entry.key]) else {
        throw .misfit(.valueDoesNotFit(change.object, entry.key))
      }
      row[entry.key] = applied.value
    }
    return (old, row)
  }

  mutating func set(_ object: ObjectID, _ row: Row?, _ commit: CommitNumber) {
    layers[0].set(object, .whole(StoredRow(row, changed: commit)))
  }

}

/// Why a commit is none that can follow a snapshot.
enum SnapshotProblem: Error {
  case unreadable(StoreError)
  case misfit(FoldError)
  case chainBroken(ObjectID, in: CommitNumber)

  func error(in frame: FrameNumber) -> StoreError {
    switch self {
    case .unreadable(let error): error
    case .misfit(let error): StoreError(contradiction: error, in: frame)
    case .chainBroken(let object, let commit):
      StoreError(
        contradiction: "commit \(commit) does not follow the last change of \(object)", in: frame)
    }
  }
}
