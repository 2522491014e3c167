package import EventFold
package import ObjectModel
package import ObjectStore

// What comparing graphs asks of contexts, and what patching them does.
extension ManagedObjectContext {
  // MARK: Reading

  /// Has what is pending be as it will be saved, and what others have saved be here, for who only looks at it. What is
  /// being changed is no step by that.
  package func processForLooking() { processPendingChanges(endingStep: false) }

  /// The state of the store that the context shows.
  package var shownSnapshot: Snapshot { view.snapshot }

  /// What an object has here, saved or not; nil where it is not there.
  package func rowShown(of object: ObjectID) throws(StoreError) -> Row? {
    guard object.store == store.tag else { return nil }
    if let state = try stateShown(of: object) {
      storePendingQuietly(of: state)
      guard state.presence == .there else { return nil }
      if state.hasDraft { return fold.objects[object]?.row }
      return try state.handle?.stored().row
    }
    if let parent { return try parent.rowShown(of: object) }
    return try view.snapshot.row(of: object)
  }

  /// Whether an object is there, as whoever reads it now is told.
  package func isShown(_ object: ObjectID) throws(StoreError) -> Bool {
    guard object.store == store.tag else { return false }
    if let state = try stateShown(of: object) { return state.presence == .there }
    if let parent { return try parent.isShown(object) }
    return try view.snapshot.handle(of: object).map { !$0.isDeleted } ?? false
  }

  /// The state that says what an object is here; nil where the store, or the parent, does.
  private func stateShown(of object: ObjectID) throws(StoreError) -> ObjectState? {
    guard let state = state(of: object), !state.isFault || state.hasDraft else { return nil }
    try fire(state)
    return state
  }

  /// The objects that may not be as the snapshot has them: changed here, or read before it.
  package var objectsApart: Set<ObjectID> {
    var objects = Set(fold.objects.keys)
    let number = view.snapshot.number
    for state in registered.values.map({ $0.takeUnretainedValue() })
    where !state.isFault && state.base != number {
      objects.insert(state.objectID)
    }
    if let parent { objects.formUnion(parent.objectsApart) }
    return objects
  }

  /// Where a relationship of an object leads here, also one that is answered from its inverse.
  package func destinationsShown(
    of object: ObjectID, _ property: Property
  ) throws(StoreError) -> [ObjectID] {
    guard let relationship = property.relationship else { return [] }
    guard relationship.storage == .inverse else {
      return try rowShown(of: object)?[property.key].destinations ?? []
    }
    guard let instance = instance(of: object) else { return [] }
    return members(of: instance.state, property.key, relationship).sorted()
  }

  /// How values merge, with the program's own functions.
  package var mergeKindsOfObjects: (ObjectID, KeyNumber) -> MergeKind { mergeKinds }

  /// The number of a key, which is given one where it has none.
  package func keyNumber(_ name: String) throws -> KeyNumber {
    if let key = key(name) { return key }
    let failure = readFailure
    readFailure = nil
    throw failure ?? ContextError.readOnly
  }

  // MARK: Patching

  /// Why the context cannot be changed; nil where it can.
  package var refusal: ContextError? { writer.refusal }

  /// Whether an object that is not there can be made under an ID.
  package func canInsert(_ object: ObjectID) -> Bool {
    writer.isWriting ? writer.writableStore.canTakeOver(object) : store.couldTakeOver(object)
  }

  /// Whether an ID was given here, or may have been.
  package func isGiven(_ object: ObjectID) -> Bool {
    writer.isWriting && writer.writableStore.isGiven(object)
  }

  /// Whether the store or the context has an object, or had it once.
  package func hasKnown(_ object: ObjectID) throws(StoreError) -> Bool {
    if isPending(object) { return true }
    // A state of the past says nothing of what came later, or that it was never changed.
    return try view.snapshot.stored(object).map { $0.changed != .none } ?? false
  }

  /// The objects that other contexts may have made and not saved.
  package func objectsMadeElsewhere() throws(StoreError) -> Set<ObjectID> {
    var own: Set<ContextNumber> = []
    var context: ManagedObjectContext? = self
    while let each = context {
      own.formUnion(each.writer.numbers)
      context = each.parent
    }
    return try writer.writableStore.objectsMade(outside: own)
  }

  /// Has IDs that were not given here be given to no other objects than those that are to be made under them.
  ///
  /// - Returns: those of them that were given meanwhile.
  package func takeOver(_ objects: Set<ObjectID>) -> Set<ObjectID> {
    do throws(StoreError) {
      return try writer.writableStore.takeOver(objects)
    } catch {
      writer.note(error)
      return []
    }
  }

  private func isPending(_ object: ObjectID) -> Bool {
    fold.objects[object] != nil || parent?.isPending(object) ?? false
  }

  /// Has an object be there under its ID: again and without values where the store or the context had it once, and as a
  /// new one where they never had it, if the ID was taken over. Nil where it is there.
  package func insert(_ object: ObjectID) -> (object: ManagedObject, isRevived: Bool)? {
    guard object.store == store.tag, let info = schema.entity(object.entity),
      let instance = instance(of: object)
    else { return nil }
    let state = instance.state
    fireForUndo(state)
    guard state.presence != .there else { return nil }
    guard (try? hasKnown(object)) ?? false else {
      return insert(object, info).map { ($0, false) }
    }
    held[object] = instance
    insertAgain(state)
    return (instance, true)
  }

  /// Sets keys of objects as ordinary edits do, each side of a relationship with the other, and deletes objects.
  ///
  /// - Parameters:
  ///   - changes: what keys are to hold, each once. Relationships that are answered from their inverses are not among them.
  ///   - deleted: the objects that are to go.
  package func bring(
    _ changes: [ObjectID: [(key: KeyNumber, value: Value?)]], deleting deleted: Set<ObjectID>
  ) {
    var gone: [ObjectID: Row?] = [:]
    for object in deleted { gone[object] = .some(.none) }
    var related: [(ObjectState, [(KeyNumber, RelationshipInfo, Value?)])] = []
    for object in changes.keys.sorted() {
      guard let instance = instance(of: object), let values = changes[object] else { continue }
      let state = instance.state
      held[object] = instance
      fireForUndo(state)
      var relationships: [(KeyNumber, RelationshipInfo, Value?)] = []
      let ordered = values.count > 1 ? values.sorted { $0.key < $1.key } : values
      for (key, value) in ordered {
        if let relationship = state.entity.property(key)?.relationship {
          relationships.append((key, relationship, value))
        } else if heldValue(of: state, key) != value {
          set(value, of: state, key)
        }
      }
      if !relationships.isEmpty { related.append((state, relationships)) }
    }
    // Again, and at last without the other side, as where rows are brought.
    for isLast in [false, false, true] {
      for (state, relationships) in related {
        for (key, relationship, value) in relationships {
          bring(state, key, relationship, to: value, gone, oneSided: isLast)
        }
      }
    }
    for object in deleted.sorted() {
      if let instance = instance(of: object) { delete(instance) }
    }
  }
}
