package import ObjectModel

/// An index in whose order the first objects of a query can be found, so that the others need not be looked at.
package struct IndexWalk: Hashable, Sendable {
  package let key: KeyNumber
  /// What is gone along, in the order of the values.
  package let ranges: [ValueRange]
  package let isDescending: Bool
  /// Whether objects without a value may be wanted, which the index does not have. They come last.
  package let leavesNull: Bool
  /// How many entries are looked at before it is given up, because looking at all objects would take less.
  package let largestCount: Int
}

extension IndexWalk {
  /// How many entries are looked at for each object that is wanted.
  private static let patience = 64

  /// The walk that finds what a query wants; nil where none does.
  init?(_ query: BoundQuery, _ access: QueryPlan.Access, hasIndex: (KeyNumber) -> Bool) {
    guard let limit = query.limit, limit > 0, let first = query.sort.first,
      let key = first.plainKey, hasIndex(key), first.path.type.isIndexedInOrder
    else { return nil }
    switch access {
    case .index(let scan) where scan.key == key && scan.breadth > .several:
      (ranges, leavesNull) = (scan.ranges, false)
    case .all where first.isDescending:
      (ranges, leavesNull) = ([ValueRange(from: nil, to: nil)], true)
    default: return nil
    }
    self.key = key
    isDescending = first.isDescending
    let (wanted, isTooLarge) = limit.addingReportingOverflow(query.offset)
    let (count, isOverflow) = wanted.multipliedReportingOverflow(by: Self.patience)
    largestCount = isTooLarge || isOverflow ? .max : max(count, 256)
  }
}

extension OperandType {
  /// Whether an index has values of the type in the order in which they are sorted.
  fileprivate var isIndexedInOrder: Bool {
    switch storedKind {
    case .boolean, .integer, .counter, .string, .date, .uuid, .data, .url: true
    default: false
    }
  }
}
