internal import DiskAccess
package import ObjectModel
package import ObjectQuery

/// Finds the numbers of keys for queries about what is stored: modelled keys that are saved, and dynamic ones.
///
/// Objects of any entity may have a dynamic attribute of each key that the store has given a number.
package struct StoredKeys: KeyResolver, Sendable {
  private let names: KeyNames

  init(_ names: KeyNames) { self.names = names }

  package func otherKeys(of entity: ModelEntity) -> [String] { names.names }

  package func resolve(_ key: String, of entity: ModelEntity) -> ResolvedKey? {
    if entity.attribute(key)?.isTransient ?? entity.relationship(key)?.isTransient ?? false {
      return nil
    }
    return names[key].map { .stored($0) }
  }
}

extension ReadableStore {
  /// The numbers of keys for queries.
  package var storedKeys: StoredKeys { StoredKeys(cataloguing.withLock { catalogue.keys }) }

  /// Makes a query about what a snapshot has ready.
  ///
  /// - Parameter text: what it was read from, so that an error can point into it.
  /// - Throws: where its names or values do not fit the model of the snapshot's time.
  package func prepare(
    _ query: Query, in snapshot: Snapshot, text: String? = nil
  ) throws(QueryError) -> SnapshotQuery {
    guard let model = snapshot.era?.model else { throw .noModel(query) }
    return SnapshotQuery(try query.bound(to: model, storedKeys, text: text), in: snapshot)
  }
}
