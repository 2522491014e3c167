internal import EventFold
internal import ObjectModel
internal import ObjectStore

// Relationships: setting one side sets the other.
extension ManagedObjectContext {
  /// Sets a relationship, and what leads back.
  func relate(
    _ state: ObjectState, _ key: KeyNumber, _ relationship: RelationshipInfo, to value: Value?
  ) {
    if isUntracked(state) {
      setUntracked(value, of: state, key)
      return
    }
    settleSave()
    guard canBeChanged(state) else { return }
    beginTelling()
    defer { endTelling() }
    refuseStrangers(value.destinations, of: state, key, relationship)
    switch relationship.storage {
    case .one: setOne(state, key, relationship, to: value?.reference)
    case .array: setArray(state, key, relationship, to: value.destinations)
    case .set, .inverse:
      let old = Set(destinations(of: state, key, relationship))
      let new = Set(value.destinations)
      change(
        state, key, relationship, inserting: new.subtracting(old).sorted(),
        removing: old.subtracting(new).sorted())
    }
  }

  /// Puts an object into a relationship to many, or takes it out, without reading the whole of one that is answered from
  /// its inverse.
  func relate(
    _ state: ObjectState, _ key: KeyNumber, _ relationship: RelationshipInfo,
    with member: ObjectState, isComing: Bool
  ) {
    let id = member.objectID
    if isUntracked(state) {
      var members = destinations(of: state, key, relationship)
      if members.contains(id) == isComing { return }
      if isComing { members.append(id) } else { members.removeAll { $0 == id } }
      let references = members.map { Value.reference($0) }
      let isArray = relationship.storage == .array
      setUntracked(isArray ? .array(references) : .set(Set(references)), of: state, key)
      return
    }
    settleSave()
    refuseStrangers([id], of: state, key, relationship)
    fireQuietly(member)
    // Nothing leads to what is deleted, and it leads nowhere.
    guard member.presence == .there else { return }
    if relationship.storage == .inverse, let inverse = relationship.inverse {
      let leadsBack = reference(of: member, inverse.key) == state.objectID
      if leadsBack == isComing, state.members?[key]?.contains(id) ?? isComing == isComing { return }
    }
    change(
      state, key, relationship, inserting: isComing ? [id] : [], removing: isComing ? [] : [id])
  }

  /// Puts objects into a relationship to many and takes others out, without reading the whole of it.
  private func change(
    _ state: ObjectState, _ key: KeyNumber, _ relationship: RelationshipInfo,
    inserting inserted: [ObjectID], removing removed: [ObjectID]
  ) {
    if inserted.isEmpty, removed.isEmpty { return }
    settleSave()
    guard canBeChanged(state) else { return }
    beginTelling()
    defer { endTelling() }
    if relationship.storage == .inverse {
      guard let inverse = relationship.inverse else { return }
      for object in removed {
        guard let member = settableState(of: object),
          reference(of: member, inverse.key) == state.objectID
        else {
          // It is gone, or leads elsewhere, which was not known when the members were read.
          noteReference(of: object, inverse.key, from: state.objectID, to: nil)
          continue
        }
        move(member, inverse.key, from: state.objectID, to: nil)
      }
      for object in inserted {
        guard let member = settableState(of: object) else { continue }
        move(member, inverse.key, from: reference(of: member, inverse.key), to: state.objectID)
        // Who was told that it moves may have done something else with it.
        guard member.presence == .there, reference(of: member, inverse.key) == state.objectID else {
          continue
        }
        // Also one that led back already, and that the store did not know of when it was asked.
        state.members?[key]?.insert(object)
      }
      return
    }
    changeMembers(of: state, key, inserting: inserted, removing: removed)
    haveLeadBack(inserted, noMore: removed, to: state, key, relationship)
  }

