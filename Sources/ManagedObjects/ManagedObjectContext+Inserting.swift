internal import EventFold
internal import ObjectModel
internal import ObjectQuery
internal import ObjectStore

// Objects that come to be, and objects that go.
extension ManagedObjectContext {
  // MARK: Inserting

  /// Makes a new object, which the next save brings into the store.
  @discardableResult
  public func insert<Object: ManagedObject>(_ type: Object.Type) -> Object {
    guard let info = schema.entity(of: type), let object = insert(info) as? Object else {
      preconditionFailure("\(type) is not in the model that the store was opened with.")
    }
    return object
  }

  /// Makes a new object of an entity, which the next save brings into the store.
  @discardableResult
  public func insert(_ entityName: String) -> ManagedObject {
    guard let info = schema.entity(named: entityName) else {
      let nearest = Spelling.nearest(to: entityName, among: schema.entities.map(\.name))
      preconditionFailure(
        "the model has no entity ‘\(entityName)’\(nearest.map { "; did you mean ‘\($0)’?" } ?? ".")"
      )
    }
    return insert(info)
  }

  private func insert(_ info: EntityInfo) -> ManagedObject {
    guard !info.entity.description.isAbstract else {
      preconditionFailure(
        "\(info.name) is abstract; insert an object of one that inherits from it.")
    }
    settleSave()
    let object = make(newID(of: info), info)
    // An ID that was just given is in no commit: nobody need look for it there.
    return insert(object, info, rows: fold.base == .none ? [:] : [object.objectID: nil])
  }

  /// Makes a new object under an ID that was taken over, and that the context knows nothing of.
  func insert(_ object: ObjectID, _ info: EntityInfo) -> ManagedObject? {
    settleSave()
    guard let instance = instance(of: object) else { return nil }
    (instance.state.presence, instance.state.base) = (.there, .none)
    return insert(instance, info)
  }

  private func insert(
    _ object: ManagedObject, _ info: EntityInfo, rows: [ObjectID: Row?] = [:]
  ) -> ManagedObject {
    let state = object.state
    state.isFault = false
    state.basedIn = marks.stretch
    state.insertedIn = marks.event
    state.isMadeUntracked = untrackedDepth > 0
    perform(.inserted(state.objectID), rows: rows)
    event.inserted.insert(state.objectID)
    openPatch?.inserted.append(state.objectID)
    if marks.collectsSets { event.noteSet(state.objectID) }
    for (key, value) in info.fillings { perform(.setPrimitive(state.objectID, key, value)) }
    settle(state)
    object.awakeFromInsert()
    return object
  }

  /// A number for a new object. Where the journal cannot take the reservation, the object gets a number that was
  /// reserved before, or the save that follows says what is wrong.
  private func newID(of info: EntityInfo) -> ObjectID {
    let store = writer.writableStore
    do throws(StoreError) {
      return try store.newObject(of: info.number)
    } catch {
      writer.note(error)
      return store.unreservedObject(of: info.number)
    }
  }

  // MARK: Deleting

  /// Deletes an object: the next save takes it out of the store. The delete rules of its relationships run when
  /// pending changes are processed.
  public func delete(_ object: ManagedObject) {
    let state = object.state
    guard state.attached() === self else {
      preconditionFailure("\(object) is an object of another context; delete it there.")
    }
    settleSave()
    // What is becoming a fault has nothing that could be deleted at this moment; as what it is given, that is no change.
    guard canBeChanged(state), !state.isBeingDeleted, !state.isTurningIntoFault else { return }
    storePendingQuietly(of: state)
    state.isBeingDeleted = true
    object.prepareForDeletion()
    state.isBeingDeleted = false
    // The hook may have given it up, or all that the context has.
    guard state.context === self, canBeChanged(state) else { return }
    readMembers(of: state)
    held[state.objectID] = object
    forgetPendingOfOpenStep(of: state)
    let row = markDeleted(state)
    for property in state.entity.properties where property.relationship?.storage == .one {
      noteReference(
        of: state.objectID, property.key, from: row[property.key]?.reference, to: nil)
    }
  }

  /// Reads what leads to an object that is to be deleted: it must be known when the rules run, when the object has
  /// nothing any more.
  func readMembers(of state: ObjectState) {
    for property in state.entity.properties {
      guard let relationship = property.relationship, relationship.storage == .inverse else {
        continue
      }
      _ = members(of: state, property.key, relationship)
    }
  }

  /// Has an object be deleted, and its delete rules run later.
  ///
  /// - Returns: what it had.
  @discardableResult
  func markDeleted(_ state: ObjectState) -> Row {
    base(state)
    var row = fold.objects[state.objectID]?.row ?? storedRow(state) ?? Row()
    for (key, value) in untrackedValues(of: state) { row[key] = value }
    noteChanged(state)
    if marks.collectsSets { event.noteSet(state.objectID) }
    state.deletion = ObjectState.Deletion(row: row)
    state.presence = .deleted
    keepSetOver(of: state)
    perform(.deleted(state.objectID))
    settle(state)
    event.deleted.insert(state.objectID)
    pendingDeletions.append(state)
    return row
  }
}
