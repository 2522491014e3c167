internal import EventFold
internal import ObjectModel
internal import ObjectStore

// Contexts within contexts.
extension ManagedObjectContext {
  /// Makes a context within another. It shows what that one has, saved or not, as each object is read; saving it
  /// goes one level up, where what it changed is one step and waits for the parent's save.
  ///
  /// Its undo history ends with each save, as the parent can undo that. A child that is let go gives up what it has
  /// not saved; one whose process ends leaves a draft of its own, which stands on the store: what it had changed
  /// comes back with what its parent had made of the same objects.
  public convenience init(parent: ManagedObjectContext, isolation: (any Actor)? = #isolation) {
    self.init(StoreView(within: parent), EditWriter(asFor: parent.writer), isolation: isolation)
  }

  /// The context that saving goes to; nil where that is the store.
  public var parent: ManagedObjectContext? { view.parent }

  // MARK: Reading

  /// What an object has where the context reads it; nil where it is not there.
  func shown(_ object: ObjectID, _ snapshot: Snapshot) throws(StoreError) -> RowHandle? {
    guard let parent = view.parent else {
      guard let handle = try snapshot.handle(of: object), !handle.isDeleted else { return nil }
      return handle
    }
    guard let state = parent.instance(of: object)?.state else { return nil }
    try parent.fire(state)
    parent.storePendingQuietly(of: state)
    guard state.presence == .there else { return nil }
    guard let row = state.hasDraft ? parent.fold.objects[object]?.row : nil else {
      return state.handle
    }
    return RowHandle(StoredRow(row, changed: .none))
  }

  /// The commit that an object stands on which is read just now. What a child reads is in no commit, so it goes by
  /// what its fold says.
  func commit(ofShown object: ObjectID, _ snapshot: Snapshot) -> CommitNumber {
    view.parent == nil ? snapshot.number : fold.base(of: object)
  }

  /// What the context, or one that it stands within, has changed of an object; nil where none has.
  func pending(_ object: ObjectID) -> ObjectDraft? {
    fold.objects[object] ?? view.parent?.pending(object)
  }

  /// Whether there is anything that is not saved to the store.
  var hasPendingObjects: Bool { !fold.objects.isEmpty || view.parent?.hasPendingObjects ?? false }

  /// Calls a closure with each object that is not as the store has it.
  ///
  /// - Parameter body: returns whether to go on.
  func forEachPending(
    _ body: (ObjectID, ObjectDraft) throws(StoreError) -> Bool
  ) throws(StoreError) {
    for (object, draft) in fold.objects {
      guard try body(object, draft) else { return }
    }
    try view.parent?.forEachPending { (object, draft) throws(StoreError) in
      try fold.objects[object] == nil ? body(object, draft) : true
    }
  }

  // MARK: Journaling

  /// Has objects be read again, for the journal and the fold.
  ///
  /// - Returns: the commit that they stand on.
  func performRefresh(
    _ objects: [ObjectID], keepingChanges: Bool, _ snapshot: Snapshot, rows: [ObjectID: Row?]
  ) -> CommitNumber {
    guard let parent = view.parent else {
      perform(
        .refreshed(objects, keepingChanges: keepingChanges, at: snapshot.number), rows: rows)
      return snapshot.number
    }
    begin()
    if standIns.stretch != event.stretch { standIns.begin(event.stretch) }
    let moved = Set(keepingChanges ? objects.filter { fold.objects[$0] != nil } : [])
    let given = objects.filter { !moved.contains($0) }
    if let live = writer.live, !given.isEmpty {
      writer.record(.refreshed(given, keepingChanges: keepingChanges, at: live.base))
    }
    for object in given { standIns.keys[object] = nil }
    for object in moved.sorted() {
      guard let base = committedBase(of: object, parent) else { continue }
      writer.record(.refreshed([object], keepingChanges: true, at: base))
    }
    // A number that stands for what the parent has now, as no commit does.
    standIns.refreshCount += 1
    let commit = CommitNumber(rawValue: .max - standIns.refreshCount)
    apply(.refreshed(objects, keepingChanges: keepingChanges, at: commit), rows: rows)
    for object in objects {
      state(of: object)?.basedIn = 0
      if let draft = fold.objects[object] {
        standIn(for: object, on: draft.baseRow, parent, withOwn: true)
      }
    }
    return commit
  }

  /// Writes down what a child's object has of its ancestors' unsaved work, before its first edit: if the process
  /// dies the child comes back without them. The fold does not need it.
  func noteBaseInParent(of state: ObjectState, _ parent: ManagedObjectContext) {
    if fold.objects[state.objectID] == nil { state.base = fold.base(of: state.objectID) }
    standIn(for: state.objectID, on: storedRow(state), parent)
  }

  /// The commit that the outermost ancestor's object stands on; nil where it is in none.
  private func committedBase(of object: ObjectID, _ parent: ManagedObjectContext) -> CommitNumber? {
    var root = parent
    while let above = root.view.parent { root = above }
    guard let state = root.instance(of: object)?.state else { return nil }
    root.fireForUndo(state)
    return state.handle == nil ? nil : state.base
  }

