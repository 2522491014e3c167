internal import EventFold
internal import ObjectModel
public import ObjectStore

// Contexts that go on with what another life of theirs has left.
extension ManagedObjectContext {
  /// Has the context of a draft go on: its objects are as they were, with what can be undone and redone, step by
  /// step. Saving it, or rolling it back, ends the draft.
  ///
  /// - Throws: where the draft was recovered or discarded before, or cannot be read.
  public convenience init(
    recovering draft: Draft, in store: JournaledStore, isolation: (any Actor)? = #isolation
  ) throws {
    let resumed = try store.resume(draft)
    self.init(
      StoreView(store), EditWriter(store, resuming: resumed.context), resumed.content,
      isolation: isolation)
    takeUp()
  }

  /// Has the context of a session that has ended go on, with what can be undone and redone.
  ///
  /// - Throws: where the session goes on already, or the journal has not all its edits any more.
  public convenience init(
    resuming session: Session, in store: JournaledStore, isolation: (any Actor)? = #isolation
  ) throws {
    let resumed = try store.resume(session)
    self.init(
      StoreView(store), EditWriter(store, resuming: resumed.context), resumed.content,
      isolation: isolation)
    takeUp()
  }

  /// Ends the context in order. What it has not saved is given up, but where the journal can take even that in no way
  /// until the process ends, it is offered as a draft when the store is opened next; what it has saved can be undone by who
  /// resumes its session.
  /// Of objects that are still held, only what was read and not changed can still be used.
  ///
  /// A context that is let go without it ends in order, too, where everything is saved; otherwise what is not is
  /// offered as a draft when the store is opened next.
  public func close() {
    if isRefusedInPatch() { return }
    settleSave()
    let states = registered.values.map { $0.takeUnretainedValue() }
    for state in states { state.context = nil }
    endTelling(of: states)
    listeners.finish()
    registered = [:]
    held = [:]
    pendingDeletions = []
    endEvent()
    writer.end()
    writer = EditWriter(refusing: .closed)
    fold = ContextFold(fold.number, name: name, on: fold.base)
    foundToSave = nil
  }

  /// Makes the objects that the fold tells of.
  private func takeUp() {
    if !fold.registersUndo { perform(.undoSwitched(isOn: true)) }
    let deletions = deletionsOfUnsaved()
    let unsaved = fold.objects.keys.sorted() + deletions.keys.sorted()
    let stood = takeUpHistory(besides: Set(unsaved))
    for object in unsaved {
      guard let instance = instance(of: object) else { continue }
      held[object] = instance
      takeUp(instance.state, fold.objects[object])
    }
    for state in stood where state.presence == .there { didRead(state) }
    var unsavedEnds = UnsavedEnds()
    for object in unsaved.compactMap({ held[$0] }) {
      guard object.state.presence == .there else {
        takeUpDeletion(of: object.state, deletions[object.objectID], &unsavedEnds)
        continue
      }
      object.awake(from: .recovery)
    }
    // What the process was at when it died is a step.
    processPendingChanges()
  }

  /// Has the saved objects that can be undone or redone stand where they stood: what others have saved of them since
  /// would else be passed over. Steps whose objects nobody can read there any more are forgotten.
  private func takeUpHistory(besides unsaved: Set<ObjectID>) -> [ObjectState] {
    var stood: [ObjectID: ObjectState] = [:]
    func canBeUndone(_ step: UndoStep) -> Bool {
      for object in step.objects.map(\.object)
      where stood[object] == nil && !unsaved.contains(object) {
        guard let instance = instance(of: object) else { continue }
        do throws(StoreError) {
          try stand(instance.state, on: fold.base(of: object))
        } catch {
          // The next save tells what cannot be read, but not what compaction has dropped.
          if error.code != .commitMissing { readFailure = error }
          return false
        }
        held[object] = instance
        stood[object] = instance.state
      }
      return true
    }
    let undoable = fold.undoSteps.reversed().prefix(while: canBeUndone).count
    if undoable < fold.undoSteps.count { fold.forgetSteps(beyond: undoable) }
    if !fold.redoSteps.allSatisfy(canBeUndone) { fold.forgetRedoSteps() }
    return stood.values.sorted { $0.objectID < $1.objectID }
  }

  private func stand(_ state: ObjectState, on commit: CommitNumber) throws(StoreError) {
    writer.holdRead()
    var stored = try view.snapshot.stored(state.objectID)
    if stored.map({ $0.changed > commit }) ?? true {
      stored = try store.row(of: state.objectID, at: commit).map { StoredRow($0, changed: commit) }
    }
    if stored?.row == nil { stored = nil }
    state.isFault = false
    state.stand(on: commit, with: stored.map { RowHandle($0) })
  }

  private func takeUp(_ state: ObjectState, _ draft: ObjectDraft?) {
    state.isFault = false
    state.base = draft?.base ?? .none
    state.handle = draft?.baseRow.map { RowHandle(StoredRow($0, changed: state.base)) }
    state.presence = draft?.isThere ?? false ? .there : .deleted
    settle(state)
    if state.presence == .there, state.handle != nil {
      untracked { state.object?.awakeFromFetch() }
      if let draft { forgetDecoded(of: state, changedIn: draft) }
    }
  }

  // MARK: Deletions

  /// Objects that came to be and were deleted before any save, with what deleted them: nothing else tells of them.
  private func deletionsOfUnsaved() -> [ObjectID: UndoStep.Object] {
    var deletions: [ObjectID: UndoStep.Object] = [:]
    for step in fold.undoSteps + [fold.openStep].compactMap(\.self) {
      for part in step.objects where part.kind != .updated && fold.objects[part.object] == nil {
        deletions[part.object] = part
      }
    }
    return deletions.filter { object, part in
      // What undoing would take away is there, or was saved.
      guard part.kind == .inserted || fold.openStep(of: object) != nil else { return false }
      return ((try? view.snapshot.stored(object)) ?? nil) == nil
    }
  }

