package import ObjectModel
internal import ObjectQuery

// Which objects pass the filter of a query.
extension Snapshot {
  /// Calls a closure with the objects that pass the filter of a query, each once, in no order. Its sort keys,
  /// limit and offset are not looked at.
  ///
  /// Costs: what an index finds, and of that what is left to be tested; without an index, the columns of the
  /// keys that the filter looks at.
  ///
  /// - Parameters:
  ///   - unsaved: what takes the place of the snapshot's objects, or is there besides.
  ///   - body: returns whether to go on.
  package func forEachMatch(
    of query: SnapshotQuery, with unsaved: (any UnsavedObjects)? = nil,
    _ body: (SnapshotObject) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let matching = Matching(query, in: SnapshotReader(self, unsaved))
    guard try matching.forEachStored(body) else { return }
    try matching.forEachUnsaved(body)
  }

  /// Whether an object passes the filter of a query.
  package func passes(
    _ object: ObjectID, _ query: SnapshotQuery, with unsaved: (any UnsavedObjects)? = nil
  ) throws(StoreError) -> Bool {
    guard let found = try SnapshotReader(self, unsaved).object(object) else { return false }
    return try query.query.filter.admits(found)
  }

  /// How many objects a query finds, within its limit and behind its offset.
  ///
  /// Costs: no row is made, and where one column or an index tells, nothing else is read.
  package func count(
    of query: SnapshotQuery, with unsaved: (any UnsavedObjects)? = nil
  ) throws(StoreError) -> Int {
    var count = 0
    if case .all = query.plan.access, unsaved == nil {
      count = try countByBatches(query)
    } else {
      let matching = Matching(query, in: SnapshotReader(self, unsaved))
      count = try matching.countStored()
      try matching.forEachUnsaved { (_) throws(StoreError) in
        count += 1
        return true
      }
    }
    let rest = max(0, count - query.query.offset)
    return min(rest, query.query.limit ?? rest)
  }

  private func countByBatches(_ query: SnapshotQuery) throws(StoreError) -> Int {
    let reader = SnapshotReader(self, nil)
    var filter = BatchFilter(query.plan.rest)
    var count = 0
    for entity in query.entities {
      try forEachBatch(of: entity) { (batch) throws(StoreError) in
        guard let rest = filter.rest else {
          count += try filter.count(in: batch)
          return true
        }
        let columns = BatchColumns(batch)
        for place in try filter.places(in: columns) {
          let object = SnapshotObject(batch.object(place), .batch(columns, place), reader)
          if try rest.admits(object) { count += 1 }
        }
        return true
      }
    }
    return count
  }
}
