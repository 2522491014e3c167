internal import ObjectModel
internal import ObjectQuery
internal import ObjectStore

/// What a context was asked for last, bound and planned, so that what is asked again and again is bound once.
///
/// Only what goes by the model and the numbers of keys alone is kept: neither ever changes within an era. What holds many
/// values is not kept.
struct BoundQueries {
  private struct Kept {
    let request: FetchRequest
    let eraCount: Int
    let query: SnapshotQuery
  }

  private static let largestCount = 8
  private static let largestWeight = 1_000
  /// Those that were kept last come last.
  private var kept: [Kept] = []

  /// What a request was bound to; nil where that is not known.
  func query(of request: FetchRequest, in snapshot: Snapshot) -> SnapshotQuery? {
    kept.last { $0.eraCount == snapshot.eras.count && $0.request.asksTheSame(as: request) }?.query
  }

  mutating func keep(_ query: SnapshotQuery, of request: FetchRequest, in snapshot: Snapshot) {
    guard request.weight <= Self.largestWeight else { return }
    if kept.count == Self.largestCount { kept.removeFirst() }
    kept.append(Kept(request: request, eraCount: snapshot.eras.count, query: query))
  }
}

extension FetchRequest {
  /// Whether both are bound to the same query.
  fileprivate func asksTheSame(as other: FetchRequest) -> Bool {
    limit == other.limit && offset == other.offset && condition.saysTheSame(as: other.condition)
      && entityName == other.entityName && sortKeys == other.sortKeys
  }

  fileprivate var weight: Int {
    sortKeys.reduce(condition.weight) { $0 + $1.operand.weight }
  }
}

extension FetchRequest.Condition {
  /// Texts that only look alike have values in them that are not the same.
  fileprivate func saysTheSame(as other: Self) -> Bool {
    switch (self, other) {
    case (.text(let one), .text(let other)): one.hasSameBytes(as: other)
    case (.filter(let one), .filter(let other)): one == other
    default: false
    }
  }

  fileprivate var weight: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .filter(let filter): filter.weight
    }
  }
}