  /// Delete rules run again when pending changes are processed: the process may have died before they did. What
  /// they have done they do not find again, and what was led there in a later step, or by others since, is left as it is:
  /// the save sees to that.
  private func takeUpDeletion(
    of state: ObjectState, _ deletion: UndoStep.Object?, _ ends: inout UnsavedEnds
  ) {
    var row = storedRow(state) ?? Row()
    if let deletion = deletion ?? fold.openStep(of: state.objectID), deletion.kind == .inserted {
      for entry in deletion.entries { row[entry.key] = entry.before.restored(from: nil) }
    }
    for property in state.entity.properties {
      guard let relationship = property.relationship, let inverse = relationship.inverse else {
        continue
      }
      let leading = objectsLeading(
        to: state, relationship, inverse, candidates: row[property.key], &ends)
      if relationship.storage == .inverse {
        if state.members == nil { state.members = [:] }
        state.members?[property.key] = Members(leading)
      } else {
        row[property.key] = leading.isEmpty ? nil : .array(leading.map { .reference($0) })
      }
    }
    state.deletion = ObjectState.Deletion(row: row)
    pendingDeletions.append(state)
  }

  /// The destinations of a deleted object that still lead back to it.
  private func objectsLeading(
    to state: ObjectState, _ relationship: RelationshipInfo, _ inverse: RelationshipInfo.Inverse,
    candidates: Value?, _ ends: inout UnsavedEnds
  ) -> [ObjectID] {
    var objects = Set(candidates.destinations)
    if ends.leading[inverse.key] == nil { ends.leading[inverse.key] = unsavedEnds(by: inverse.key) }
    objects.formUnion(ends.leading[inverse.key]?[state.objectID] ?? [])
    let led = ends.led ?? objectsLedLate()
    ends.led = led
    let late = led[state.objectID]?[inverse.key] ?? []
    if relationship.storage == .inverse, state.base != .none {
      do throws(StoreError) {
        objects.formUnion(
          try view.snapshot.objects(
            referringTo: state.objectID, by: inverse.key, of: relationship.destination))
      } catch {
        readFailure = error
      }
    }
    return objects.subtracting(late).sorted().filter { object in
      guard let member = instance(of: object)?.state else { return false }
      fireQuietly(member)
      return member.presence == .there
        && heldValue(of: member, inverse.key).destinations.contains(state.objectID)
        && !isLedByOthers(member, inverse.key, to: state)
    }
  }

  /// Whether others have had an object lead to a deleted one since what that stands on.
  private func isLedByOthers(
    _ member: ObjectState, _ key: KeyNumber, to deleted: ObjectState
  ) -> Bool {
    if fold.objects[member.objectID]?.delta[key] != nil { return false }
    do throws(StoreError) {
      let then = try store.row(of: member.objectID, at: deleted.base)
      return !(then?[key].destinations.contains(deleted.objectID) ?? false)
    } catch {
      // What compaction has dropped tells nothing.
      return false
    }
  }

  /// What was led to deleted objects in steps after those that have deleted them: by the deleted object, and by key.
  private func objectsLedLate() -> [ObjectID: [KeyNumber: Set<ObjectID>]] {
    let steps = fold.undoSteps + [fold.openStep].compactMap(\.self)
    var deletions: [ObjectID: Int] = [:]
    for (index, step) in steps.enumerated() {
      for part in step.objects where part.kind == .inserted { deletions[part.object] = index }
    }
    if deletions.isEmpty { return [:] }
    var led: [ObjectID: [KeyNumber: Set<ObjectID>]] = [:]
    for (index, step) in steps.enumerated() {
      for part in step.objects where part.kind != .inserted {
        guard let draft = fold.objects[part.object], draft.isThere else { continue }
        let before =
          part.kind == .deleted
          ? draft.delta.keys.map { ($0, ValueBefore.value(nil)) }
          : part.entries.map { ($0.key, $0.before) }
        for (key, before) in before {
          for object in before.destinationsGained(by: draft.value(of: key)) {
            guard let deletion = deletions[object], deletion < index else { continue }
            led[object, default: [:]][key, default: []].insert(part.object)
          }
        }
      }
    }
    return led
  }

  /// Which unsaved objects lead where by a key.
  private func unsavedEnds(by key: KeyNumber) -> [ObjectID: [ObjectID]] {
    var ends: [ObjectID: [ObjectID]] = [:]
    for (object, draft) in fold.objects where draft.isThere {
      for destination in draft.value(of: key).destinations {
        ends[destination, default: []].append(object)
      }
    }
    return ends
  }
}

/// Which unsaved objects lead where, by the keys that they do so by, and what was led to deleted objects later: found once
/// for all deletions.
private struct UnsavedEnds {
  var leading: [KeyNumber: [ObjectID: [ObjectID]]] = [:]
  var led: [ObjectID: [KeyNumber: Set<ObjectID>]]?
}

extension ValueBefore {
  /// What a value leads to that it did not before the step.
  fileprivate func destinationsGained(by now: Value?) -> [ObjectID] {
    switch self {
    case .value(let before): Self.difference(now, before.destinations)
    case .members(let change): change.gained.compactMap(\.reference)
    case .appended(let members): members.compactMap(\.reference)
    case .order(let before, _): Self.difference(now, (before ?? []).compactMap(\.reference))
    case .amount, .entries: []
    }
  }

  private static func difference(_ now: Value?, _ before: [ObjectID]) -> [ObjectID] {
    let before = Set(before)
    return now.destinations.filter { !before.contains($0) }
  }
}
