internal import EventFold
internal import ObjectModel
internal import ObjectStore

// What goes with an object that is deleted, and what keeps it from being deleted.
extension ManagedObjectContext {
  /// Runs the delete rules of what was deleted; cascades end, as nothing is deleted twice.
  ///
  /// - Returns: the objects whose rules were run.
  @discardableResult
  func propagateDeletions() -> [ObjectState] {
    if pendingDeletions.isEmpty { return [] }
    beginTelling()
    defer { endTelling() }
    var propagated: [ObjectState] = []
    while let state = pendingDeletions.popLast() {
      guard state.presence == .deleted else { continue }
      propagated.append(state)
      for property in state.entity.properties {
        guard let relationship = property.relationship else { continue }
        propagate(relationship, property.key, of: state)
      }
    }
    return propagated
  }

  private func propagate(_ relationship: RelationshipInfo, _ key: KeyNumber, of state: ObjectState)
  {
    let destinations = destinations(ofDeleted: state, key, relationship)
    switch relationship.description.deleteRule {
    case .noAction, .deny: break
    case .cascade:
      for destination in destinations where leadsBack(destination, relationship, to: state.objectID)
      {
        if let object = instance(of: destination) { delete(object) }
      }
    case .nullify:
      guard let inverse = relationship.inverse else { return }
      for destination in destinations {
        if let seen = seenOwner(of: destination, inverse, ledSinceTo: state) {
          detach(destination, inverse, from: seen)
        } else {
          detach(destination, inverse, from: state.objectID)
        }
      }
    }
  }

  /// What the destinations of deny rules are that are still there, by deleted object.
  func deniedDeletions() -> [(object: ObjectState, key: String, destinations: [ObjectID])] {
    var denied: [(ObjectState, String, [ObjectID])] = []
    for object in objectsToSave where object.state.presence == .deleted {
      let state = object.state
      for property in state.entity.properties {
        guard let relationship = property.relationship,
          relationship.description.deleteRule == .deny
        else { continue }
        let left = destinations(ofDeleted: state, property.key, relationship)
          .filter { leadsBack($0, relationship, to: state.objectID) }
        if !left.isEmpty { denied.append((state, property.name, left)) }
      }
    }
    return denied.sorted { $0.0.objectID < $1.0.objectID }
  }

  /// What a deleted object led to, and what others have had lead to it since.
  private func destinations(
    ofDeleted state: ObjectState, _ key: KeyNumber, _ relationship: RelationshipInfo
  ) -> [ObjectID] {
    let known =
      relationship.storage == .inverse
      ? members(of: state, key, relationship).sorted()
      : state.deletion?.row[key].destinations ?? []
    guard let late = state.deletion?.lateMembers[key] else { return known }
    return known + late.subtracting(known).sorted()
  }

  /// Whether an object is there, and has not been led elsewhere since the other was deleted.
  private func leadsBack(_ id: ObjectID, _ relationship: RelationshipInfo, to deleted: ObjectID)
    -> Bool
  {
    guard let state = instance(of: id)?.state else { return false }
    fireQuietly(state)
    guard state.presence == .there else { return false }
    guard let inverse = relationship.inverse, inverse.storage != .inverse else { return true }
    if heldValue(of: state, inverse.key).destinations.contains(deleted) { return true }
    return self.state(of: deleted).map { isLed(state, inverse.key, sinceTo: $0) } ?? false
  }

  /// Whether others have had an object lead to a deleted one of which that is not seen here: what is changed here besides
  /// stays as it was read.
  private func isLed(
    _ state: ObjectState, _ key: KeyNumber, sinceTo deleted: ObjectState
  ) -> Bool {
    state.hasDraft && !isLedElsewhere(state.objectID, key)
      && deleted.deletion?.lateMembers.values.contains { $0.contains(state.objectID) } ?? false
  }

  /// What an object is seen to lead to that others have had lead to a deleted one, where it has to lead somewhere: it
  /// leads nowhere after the deletion.
  private func seenOwner(
    of id: ObjectID, _ inverse: RelationshipInfo.Inverse, ledSinceTo deleted: ObjectState
  ) -> ObjectID? {
    guard inverse.storage == .one, let state = instance(of: id)?.state,
      let description = state.entity.property(inverse.key)?.relationship?.description,
      !description.isOptional, isLed(state, inverse.key, sinceTo: deleted)
    else { return nil }
    return reference(of: state, inverse.key)
  }

  /// Whether the context has itself changed where an object leads.
  private func isLedElsewhere(_ id: ObjectID, _ key: KeyNumber) -> Bool {
    guard let draft = fold.objects[id] else { return false }
    return !draft.isThere || draft.value(of: key) != draft.baseRow?[key]
  }

  // MARK: What others have had lead to it

  /// Runs the delete rules of deleted objects for what others have had lead to them, as the store has it now: what was
  /// read of them was read before. What a cascade takes follows its own rules in the same way.
  ///
  /// - Parameter objects: those that are known to be led to still.
  func propagateDeletions(ofStillLedTo objects: [ObjectID]) throws(StoreError) {
    var pending = objects.compactMap(state(of:))
    var known = Set(objects)
    while let state = pending.popLast() {
      guard state.presence == .deleted else { continue }
      try findLateMembers(of: state)
      pendingDeletions.append(state)
      pending += propagateDeletions().filter { known.insert($0.objectID).inserted }
    }
  }

  private func findLateMembers(of state: ObjectState) throws(StoreError) {
    var late: [KeyNumber: Set<ObjectID>] = [:]
    var stale: [ObjectState] = []
    let row = try view.snapshot.row(of: state.objectID)
    for property in state.entity.properties {
      guard let relationship = property.relationship, let inverse = relationship.inverse,
        inverse.storage != .inverse, relationship.description.deleteRule != .noAction
      else { continue }
      let members = try membersAtHead(of: state.objectID, property.key, relationship, row)
      if !members.isEmpty { late[property.key] = members }
      for member in members.sorted() {
        guard let member = self.state(of: member), !member.isFault,
          fold.objects[member.objectID]?.isDirty != true,
          !heldValue(of: member, inverse.key).destinations.contains(state.objectID)
        else { continue }
        stale.append(member)
      }
    }
    state.deletion?.lateMembers = late
    refresh(stale, keepingChanges: true, reason: .refresh)
  }

  /// The objects that lead to another where the store is now, and that are not led elsewhere here.
  ///
  /// - Parameter row: what the other has there.
  func membersAtHead(
    of object: ObjectID, _ key: KeyNumber, _ relationship: RelationshipInfo, _ row: Row?
  ) throws(StoreError) -> Set<ObjectID> {
    guard view.parent == nil, let inverse = relationship.inverse else { return [] }
    let found =
      relationship.storage == .inverse
      ? try view.snapshot.objects(
        referringTo: object, by: inverse.key, of: relationship.destination)
      : row?[key].destinations ?? []
    var members: Set<ObjectID> = []
    let head = view.snapshot
    for member in found where !isLedElsewhere(member, inverse.key) {
      let held = try head.row(of: member)?[inverse.key]
      if held.destinations.contains(object) { members.insert(member) }
    }
    return members
  }
}
