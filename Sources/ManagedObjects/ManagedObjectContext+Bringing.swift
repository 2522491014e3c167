internal import EventFold
internal import ObjectModel
internal import ObjectStore

// Bringing objects to what they are to have, by ordinary edits.
extension ManagedObjectContext {
  /// What an object has now; nil where it is not there.
  func currentRow(of state: ObjectState) -> Row? {
    fireForUndo(state)
    guard state.presence == .there else { return nil }
    return state.hasDraft ? fold.objects[state.objectID]?.row : storedRow(state)
  }

  /// Has objects have these rows, or be gone, as one step where no group is open. What leads to and from other
  /// objects goes with it; a reference to an object that is not there is left out.
  func bring(_ targets: [ObjectID: Row?], named name: String?) {
    let objects = targets.keys.sorted()
    for object in objects {
      guard let instance = instance(of: object) else { continue }
      held[object] = instance
      fireForUndo(instance.state)
    }
    let coming = objects.compactMap { object -> ObjectState? in
      guard case .some(.some) = targets[object], let state = state(of: object),
        state.presence != .there
      else { return nil }
      return state
    }
    let updated = objects.compactMap { object -> ManagedObject? in
      guard case .some(.some(let row)) = targets[object], let state = state(of: object),
        state.presence == .there, currentRow(of: state) != row
      else { return nil }
      return state.object
    }
    // What they show until then is what observers are told that they had.
    let watched = willChange(coming, [:])
    var inserted: [ObjectState] = []
    for state in coming where state.context === self && state.presence != .there {
      insertAgain(state)
      inserted.append(state)
    }
    // Again: setting one side may have moved another that was set before. What leads one way only, as a refresh of
    // the other side leaves it, is set at last without the other.
    for isLast in [false, false, true] {
      for object in objects {
        guard case .some(.some(let row)) = targets[object], let state = state(of: object) else {
          continue
        }
        bring(state, to: row, targets, oneSided: isLast)
      }
    }
    didChange(watched)
    var deleted: [ManagedObject] = []
    for object in objects {
      guard case .some(.none) = targets[object], let state = state(of: object),
        state.presence == .there, let instance = state.object
      else { continue }
      leaveDestinations(of: state, outside: targets)
      delete(instance)
      deleted.append(instance)
    }
    for state in inserted { state.object?.awake(from: .undoOfDelete) }
    for object in deleted where object.isDeleted { object.awake(from: .undoOfInsert) }
    for object in updated where object.state.presence == .there {
      object.awake(from: .undoOfUpdate)
    }
    // Where nothing was changed there is no step, and the next one is not to be called so.
    if let name, fold.hasOpenStep { setActionName(name) }
    processPendingChanges()
  }

  private func bring(
    _ state: ObjectState, to row: Row, _ targets: [ObjectID: Row?], oneSided: Bool
  ) {
    let current = currentRow(of: state) ?? Row()
    for key in Set((current.entries + row.entries).map(\.key)).sorted() {
      if let relationship = state.entity.property(key)?.relationship {
        bring(state, key, relationship, to: row[key], targets, oneSided: oneSided)
      } else if current[key] != row[key] {
        set(row[key], of: state, key)
      }
    }
  }

  /// Has a relationship lead where it is to lead.
  ///
  /// - Parameters:
  ///   - targets: says which objects are to go.
  ///   - oneSided: whether a side that is not as it is to be is set without the other.
  func bring(
    _ state: ObjectState, _ key: KeyNumber, _ relationship: RelationshipInfo, to value: Value?,
    _ targets: [ObjectID: Row?], oneSided: Bool
  ) {
    let value = existing(value, targets)
    if heldValue(of: state, key) == value { return }
    if !oneSided || relationship.storage == .one {
      relate(state, key, relationship, to: value)
    }
    let held = heldValue(of: state, key)
    // No members and no value are two things.
    if held != value, oneSided || held.destinations == value.destinations {
      set(value, of: state, key)
    }
  }

  /// The value of a relationship without objects that are not there, or are to go.
  private func existing(_ value: Value?, _ targets: [ObjectID: Row?]) -> Value? {
    func isThere(_ value: Value) -> Bool {
      guard let object = value.reference else { return true }
      if case .some(.none) = targets[object] { return false }
      guard let state = instance(of: object)?.state else { return false }
      fireQuietly(state)
      return state.presence == .there
    }
    switch value {
    case .reference?: return value.flatMap { isThere($0) ? $0 : Value?.none }
    case .set(let members)?: return .set(members.filter(isThere))
    case .array(let members)?: return .array(members.filter(isThere))
    default: return value
    }
  }

  /// Has an object that is to go lead to nobody who stays, where its delete rules would take them along or keep it: what
  /// is taken back is that it came to be, and not what it was given.
  private func leaveDestinations(of state: ObjectState, outside targets: [ObjectID: Row?]) {
    for property in state.entity.properties {
      guard let relationship = property.relationship,
        [.cascade, .deny].contains(relationship.description.deleteRule)
      else { continue }
      let stays = destinations(of: state, property.key, relationship).contains { object in
        if case .some(.none) = targets[object] { false } else { true }
      }
      if stays { relate(state, property.key, relationship, to: nil) }
    }
  }

  /// Has an object that is gone be there again, under its ID, without values.
  func insertAgain(_ state: ObjectState) {
    let object = state.objectID
    if fold.objects[object] == nil {
      state.handle = nil
      if let parent = view.parent {
        noteAbsence(of: state, parent)
      } else {
        writer.holdRead()
        state.base = commitWithout(state)
        perform(.based(object, on: state.base), rows: [object: nil])
      }
      state.basedIn = marks.stretch
    }
    perform(.inserted(object), rows: [object: nil])
    state.presence = .there
    state.deletion = nil
    state.members = nil
    state.untracked = nil
    state.decoded = nil
    unstored.remove(object)
    settle(state)
    event.inserted.insert(object)
    openPatch?.inserted.append(object)
  }

  /// The last commit at which the context knows that an object is not there: where somebody has brought it back since, the
  /// save is to tell that.
  func commitWithout(_ state: ObjectState) -> CommitNumber {
    let head = view.snapshot
    do throws(StoreError) {
      return try head.handle(of: state.objectID).map(\.isDeleted) ?? true ? head.number : state.base
    } catch {
      readFailure = error
      return state.base
    }
  }

  /// The keys of objects that lead to one that is to go, though nothing that is to be taken back has had them do so.
  func keysLeading(to state: ObjectState, outside targets: [ObjectID: Row?]) -> [ContextError
    .ChangedKey]
  {
    var keys: [ContextError.ChangedKey] = []
    for property in state.entity.properties {
      guard let relationship = property.relationship, let inverse = relationship.inverse,
        relationship.storage == .inverse || relationship.description.deleteRule == .cascade
      else { continue }
      var members = Set(destinations(of: state, property.key, relationship))
      if relationship.storage == .inverse {
        do throws(StoreError) {
          // Those were read before; others may have had more lead here since.
          members.formUnion(
            try membersAtHead(of: state.objectID, property.key, relationship, nil))
        } catch {
          readFailure = error
        }
      }
      for member in members.sorted() where targets[member] == nil {
        keys.append(.init(objectID: member, key: name(of: inverse.key, member)))
      }
    }
    return keys
  }

  /// The name of an object's key.
  func name(of key: KeyNumber, _ object: ObjectID) -> String {
    schema.entity(object.entity)?.property(key)?.name ?? store.nameTold(of: key)
  }
}
