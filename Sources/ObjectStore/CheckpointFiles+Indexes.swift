internal import DiskAccess
internal import Journaling
internal import ObjectModel

extension CheckpointFiles {
  /// Writes what has changed in indexes into a run, with those runs that are not much larger.
  ///
  /// - Parameters:
  ///   - merging: whether all runs become one.
  ///   - meter: told what is written.
  mutating func writeIndexRuns(
    of index: SnapshotIndex, merging: Bool, _ meter: CompactionMeter? = nil,
    salt: () throws(StoreError) -> UInt64
  ) throws(StoreError) -> [IndexRun] {
    let changes = index.changes.filter { !$0.isEmpty }
    var runs = index.runs
    var entryCount = changes.reduce(0) { $0 + UInt64($1.count) }
    var mergedCount = 0
    while mergedCount < runs.count, merging || runs[mergedCount].entryCount <= 2 * entryCount {
      entryCount += runs[mergedCount].entryCount
      mergedCount += 1
    }
    let numbers = Set(index.numbers.compactMap(\.self))
    let hasRest = runs.contains { $0.removedCount > 0 || !$0.indexes.isSubset(of: numbers) }
    guard !changes.isEmpty || merging && (mergedCount > 1 || hasRest) else {
      // What is compact already is read all the same: damage is to be noticed while it can be mended.
      for run in runs where merging {
        try onRun { () throws(RunError) in try run.verify() }
        try meter?.pass(Double(run.entryCount))
      }
      return runs
    }
    let origins =
      changes.map { IndexSource.Origin.tree($0) } + runs.prefix(mergedCount).map { .run($0) }
    let run = try writeIndexRun(
      origins, of: index, isLast: mergedCount == runs.count, meter, salt: salt)
    runs.replaceSubrange(0..<mergedCount, with: run.map { [$0] } ?? [])
    return runs
  }

  /// Writes the entries of several sources into one run.
  ///
  /// - Parameter isLast: whether no run lies below, so that nothing need be said of what is removed.
  mutating func writeIndexRun(
    _ origins: [IndexSource.Origin], of index: SnapshotIndex, isLast: Bool,
    _ meter: CompactionMeter? = nil, salt: () throws(StoreError) -> UInt64
  ) throws(StoreError) -> IndexRun? {
    let numbers = Set(index.numbers.compactMap(\.self))
    var cursor = IndexCursor(origins, from: .least, before: .greatest)
    return try writeIndexRun(salt: try salt()) { (append) throws(StoreError) in
      try cursor.forEach { (entry) throws(StoreError) in
        let isWanted = numbers.contains(entry.index) && !(isLast && entry.isRemoved)
        if isWanted { try append(entry) }
        try meter?.pass()
        return true
      }
    }
  }

  /// Writes a run of index entries in order.
  ///
  /// - Parameter entries: calls its argument with each of them.
  /// - Returns: the run; nil where there were no entries, and so there is no run.
  private mutating func writeIndexRun(
    salt: UInt64,
    _ entries: ((IndexEntry) throws(StoreError) -> Void) throws(StoreError) -> Void
  ) throws(StoreError) -> IndexRun? {
    let name = newName(Checkpoint.indexRunExtension)
    var isEmpty = true
    var failure: StoreError?
    do throws(RunError) {
      var writer = try IndexRunWriter(making: name, in: folder, store: store, salt: salt)
      do throws(StoreError) {
        try entries { (entry) throws(StoreError) in
          isEmpty = false
          do throws(RunError) {
            try writer.append(entry)
          } catch {
            throw StoreError(error)
          }
        }
      } catch {
        failure = error
      }
      if failure == nil, !isEmpty { try writer.finish() }
    } catch {
      failure = StoreError(error)
    }
    if let failure { throw failure }
    if isEmpty { return nil }
    return try onRun { () throws(RunError) in
      try IndexRun(name, in: folder, store: store, cache: cache)
    }
  }
}
