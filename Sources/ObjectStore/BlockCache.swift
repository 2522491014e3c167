internal import DiskAccess

/// What has been decompressed of runs: directories and columns of their blocks, up to a number of bytes.
/// Those used least recently go first. Any thread may use it.
///
/// What a reader is using stays in memory until it has done, even where it has left the cache meanwhile.
///
/// Costs: finding takes about 50 ns. A directory or column of more bytes than the cache may hold is not kept.
package final class BlockCache: @unchecked Sendable {
  /// The most bytes it holds.
  package let largestByteCount: Int
  private let lock = Lock()
  private var table = SectionTable()
  private var lastRun: UInt32 = 0

  package init(largestByteCount: Int) {
    precondition(largestByteCount >= 0, "a cache cannot hold fewer than no bytes")
    self.largestByteCount = largestByteCount
  }

  /// How many bytes it holds.
  package var byteCount: Int { lock.withLock { table.byteCount } }

  /// How many directories and columns it holds.
  package var sectionCount: Int { lock.withLock { table.count } }

  /// A number for a run, by which its sections are found.
  func numberForRun() -> UInt32 {
    lock.withLock {
      precondition(lastRun < .max, "a cache has seen more runs than it can number")
      lastRun += 1
      return lastRun
    }
  }

  func section(_ key: SectionKey) -> Section? {
    lock.lock()
    defer { lock.unlock() }
    return table.use(key)
  }

  /// Columns that follow one another; nil where it does not hold all of them.
  func columns(from first: SectionKey, count: Int) -> [ColumnContent]? {
    var columns: [ColumnContent] = []
    columns.reserveCapacity(count)
    lock.lock()
    defer { lock.unlock() }
    for place in 0..<UInt32(count) {
      let key = SectionKey(run: first.run, block: first.block, part: first.part + place)
      guard case .column(let column) = table.use(key) else { return nil }
      columns.append(column)
    }
    return columns
  }

  /// Keeps a section, unless there is one already.
  ///
  /// - Returns: the one that is kept, or the one given.
  func keep(_ section: Section, _ key: SectionKey) -> Section {
    let byteCount = section.memoryByteCount
    guard byteCount <= largestByteCount else { return section }
    lock.lock()
    defer { lock.unlock() }
    if let kept = table.use(key) { return kept }
    // Sections let go are freed while the lock is held: that takes no longer than finding them.
    while table.byteCount > largestByteCount - byteCount { table.removeLeastRecent() }
    table.insert(section, key, byteCount: byteCount)
    return section
  }

  /// Forgets what it holds of a run.
  func removeAll(ofRun number: UInt32) {
    lock.withLock { table.removeAll(ofRun: number) }
  }
}

/// The part of a block that is kept by itself.
enum Section {
  case directory(BlockDirectory)
  case column(ColumnContent)

  var memoryByteCount: Int {
    switch self {
    case .directory(let directory): directory.memoryByteCount
    case .column(let column): column.memoryByteCount
    }
  }
}

/// Which part of which block of which run.
struct SectionKey: Hashable {
  let run: UInt32
  let block: UInt32
  /// 0 is the directory, 1 the first column.
  let part: UInt32

  static func directory(_ block: Int, ofRun run: UInt32) -> SectionKey {
    SectionKey(run: run, block: UInt32(block), part: 0)
  }

  static func column(_ place: Int, _ block: Int, ofRun run: UInt32) -> SectionKey {
    SectionKey(run: run, block: UInt32(block), part: UInt32(place + 1))
  }
}
