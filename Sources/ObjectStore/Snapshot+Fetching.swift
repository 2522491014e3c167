package import ObjectModel
package import ObjectQuery

/// An object that a query has found, with values that were asked for.
package struct FetchedValues: Hashable, Sendable {
  package let object: ObjectID
  package let values: [Value]
}

// What a query finds, in its order and within its limit.
extension Snapshot {
  /// The objects that a query finds, in its order. What its sort keys do not tell apart is in the order of the
  /// IDs.
  ///
  /// Costs: as `forEachMatch`, and the values that are sorted by. With a limit no more objects are kept than
  /// that and the offset.
  ///
  /// - Parameter unsaved: what takes the place of the snapshot's objects, or is there besides.
  package func objects(
    of query: SnapshotQuery, with unsaved: (any UnsavedObjects)? = nil
  ) throws(StoreError) -> [ObjectID] {
    try sorted(query, unsaved) { (object) throws(StoreError) in object.objectID }
  }

  /// The values of some paths of the objects that a query finds, in its order.
  ///
  /// Costs: as `objects(of:with:)`, and a column of each path; no row is made.
  package func values(
    of paths: [BoundPath], in query: SnapshotQuery, with unsaved: (any UnsavedObjects)? = nil
  ) throws(StoreError) -> [FetchedValues] {
    try sorted(query, unsaved) { (object) throws(StoreError) in
      var values: [Value] = []
      values.reserveCapacity(paths.count)
      for path in paths { values.append(try object.value(of: path)) }
      return FetchedValues(object: object.objectID, values: values)
    }
  }

  private func sorted<Element>(
    _ query: SnapshotQuery, _ unsaved: (any UnsavedObjects)?,
    _ element: (SnapshotObject) throws(StoreError) -> Element
  ) throws(StoreError) -> [Element] {
    let keys = query.query.sort
    let (first, others) = (keys.first, keys.dropFirst())
    let none = Sorter<Element>(
      descending: keys.map(\.isDescending), limit: query.query.limit, offset: query.query.offset)
    var sorter = none
    let front = Front(key: first)
    let matching = Matching(query, in: SnapshotReader(self, unsaved), narrowing: front)
    func add(_ object: SnapshotObject) throws(StoreError) {
      let value = try first?.value(of: object) ?? .null
      let rank = object.objectID.rawValue
      guard sorter.mayTake(value, rank: rank) else { return }
      var values: [Value] = []
      for key in others { values.append(try key.value(of: object)) }
      sorter.add(try element(object), by: value, values, rank: rank)
      front.last = sorter.last
    }
    func addUnsaved() throws(StoreError) {
      try matching.forEachUnsaved { (object) throws(StoreError) in
        try add(object)
        return true
      }
    }
    try addUnsaved()
    if let walk = query.plan.walk {
      let ending = try matching.forEach(
        along: walk, until: { $0.value.map { sorter.isPast($0) } ?? false }, add)
      // What has no value comes behind everything the index has.
      let isFull = sorter.last.map { !$0.value.isNull } ?? false
      if ending == .enough || ending == .end && (isFull || !walk.leavesNull) {
        return sorter.sorted()
      }
      (sorter, front.last) = (none, nil)
      try addUnsaved()
    }
    _ = try matching.forEachStored { (object) throws(StoreError) in
      try add(object)
      return true
    }
    return sorter.sorted()
  }
}

/// Those of the objects found so far that come first, where no more are wanted: what stands behind the last of
/// them need not be looked at, as far as that is quickly told.
private final class Front: Narrowing {
  private let key: BoundSortKey?
  private let plainKey: KeyNumber?
  /// What the last is sorted by first, and its ID; nil where there is room for more.
  var last: (value: Value, rank: UInt64)?

  init(key: BoundSortKey?) {
    self.key = key
    plainKey = key?.plainKey
  }

  func skips(from object: ObjectID) -> Bool {
    guard key == nil, let last else { return false }
    return object.rawValue > last.rank
  }

  /// Texts need not be made to find that they stand behind another.
  func narrow(_ places: inout [Int], _ columns: BatchColumns) throws(StoreError) {
    guard let key, let plainKey, !places.isEmpty, case .string(var text)? = last?.value else {
      return
    }
    let bytes = text.withUTF8 { Array($0) }
    let column = try columns.column(plainKey)
    var count = 0
    for place in places {
      let order = try column.withText(place) { text in
        bytes.withUnsafeBytes { text.order($0) }
      }
      if let order, key.isDescending ? order < 0 : order > 0 { continue }
      places[count] = place
      count += 1
    }
    places.removeLast(places.count - count)
  }
}
