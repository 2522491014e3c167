internal import ObjectModel

/// A snapshot, with what has not been saved over it, as the objects of a query see it.
final class SnapshotReader {
  let snapshot: Snapshot
  let unsaved: (any UnsavedObjects)?

  init(_ snapshot: Snapshot, _ unsaved: (any UnsavedObjects)?) {
    self.snapshot = snapshot
    self.unsaved = unsaved
  }

  /// An object; nil where it is not there.
  func object(_ id: ObjectID) throws(StoreError) -> SnapshotObject? {
    if let unsaved, unsaved.contains(id) {
      return unsaved.hasObject(id) ? SnapshotObject(id, .unsaved, self) : nil
    }
    guard id.store == snapshot.store, let handle = try snapshot.handle(of: id), !handle.isDeleted
    else { return nil }
    return SnapshotObject(id, .row(handle), self)
  }

  /// What answers a relationship to many of an object; nil where its destinations are stored.
  func inverse(of key: KeyNumber, _ object: ObjectID) -> Inverses.Inverse? {
    snapshot.era?.inverses[object.entity, key]
  }

  /// Calls a closure with the objects that refer to another.
  ///
  /// - Parameter body: returns whether to go on.
  func forEachObject(
    referringTo target: ObjectID, by inverse: Inverses.Inverse,
    _ body: (SnapshotObject) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var goesOn = true
    try snapshot.forEachObject(referringTo: target, by: inverse.key, of: inverse.entity) {
      (id) throws(StoreError) in
      if unsaved?.contains(id) ?? false { return true }
      goesOn = try body(SnapshotObject(id, .unread, self))
      return goesOn
    }
    guard goesOn, let unsaved else { return }
    for entity in snapshot.entities(having: inverse.key, as: inverse.entity) where goesOn {
      try unsaved.forEach(of: entity) { (id) throws(StoreError) in
        guard try unsaved.value(of: inverse.key, id) == .reference(target) else { return true }
        goesOn = try body(SnapshotObject(id, .unsaved, self))
        return goesOn
      }
    }
  }

  /// How many objects refer to another.
  func countOfObjects(
    referringTo target: ObjectID, by inverse: Inverses.Inverse
  ) throws(StoreError) -> Int {
    if unsaved == nil {
      return try snapshot.countOfObjects(
        referringTo: target, by: inverse.key, of: inverse.entity) ?? 0
    }
    var count = 0
    try forEachObject(referringTo: target, by: inverse) { (_) throws(StoreError) in
      count += 1
      return true
    }
    return count
  }
}

extension Snapshot {
  /// The entities that have an indexed key from the same one as another.
  fileprivate func entities(having key: KeyNumber, as entity: EntityNumber) -> [EntityNumber] {
    index.indexing.place(of: key, entity).map { index.indexing.indexes[$0].entities } ?? []
  }
}
