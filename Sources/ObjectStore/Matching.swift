internal import ObjectModel
internal import ObjectQuery

/// Of which objects nothing more need be asked, because enough others come before them.
protocol Narrowing {
  /// Whether no object is wanted from one on, in the order of the IDs.
  func skips(from object: ObjectID) -> Bool

  /// Takes out places of a batch that are not wanted.
  func narrow(_ places: inout [Int], _ columns: BatchColumns) throws(StoreError)
}

/// Goes over the objects that pass the filter of a query.
struct Matching {
  private let query: SnapshotQuery
  private let reader: SnapshotReader
  private let narrowing: (any Narrowing)?

  private var snapshot: Snapshot { reader.snapshot }

  /// - Parameter narrowing: tells of which objects nothing more need be asked. It is not asked of all.
  init(
    _ query: SnapshotQuery, in reader: SnapshotReader, narrowing: (any Narrowing)? = nil
  ) {
    self.query = query
    self.reader = reader
    self.narrowing = narrowing
  }

  /// Calls a closure with those that are not saved.
  func forEachUnsaved(
    _ body: (SnapshotObject) throws(StoreError) -> Bool
  ) throws(StoreError) {
    guard let unsaved = reader.unsaved else { return }
    if case .nothing = query.plan.access { return }
    var goesOn = true
    for entity in query.entities where goesOn {
      try unsaved.forEach(of: entity) { (id) throws(StoreError) in
        let object = SnapshotObject(id, .unsaved, reader)
        if try query.query.filter.admits(object) { goesOn = try body(object) }
        return goesOn
      }
    }
  }

  /// Calls a closure with those that the snapshot itself has.
  ///
  /// - Returns: whether to go on.
  func forEachStored(
    _ body: (SnapshotObject) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    switch query.plan.access {
    case .nothing: return true
    case .all: return try forEachByBatches(body)
    case .index(let scan): return try forEach(in: scan, body)
    case .union(let scans):
      var seen: Set<ObjectID> = []
      for scan in scans {
        let goesOn = try forEach(in: scan) { (object) throws(StoreError) in
          try seen.insert(object.objectID).inserted ? body(object) : true
        }
        if !goesOn { return false }
      }
      return true
    }
  }

  /// How many of those there are that the snapshot itself has.
  ///
  /// Costs: what an index tells by itself is counted as it lies there.
  func countStored() throws(StoreError) -> Int {
    var count = 0
    guard case .index(let scan) = query.plan.access else {
      _ = try forEachStored { (_) throws(StoreError) in
        count += 1
        return true
      }
      return count
    }
    let tellsAll = query.plan.rest == nil
    for range in scan.ranges {
      func isMeant(_ found: IndexedObject) throws(StoreError) -> Bool {
        try matching(found, scan.key, range) != nil
      }
      if tellsAll, reader.unsaved == nil {
        count +=
          try snapshot.countOfObjects(
            of: query.entities, indexedBy: scan.key, IndexRange(range), where: isMeant) ?? 0
        continue
      }
      try forEachFound(in: scan, range) { (found) throws(StoreError) in
        if tellsAll && found.isCertain {
          count += 1
        } else if try isMeant(found) {
          count += 1
        }
        return true
      }
    }
    return count
  }

  private func forEachByBatches(
    _ body: (SnapshotObject) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    var filter = BatchFilter(query.plan.rest)
    var goesOn = true
    for entity in query.entities where goesOn {
      try snapshot.forEachBatch(of: entity) { (batch) throws(StoreError) in
        if batch.count == 0 || narrowing?.skips(from: batch.object(0)) ?? false { return true }
        let columns = BatchColumns(batch)
        var places = try filter.places(in: columns)
        try narrowing?.narrow(&places, columns)
        for place in places {
          let id = batch.object(place)
          if reader.unsaved?.contains(id) ?? false { continue }
          let object = SnapshotObject(id, .batch(columns, place), reader)
          if let rest = filter.rest, try !rest.admits(object) { continue }
          goesOn = try body(object)
          if !goesOn { return false }
        }
        return true
      }
    }
    return goesOn
  }

  private func forEach(
    in scan: IndexScan, _ body: (SnapshotObject) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    var goesOn = true
    for range in scan.ranges where goesOn {
      try forEachFound(in: scan, range) { (found) throws(StoreError) in
        guard let object = try matching(found, scan.key, range) else { return true }
        goesOn = try body(object)
        return goesOn
      }
    }
    return goesOn
  }

  /// Calls a closure with what an index has found in a range, and no unsaved object takes the place of.
  private func forEachFound(
    in scan: IndexScan, _ range: ValueRange, _ body: (IndexedObject) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let unsaved = reader.unsaved
    try snapshot.forEachObject(
      of: query.entities, indexedBy: scan.key, IndexRange(range)
    ) { (found) throws(StoreError) in
      if let unsaved, unsaved.contains(found.object) { return true }
      return try body(found)
    }
  }

  /// Calls closures with what the snapshot itself has, in the order of an index.
  ///
  /// - Parameter isEnough: whether nothing from an entry on is wanted.
  /// - Returns: whether all was found that the index has and that is wanted.
  func forEach(
    along walk: IndexWalk, until isEnough: (IndexedObject) -> Bool,
    _ body: (SnapshotObject) throws(StoreError) -> Void
  ) throws(StoreError) -> Ending {
    var left = walk.largestCount
    var ending = Ending.end
    for range in walk.isDescending ? walk.ranges.reversed() : walk.ranges where ending == .end {
      try snapshot.forEachObject(
        of: query.entities, indexedBy: walk.key, IndexRange(range), descending: walk.isDescending
      ) { (found) throws(StoreError) in
        if isEnough(found) { ending = .enough }
        if left == 0 { ending = .givenUp }
        guard ending == .end else { return false }
        left -= 1
        if reader.unsaved?.contains(found.object) ?? false { return true }
        if let object = try matching(found, walk.key, range) { try body(object) }
        return true
      }
    }
    return ending
  }

  /// How a walk along an index ends.
  enum Ending {
    /// At the end of the index.
    case end
    /// Where nothing more is wanted.
    case enough
    /// After too many entries.
    case givenUp
  }

  /// What an index has found; nil where it does not pass.
  private func matching(
    _ found: IndexedObject, _ key: KeyNumber, _ range: ValueRange
  ) throws(StoreError) -> SnapshotObject? {
    guard query.plan.rest != nil || !found.isCertain else {
      return SnapshotObject(found.object, .indexed(key, found), reader)
    }
    // What an index has found is there.
    guard let object = try reader.object(found.object) else { return nil }
    // Long values are told apart by the row: a range that they do not lie in may be that of another scan.
    if !found.isCertain, try !range.contains(object.value(of: key)) { return nil }
    if let rest = query.plan.rest, try !rest.admits(object) { return nil }
    return object
  }
}

extension IndexRange {
  fileprivate init(_ range: ValueRange) {
    self.init(from: range.lower.map(Bound.init), to: range.upper.map(Bound.init))
  }
}

extension IndexRange.Bound {
  fileprivate init(_ bound: ValueRange.Bound) {
    self = bound.isIncluded ? .including(bound.value) : .excluding(bound.value)
  }
}
