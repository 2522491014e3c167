internal import EventFold
internal import ObjectModel
internal import ObjectStore

// What a context within another has changed, saved one level up.
extension ManagedObjectContext {
  /// What a save would tell of objects that the parent has deleted meanwhile, if the policy were to tell it.
  func conflicts(with parent: ManagedObjectContext) -> [MergeConflict] {
    merge(changesLost(in: parent), .tell).conflicts
  }

  /// What was changed here of objects that the parent has deleted meanwhile.
  private func changesLost(in parent: ManagedObjectContext) -> [ObjectConflict] {
    fold.unsaved().compactMap { unsaved in
      guard unsaved.baseRow != nil, unsaved.row != nil,
        let state = parent.instance(of: unsaved.object)?.state
      else { return nil }
      parent.fireQuietly(state)
      guard state.presence != .there else { return nil }
      return ObjectConflict(
        unsaved.object, base: unsaved.baseRow, ours: unsaved.row, theirs: nil)
    }
  }

  /// What becomes of changes of objects that the parent has deleted: the rows of those that come back to it, and what
  /// the policy leaves open.
  private func merge(
    _ lost: [ObjectConflict], _ policy: ConflictPolicy
  ) -> (rows: [ObjectID: Row?], conflicts: [MergeConflict]) {
    let (names, kindOf) = (KeyNaming(store: store), mergeKinds)
    var rows: [ObjectID: Row?] = [:]
    var conflicts: [MergeConflict] = []
    for sides in lost {
      switch ObjectMerge(sides, policy, kindOf: { kindOf(sides.object, $0) }) {
      case .merged(let row?): rows[sides.object] = .some(row)
      case .merged: break
      case .conflict(let sides):
        conflicts.append(MergeConflict(sides, schema, name: names.name))
      }
    }
    return (rows, conflicts)
  }

  private var unsavedDrafts: [(object: ObjectID, draft: ObjectDraft)] {
    fold.objects.mayBeDirty.filter(\.value.isDirty).sorted { $0.key < $1.key }
      .map { ($0.key, $0.value) }
  }

  /// Saves one level up.
  func save(to parent: ManagedObjectContext) throws {
    if let refusal = parent.writer.refusal { throw refusal }
    let drafts = unsavedDrafts
    if drafts.isEmpty { return }
    // What a save of the parent finds deleted is told here, too.
    parent.settleSave()
    // First the parent's delete rules: they may take more of what was changed here.
    parent.processPendingChanges()
    // What is saved here is the parent's from now on, and is to be in the journal as that.
    if parent.view.parent == nil { try parent.restate() }
    if let failure = parent.writer.failure { throw failure }
    let lost = changesLost(in: parent)
    let names = KeyNaming(store: store)
    let merged = merge(lost, mergePolicy.conflictPolicy(schema, names, mergeKinds))
    if !merged.conflicts.isEmpty { throw MergeConflicts(objects: merged.conflicts) }
    let saved = objectsToSave
    let gone = Set(lost.map(\.object))
    parent.take(drafts.filter { !gone.contains($0.object) }, bringingBack: merged.rows)
    // What follows stands on other rows, and so is another context's to who folds it.
    parent.writer.end(saving: &writer)
    let left = valuesLeft()
    let states = statesWithDrafts
    for state in states { endUntracked(of: state) }
    let objects = states.compactMap(\.object)
    var handles: [ObjectID: RowHandle] = [:]
    for state in states {
      do throws(StoreError) {
        handles[state.objectID] = try shown(state.objectID, view.snapshot)
      } catch {
        readFailure = error
        handles[state.objectID] = state.handle
      }
    }
    let keys = keysChanging(of: states) { try? handles[$0.objectID]?.stored().row }
    transition(states, changing: keys) {
      fold = ContextFold(
        ContextNumber(rawValue: 0), name: name, on: .none, traits: schema.traits)
      // What was set untracked is lost with the instance that has it. Before anybody is told, who may change something.
      held = held.filter { $0.value.state.untracked != nil }
      beginStretch()
      for state in states { state.stand(on: .none, with: handles[state.objectID]) }
      put(left)
    }
    isSaving = false
    for object in saved { object.didSave() }
    withExtendedLifetime(objects) {}
  }

