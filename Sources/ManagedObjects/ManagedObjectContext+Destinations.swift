internal import EventFold
internal import ObjectModel
internal import ObjectStore

// Where relationships lead: what is held, and what is answered from the inverse and kept once it was read.
extension ManagedObjectContext {
  /// The destinations of a relationship, in their order where they have one.
  func destinations(
    of state: ObjectState, _ key: KeyNumber, _ relationship: RelationshipInfo
  ) -> [ObjectID] {
    if relationship.storage == .inverse { return Array(members(of: state, key, relationship)) }
    return (heldValue(of: state, key)).destinations
  }

  /// The destinations of a relationship that is answered from its inverse.
  func members(
    of state: ObjectState, _ key: KeyNumber, _ relationship: RelationshipInfo
  ) -> Members {
    fireQuietly(state)
    if let members = state.members?[key] { return members }
    let (members, failure) = found { membersFound(of: state, key, relationship) }
    // Where something could not be read they are looked for again by who asks next.
    if failure != nil || state.isFault && !state.isTurningIntoFault { return members }
    if state.members == nil { state.members = [:] }
    hasReadMembers = true
    state.members?[key] = members
    return members
  }

  /// What a closure finds, and why some of that could not be read, which is noted for the next save.
  private func found<Found>(_ find: () -> Found) -> (Found, failure: (any Error)?) {
    let earlier = readFailure
    readFailure = nil
    let found = find()
    let failure = readFailure
    readFailure = failure ?? earlier
    return (found, failure)
  }

  private func membersFound(
    of owner: ObjectState, _ key: KeyNumber, _ relationship: RelationshipInfo
  ) -> Members {
    guard let inverse = relationship.inverse, owner.presence != .gone else { return Members() }
    var members = Members()
    if let parent = view.parent {
      if owner.handle != nil, let above = parent.instance(of: owner.objectID)?.state {
        let (found, failure) = parent.found { parent.members(of: above, key, relationship) }
        members = found
        if let failure { readFailure = failure }
      }
    } else if owner.base != .none {
      do throws(StoreError) {
        members = Members(
          try view.snapshot.objects(
            referringTo: owner.objectID, by: inverse.key, of: relationship.destination))
      } catch {
        readFailure = error
      }
    }
    dropThoseLedElsewhere(from: &members, by: inverse.key, to: .reference(owner.objectID))
    // Another relationship of the owner may have an inverse of the same name in another entity.
    for object in unsavedObjects(leadingTo: owner.objectID, by: inverse.key) {
      guard let draft = fold.objects[object], draft.isThere,
        draft.delta[inverse.key] == .some(.some(.reference(owner.objectID))),
        schema.isKind(object.entity, of: relationship.destination)
      else { continue }
      members.insert(object)
    }
    return members
  }

  /// Takes away the members that lead to their owner no more: what this context has read or changed stands as it has it.
  private func dropThoseLedElsewhere(
    from members: inout Members, by key: KeyNumber, to reference: Value
  ) {
    func stays(_ member: ObjectID) -> Bool {
      guard let state = state(of: member), !state.isFault else {
        // What no save takes has nothing to say of it.
        guard let draft = fold.objects[member], draft.isDirty || draft.delta[key] != nil else {
          return true
        }
        return draft.isThere && draft.value(of: key) == reference
      }
      return state.presence == .there && heldValue(of: state, key) == reference
    }
    if registered.count + fold.objects.count >= members.count {
      members.keep(where: stays)
      return
    }
    // Of many members few have been read or changed.
    let known =
      registered.keys.map { ObjectID(rawValue: $0, store: store.tag) } + fold.objects.keys
    let gone = Set(known.filter { members.contains($0) && !stays($0) })
    if !gone.isEmpty { members.keep { !gone.contains($0) } }
  }

  /// The object that a relationship to one leads to.
  func reference(of state: ObjectState, _ key: KeyNumber) -> ObjectID? {
    heldValue(of: state, key)?.reference
  }

  /// Keeps destinations that have been read in step with what refers to their owner.
  func noteReference(
    of member: ObjectID, _ key: KeyNumber, from old: ObjectID?, to new: ObjectID?
  ) {
    guard old != new,
      let inverse = schema.entity(member.entity)?.property(key)?.relationship?.inverse,
      inverse.storage == .inverse
    else { return }
    let isAwaited = !watching.left.isEmpty
    if isAwaited { beginTelling() }
    defer { if isAwaited { endTelling() } }
    let (former, latter) = (old.flatMap(watchedState(of:)), new.flatMap(watchedState(of:)))
    if let former { noteOwner(former, inverse.key) }
    if let latter { noteOwner(latter, inverse.key) }
    if let former { willChange(former, inverse.key) }
    if let latter { willChange(latter, inverse.key) }
    former?.members?[inverse.key]?.remove(member)
    if let latter, latter.members?[inverse.key] != nil {
      latter.members?[inverse.key]?.insert(member)
    }
    if let former { didChange(former, inverse.key) }
    if let latter { didChange(latter, inverse.key) }
  }

  /// Has owners follow an object that there is no instance of, or a fault.
  ///
  /// - Parameters:
  ///   - owners: those that may have it among their destinations.
  ///   - comes: whether it led to none before. Then it is a change of its owner also where nobody has asked this for
  ///     its destinations.
  func noteReference(
    ofUnread member: ObjectID, _ key: KeyNumber, from owners: [ObjectID], to owner: ObjectID?,
    comes: Bool
  ) {
    for former in owners.sorted() { noteReference(of: member, key, from: former, to: owner) }
    let isAwaited = !watching.left.isEmpty
    if isAwaited { beginTelling() }
    defer { if isAwaited { endTelling() } }
    guard let owner,
      let inverse = schema.entity(member.entity)?.property(key)?.relationship?.inverse,
      let state = watchedState(of: owner)
    else { return }
    guard state.members?[inverse.key].map({ !$0.contains(member) }) ?? comes else { return }
    noteReference(of: member, key, from: nil, to: owner)
  }

  /// Has destinations that were read before have an object that is found to lead to their owner. What is found as
  /// it was known is no change of the owner.
  func noteFetchedReferences(of state: ObjectState) {
    for property in state.entity.properties {
      guard let inverse = property.relationship?.inverse, inverse.storage == .inverse,
        let owner = reference(of: state, property.key),
        let members = self.state(of: owner)?.members?[inverse.key],
        !members.contains(state.objectID)
      else { continue }
      noteReference(of: state.objectID, property.key, from: nil, to: owner)
    }
  }
}
