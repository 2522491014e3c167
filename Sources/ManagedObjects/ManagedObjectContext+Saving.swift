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
  /// - Returns: nil where nothing goes to the store, and the save is done.
  func beginSave(
    _ author: String?, _ message: String?, _ userInfo: [String: Value], _ durability: Durability?
  ) throws -> SaveOnItsWay? {
    if let refusal = writer.refusal { throw refusal }
    if isSaving { throw ContextError.isSaving }
    try refuseInPatch()
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
    var called: Set<ObjectID> = []
    var tryCount = 0
    while true {
      try prepareSave(&called)
      // Hooks and those who were told may have closed the context.
      if let refusal = writer.refusal { throw refusal }
      if let parent = view.parent {
        try save(to: parent)
        isSaving = false
        tellDidSave(nil)
        return nil
      }
      let unsaved = fold.unsaved()
      guard !unsaved.isEmpty, let live = writer.live else {
        isSaving = false
        tellDidSave(nil)
        return nil
      }
      let saved = objectsToSave
      let request = request(of: unsaved, author, message, userInfo)
      do throws(CommitError) {
        let sent = try writer.writableStore.send(request, by: live, durability: durability)
        return SaveOnItsWay(sent, unsaved, saved)
      } catch {
        // Each time somebody else has got on.
        guard tryCount < CommitError.largestTryCount, error.isForContexts else {
          throw error.told(in: store, schema)
        }
        tryCount += 1
        writer.writableStore.catchUp()
        switch error {
        case .stillLedTo(let objects): try propagateDeletions(ofStillLedTo: objects)
        case .conflicts(let decided): for each in decided.objects { delete(each.object) }
        default: break
        }
      }
    }
  }

  /// Does what comes before what is to be saved is asked for.
  ///
  /// - Parameter called: the objects whose `willSave` was called.
  private func prepareSave(_ called: inout Set<ObjectID>) throws {
    // First the rules: what they do belongs to the step that deleted.
    propagateDeletions()
    processPendingChanges(endingStep: false)
    try runWillSave(&called)
    try dropDeadReferences()
    if let failure = readFailure {
      readFailure = nil
      throw failure
    }
    try validateUntilQuiet()
    if view.parent == nil { try restate() }
  }

  // MARK: Steps of a save

  /// Calls `willSave` until no object is changed by it. What hooks make of what was changed last belongs to the step
  /// that changed it.
  ///
  /// - Parameter called: the objects that it was called of before.
  private func runWillSave(_ called: inout Set<ObjectID>) throws {
    var roundCount = 0
    var isSet: Set<ObjectID> = []
    marks.collectsSets = true
    defer { marks.collectsSets = false }
    let isApart = !fold.hasOpenStep && !fold.undoSteps.isEmpty
    defer { processPendingChanges(endingStep: true, ofHooks: isApart) }
    while true {
      // Where hooks have set objects these are next; all are looked through before and after that only.
      var pending = isSet.subtracting(called).sorted().compactMap(objectToSave)
      if pending.isEmpty { pending = objectsToSave.filter { !called.contains($0.objectID) } }
      isSet = []
      guard let first = pending.first else { break }
      roundCount += 1
      if roundCount > 1_000 { throw ContextError.willSaveDoesNotEnd(first.objectID) }
      called.reserveCapacity(called.count + pending.count)
      for object in pending {
        called.insert(object.objectID)
        object.willSave()
        if let refusal = writer.refusal { throw refusal }
        // Whoever was set by it is asked again, also the object itself.
        let new = event.takeSet()
        if new.isEmpty { continue }
        called.subtract(new)
        isSet.formUnion(new)
      }
      propagateDeletions()
    }
    try storePending()
  }

  private func request(
    of unsaved: [Unsaved], _ author: String?, _ message: String?, _ userInfo: [String: Value]
  ) -> CommitRequest {
    var request = CommitRequest(
      unsaved.map { CommitRequest.Object($0.object, base: $0.base, $0.baseRow, to: $0.row) })
    request.author = author
    request.message = message
    request.userInfo = userInfo
    let names = KeyNaming(store: store)
    let kindOf = mergeKinds
    request.policy = mergePolicy.conflictPolicy(schema, names, kindOf)
    request.mergeKind = kindOf
    request.objection = { [schema] object, key, value in
      guard let property = schema.entity(object.entity)?.property(key),
        case .failure(let failure) = property.admitted(value, schema)
      else { return nil }
      return "\(property.name) \(failure.reason)"
    }
    request.keepsEnds = true
    let edits = KnownEdits(of: registered, in: marks.setStretch)
    request.edit = { object, key, value in edits.edit(of: object, key, value) }
    return request
  }

  /// Deletes an object as a policy has decided.
  private func delete(_ id: ObjectID) {
    if let object = instance(of: id) { delete(object) }
  }
}