  /// A relationship to one.
  private func setOne(
    _ state: ObjectState, _ key: KeyNumber, _ relationship: RelationshipInfo, to new: ObjectID?
  ) {
    let old = reference(of: state, key)
    if old != new, relationship.inverse?.storage == .inverse {
      move(state, key, from: old, to: new)
      return
    }
    set(new.map { .reference($0) }, of: state, key)
    guard old != new, state.presence == .there, reference(of: state, key) == new else { return }
    haveLeadBack(
      [new].compactMap(\.self), noMore: [old].compactMap(\.self), to: state, key, relationship)
  }

  /// Has a member refer to another owner, whose relationship to many is answered from that.
  private func move(
    _ member: ObjectState, _ key: KeyNumber, from old: ObjectID?, to new: ObjectID?
  ) {
    let owners = [old, new].compactMap { $0.flatMap(watchedState(of:)) }
    let back = schema.entity(member.objectID.entity)?.property(key)?.relationship?.inverse?.key
    for owner in owners {
      guard let back else { continue }
      // Those who listen are told what led back, which has to be read before.
      if listeners.hasChangeReaders { _ = currentValue(of: owner, back) }
      willChange(owner, back)
    }
    set(new.map { .reference($0) }, of: member, key)
    if member.presence == .there, reference(of: member, key) == new {
      noteReference(of: member.objectID, key, from: old, to: new)
    }
    if let back { for owner in owners { didChange(owner, back) } }
  }

  private func setArray(
    _ state: ObjectState, _ key: KeyNumber, _ relationship: RelationshipInfo, to new: [ObjectID]
  ) {
    let old = heldValue(of: state, key).destinations
    // Where no member comes, goes or moves, nothing is changed, as with those without an order.
    if old == new { return }
    let (before, after) = (Set(old), Set(new))
    set(new.isEmpty ? nil : .array(new.map { .reference($0) }), of: state, key)
    guard state.presence == .there else { return }
    haveLeadBack(
      new.filter { !before.contains($0) }, noMore: old.filter { !after.contains($0) }, to: state,
      key, relationship)
  }

  /// Has some objects lead back to one that leads to them now, and others no more.
  private func haveLeadBack(
    _ coming: [ObjectID], noMore going: [ObjectID], to state: ObjectState, _ key: KeyNumber,
    _ relationship: RelationshipInfo
  ) {
    guard let inverse = relationship.inverse else { return }
    for object in going { detach(object, inverse, from: state.objectID) }
    for object in coming {
      guard let member = settableState(of: object) else { continue }
      link(member, inverse, to: state.objectID, otherSide: key, relationship.storage)
    }
  }

  /// Has the other side of a relationship lead back no more.
  private func unlink(_ state: ObjectState, _ back: RelationshipInfo.Inverse, from owner: ObjectID)
  {
    switch back.storage {
    case .one:
      if reference(of: state, back.key) == owner {
        set(nil, of: state, back.key)
        noteReference(of: state.objectID, back.key, from: owner, to: nil)
      }
    case .set, .array:
      changeMembers(of: state, back.key, inserting: [], removing: [owner])
    case .inverse: break
    }
  }

  /// Has the other side of a relationship lead back, and gives up what it led to before where it leads to one.
  private func link(
    _ state: ObjectState, _ back: RelationshipInfo.Inverse, to owner: ObjectID,
    otherSide key: KeyNumber, _ storage: RelationshipInfo.Storage
  ) {
    switch back.storage {
    case .one:
      let former = reference(of: state, back.key)
      if former == owner { return }
      set(.reference(owner), of: state, back.key)
      guard let former, let formerOwner = settableState(of: former) else { return }
      unlink(
        formerOwner, RelationshipInfo.Inverse(key: key, storage: storage), from: state.objectID)
    case .set, .array:
      changeMembers(of: state, back.key, inserting: [owner], removing: [])
    case .inverse: break
    }
  }

