internal import ObjectModel

/// Some entries of an index in their order, forwards or backwards, a stretch of them at a time.
struct IndexSource {
  enum Origin {
    case tree(IndexTree)
    case run(IndexRun)
    case sorted(ContiguousArray<IndexEntry>)
    case rows(IndexedRows)
  }

  private let origin: Origin
  private let descending: Bool
  /// What is still to be loaded.
  private var start: IndexEntry
  private var end: IndexEntry
  /// The block of the run that comes next.
  private var block = 0
  private var isAtEnd = false
  /// What has been loaded, in the order in which it is gone over.
  private(set) var entries: ContiguousArray<IndexEntry> = []
  private(set) var place = 0

  private static let stride = 256

  /// The entries from one on that stand before another.
  init(_ origin: Origin, from start: IndexEntry, before end: IndexEntry, descending: Bool) {
    self.origin = origin
    self.descending = descending
    (self.start, self.end) = (start, end)
    if case .run(let run) = origin {
      block = descending ? run.lastBlock(before: end) : run.firstBlock(reaching: start)
    }
    isAtEnd = start >= end
  }

  /// The next entry; nil after the last.
  mutating func head() throws(StoreError) -> IndexEntry? {
    while place == entries.count {
      if isAtEnd { return nil }
      try load()
    }
    return entries[place]
  }

  /// Goes on behind a place of `entries`.
  mutating func move(to place: Int) { self.place = place }

  private mutating func load() throws(StoreError) {
    entries.removeAll(keepingCapacity: true)
    place = 0
    switch origin {
    case .tree(let tree): load(tree)
    case .rows(let rows):
      let (start, end) = (start, end)
      try rows.load(from: start, before: end, descending: descending, into: &entries)
      moveBorder(behind: rows.limit)
    case .sorted(let sorted):
      let (low, high) = (sorted.count(before: start), sorted.count(before: end))
      entries = descending ? ContiguousArray(sorted[low..<high].reversed()) : sorted
      if !descending {
        entries.removeSubrange(high...)
        place = low
      }
      isAtEnd = true
    case .run(let run):
      guard run.hasBlock(block, from: start, before: end) else {
        isAtEnd = true
        return
      }
      let (block, start, end) = (block, start, end)
      entries = try onRun { () throws(RunError) in
        try run.entries(ofBlock: block, from: start, before: end)
      }
      if descending { entries.reverse() }
      self.block += descending ? -1 : 1
    }
  }

  private mutating func load(_ tree: IndexTree) {
    if descending {
      tree.loadBackwards(from: start, before: end, limit: Self.stride, into: &entries)
    } else {
      tree.load(from: start, before: end, limit: Self.stride, into: &entries)
    }
    moveBorder(behind: Self.stride)
  }

  /// Goes on behind what has been loaded, if it is as many entries as may be loaded at a time.
  private mutating func moveBorder(behind count: Int) {
    isAtEnd = entries.count < count
    guard let last = entries.last else { return }
    if descending { end = last } else { start = last.successor }
    isAtEnd = isAtEnd || start >= end || !descending && start == last
  }
}

extension ContiguousArray<IndexEntry> {
  /// How many of the entries, which are in order, stand before one.
  fileprivate func count(before entry: IndexEntry) -> Int {
    indices.firstPlace(inOrder: { !(self[$0] < entry) })
  }
}
