internal import ObjectStore

/// What a context was asked for last, bound and planned, so that what is asked again and again is bound once.
///
/// Only what goes by the model and the numbers of keys alone is kept: neither ever changes within an era.
struct BoundQueries {
  private struct Kept {
    let request: FetchRequest
    let eraCount: Int
    let query: SnapshotQuery
  }

  private static let largestCount = 8
  /// Those that were kept last come last.
  private var kept: [Kept] = []

  /// What a request was bound to; nil where that is not known.
  func query(of request: FetchRequest, in snapshot: Snapshot) -> SnapshotQuery? {
    kept.last { $0.eraCount == snapshot.eras.count && $0.request.asksTheSame(as: request) }?.query
  }

  mutating func keep(_ query: SnapshotQuery, of request: FetchRequest, in snapshot: Snapshot) {
    if kept.count == Self.largestCount { kept.removeFirst() }
    kept.append(Kept(request: request, eraCount: snapshot.eras.count, query: query))
  }
}

extension FetchRequest {
  /// Whether both are bound to the same query.
  fileprivate func asksTheSame(as other: FetchRequest) -> Bool {
    limit == other.limit && offset == other.offset && condition == other.condition
      && entityName == other.entityName && sortKeys == other.sortKeys
  }
}
