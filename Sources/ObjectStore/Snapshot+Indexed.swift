package import ObjectModel

/// An object that an index has found.
package struct IndexedObject: Sendable {
  package let object: ObjectID
  /// Whether its value is sure to be one that was asked for; otherwise its row is to be looked at. Only long
  /// strings, data and URLs are not.
  package let isCertain: Bool
  private let kind: UInt8
  private let words: IndexedWords

  init(_ entry: IndexEntry, of object: ObjectID, isCertain: Bool) {
    self.object = object
    self.isCertain = isCertain
    (kind, words) = (entry.kind, entry.value)
  }

  /// The value; nil where the index does not hold all of it. Where it is nil the order among objects whose
  /// values begin alike is not theirs.
  package var value: Value? { words.value(kind) }
}

// What indexes answer without a row being read.
extension Snapshot {
  /// Whether there is an index of a key of an entity.
  package func hasIndex(of key: KeyNumber, _ entity: EntityNumber) -> Bool {
    index.indexing.place(of: key, entity) != nil
  }

  /// Calls a closure with the objects whose values of a key lie in a range, in the order of the values and
  /// then of the objects.
  ///
  /// Costs: as many steps as there are such objects, also those of entities that are not asked for and
  /// inherit the key from the same one.
  ///
  /// - Parameters:
  ///   - entities: whose objects; they have the key from the same one.
  ///   - body: returns whether to go on.
  /// - Returns: whether there is an index that can answer; nothing was called where there is none.
  @discardableResult
  package func forEachObject(
    of entities: [EntityNumber], indexedBy key: KeyNumber, _ range: IndexRange = .all,
    descending: Bool = false, _ body: (IndexedObject) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    guard let (place, areAll) = indexPlace(of: key, entities) else { return false }
    let store = store
    try forEachEntry(of: place, range, descending: descending) {
      (entry, span) throws(StoreError) in
      let object = ObjectID(rawValue: entry.object, store: store)
      if !areAll, !entities.contains(object.entity) { return true }
      return try body(IndexedObject(entry, of: object, isCertain: span.isCertain(entry)))
    }
    return true
  }

  /// How many objects have values of a key in a range; nil where there is no index that can answer.
  ///
  /// Costs: as `forEachObject`, at a third of the time.
  ///
  /// - Parameter isMeant: asked of those of which the index does not tell whether their values lie there.
  func countOfObjects(
    of entities: [EntityNumber], indexedBy key: KeyNumber, _ range: IndexRange,
    where isMeant: (IndexedObject) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int? {
    guard let (place, areAll) = indexPlace(of: key, entities) else { return nil }
    return try countOfEntries(of: place, range, among: areAll ? nil : entities, where: isMeant)
  }

  /// The place of the only index that has a key of some entities, and whether it has it of no other.
  private func indexPlace(
    of key: KeyNumber, _ entities: [EntityNumber]
  ) -> (place: Int, areAll: Bool)? {
    let places = Set(entities.map { index.indexing.place(of: key, $0) })
    guard places.count == 1, let place = places.first ?? nil else { return nil }
    return (place, index.indexing.indexes[place].entities.allSatisfy(entities.contains))
  }

  /// Calls a closure with the objects that refer to another by a relationship, in their order.
  ///
  /// - Parameters:
  ///   - key: of a relationship to one.
  ///   - entity: which has the relationship; objects of every entity that has it from the same one are found.
  ///   - body: returns whether to go on.
  /// - Returns: whether there is an index that can answer.
  @discardableResult
  package func forEachObject(
    referringTo target: ObjectID, by key: KeyNumber, of entity: EntityNumber,
    _ body: (ObjectID) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    guard let place = index.indexing.place(of: key, entity) else { return false }
    let store = store
    try forEachEntry(of: place, .equal(to: .reference(target)), descending: false) {
      (entry, _) throws(StoreError) in
      try body(ObjectID(rawValue: entry.object, store: store))
    }
    return true
  }

  /// The objects that refer to another by a relationship, whether there is an index or not.
  ///
  /// Costs: without an index, which the past may lack, as many steps as there are objects of the entity.
  package func objects(
    referringTo target: ObjectID, by key: KeyNumber, of entity: EntityNumber
  ) throws(StoreError) -> [ObjectID] {
    var objects: [ObjectID] = []
    let isAnswered = try forEachObject(referringTo: target, by: key, of: entity) {
      (object) throws(StoreError) in
      objects.append(object)
      return true
    }
    if isAnswered { return objects }
    for kind in era?.kinds(of: entity) ?? [] {
      try forEach(kind) { (object, row) throws(StoreError) in
        if row[key]?.reference == target { objects.append(object) }
        return true
      }
    }
    return objects
  }

  /// How many objects refer to another by a relationship; nil where no index can answer.
  ///
  /// Costs: as many steps as there are objects, and no row.
  package func countOfObjects(
    referringTo target: ObjectID, by key: KeyNumber, of entity: EntityNumber
  ) throws(StoreError) -> Int? {
    guard let place = index.indexing.place(of: key, entity) else { return nil }
    // Of references an index has all.
    return try countOfEntries(of: place, .equal(to: .reference(target)), among: nil) {
      (_) throws(StoreError) in true
    }
  }

  private func countOfEntries(
    of place: Int, _ range: IndexRange, among entities: [EntityNumber]?,
    where isMeant: (IndexedObject) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int {
    let (number, sources) = try index.sources(of: place, in: self)
    guard let span = IndexSpan(range, of: number) else { return 0 }
    var count = 0
    var cursor = IndexCursor(sources, from: span.start, before: span.end)
    let store = store
    try cursor.forEachStretch { (entries) throws(StoreError) in
      if span.areAllCertain, entities == nil {
        count += entries.count { !$0.isRemoved }
        return true
      }
      for entry in entries where !entry.isRemoved {
        let object = ObjectID(rawValue: entry.object, store: store)
        if let entities, !entities.contains(object.entity) { continue }
        if span.isCertain(entry) {
          count += 1
        } else if try isMeant(IndexedObject(entry, of: object, isCertain: false)) {
          count += 1
        }
      }
      return true
    }
    return count
  }

  /// Calls a closure with the entries of an index that are there.
  private func forEachEntry(
    of place: Int, _ range: IndexRange, descending: Bool,
    _ body: (IndexEntry, IndexSpan) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let (number, sources) = try index.sources(of: place, in: self)
    guard let span = IndexSpan(range, of: number) else { return }
    var cursor = IndexCursor(sources, from: span.start, before: span.end, descending: descending)
    try cursor.forEach { (entry) throws(StoreError) in
      if entry.isRemoved { return true }
      return try body(entry, span)
    }
  }
}
