internal import ObjectModel

extension JournaledStore {
  /// Stores the destinations of relationships that a newer model does not answer from their inverses any more,
  /// while the older one still does.
  ///
  /// They are commits of the older era, made before the newer model is adopted, each of so much as changes may
  /// take of memory: where the process ends in between, those are found to be made already.
  func gatherDestinations(for newer: ManagedObjectModel) throws(StoreError) {
    guard let era = head.era, let change = try? ModelChange(from: era.model, to: newer) else {
      return
    }
    try mending { _ throws(StoreError) in
      var gathering = Gathering(self)
      for entity in change.entities {
        for property in entity.properties where property.isGathered {
          try gathering.gather(property, of: entity.older, in: era)
        }
      }
      try gathering.commit()
    }
  }
}

/// Rows that get the destinations of their relationships, until there are enough for a commit.
private struct Gathering {
  private let store: JournaledStore
  private var rows: [ObjectID: Row] = [:]
  private var byteCount = 0

  init(_ store: JournaledStore) { self.store = store }

  /// Gathers the destinations of one relationship of an entity's objects, in the order of these: the index of
  /// the inverse has them so.
  mutating func gather(
    _ property: PropertyChange, of entityName: String, in era: Era
  ) throws(StoreError) {
    guard let name = property.older, let key = store.existingKey(named: name),
      let relationship = era.model.entity(named: entityName)?.relationship(name),
      let inverse = relationship.inverse.flatMap({ store.existingKey(named: $0) }),
      let owner = era.number(of: entityName),
      let destination = era.model.entity(named: relationship.destination)
    else { return }
    let entities = ([destination.name] + destination.heirs).compactMap { era.number(of: $0) }
    var stale = try owners(owner, thatHold: key)
    var current: ObjectID?
    var members: Set<Value> = []
    let isIndexed = try store.head.forEachObject(of: entities, indexedBy: inverse) {
      (found) throws(StoreError) in
      guard case .reference(let target)? = found.value, target.entity == owner else { return true }
      if let current, current != target {
        try put(.set(members), current, key)
        members = []
      }
      current = target
      stale.remove(target)
      members.insert(.reference(found.object))
      return true
    }
    assert(isIndexed, "what answers a relationship to many is indexed")
    if let current { try put(.set(members), current, key) }
    for owner in stale.sorted() { try put(nil, owner, key) }
  }

  /// The objects of an entity that hold destinations, though these are answered from the inverse: they were gathered
  /// before for a model that was not adopted then, and the inverse may have led elsewhere since.
  private func owners(
    _ entity: EntityNumber, thatHold key: KeyNumber
  ) throws(StoreError) -> Set<ObjectID> {
    var owners: Set<ObjectID> = []
    try store.head.forEachBatch(of: entity) { (batch) throws(StoreError) in
      let column = try batch.column(key)
      for place in 0..<batch.count where batch.hasRow(place) {
        if try column.value(place) != nil { owners.insert(batch.object(place)) }
      }
      return true
    }
    return owners
  }

  private mutating func put(
    _ members: Value?, _ object: ObjectID, _ key: KeyNumber
  ) throws(StoreError) {
    let known = rows[object]
    var row = known
    if row == nil, object.store == store.store { row = try store.head.row(of: object) }
    // A destination may refer to an owner that is no more.
    guard var row else { return }
    row[key] = members
    rows[object] = row
    byteCount +=
      BlockAssembly.byteCount(of: row) - (known.map { BlockAssembly.byteCount(of: $0) } ?? 0)
    if byteCount >= store.options.unflushedByteCount / 2 { try commit() }
  }

  /// Commits what is gathered.
  mutating func commit() throws(StoreError) {
    let base = store.head
    var objects: [CommitRequest.Object] = []
    for (object, row) in rows {
      objects.append(.init(object, base: base.number, try base.row(of: object), to: row))
    }
    (rows, byteCount) = ([:], 0)
    guard !objects.isEmpty else { return }
    let context = try store.beginContext(name: "", on: base.number)
    var request = CommitRequest(objects)
    request.message = "Relationships gathered for another model"
    do throws(CommitError) {
      // The newer model is adopted on what is made, and on nothing that is on its way.
      _ = try store.commit(request, by: context, durability: .written)
    } catch {
      // Nobody else has the store yet, and so nobody has changed an object.
      guard case .store(let error) = error else {
        preconditionFailure("a store that is being opened has a rival")
      }
      store.giveUp(context)
      throw error
    }
    try store.endContext(context)
    // None is written because it is due before the store is open.
    guard store.unflushedByteCount >= store.options.unflushedByteCount else { return }
    do throws(StoreError) {
      try store.checkpoint()
    } catch {
      // Where there is no room for it, the changes stay in memory.
      guard error.code == .disk else { throw error }
    }
  }
}
