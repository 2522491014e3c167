internal import ObjectModel
internal import ObjectQuery
package import ObjectStore

/// How all objects of a state are gone through: entity by entity.
extension Snapshot {
  /// The entities that inherit from no other: each object is of one of them, or of an entity that inherits from it.
  package var rootEntities: [String] {
    (era?.model.descriptions ?? []).filter { $0.parent == nil }.map(\.name)
  }
}

extension ReadableStore {
  /// A query of all objects of an entity, and of those that inherit from it.
  package func queryOfAll(
    _ entity: String, in snapshot: Snapshot
  ) throws(ToolError) -> SnapshotQuery {
    try onQuery { () throws(QueryError) in try prepare(Query(entity: entity), in: snapshot) }
  }
}
