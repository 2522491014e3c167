internal import EventFold
internal import ObjectModel
internal import ObjectStore

// Which commit a context stands on when others' commits have been brought in.
extension ManagedObjectContext {
  /// Has the journal say that a commit was brought in, and the context stand on it.
  ///
  /// Not where others have changed something that is unsaved here in commits before it, which were not brought in: the
  /// save is to tell that. The journal then has what was read again, and no more.
  ///
  /// Costs: time in proportion to what commits have changed since that was noted last, or to what is unsaved, where that
  /// is less.
  func noteMerged(_ commit: CommitNumber) {
    // A child stands on what its parent has.
    guard view.parent == nil else { return }
    let head = view.snapshot
    var rows: [ObjectID: Row?] = [:]
    for object in objectsToMove(to: commit) {
      guard let draft = fold.objects[object], draft.base < commit else { continue }
      guard let stored = try? head.stored(object) else {
        if draft.baseRow != nil { return }
        rows.updateValue(nil, forKey: object)
        continue
      }
      if stored.changed <= draft.base {
        rows.updateValue(stored.row, forKey: object)
        continue
      }
      // What no save takes holds nothing back: it is put on what there is when the object is read.
      guard !draft.isDirty, state(of: object)?.isFault ?? true,
        case .some(let row) = rowRead(of: object, at: commit)
      else { return }
      rows.updateValue(row, forKey: object)
    }
    performMerge(commit, rows: rows)
    // Where objects without changes stand is not known any more: each says it anew.
    beginStretch()
    for object in rows.keys {
      guard let state = state(of: object) else { continue }
      // What was never committed stands on none.
      if state.base != .none { state.base = commit }
      settle(state)
    }
  }

  /// The objects with something unsaved that may be others at a commit than where they stand.
  private func objectsToMove(to commit: CommitNumber) -> Set<ObjectID> {
    let (floor, behind) = (fold.objects.floor, fold.objects.behind)
    if commit <= floor { return behind }
    let changed = objectsChanged(after: floor, through: commit, atMost: fold.objects.count)
    return changed?.union(behind) ?? Set(fold.objects.keys)
  }

  /// The objects that some commits have changed; nil where it would cost more to find them than to look at so many.
  private func objectsChanged(
    after floor: CommitNumber, through commit: CommitNumber, atMost count: Int
  ) -> Set<ObjectID>? {
    guard commit.rawValue - floor.rawValue <= count else { return nil }
    var changed: Set<ObjectID> = []
    var changeCount = 0
    var number = floor
    while number < commit {
      number = number.next
      // Compaction may have dropped it.
      guard let changes = try? store.content(of: number).changes else { return nil }
      changeCount += changes.count
      if changeCount > count { return nil }
      changed.formUnion(changes.lazy.map(\.object))
    }
    return changed
  }

  /// What an object had at a commit; nil where that cannot be read.
  private func rowRead(of object: ObjectID, at commit: CommitNumber) -> Row?? {
    do { return .some(try store.row(of: object, at: commit)) } catch { return nil }
  }
}
