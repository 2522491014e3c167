internal import DiskAccess
internal import ObjectModel

/// The entries of the indexes that a snapshot does not keep, made when they are first asked for, and kept
/// where they are not too many. Any thread may ask.
final class UnkeptIndexes: @unchecked Sendable {
  private enum Content {
    case unmade
    case made(ContiguousArray<IndexEntry>)
    case tooMany
  }

  private let lock = Lock()
  /// Guarded by `lock`.
  private var content = Content.unmade

  var isMade: Bool {
    lock.withLock { if case .unmade = content { false } else { true } }
  }

  /// The entries; nil where they are too many.
  func entries(
    _ make: () throws(StoreError) -> ContiguousArray<IndexEntry>?
  ) throws(StoreError) -> ContiguousArray<IndexEntry>? {
    lock.lock()
    defer { lock.unlock() }
    if case .unmade = content { content = try make().map { .made($0) } ?? .tooMany }
    guard case .made(let entries) = content else { return nil }
    return entries
  }
}

/// The rows that an index is made of, each time that it is gone over, because its entries are too many to be
/// kept: so many of them at a time as memory has room for.
///
/// Costs: reading all rows once for each so many entries.
struct IndexedRows {
  private let snapshot: Snapshot
  private let place: Int
  /// How many entries are made at a time.
  let limit: Int

  init(_ snapshot: Snapshot, place: Int) {
    self.snapshot = snapshot
    self.place = place
    // While they are chosen, there are twice as many.
    limit = max(1, snapshot.keptEntryCount / 2)
  }

  /// Adds the first entries, in the order in which they are gone over, of those from one on that stand before
  /// another.
  func load(
    from start: IndexEntry, before end: IndexEntry, descending: Bool,
    into entries: inout ContiguousArray<IndexEntry>
  ) throws(StoreError) {
    func precedes(_ one: IndexEntry, _ other: IndexEntry) -> Bool {
      descending ? other < one : one < other
    }
    var last: IndexEntry?
    try snapshot.forEachEntryOfRows([(place, .ofScan(place))]) { (entry) throws(StoreError) in
      guard entry >= start, entry < end, last.map({ precedes(entry, $0) }) ?? true else {
        return true
      }
      entries.append(entry)
      if entries.count == 2 * limit {
        entries.sort(by: precedes)
        entries.removeLast(limit)
        last = entries.last
      }
      return true
    }
    entries.sort(by: precedes)
    entries.removeLast(max(0, entries.count - limit))
  }
}

extension Snapshot {
  /// How many entries of indexes that are not kept memory has room for: what is in no run is bounded itself.
  var keptEntryCount: Int {
    guard let run = layers.lazy.flatMap(\.runs).first else { return .max }
    return max(16, run.cache.largestByteCount / MemoryLayout<IndexEntry>.stride)
  }

  /// The entries that rows make for some of the indexes, in order; nil where there are too many.
  ///
  /// Costs: reading all rows, and 48 bytes for each entry.
  func scanned(places: [Int]) throws(StoreError) -> ContiguousArray<IndexEntry>? {
    var entries: ContiguousArray<IndexEntry> = []
    let largestCount = keptEntryCount
    let numbers = places.map { ($0, IndexNumber.ofScan($0)) }
    try forEachEntryOfRows(numbers) { (entry) throws(StoreError) in
      entries.append(entry)
      return entries.count <= largestCount
    }
    if entries.count > largestCount { return nil }
    entries.sort()
    return entries
  }

  /// Calls a closure with the entries that rows make for some of the indexes, in the order of the objects.
  ///
  /// - Parameters:
  ///   - numbered: the places of the indexes, and the numbers that their entries get.
  ///   - body: returns whether to go on.
  func forEachEntryOfRows(
    _ numbered: [(place: Int, number: IndexNumber)],
    _ body: (IndexEntry) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let numbers = Dictionary(firstOf: numbered.map { ($0.place, $0.number) })
    var rows = LayeredRows(of: self)
    while let next = try rows.next() {
      let indexed = index.indexing.places(of: next.object.entity)
      if indexed.isEmpty { continue }
      guard let row = converted(next.stored.row, of: next.object, from: next.era) else { continue }
      for (key, place) in indexed {
        if let number = numbers[place], let value = row[key],
          let entry = IndexEntry(number, value, of: next.object)
        {
          guard try body(entry) else { return }
        }
      }
    }
  }

  private func converted(_ row: Row?, of object: ObjectID, from index: Int) -> Row? {
    convert(row, of: object, from: index, to: eras.count - 1)
  }
}
