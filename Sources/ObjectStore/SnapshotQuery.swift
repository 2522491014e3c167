package import ObjectModel
package import ObjectQuery

/// A query about what a snapshot has: bound to the model of its time, with the plan by which its indexes
/// answer it. It is for that snapshot, or another of the same model.
package struct SnapshotQuery: Sendable {
  package let query: BoundQuery
  package let plan: QueryPlan
  /// The entity that is asked for, and its heirs.
  package let entities: [EntityNumber]

  /// Plans how a snapshot answers a query that is bound to its model.
  package init(_ query: BoundQuery, in snapshot: Snapshot) {
    let names = [query.entity] + (snapshot.era?.model.entity(named: query.entity)?.heirs ?? [])
    let entities = names.compactMap { snapshot.era?.number(of: $0) }.sorted()
    self.query = query
    self.entities = entities
    plan = QueryPlan(query) { snapshot.hasIndex(of: $0, sharedBy: entities) }
  }

  /// What is done to answer it, for people.
  package var explanation: String { plan.explanation(of: query) }
}

extension Snapshot {
  /// Whether one index has a key of all of some entities.
  fileprivate func hasIndex(of key: KeyNumber, sharedBy entities: [EntityNumber]) -> Bool {
    let places = Set(entities.map { index.indexing.place(of: key, $0) })
    return places.count == 1 && places.first != .some(nil)
  }
}
