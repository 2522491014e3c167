internal import ObjectModel

extension ReadableStore {
  /// What of the indexes of a state is not so in its rows.
  ///
  /// Entries stand in the order of their values, and rows in that of the objects: sums of their hashes are
  /// compared, which are the same in any order.
  func compareIndexes(of snapshot: Snapshot) throws(StoreError) -> [StoreFinding] {
    let index = snapshot.index
    var sums: [IndexNumber: IndexSum] = [:]
    let numbered = index.numbers.enumerated().compactMap { place, number in
      number.map { (place, $0) }
    }
    try snapshot.forEachEntryOfRows(numbered) { (entry) throws(StoreError) in
      sums[entry.index, default: IndexSum()].add(entry)
      return true
    }
    var cursor = IndexCursor(index.keptSources, from: .least, before: .greatest)
    try cursor.forEach { (entry) throws(StoreError) in
      if !entry.isRemoved { sums[entry.index, default: IndexSum()].subtract(entry) }
      return true
    }
    var findings: [StoreFinding] = []
    for (place, number) in numbered where sums[number]?.isZero == false {
      let (key, entity) = (index.indexing.indexes[place].key, index.indexing.indexes[place].entity)
      findings.append(
        StoreFinding(
          "the index of \(snapshot.era?.name(of: entity) ?? "").\(name(of: key) ?? "") is not what "
            + "the rows make of it."))
    }
    return findings
  }
}

/// How many entries there are in rows beyond those in an index, and the sum of their hashes.
private struct IndexSum {
  private var count = 0
  private var sum: UInt64 = 0

  var isZero: Bool { count == 0 && sum == 0 }

  mutating func add(_ entry: IndexEntry) {
    count += 1
    sum &+= UInt64(bitPattern: Int64(entry.hashValue))
  }

  mutating func subtract(_ entry: IndexEntry) {
    count -= 1
    sum &-= UInt64(bitPattern: Int64(entry.hashValue))
  }
}
