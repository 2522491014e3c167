internal import EventFold
public import ObjectModel
public import ObjectStore

extension ManagedObjectContext {
  // MARK: Saving

  /// Saves everything that was changed, all of it or nothing.
  ///
  /// - Parameters:
  ///   - author: who saves.
  ///   - message: what for.
  ///   - userInfo: what else is to be remembered.
  ///   - durability: how far the save has gone when it returns; no less than the store's.
  /// - Returns: the commit; nil where nothing changed that the store keeps, and where the save goes to a parent.
  /// - Throws: `ValidationErrors`, `MergeConflicts`, `StoreError`, or what a hook made impossible. Everything is as
  ///   it was then, and a second try may succeed. Once the commit is made nothing is read any more, so that no save
  ///   fails whose commit is there.
  @discardableResult
  public func save(
    author: String? = nil, message: String? = nil, userInfo: [String: Value] = [:],
    durability: Durability? = nil
  ) throws -> Commit? {
    guard let save = try beginSave(author, message, userInfo, durability) else { return nil }
    return try finish(save)
  }

  /// Saves, and where somebody else has changed the same objects meanwhile refreshes these, keeps what was changed
  /// here, and saves again.
  ///
  /// - Parameter count: how often it is tried again.
  /// - Throws: as `save`, and the conflicts of the last try.
  @discardableResult
  public func save(
    retrying count: Int, author: String? = nil, message: String? = nil,
    userInfo: [String: Value] = [:], durability: Durability? = nil
  ) throws -> Commit? {
    for _ in 0..<max(0, count) {
      do {
        return try save(
          author: author, message: message, userInfo: userInfo, durability: durability)
      } catch let conflicts as MergeConflicts {
        if view.parent == nil { writer.writableStore.catchUp() }
        for conflict in conflicts.objects { refresh(conflict.objectID, mergeChanges: true) }
      }
    }
    return try save(author: author, message: message, userInfo: userInfo, durability: durability)
  }

  /// Does all of a save up to its commit being on its way.
  ///
  /// - Returns: nil where there is no commit, and the save is done.
  func beginSave(
    _ author: String?, _ message: String?, _ userInfo: [String: Value], _ durability: Durability?
  ) throws -> SaveOnItsWay? {
    if let refusal = writer.refusal { throw refusal }
    if isSaving { throw ContextError.isSaving }
    settleSave()
    isSaving = true
    defer { isSaving = false }
    do {
      return try attemptSave(author, message, userInfo, durability)
    } catch {
      perform(.saveFailed("\(error)"))
      throw error
    }
  }

  private func attemptSave(
    _ author: String?, _ message: String?, _ userInfo: [String: Value], _ durability: Durability?
  ) throws -> SaveOnItsWay? {
    tellWillSave()
    // First the rules: what they do belongs to the step that deleted.
    propagateDeletions()
    processPendingChanges()
    try runWillSave()
    try dropDeadReferences()
    if let failure = readFailure {
      readFailure = nil
      throw failure
    }
    try validate()
    if let parent = view.parent {
      try save(to: parent)
      isSaving = false
      tellDidSave(nil)
      return nil
    }
    try restate()
    let unsaved = fold.unsaved()
    guard !unsaved.isEmpty, let live = writer.live else {
      isSaving = false
      tellDidSave(nil)
      return nil
    }
    let saved = objectsToSave
    let request = request(of: unsaved, author, message, userInfo)
    let sent: SentCommit?
    do throws(CommitError) {
      sent = try writer.writableStore.send(request, by: live, durability: durability)
    } catch {
      throw publicError(error)
    }
    if let sent { return SaveOnItsWay(sent, unsaved, saved) }
    // All of it is there already; where somebody else has done it, what they did is had, too.
    let number = store.lastCommit
    var rows: [ObjectID: Row?] = [:]
    for each in unsaved {
      rows.updateValue(try store.row(of: each.object, at: number), forKey: each.object)
    }
    writer.record(.saved(number))
    isSaving = false
    didSave(unsaved, saved, rows, as: number)
    for object in saved { object.didSave() }
    tellDidSave(nil)
    return nil
  }

  // MARK: Steps of a save

  /// Calls `willSave` until no object is changed by it.
  private func runWillSave() throws {
    var roundCount = 0
    var called: Set<ObjectID> = []
    var isSet: Set<ObjectID> = []
    event.collectsSets = true
    defer { event.collectsSets = false }
    while true {
      // Where hooks have set objects these are next; all are looked through before and after that only.
      var pending = isSet.subtracting(called).sorted().compactMap(objectToSave)
      if pending.isEmpty { pending = objectsToSave.filter { !called.contains($0.objectID) } }
      isSet = []
      guard let first = pending.first else { break }
      roundCount += 1
      if roundCount > 1_000 { throw ContextError.willSaveDoesNotEnd(first.objectID) }
      for object in pending {
        called.insert(object.objectID)
        object.willSave()
        // Whoever was set by it is asked again, also the object itself.
        let new = event.takeSet()
        called.subtract(new)
        isSet.formUnion(new)
      }
      propagateDeletions()
    }
    try storePending()
    processPendingChanges()
  }