  /// - Parameter withOwn: whether what the child has changed is written, too, as it may be another since it was put
  ///   on what the parent has.
  private func standIn(
    for object: ObjectID, on row: Row?, _ parent: ManagedObjectContext, withOwn: Bool = false
  ) {
    guard let live = writer.live, let row else { return }
    var root = parent
    while let above = root.view.parent { root = above }
    guard let state = root.instance(of: object)?.state else { return }
    root.fireForUndo(state)
    var committed = root.fold.objects[object].map(\.baseRow) ?? root.storedRow(state)
    if standIns.stretch != event.stretch { standIns.begin(event.stretch) }
    var edits: [Edit] = []
    if standIns.keys[object] == nil {
      if committed == nil {
        // It is nothing that the child could undo.
        let registersUndo = fold.registersUndo
        if registersUndo { edits.append(.undoSwitched(isOn: false)) }
        edits.append(.inserted(object))
        if registersUndo { edits.append(.undoSwitched(isOn: true)) }
      } else if state.base != live.base {
        writer.record(.based(object, on: state.base))
      }
    }
    committed = committed ?? Row()
    let changed = fold.objects[object]?.delta ?? [:]
    var keys = standIns.keys[object] ?? []
    for entry in row.entries + (committed?.entries ?? [])
    where row[entry.key] != committed?[entry.key] {
      keys.insert(entry.key)
    }
    for key in keys.sorted() where changed[key] == nil {
      edits.append(.setPrimitive(object, key, row[key]))
    }
    if withOwn {
      for (key, value) in changed.sorted(by: { $0.key < $1.key }) {
        edits.append(.setPrimitive(object, key, value))
      }
    }
    standIns.keys[object] = keys
    for edit in edits { writer.record(edit) }
  }

  // MARK: Saving

  /// What cannot be saved because the parent has deleted it meanwhile.
  func conflicts(with parent: ManagedObjectContext) -> [MergeConflict] {
    let names = KeyNaming(store: store)
    return unsavedDrafts.compactMap { object, draft in
      guard draft.baseRow != nil, draft.isThere, let state = parent.instance(of: object)?.state
      else { return nil }
      parent.fireQuietly(state)
      guard state.presence != .there else { return nil }
      let sides = ObjectConflict(object, base: draft.baseRow, ours: draft.row, theirs: nil)
      return MergeConflict(sides, schema, name: names.name)
    }
  }

  private var unsavedDrafts: [(object: ObjectID, draft: ObjectDraft)] {
    fold.objects.filter(\.value.isDirty).sorted { $0.key < $1.key }.map { ($0, $1) }
  }

  /// Saves one level up.
  func save(to parent: ManagedObjectContext) throws {
    if let refusal = parent.writer.refusal { throw refusal }
    let drafts = unsavedDrafts
    if drafts.isEmpty { return }
    let conflicts = conflicts(with: parent)
    if !conflicts.isEmpty, case .error = mergePolicy { throw MergeConflicts(objects: conflicts) }
    let saved = objectsToSave
    parent.take(drafts.filter { draft in !conflicts.contains { $0.objectID == draft.object } })
    writer.record(.saved(.none))
    // What follows stands on other rows, and so is another context's to who folds it.
    writer.finish()
    let states = statesWithDrafts
    keepTransients(of: states)
    let objects = states.compactMap(\.object)
    transition(states) {
      fold = ContextFold(ContextNumber(rawValue: 0), name: name, on: .none)
      // What no save takes is lost with the instance that has it. Before anybody is told, who may change something.
      held = held.filter { $0.value.state.untracked != nil }
      beginStretch()
      for state in states {
        do throws(StoreError) {
          state.handle = try shown(state.objectID, view.snapshot)
        } catch {
          readFailure = error
        }
        state.base = .none
        state.presence = state.handle == nil ? .gone : .there
        state.rowWhenDeleted = nil
      }
    }
    isSaving = false
    for object in saved { object.didSave() }
    withExtendedLifetime(objects) {}
  }

  /// What no save takes stays with the objects.
  private func keepTransients(of states: [ObjectState]) {
    for state in states where state.presence == .there {
      guard let draft = fold.objects[state.objectID] else { continue }
      for key in schema.traits[state.objectID.entity]?.transient ?? [] {
        if let value = draft.value(of: key) { setUntracked(value, of: state, key) }
      }
    }
  }

  /// Takes what a child has changed as one step. Key by key: where the parent has changed something since the child
  /// has read it, the child's stands, but counters and sets have what both did.
  private func take(_ drafts: [(object: ObjectID, draft: ObjectDraft)]) {
    settleSave()
    processPendingChanges()
    var states: [ObjectState] = []
    for (object, draft) in drafts {
      guard let instance = instance(of: object) else { continue }
      let state = instance.state
      held[object] = instance
      if draft.baseRow == nil, state.isFault { (state.isFault, state.presence) = (false, .gone) }
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
          let merge = ValueMerge(
            base: draft.baseRow?[key], ours: value, theirs: current, kindOf(object, key))
          let merged =
            switch merge {
            case .merged(let value): value
            case .conflict(let ours, _): ours
            }
          if merged != current {
            perform(.set(object, key, merged))
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
    processPendingChanges()
  }
}

/// What a child has written down of its ancestors' unsaved work.
struct StandIns {
  /// The stretch of unsaved work that it is of.
  private(set) var stretch: UInt32 = 0
  /// The keys of objects, those without among them.
  var keys: [ObjectID: Set<KeyNumber>] = [:]
  /// How often the child has read objects again.
  var refreshCount: UInt64 = 0

  mutating func begin(_ stretch: UInt32) { (self.stretch, keys) = (stretch, [:]) }
}
