internal import EventFold
internal import ObjectModel
public import ObjectStore

// Bringing back what the past had, by edits of now: what was committed stays in the past as it is.
extension ManagedObjectContext {
  /// Takes back what one commit did, and leaves what came later. It is one step, and a new commit when it is saved.
  ///
  /// Counters, sets and what has a merge function lose just what the commit has added to them.
  ///
  /// - Parameters:
  ///   - moment: names the commit.
  ///   - isForced: whether values that were changed again since are brought back over that.
  /// - Throws: where later commits, or unsaved changes, have changed the same keys: the error names them. Nothing has
  ///   changed then.
  public func revert(_ moment: Moment, isForced: Bool = false) throws {
    if let refusal = writer.refusal { throw refusal }
    try refuseInPatch()
    settleSave()
    let number = try store.commit(at: moment)
    guard number != .none else { throw ContextError.nothingToUndo }
    processPendingChanges()
    let objects = try store.content(of: number).changes.map(\.object)
    let kindOf = mergeKinds
    let stale = staleObjects(objects).filter { !$0.hasDraft || $0.presence == .there }
    if !isForced { try refuseLater(stale.flatMap { keysInConflict(of: $0, kindOf) }) }
    refresh(stale, keepingChanges: true, reason: .refresh)
    var targets: [ObjectID: Row?] = [:]
    var later: [ContextError.ChangedKey] = []
    for object in objects {
      guard let state = instance(of: object)?.state else { continue }
      let sides = ObjectConflict(
        object, base: try store.row(of: object, at: number),
        ours: try store.row(of: object, at: number.previous), theirs: currentRow(of: state))
      guard let reversal = Reversal(sides, kindOf: { kindOf(object, $0) }) else { continue }
      targets[object] = .some(reversal.row)
      later += reversal.later.map { .init(objectID: object, key: name(of: $0, object)) }
    }
    for (object, row) in targets where row == nil {
      if let state = state(of: object) { later += keysLeading(to: state, outside: targets) }
    }
    if !isForced { try refuseLater(later) }
    bring(targets, named: "Revert commit \(number)")
  }

  /// Has everything be as it was at a moment, also what is not saved. It is one step, and a new commit when it is
  /// saved; what came since stays in the past.
  ///
  /// Costs: reading the commits that came after it.
  ///
  /// - Throws: where there is no such moment, or compaction has dropped it. Nothing has changed then.
  public func revert(to moment: Moment) throws {
    if let refusal = writer.refusal { throw refusal }
    try refuseInPatch()
    settleSave()
    let number = try store.commit(at: moment)
    processPendingChanges()
    var objects: Set<ObjectID> = []
    try forEachPending { (object, _) throws(StoreError) in
      objects.insert(object)
      return true
    }
    try store.forEachCommit(since: number) { commit in
      objects.formUnion(commit.changes.map(\.objectID))
      return true
    }
    refresh(staleObjects(Array(objects)), keepingChanges: true, reason: .refresh)
    var targets: [ObjectID: Row?] = [:]
    for object in objects {
      guard let state = instance(of: object)?.state else { continue }
      var row = try store.row(of: object, at: number)
      // What no save takes has no past.
      if let current = currentRow(of: state) {
        for key in schema.transientKeys(of: object.entity) { row?[key] = current[key] }
      }
      targets[object] = .some(row)
    }
    bring(targets, named: "Revert to commit \(number)")
  }

  /// The objects that others have changed since they were read here: what is brought back of them has to stand on that,
  /// or the save would find it to be no change.
  private func staleObjects(_ objects: [ObjectID]) -> [ObjectState] {
    let snapshot = view.snapshot
    return objects.sorted().compactMap { object in
      guard let state = state(of: object), !state.isFault,
        let changed = try? snapshot.stored(object)?.changed, changed > state.base
      else { return nil }
      return state
    }
  }

  /// What others have changed of an object that is changed here otherwise: once it stands on theirs, no save would tell.
  private func keysInConflict(
    of state: ObjectState, _ kindOf: (ObjectID, KeyNumber) -> MergeKind
  ) -> [ContextError.ChangedKey] {
    guard state.hasDraft, let draft = fold.objects[state.objectID],
      let theirs = try? view.snapshot.row(of: state.objectID)
    else { return [] }
    let keys = draft.delta.keys.filter { key in
      if state.entity.property(key)?.isTransient ?? false { return false }
      let merge = ValueMerge(
        base: draft.baseRow?[key], ours: draft.value(of: key), theirs: theirs[key],
        kindOf(state.objectID, key))
      if case .conflict = merge { return true } else { return false }
    }
    return keys.map { .init(objectID: state.objectID, key: name(of: $0, state.objectID)) }
  }
}

/// What taking back one change of an object makes of what it is now.
private struct Reversal {
  /// What it is to have; nil where it is to go.
  var row: Row?
  /// What was changed again since.
  var later: [KeyNumber] = []

  /// - Parameter sides: what the change has left as the base, what was before it as ours, and what is now as theirs.
  /// - Returns: nil where there is nothing to do.
  init?(_ sides: ObjectConflict, kindOf: (KeyNumber) -> MergeKind) {
    let (after, before, current) = (sides.base, sides.ours, sides.theirs)
    switch (before, after) {
    case (nil, nil): return nil
    case (nil, _):
      if current == nil { return nil }
      later = sides.theirKeys.sorted()
    case (_, nil):
      row = before
      if current == before { return nil }
      if current != nil {
        later = sides.changedKeys.filter { before?[$0] != current?[$0] }.sorted()
      }
    case (_, _):
      guard let current else {
        later = sides.ourKeys.sorted()
        return
      }
      row = current
      for key in sides.ourKeys.sorted() {
        switch ValueMerge(base: after?[key], ours: before?[key], theirs: current[key], kindOf(key))
        {
        case .merged(let value): row?[key] = value
        case .conflict(let value, _):
          row?[key] = value
          later.append(key)
        }
      }
    }
  }
}