  private func request(
    of unsaved: [Unsaved], _ author: String?, _ message: String?, _ userInfo: [String: Value]
  ) -> CommitRequest {
    var request = CommitRequest(
      unsaved.map { CommitRequest.Object($0.object, base: $0.base, $0.baseRow, to: $0.row) })
    request.author = author
    request.message = message
    request.userInfo = userInfo
    let names = keyNames
    request.policy = mergePolicy.conflictPolicy(schema, names, mergeKinds)
    request.mergeKind = mergeKinds
    request.edit = { [registered, stretch = event.setStretch] object, key, value in
      registered[object.rawValue]?.takeUnretainedValue().setEdits
        .edit(of: key, value, in: stretch)
    }
    return request
  }

  /// The names and numbers of keys, for a policy that may be asked on any thread.
  private var keyNames: KeyNaming { KeyNaming(store: store) }

  /// Does what follows a commit that was made. Nothing is read for it, as nothing may go wrong any more.
  func conclude(_ save: SaveOnItsWay) -> Commit {
    let content = save.sent.content
    writer.live?.didSave(as: content.number)
    if automaticallyMergesChanges { ownCommits.insert(content.number) }
    // Where somebody else's changes were merged, an object has more than was saved, and where theirs won nothing
    // of it is in the commit.
    var rows = save.sent.merged
    for each in save.unsaved where rows[each.object] == nil {
      rows.updateValue(each.row, forKey: each.object)
    }
    didSave(save.unsaved, save.saved, rows, as: content.number)
    let commit = store.publicCommit(content, rows)
    for object in save.saved { object.didSave() }
    tellDidSave(commit)
    return commit
  }

  /// Has objects stand on the commit that they are in, with the rows that they have there.
  private func didSave(
    _ unsaved: [Unsaved], _ saved: [ManagedObject], _ rows: [ObjectID: Row?],
    as number: CommitNumber
  ) {
    let mergedStates: [ObjectState] = unsaved.compactMap { each in
      rows[each.object] == .some(each.row) ? nil : state(of: each.object)
    }
    beginTelling()
    defer { endTelling() }
    // What was deleted loses its values now; computed keys of others may have been made of them.
    let vanishing = willChange(saved.map(\.state).filter { $0.presence == .deleted }, [:])
    defer { didChange(vanishing) }
    transition(mergedStates) {
      for object in saved where object.state.untracked != nil {
        // What is saved now was set over it, and stays so.
        for key in fold.objects[object.objectID]?.delta.keys.map(\.self) ?? [] {
          object.state.untracked?.removeValue(forKey: key)
        }
      }
      apply(.saved(number), rows: rows)
      beginStretch()
      for object in saved {
        let state = object.state
        state.base = number
        let row = rows[state.objectID] ?? nil
        state.handle = row.map { RowHandle(StoredRow($0, changed: number)) }
        state.presence = row == nil ? .gone : .there
        state.rowWhenDeleted = nil
        settle(state)
      }
    }
    releaseUnneeded()
  }

  /// Lets go of objects that have no changes and that the undo history does not need. Where these are many, it is not
  /// looked for them at every save, so that a save does not cost what all before it have left.
  private func releaseUnneeded() {
    guard held.count > heldAfterRelease * 2 || held.count < 100 else { return }
    defer { heldAfterRelease = held.count }
    var needed: Set<ObjectID> = []
    for step in fold.undoSteps + fold.redoSteps { needed.formUnion(step.objects.map(\.object)) }
    held = held.filter { fold.objects[$0.key]?.isDirty ?? false || needed.contains($0.key) }
  }

  private func publicError(_ error: CommitError) -> any Error {
    switch error {
    case .store(let error): return error
    case .conflicts(let conflicts):
      return MergeConflicts(
        objects: conflicts.objects.map { MergeConflict($0, schema, name: keyNames.name) })
    }
  }
}

/// Keys by name and number, for any thread.
struct KeyNaming: Sendable {
  let store: ReadableStore

  func name(of key: KeyNumber) -> String? { store.name(of: key) }
  func key(_ name: String) -> KeyNumber? { store.existingKey(named: name) }
}

extension MergePolicy {
  func conflictPolicy(
    _ schema: Schema, _ names: KeyNaming,
    _ kindOf: @escaping @Sendable (ObjectID, KeyNumber) -> MergeKind
  ) -> ConflictPolicy {
    switch self {
    case .error: .tell
    case .mergeByPropertyStoreTrump: .storeWins
    case .mergeByPropertyObjectTrump: .objectWins
    case .overwrite: .overwrite
    case .rollback: .rollBack
    case .custom(let merge):
      .custom { conflict in
        merge(MergeConflict(conflict, schema, name: names.name)).merged(
          conflict, schema, names, kindOf)
      }
    }
  }
}

extension MergeResolution {
  fileprivate func merged(
    _ conflict: ObjectConflict, _ schema: Schema, _ names: KeyNaming,
    _ kindOf: @escaping @Sendable (ObjectID, KeyNumber) -> MergeKind
  ) -> ObjectMerge {
    switch self {
    case .deleted: return .merged(nil)
    case .asUnder(let policy):
      let policy = policy.conflictPolicy(schema, names, kindOf)
      return ObjectMerge(conflict, policy) { kindOf(conflict.object, $0) }
    case .values(let values):
      var row = conflict.theirs ?? conflict.ours ?? Row()
      for (name, value) in values {
        if let key = names.key(name) { row[key] = value }
      }
      return .merged(row)
    }
  }
}
