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
    // First the parent's delete rules: they may take more of what was changed here.
    parent.processPendingChanges()
    let lost = changesLost(in: parent)
    let names = KeyNaming(store: store)
    let merged = merge(lost, mergePolicy.conflictPolicy(schema, names, mergeKinds))
    if !merged.conflicts.isEmpty { throw MergeConflicts(objects: merged.conflicts) }
    let saved = objectsToSave
    let gone = Set(lost.map(\.object))
    parent.take(drafts.filter { !gone.contains($0.object) }, bringingBack: merged.rows)
    writer.record(.saved(.none))
    // What follows stands on other rows, and so is another context's to who folds it.
    writer.finish()
    holdTransients()
    let states = statesWithDrafts
    for state in states { endUntracked(of: state) }
    keepTransients(of: states)
    let objects = states.compactMap(\.object)
    transition(states) {
      fold = ContextFold(
        ContextNumber(rawValue: 0), name: name, on: .none, traits: schema.traits)
      // What no save takes is lost with the instance that has it. Before anybody is told, who may change something.
      held = held.filter { $0.value.state.untracked != nil }
      beginStretch()
      for state in states {
        var handle = state.handle
        do throws(StoreError) {
          handle = try shown(state.objectID, view.snapshot)
        } catch {
          readFailure = error
        }
        state.stand(on: .none, with: handle)
      }
    }
    isSaving = false
    for object in saved { object.didSave() }
    withExtendedLifetime(objects) {}
  }

  /// Has objects be there whose values no save takes, though nobody else holds them.
  private func holdTransients() {
    for (object, draft) in fold.objects where state(of: object) == nil {
      let transient = schema.traits[object.entity]?.transient ?? []
      guard draft.isThere, !transient.isDisjoint(with: draft.delta.keys),
        let instance = instance(of: object)
      else { continue }
      held[object] = instance
      fireQuietly(instance.state)
    }
  }

  /// What no save takes stays with the objects.
  private func keepTransients(of states: [ObjectState]) {
    for state in states where state.presence == .there {
      guard let draft = fold.objects[state.objectID] else { continue }
      for key in schema.traits[state.objectID.entity]?.transient ?? [] {
        guard let value = draft.delta[key], value != draft.unchangedValue(of: key) else { continue }
        setUntracked(value, of: state, key)
      }
    }
  }

  /// Takes what a child has changed as one step. Key by key: where the parent has changed something since the child
  /// has read it, the child's stands, but counters and sets have what both did.
  ///
  /// - Parameter rows: what objects have that were deleted here, and are to be there again.
  private func take(
    _ drafts: [(object: ObjectID, draft: ObjectDraft)], bringingBack rows: [ObjectID: Row?]
  ) {
    settleSave()
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
    let kindOf = mergeKinds
    var left: [(owner: ObjectID, back: RelationshipInfo.Inverse, member: ObjectState)] = []
    transition(states) {
      for (object, draft) in drafts {
        guard let state = state(of: object), state.presence == .there else { continue }
        guard draft.isThere else {
          markDeleted(state)
          continue
        }
        for (key, value) in draft.delta.sorted(by: { $0.key < $1.key })
        where schema.traits[object.entity]?.transient.contains(key) != true {
          let current = heldValue(of: state, key)
          let kind = kindOf(object, key)
          let merge = ValueMerge(
            base: draft.baseRow?[key], ours: value, theirs: current,
            draft.baseRow == nil ? kind.ofNewObject : kind)
          let merged =
            switch merge {
            case .merged(let value): value
            case .conflict(let ours, _): ours
            }
          // What a hook has given here and the child has set is not in the store by that.
          if merged != current || untrackedValues(of: state)[key] != nil {
            performSet(state, key, merged)
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
    }
    for (owner, back, member) in left { detach(owner, back, from: member.objectID) }
    if !rows.isEmpty { bring(rows, named: nil) }
    endUndoGrouping()
    processPendingChanges()
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
