internal import EventFold
public import ObjectModel
internal import ObjectStore

// Objects by their ID: the one instance of each, faults, and reading what they were.
extension ManagedObjectContext {
  // MARK: By ID

  /// The object of an ID: the instance there is, or a fault. Nothing is read.
  ///
  /// An ID of another store is a mistake of the program's and ends it; `existingObject(with:)` throws instead.
  public func object(with id: ObjectID) -> ManagedObject {
    guard let object = instance(of: id) else {
      preconditionFailure("\(id) is not an object of this store, or of no entity that it has.")
    }
    return object
  }

  /// The object of an ID.
  ///
  /// - Throws: where there is no such object, it is another store's, or it cannot be read.
  public func existingObject(with id: ObjectID) throws -> ManagedObject {
    guard id.store == store.tag else { throw ContextError.objectOfAnotherStore(id) }
    guard let object = instance(of: id) else { throw ContextError.objectMissing(id) }
    if isBack(object.state), try shown(id, view.snapshot) != nil { becomeFault(object.state) }
    try fire(object.state)
    if object.state.presence == .gone { throw ContextError.objectMissing(id) }
    return object
  }

  /// The object of an ID, which is of a class.
  ///
  /// - Throws: as `existingObject(with:)`, and where it is of another class.
  public func existingObject<Object: ManagedObject>(
    with id: ObjectID, as type: Object.Type
  ) throws -> Object {
    let object = try existingObject(with: id)
    guard let typed = object as? Object else {
      throw ContextError.objectOfAnotherClass(id, "\(Swift.type(of: object))", "\(type)")
    }
    return typed
  }

  /// The instance of an object, where there is one. Nothing is read.
  public func registeredObject(for id: ObjectID) -> ManagedObject? { state(of: id)?.object }

  func state(of id: ObjectID) -> ObjectState? {
    guard id.store == store.tag else { return nil }
    return registered[id.rawValue]?.takeUnretainedValue()
  }

  /// The one instance of an object; nil where it is another store's or of an unknown entity.
  func instance(of id: ObjectID) -> ManagedObject? {
    if let object = state(of: id)?.object { return object }
    guard id.store == store.tag, let info = schema.entity(id.entity) else { return nil }
    return make(id, info)
  }

  /// Makes the instance of an object, which is a fault.
  func make(_ id: ObjectID, _ info: EntityInfo) -> ManagedObject {
    let state = ObjectState(id, info, in: self)
    let object =
      info.wrapped.isEmpty
      ? info.objectClass.init(ObjectSeed(state: state))
      : Construction.makeObject(state)
    registered[id.rawValue] = Unmanaged.passUnretained(state)
    if !watching.left.isEmpty { state.watch = watching.left.removeValue(forKey: id) }
    return object
  }

  /// The states of objects of which the fold has something, in the order of their IDs.
  var statesWithDrafts: [ObjectState] {
    fold.objects.keys.sorted().compactMap(state(of:)).filter(\.hasDraft)
  }

  /// An instance has come to its end.
  func forget(_ state: ObjectState) {
    if state.probe != nil { return }
    registered.removeValue(forKey: state.objectID.rawValue)
    // Values that no save takes stay, and the rest of the object is read again when it is needed. A child's is nobody
    // else's, as it stands on what its parent had.
    if state.hasDraft, view.parent == nil, fold.replaceRow(of: state.objectID, by: Row()) {
      state.isFault = true
    }
    if state.watch != nil { endWatch(of: state) }
    if registered.isEmpty { writer.releaseRead() }
  }

  // MARK: Faults

  /// Whether an object is gone here, which the store may have again: another context may have taken its deletion back.
  func isBack(_ state: ObjectState) -> Bool { state.presence == .gone && !state.hasDraft }

  private func becomeFault(_ state: ObjectState) {
    state.isFault = true
    state.presence = .there
    state.handle = nil
    state.members = nil
    state.untracked = nil
    state.forgetDecoded()
    state.forgetEmptySeldom()
    state.basedIn = 0
  }

  /// The instance of an object that the store is known to have.
  func instance(ofFound id: ObjectID) -> ManagedObject? {
    guard let object = instance(of: id) else { return nil }
    if isBack(object.state) { becomeFault(object.state) }
    return object
  }

