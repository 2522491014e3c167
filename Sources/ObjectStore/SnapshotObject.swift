package import ObjectModel
internal import ObjectQuery

/// An object of a snapshot as a query sees it. Its values are read when they are asked for, one by one.
package struct SnapshotObject: QueryObject {
  /// Where its values are.
  enum Source {
    /// In a batch, at a place.
    case batch(BatchColumns, Int)
    case row(RowHandle)
    /// In a row that has not been looked up yet.
    case unread
    /// The same, but for what an index has of it.
    case indexed(KeyNumber, IndexedObject)
    case unsaved
    /// It is not there.
    case missing
  }

  package let objectID: ObjectID
  private let source: Source
  private let reader: SnapshotReader

  init(_ objectID: ObjectID, _ source: Source, _ reader: SnapshotReader) {
    self.objectID = objectID
    self.source = source
    self.reader = reader
  }

  package func value(of key: KeyNumber) throws(StoreError) -> Value {
    switch source {
    case .batch(let columns, let place): return try columns.column(key).value(place) ?? .null
    case .row(let handle): return try handle.value(key) ?? .null
    case .indexed(let indexedKey, let found):
      if key == indexedKey, let value = found.value { return value }
      return try reader.snapshot.handle(of: objectID)?.value(key) ?? .null
    case .unread: return try reader.snapshot.handle(of: objectID)?.value(key) ?? .null
    case .unsaved: return try reader.unsaved?.value(of: key, objectID) ?? .null
    case .missing: return .null
    }
  }

  package func virtualValue(_ number: Int) throws(StoreError) -> Value {
    try reader.unsaved?.virtualValue(number, of: objectID) ?? .null
  }

  // MARK: Relationships

  package func related(by key: KeyNumber) throws(StoreError) -> SnapshotObject? {
    guard case .reference(let destination) = try value(of: key) else { return nil }
    return try reader.object(destination)
  }

  package func forEachRelated(
    by key: KeyNumber, _ body: (SnapshotObject) throws(StoreError) -> Bool
  ) throws(StoreError) {
    if let inverse = reader.inverse(of: key, objectID) {
      return try reader.forEachObject(referringTo: objectID, by: inverse, body)
    }
    // What is gone is still among the destinations, where nothing has taken it out, and has no values.
    for case .reference(let id) in try value(of: key).members {
      guard try body(try reader.object(id) ?? SnapshotObject(id, .missing, reader)) else { return }
    }
  }

  package func countOfRelated(by key: KeyNumber) throws(StoreError) -> Int {
    if let inverse = reader.inverse(of: key, objectID) {
      return try reader.countOfObjects(referringTo: objectID, by: inverse)
    }
    return try value(of: key).members.count
  }
}

extension Value {
  /// The members of a set or an array.
  fileprivate var members: [Value] {
    switch self {
    case .set(let members): Array(members)
    case .array(let members): members
    default: []
    }
  }
}
