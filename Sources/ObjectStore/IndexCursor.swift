internal import ObjectModel

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
  /// Costs: a search each time that another source has the next entry.
  ///
  /// - Parameter body: returns whether to go on.
  mutating func forEach(_ body: (IndexEntry) throws(StoreError) -> Bool) throws(StoreError) {
    try forEachStretch { (entries) throws(StoreError) in
      for entry in entries {
        guard try body(entry) else { return false }
      }
      return true
    }
  }

  /// The same, with as many entries at a time as follow one another in one source.
  mutating func forEachStretch(
    _ body: (ArraySlice<IndexEntry>) throws(StoreError) -> Bool
  ) throws(StoreError) {
    while let (source, bound) = try next() {
      let place = sources[source].place
      let end = end(of: sources[source].entries, from: place, before: bound)
      guard try body(sources[source].entries[place..<end]) else { return }
      sources[source].move(to: end)
    }
  }

  /// Where those end that stand before what others have: the first is the least of all.
  private func end(
    of entries: ContiguousArray<IndexEntry>, from place: Int, before bound: IndexEntry?
  ) -> Int {
    guard let bound else { return entries.count }
    // Few follow where sources lie within each other, and many where they do not.
    var (known, step) = (place, 1)
    while known + step < entries.count, precedes(entries[known + step], bound) {
      known += step
      step *= 2
    }
    let rest = known + 1..<min(known + step, entries.count)
    return rest.firstPlace(inOrder: { !precedes(entries[$0], bound) })
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
