internal import EventFold
internal import ObjectModel
internal import ObjectStore

/// What a context's parent has changed, and the context has not brought in yet.
struct ParentChanges {
  var inserted: Set<ObjectID> = []
  var changed: Set<ObjectID> = []

  init(inserted: Set<ObjectID> = [], changed: Set<ObjectID> = []) {
    (self.inserted, self.changed) = (inserted, changed)
  }

  init(_ event: ContextEvent) {
    inserted = event.inserted
    changed = event.inserted.union(event.deleted).union(event.refreshed).union(event.changed)
  }

  mutating func take(_ others: ParentChanges) {
    inserted.formUnion(others.inserted)
    changed.formUnion(others.changed)
  }

  func without(_ others: ParentChanges) -> ParentChanges {
    ParentChanges(
      inserted: inserted.subtracting(others.changed), changed: changed.subtracting(others.changed))
  }
}

/// A context that brings in what its parent changes.
struct FollowingContext {
  weak let context: ManagedObjectContext?
}

// Contexts within others that bring in by themselves what these change.
extension ManagedObjectContext {
  /// Begins to bring in what the parent changes: all that is not as it was read to begin with.
  func beginFollowing(_ parent: ManagedObjectContext) {
    parent.followers.removeAll { $0.context == nil || $0.context === self }
    parent.followers.append(FollowingContext(context: self))
    parentChanges.changed = objectsRead
  }

  /// The objects that were read, or are there as faults, or that Observation waits for.
  private var objectsRead: Set<ObjectID> {
    Set(registered.values.map { $0.takeUnretainedValue().objectID }).union(watching.left.keys)
  }

  /// Has the contexts within this one that ask for it bring in what has changed here, when they come to it.
  func tellFollowers(_ event: ContextEvent) {
    if !followers.isEmpty { tellFollowers(ParentChanges(event)) }
  }

  /// Has them do so with objects of which this context may have no instance: they are others below it, and so here.
  func tellFollowers(_ changes: ParentChanges) {
    for context in contextsFollowing { context.comeTo(changes) }
  }

  /// Has the contexts within this one look at everything anew: this one has forgotten all it had, or read it again.
  func tellFollowersOfReset() {
    for context in contextsFollowing {
      context.comeTo(ParentChanges(changed: context.objectsRead))
      context.tellFollowersOfReset()
    }
  }

  private var contextsFollowing: [ManagedObjectContext] {
    followers.compactMap(\.context).filter(\.automaticallyMergesChanges)
  }

  private func comeTo(_ changes: ParentChanges) {
    parentChanges.take(changes)
    if schedulesProcessing, !parentChanges.changed.isEmpty { scheduleProcessing() }
  }

  /// Brings in what the parent has changed. What was changed here is kept.
  ///
  /// - Throws: where some of it cannot be read; nothing is brought in then. When that is tried again, the rest is, and what
  ///   still cannot be read stays as it is until it can.
  func mergeFromParent() throws(StoreError) {
    let came = parentChanges
    if came.changed.isEmpty { return }
    var (stale, gone): ([ObjectState], [ObjectState]) = ([], [])
    var new: [ObjectID] = []
    var rows: [ObjectID: Row] = [:]
    var unread: [ObjectID: StoreError] = [:]
    for object in came.changed.sorted() {
      do throws(StoreError) {
        let row = try shown(object, view.snapshot)?.stored().row
        let state = state(of: object)
        if let state, !state.isFault {
          if row != (try rowBelow(state)) { stale.append(state) }
        } else if let state, row == nil {
          gone.append(state)
        } else if state == nil, row != nil, came.inserted.contains(object) {
          new.append(object)
        }
        if let row { rows[object] = row }
      } catch {
        unread[object] = error
      }
    }
    let known = unreadBelow
    unreadBelow = Set(unread.keys)
    if let failure = unread.first(where: { !known.contains($0.key) }) { throw failure.value }
    let left = ParentChanges(
      inserted: came.inserted.intersection(unread.keys), changed: unreadBelow)
    let read = came.without(left)
    parentChanges = left
    if read.changed.isEmpty { return }
    guard refresh(stale, keepingChanges: true, reason: .merge) else {
      parentChanges.take(came)
      return
    }
    noteReferences(
      of: read.changed.filter { state(of: $0)?.isFault ?? true }, read.inserted, rows)
    tellWaiting(of: read.changed.sorted())
    bury(gone)
    event.inserted.formUnion(new)
    tellFollowers(read)
  }

  /// What an object had in the parent when it was read.
  private func rowBelow(_ state: ObjectState) throws(StoreError) -> Row? {
    if let draft = fold.objects[state.objectID] { return draft.baseRow }
    return try state.handle?.stored().row
  }

  /// Has owners follow objects that there are no instances of, or faults.
  private func noteReferences(
    of objects: Set<ObjectID>, _ inserted: Set<ObjectID>, _ rows: [ObjectID: Row]
  ) {
    let owners = hasReadMembers && !objects.isEmpty ? ownersRead(of: objects) : [:]
    for object in objects.sorted() {
      for property in schema.properties(of: object.entity) {
        guard let relationship = property.relationship, relationship.storage == .one,
          let inverse = relationship.inverse, inverse.storage == .inverse
        else { continue }
        noteReference(
          ofUnread: object, property.key, from: owners[inverse.key]?[object] ?? [],
          to: rows[object]?[property.key]?.reference, comes: inserted.contains(object))
      }
    }
  }

  /// Who was asked for destinations that are answered from their inverse and has some objects among them: by its key,
  /// and by object.
  private func ownersRead(of objects: Set<ObjectID>) -> [KeyNumber: [ObjectID: [ObjectID]]] {
    var owners: [KeyNumber: [ObjectID: [ObjectID]]] = [:]
    for state in registered.values.lazy.map({ $0.takeUnretainedValue() }) {
      for (key, members) in state.members ?? [:] {
        let among =
          members.count < objects.count
          ? members.filter(objects.contains) : objects.filter(members.contains)
        for object in among {
          owners[key, default: [:]][object, default: []].append(state.objectID)
        }
      }
    }
    return owners
  }
}