  /// What no save takes of objects that are there: values of transient keys, and of objects that are not saved those that
  /// were set primitively.
  private func valuesLeft() -> [(object: ManagedObject, values: Delta)] {
    fold.objects.keys.sorted().compactMap { object in
      guard let draft = fold.objects[object], draft.isThere else { return nil }
      let transient = schema.transientKeys(of: object.entity)
      let values = draft.delta.filter { key, value in
        (!draft.isDirty || transient.contains(key)) && value != draft.unchangedValue(of: key)
      }
      guard !values.isEmpty, let instance = instance(of: object) else { return nil }
      fireQuietly(instance.state)
      return (instance, values)
    }
  }

  /// Has objects have what no save has taken, as edits of the context that begins now.
  private func put(_ left: [(object: ManagedObject, values: Delta)]) {
    for (object, values) in left where object.state.handle != nil {
      let state = object.state
      held[state.objectID] = object
      base(state)
      for (key, value) in values { perform(.setPrimitive(state.objectID, key, value)) }
    }
  }

  /// Takes what a child has changed as one step. Key by key: where the parent has changed something since the child
  /// has read it, the child's stands, but counters and sets have what both did.
  ///
  /// - Parameter rows: what objects have that were deleted here, and are to be there again.
  private func take(
    _ drafts: [(object: ObjectID, draft: ObjectDraft)], bringingBack rows: [ObjectID: Row?]
  ) {
    beginUndoGrouping()
    var states: [ObjectState] = []
    for (object, draft) in drafts {
      guard let instance = instance(of: object) else { continue }
      let state = instance.state
      held[object] = instance
      if draft.baseRow == nil, state.isFault { takeAsGone(state, seenAt: draft.base) }
      fireForUndo(state)
      if draft.isThere, state.presence != .there { insertAgain(state) } else { base(state) }
      if !draft.isThere, state.presence == .there {
        storePendingQuietly(of: state)
        readMembers(of: state)
      }
      states.append(state)
    }
    var left: [(owner: ObjectID, back: RelationshipInfo.Inverse, member: ObjectState)] = []
    var values: [ObjectID: [KeyNumber: Value?]] = [:]
    for (object, draft) in drafts {
      guard let state = state(of: object), state.presence == .there, draft.isThere else { continue }
      values[object] = valuesTaken(of: state, from: draft)
    }
    transition(states, changing: values.mapValues { $0.keys.sorted() }) {
      for (object, draft) in drafts {
        guard let state = state(of: object), state.presence == .there else { continue }
        guard draft.isThere else {
          markDeleted(state)
          continue
        }
        for (key, value) in (values[object] ?? [:]).sorted(by: { $0.key < $1.key }) {
          let current = heldValue(of: state, key)
          performSet(state, key, value)
          // The child has not seen where the parent has led it meanwhile.
          if let former = current?.reference, current != draft.baseRow?[key],
            let back = state.entity.property(key)?.relationship?.inverse
          {
            left.append((former, back, state))
          }
        }
        settle(state)
      }
    }
    for (owner, back, member) in left { detach(owner, back, from: member.objectID) }
    if !rows.isEmpty { bring(rows, named: nil) }
    endUndoGrouping()
    processPendingChanges()
  }

  /// What an object is to have of what a child has changed of it, and has not.
  private func valuesTaken(
    of state: ObjectState, from draft: ObjectDraft
  ) -> [KeyNumber: Value?] {
    let kindOf = mergeKinds
    let (transient, untracked) = (
      schema.transientKeys(of: state.objectID.entity), untrackedValues(of: state)
    )
    var values: [KeyNumber: Value?] = [:]
    for (key, value) in draft.delta where !transient.contains(key) {
      let current = heldValue(of: state, key)
      let kind = kindOf(state.objectID, key)
      let merge = ValueMerge(
        base: draft.baseRow?[key], ours: value, theirs: current,
        draft.baseRow == nil ? kind.ofNewObject : kind)
      let merged =
        switch merge {
        case .merged(let value): value
        case .conflict(let ours, _): ours
        }
      // What a hook has given here and the child has set is not in the store by that.
      if merged != current || untracked[key] != nil { values.updateValue(merged, forKey: key) }
    }
    return values
  }

  /// Has an object that was not read here be gone as a child has seen it: what somebody else has made of it since is a
  /// conflict of the save.
  private func takeAsGone(_ state: ObjectState, seenAt commit: CommitNumber) {
    // What a child has refreshed stands on no commit.
    if commit > view.snapshot.number { return }
    (state.isFault, state.presence) = (false, .gone)
    state.base = commit
  }
}