  /// Changes the members that an object itself holds.
  private func changeMembers(
    of state: ObjectState, _ key: KeyNumber, inserting inserted: [ObjectID],
    removing removed: [ObjectID]
  ) {
    guard edit(ofMembers: key, of: state, inserting: inserted, removing: removed) != nil else {
      return
    }
    base(state)
    willChange(state, key)
    defer { didChange(state, key) }
    // Who was told may have deleted it, or changed the same members.
    guard isThereStill(state),
      let edit = edit(ofMembers: key, of: state, inserting: inserted, removing: removed)
    else { return }
    noteChange(of: state, key)
    perform(edit)
    settle(state)
  }

  /// The edit that changes members that an object itself holds; nil where they are as they are to be.
  private func edit(
    ofMembers key: KeyNumber, of state: ObjectState, inserting inserted: [ObjectID],
    removing removed: [ObjectID]
  ) -> Edit? {
    let held = heldValue(of: state, key)
    let (coming, going, isLast) = Self.change(of: held, inserting: inserted, removing: removed)
    if coming.isEmpty, going.isEmpty { return nil }
    // A relationship that leads to none has no value.
    if coming.isEmpty, isLast { return .set(state.objectID, key, nil) }
    let property = state.entity.property(key)
    let isArray = property?.relationship?.storage == .array
    // Members that a hook has given are not known to those who follow the edits, nor are those that no save has taken
    // to whoever begins at the last.
    if property?.isTransient ?? false || untrackedValues(of: state)[key] != nil
      || held == nil && isArray
    {
      let left = held.destinations.filter { !going.contains($0) } + coming
      let references = left.map { Value.reference($0) }
      return .set(state.objectID, key, isArray ? .array(references) : .set(Set(references)))
    }
    return .membersChanged(state.objectID, key, inserted: coming, removed: going)
  }

  /// Which objects come into a relationship to many and which leave it, and whether these are all that were in it. The
  /// value itself is asked: a set made of its members would cost each that comes by itself as much as all of them.
  private static func change(
    of held: Value?, inserting inserted: [ObjectID], removing removed: [ObjectID]
  ) -> (coming: [ObjectID], going: [ObjectID], isLast: Bool) {
    let contains: (ObjectID) -> Bool
    let count: Int
    switch held {
    case .set(let members)?:
      count = members.count
      contains = { members.contains(.reference($0)) }
    case .array(let members)? where inserted.count + removed.count == 1:
      count = members.count
      contains = { Self.holds(members, $0) }
    default:
      let members = Set(held.destinations)
      count = members.count
      contains = members.contains
    }
    let going = removed.filter(contains)
    return (inserted.filter { !contains($0) }, going, going.count == count)
  }

  /// Whether ordered members have an object among them. They are looked at where they lie, as this is done for each that
  /// comes.
  private static func holds(_ members: [Value], _ object: ObjectID) -> Bool {
    members.withUnsafeBufferPointer { members in
      var place = 0
      while place < members.count {
        if case .reference(let member) = members[place], member == object { return true }
        place += 1
      }
      return false
    }
  }

  /// The state of an object that is about to be changed because another was; nil where it is gone.
  private func settableState(of object: ObjectID) -> ObjectState? {
    guard let instance = instance(of: object) else { return nil }
    guard canBeChanged(instance.state) else { return nil }
    // Held from here on, as nobody else may hold it.
    held[object] = instance
    return instance.state
  }

  /// Has a destination lead back no more to an object that is deleted.
  func detach(_ object: ObjectID, _ back: RelationshipInfo.Inverse, from owner: ObjectID) {
    if let member = settableState(of: object) { unlink(member, back, from: owner) }
  }

  func refuseStrangers(
    _ objects: [ObjectID], of state: ObjectState, _ key: KeyNumber, _ relationship: RelationshipInfo
  ) {
    guard let stranger = schema.stranger(among: objects, to: relationship) else { return }
    preconditionFailure(
      "\(state.entity.name).\(relationship.description.name) cannot lead to \(stranger); it takes "
        + "objects of \(relationship.description.destination) of the same store.")
  }
}
