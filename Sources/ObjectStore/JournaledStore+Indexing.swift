internal import DiskAccess
internal import Journaling
internal import ObjectModel

// How indexes are written at checkpoints, and made anew of the rows.
extension JournaledStore {
  /// How many entries are sorted in memory at a time where indexes are made of the rows.
  private var sortedCount: Int {
    max(16, options.unflushedByteCount / MemoryLayout<IndexEntry>.stride)
  }

  private func salt() throws(StoreError) -> UInt64 { try journal.randomSalt() }

  /// Makes the indexes that are not kept of the rows, while nobody else has the store yet. Holds nothing.
  ///
  /// Where rows are damaged to stay, they are not kept still: who asks for one has it made of the rows, and is told.
  func makeMissingIndexes() throws(StoreError) {
    guard !pending.snapshot.index.isComplete else { return }
    let loss = pending.snapshot.index.loss
    let made = try mending { (isLast) throws(StoreError) in
      try checkpointing.withLock { () throws(StoreError) in
        try entriesOfMissingIndexes(orNone: isLast)
      }
    }
    guard let (entries, runs) = made else { return }
    if let loss { note([.indexMadeAnew(because: loss)]) }
    pending.keepMissingIndexes(entries, runs)
    publish(anew: pending.latest)
    // What was written is named by no checkpoint yet, or what is damaged still is.
    if !runs.isEmpty || loss != nil { flush() }
  }

  /// - Parameter sparesDamage: whether there are none where rows are damaged; that is thrown otherwise.
  private func entriesOfMissingIndexes(
    orNone sparesDamage: Bool
  ) throws(StoreError) -> (ContiguousArray<IndexEntry>, [IndexRun])? {
    var snapshot = pending.snapshot
    let places = snapshot.index.keepAll()
    do throws(StoreError) {
      return try entriesOfRows(of: snapshot, places: places)
    } catch {
      guard sparesDamage, error.code == .damaged else { throw error }
      return nil
    }
  }

  /// Writes what has changed in the indexes of a state into a run, with those runs that are not much larger.
  /// Holds `checkpointing`.
  ///
  /// Where a run is damaged all entries are made anew of the rows.
  ///
  /// - Parameters:
  ///   - merging: whether all runs become one.
  ///   - mends: whether all runs are read, because one was found damaged. Where the rows are damaged as well, as
  ///     much is written as can be.
  func writeIndexRuns(
    _ cut: Cut, merging: Bool, mends: Bool, _ meter: CompactionMeter?
  ) throws(StoreError) -> [IndexRun] {
    func write(merging: Bool) throws(StoreError) -> [IndexRun] {
      try files.writeIndexRuns(of: cut.snapshot.index, merging: merging, meter, salt: salt)
    }
    do throws(StoreError) {
      return try write(merging: merging || mends)
    } catch {
      guard error.code == .damaged else { throw error }
      do throws(StoreError) {
        let runs = try indexRunsOfRows(cut)
        note([.indexMadeAnew(because: error)])
        return runs
      } catch {
        guard error.code == .damaged, mends, !merging else { throw error }
        return try write(merging: false)
      }
    }
  }

  private func indexRunsOfRows(_ cut: Cut) throws(StoreError) -> [IndexRun] {
    let index = cut.snapshot.index
    let places = index.numbers.indices.filter { index.numbers[$0] != nil }
    var (entries, runs) = try entriesOfRows(of: cut.snapshot, places: places)
    entries.sort()
    if !entries.isEmpty,
      let run = try files.writeIndexRun([.sorted(entries)], of: index, isLast: true, salt: salt)
    {
      runs.append(run)
    }
    return runs
  }

  /// The entries that the rows of a state make for some of its indexes: in one run as far as there are more of
  /// them than are sorted in memory at a time, and otherwise in no order.
  private func entriesOfRows(
    of snapshot: Snapshot, places: [Int]
  ) throws(StoreError) -> (ContiguousArray<IndexEntry>, [IndexRun]) {
    var entries: ContiguousArray<IndexEntry> = []
    var runs: [IndexRun] = []
    let index = snapshot.index
    let numbered = places.compactMap { place in index.numbers[place].map { (place, $0) } }
    try snapshot.forEachEntryOfRows(numbered) { (entry) throws(StoreError) in
      entries.append(entry)
      guard entries.count == sortedCount else { return true }
      entries.sort()
      if let run = try files.writeIndexRun([.sorted(entries)], of: index, isLast: true, salt: salt)
      {
        runs.append(run)
      }
      entries.removeAll(keepingCapacity: true)
      return true
    }
    guard !runs.isEmpty else { return (entries, []) }
    entries.sort()
    let origins = [IndexSource.Origin.sorted(entries)] + runs.map { .run($0) }
    let run = try files.writeIndexRun(origins, of: index, isLast: true, salt: salt)
    return ([], [run].compactMap(\.self))
  }
}

extension StoreFinding {
  /// Damage of an index, which the rows have everything of.
  static func indexMadeAnew(because error: StoreError) -> StoreFinding {
    StoreFinding(error.whatHappened + " It was made anew from the rows.")
  }
}
