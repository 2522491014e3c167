/// Goes over the entries of several sources together, the newest of each object and value.
struct IndexCursor {
  private var sources: [IndexSource]
  private let descending: Bool

  /// The entries from one on that stand before another.
  ///
  /// - Parameter origins: the newest first.
  init(
    _ origins: [IndexSource.Origin], from start: IndexEntry, before end: IndexEntry,
    descending: Bool = false
  ) {
    sources = origins.map {
      IndexSource($0, from: start, before: end, descending: descending)
    }
    self.descending = descending
  }

  /// Calls a closure with each entry, those that are removed too.
  ///
  /// Costs: a comparison an entry where sources do not lie within each other.
  ///
  /// - Parameter body: returns whether to go on.
  mutating func forEach(_ body: (IndexEntry) throws(StoreError) -> Bool) throws(StoreError) {
    while let (source, bound) = try next() {
      var place = sources[source].place
      let entries = sources[source].entries
      // The first is the least of all; the others are as long as they stand before what others have.
      repeat {
        guard try body(entries[place]) else { return }
        place += 1
      } while place < entries.count
        && (bound.map { precedes(entries[place], $0) } ?? true)
      sources[source].move(to: place)
    }
  }

  /// The source whose turn it is, and the first entry of any other; nil at the end of all.
  private mutating func next() throws(StoreError) -> (source: Int, bound: IndexEntry?)? {
    var first: (entry: IndexEntry, source: Int)?
    var bound: IndexEntry?
    for index in sources.indices {
      guard let head = try sources[index].head() else { continue }
      guard let least = first else {
        first = (head, index)
        continue
      }
      if least.entry.isSame(as: head) {
        // What lies below is older.
        sources[index].move(to: sources[index].place + 1)
        if let next = try sources[index].head() { lower(&bound, to: next) }
      } else if precedes(head, least.entry) {
        lower(&bound, to: least.entry)
        first = (head, index)
      } else {
        lower(&bound, to: head)
      }
    }
    return first.map { ($0.source, bound) }
  }

  private func lower(_ bound: inout IndexEntry?, to entry: IndexEntry) {
    if bound.map({ precedes(entry, $0) }) ?? true { bound = entry }
  }

  @inline(__always)
  private func precedes(_ one: IndexEntry, _ other: IndexEntry) -> Bool {
    descending ? other < one : one < other
  }
}
