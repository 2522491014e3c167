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

  /// The one that saves to the store.
  private var outermost: ManagedObjectContext {
    var context = self
    while let above = context.view.parent { context = above }
    return context
  }

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

  func shown(_ object: ObjectID, _ head: SharedSnapshot) throws(StoreError) -> RowHandle? {
    guard view.parent == nil else { return try shown(object, head.snapshot) }
    guard let handle = try head.handle(of: object), !handle.isDeleted else { return nil }
    return handle
  }

  /// The commit that an object stands on which is read just now. What a child reads is in no commit, so it goes by
  /// what its fold says.
  ///
  /// - Parameter head: the commit that the store's are read at.
  func commit(ofShown object: ObjectID, _ head: CommitNumber) -> CommitNumber {
    view.parent == nil ? head : fold.base(of: object)
  }

  /// What the context, or one that it stands within, has changed of an object; nil where none has. What no save takes
  /// is no such change.
  func pending(_ object: ObjectID) -> ObjectDraft? {
    if let draft = fold.objects[object], draft.isDirty { return draft }
    return view.parent?.pending(object)
  }

  /// Whether there is anything that is not saved to the store.
  var hasPendingObjects: Bool { fold.hasChanges || view.parent?.hasPendingObjects ?? false }

  /// Calls a closure with each object that is not as the store has it.
  ///
  /// - Parameter body: returns whether to go on.
  func forEachPending(
    _ body: (ObjectID, ObjectDraft) throws(StoreError) -> Bool
  ) throws(StoreError) {
    for (object, draft) in fold.objects.mayBeDirty where draft.isDirty {
      guard try body(object, draft) else { return }
    }
    try view.parent?.forEachPending { (object, draft) throws(StoreError) in
      try fold.objects[object]?.isDirty ?? false ? true : body(object, draft)
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
    if standIns.stretch != marks.stretch { standIns.begin(marks.stretch) }
    let moved = Set(keepingChanges ? objects.filter { fold.objects[$0] != nil } : [])
    let given = objects.filter { !moved.contains($0) }
    giveUpStandIns(of: given)
    for object in moved.sorted() {
      guard let base = committedBase(of: object, parent) else { continue }
      writer.record(.refreshed([object], keepingChanges: true, at: base))
    }
    // A number that stands for what the parent has now, as no commit does.
    standIns.refreshCount += 1
    let commit = CommitNumber(rawValue: .max - standIns.refreshCount)
    apply(.refreshed(objects, keepingChanges: keepingChanges, at: commit), rows: rows)
    // Of what the parent has deleted nothing stays that no save takes.
    giveUpStandIns(of: moved.filter { fold.objects[$0] == nil }.sorted())
    for object in objects {
      state(of: object)?.basedIn = 0
      if let draft = fold.objects[object] {
        standIn(for: object, on: draft.baseRow, parent, withOwn: true)
      }
    }
    return commit
  }

  /// Has who folds the child later have nothing more of what stands in for its ancestors' work, nor of what the child
  /// had set of these objects: nothing of it is the child's.
  private func giveUpStandIns(of objects: [ObjectID]) {
    for object in objects { standIns.keys[object] = nil }
    if let live = writer.live, !objects.isEmpty {
      writer.record(.refreshed(objects, keepingChanges: false, at: live.base))
    }
  }

  /// Writes down what a child's object has of its ancestors' unsaved work, before its first edit: if the process
  /// dies the child comes back without them. The fold does not need it.
  func noteBaseInParent(of state: ObjectState, _ parent: ManagedObjectContext) {
    if fold.objects[state.objectID] == nil { state.base = fold.base(of: state.objectID) }
    standIn(for: state.objectID, on: storedRow(state), parent)
  }

  /// Writes down where a child's object is not that comes back: where the outermost ancestor's stands, after what its
  /// ancestors have deleted of it.
  func noteAbsence(of state: ObjectState, _ parent: ManagedObjectContext) {
    begin()
    let object = state.objectID
    let root = parent.outermost
    let head = root.view.snapshot
    var (base, isStored) = (head.number, false)
    if let above = root.state(of: object), !above.isFault {
      base = above.presence == .gone ? root.commitWithout(above) : above.base
      isStored = (root.fold.objects[object].map(\.baseRow) ?? root.storedRow(above)) != nil
    } else {
      do throws(StoreError) {
        isStored = try root.shown(object, head) != nil
      } catch {
        readFailure = error
      }
    }
    if base != .none { writer.record(.based(object, on: base)) }
    if isStored { recordUnregistered(.deleted(object)) }
    state.base = base
    apply(.based(object, on: base), rows: [object: nil])
  }

  /// Writes down an edit that is nothing the child could undo.
  private func recordUnregistered(_ edit: Edit) {
    let registersUndo = fold.registersUndo
    if registersUndo { writer.record(.undoSwitched(isOn: false)) }
    writer.record(edit)
    if registersUndo { writer.record(.undoSwitched(isOn: true)) }
  }

  /// The commit that the outermost ancestor's object stands on; nil where it is in none.
  private func committedBase(of object: ObjectID, _ parent: ManagedObjectContext) -> CommitNumber? {
    let root = parent.outermost
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
    let root = parent.outermost
    guard let state = root.instance(of: object)?.state else { return }
    root.fireForUndo(state)
    var committed = root.fold.objects[object].map(\.baseRow) ?? root.storedRow(state)
    if standIns.stretch != marks.stretch { standIns.begin(marks.stretch) }
    var edits: [Edit] = []
    if standIns.keys[object] == nil {
      if committed == nil {
        recordUnregistered(.inserted(object))
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