  /// Reads what the store has of an object, if that was not done.
  func fire(_ state: ObjectState) throws(StoreError) {
    if !state.isFault || state.isTurningIntoFault { return }
    var draft = fold.objects[state.objectID]
    if draft?.isDirty == false {
      try moveLeftValues(of: state)
      draft = fold.objects[state.objectID]
    }
    if let draft {
      // What was changed stands on the commit that it was refreshed at.
      state.base = draft.base
      state.handle = draft.baseRow.map { RowHandle(StoredRow($0, changed: draft.base)) }
    } else {
      writer.holdRead()
      let head = view.shared
      guard let handle = try shown(state.objectID, head) else {
        // It is gone where it stands now; where it stood before, it was there.
        state.base = commit(ofShown: state.objectID, head.number)
        state.presence = .gone
        state.isFault = false
        // Of what was given up just now it is told what became of it.
        if event.refreshed.contains(state.objectID) { event.deleted.insert(state.objectID) }
        return
      }
      state.base = commit(ofShown: state.objectID, head.number)
      state.handle = handle
    }
    state.presence = .there
    state.isFault = false
    didRead(state)
    // Values that no save takes have stayed when an instance before this one ended.
    guard let draft = fold.objects[state.objectID] else { return }
    settle(state)
    forgetDecoded(of: state, changedIn: draft)
  }

  /// What follows the reading of an object.
  func didRead(_ state: ObjectState) {
    if hasReadMembers { noteFetchedReferences(of: state) }
    decodeFetched(state)
    untracked { state.object?.awakeFromFetch() }
  }

  /// Puts values that no save takes, and that have stayed when an instance before this one ended, on what there is of
  /// the object now. Unlike changes they do not hold it to what it was, and go with it where it is gone.
  func moveLeftValues(of state: ObjectState) throws(StoreError) {
    if fold.objects[state.objectID]?.isDirty ?? true { return }
    settleSave()
    guard let draft = fold.objects[state.objectID], !draft.isDirty else { return }
    writer.holdRead()
    let head = view.snapshot
    let stored = try shown(state.objectID, head)?.stored()
    let isCurrent =
      view.parent == nil
      ? stored.map { $0.changed <= draft.base } ?? false : stored?.row == draft.baseRow
    if isCurrent {
      if let row = stored?.row { fold.replaceRow(of: state.objectID, by: row) }
      return
    }
    _ = performRefresh(
      [state.objectID], keepingChanges: true, head, rows: [state.objectID: stored?.row])
  }

  /// Reads what the store has of an object, where nobody can be told that it failed.
  @inline(__always)
  func fireQuietly(_ state: ObjectState) {
    if state.isFault { fireSlowly(state) }
  }

  /// Reads an object that is to be changed, and says whether it can be: what is not there cannot, nor what cannot be read,
  /// of which the next save says why.
  func canBeChanged(_ state: ObjectState) -> Bool {
    fireQuietly(state)
    guard state.presence == .there, !state.isFault || state.isTurningIntoFault else { return false }
    return state.hasDraft || isReadWhole(state)
  }

  /// Reads all that a change will stand on, before the journal is told of the change; returns whether it could be read.
  private func isReadWhole(_ state: ObjectState) -> Bool {
    guard let handle = state.handle, !handle.isWhole else { return true }
    do throws(StoreError) {
      state.handle = RowHandle(try handle.stored())
      return true
    } catch {
      readFailure = error
      return false
    }
  }

  private func fireSlowly(_ state: ObjectState) {
    do {
      try fire(state)
      if state.presence == .gone, !shouldDeleteInaccessibleFaults {
        readFailure = ContextError.objectMissing(state.objectID)
      }
    } catch {
      readFailure = error
    }
  }

  /// Runs a hook while nothing is tracked.
  func untracked(_ body: () -> Void) {
    untrackedDepth += 1
    defer { untrackedDepth -= 1 }
    body()
  }

  /// What an object has, as it was read; nil where there is none, or it cannot be read.
  func stored(_ state: ObjectState, _ key: KeyNumber) -> Value? {
    guard let handle = state.handle else { return nil }
    do throws(StoreError) {
      return try handle.value(key)
    } catch {
      readFailure = error
      return nil
    }
  }

  /// All that an object has, as it was read.
  func storedRow(_ state: ObjectState) -> Row? {
    guard let handle = state.handle else { return nil }
    do throws(StoreError) {
      return try handle.stored().row
    } catch {
      readFailure = error
      return nil
    }
  }

  // MARK: What the fold has

  /// Notes what the fold has of an object now.
  func settle(_ state: ObjectState) {
    foundToSave = nil
    let draft = fold.objects.kind(of: state.objectID)
    state.hasDraft = draft != nil
    state.standing =
      switch draft?.kind {
      case nil, .unchanged?: .unchanged
      case .inserted?: .inserted
      case .updated?: .updated
      case .deleted?: .deleted
      }
    if let draft, draft.isDirty, let object = state.object { held[state.objectID] = object }
  }
}
