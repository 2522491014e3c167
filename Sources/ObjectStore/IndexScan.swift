internal import DiskAccess
internal import ObjectModel

/// The entries of the indexes that a snapshot does not keep, made when they are first asked for. Any thread
/// may ask.
final class IndexScan: @unchecked Sendable {
  private let lock = Lock()
  /// Guarded by `lock`.
  private var made: ContiguousArray<IndexEntry>?

  var isMade: Bool { lock.withLock { made != nil } }

  func entries(
    _ make: () throws(StoreError) -> ContiguousArray<IndexEntry>
  ) throws(StoreError) -> ContiguousArray<IndexEntry> {
    lock.lock()
    defer { lock.unlock() }
    if let made { return made }
    let entries = try make()
    made = entries
    return entries
  }
}

extension Snapshot {
  /// The entries that rows make for some of the indexes, in order.
  ///
  /// Costs: reading all rows, and 48 bytes for each entry.
  func scanned(places: [Int]) throws(StoreError) -> ContiguousArray<IndexEntry> {
    var entries: ContiguousArray<IndexEntry> = []
    let numbers = places.map { ($0, IndexNumber.ofScan($0)) }
    try forEachEntryOfRows(numbers) { (entry) throws(StoreError) in entries.append(entry) }
    entries.sort()
    return entries
  }

  /// Calls a closure with the entries that rows make for some of the indexes, in the order of the objects.
  ///
  /// - Parameter numbered: the places of the indexes, and the numbers that their entries get.
  func forEachEntryOfRows(
    _ numbered: [(place: Int, number: IndexNumber)],
    _ body: (IndexEntry) throws(StoreError) -> Void
  ) throws(StoreError) {
    let numbers = Dictionary(numbered.map { ($0.place, $0.number) }) { first, _ in first }
    var rows = LayeredRows(of: self)
    while let next = try rows.next() {
      let indexed = index.indexing.places(of: next.object.entity)
      if indexed.isEmpty { continue }
      guard let row = converted(next.stored.row, of: next.object, from: next.era) else { continue }
      for (key, place) in indexed {
        if let number = numbers[place], let value = row[key],
          let entry = IndexEntry(number, value, of: next.object)
        {
          try body(entry)
        }
      }
    }
  }

  private func converted(_ row: Row?, of object: ObjectID, from index: Int) -> Row? {
    convert(row, of: object, from: index, to: eras.count - 1)
  }
}
