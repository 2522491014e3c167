internal import DiskAccess
internal import Journaling
internal import ObjectModel

extension ReadableStore {
  /// What is wrong with the files of indexes as a checkpoint names them: who opens a store does without those that are
  /// damaged, as the rows have everything of them.
  ///
  /// - Parameter known: runs that are open and have been read to their ends.
  /// - Throws: also where the rows' files are not those that are named.
  func indexFindings(
    of checkpoint: Checkpoint, besides known: [IndexRun]
  ) throws(StoreError) -> [StoreFinding] {
    // What is met here is no matter of those who read on.
    let cache = BlockCache(largestByteCount: 0)
    let store = manifest.store
    let loss = try checkpoint.fold(of: store, in: folder, cache: cache).snapshot.index.loss
    guard !checkpoint.indexes.runs.isEmpty else {
      return loss.map { [StoreFinding(ofIndex: $0)] } ?? []
    }
    let files = try onDiskOfStore { () throws(DiskError) in
      try folder.folderForReading(Checkpoint.folderName)
    }
    var findings: [StoreFinding] = []
    for named in checkpoint.indexes.runs {
      do throws(RunError) {
        let run = try IndexRun(named.name, in: files, store: store, cache: cache)
        if Checkpoint.NamedRun(run) != named {
          findings.append(StoreFinding(ofIndex: .runReplaced(named.name)))
        } else if !known.contains(where: { $0.name == named.name }) {
          try run.verify()
        }
      } catch {
        let failure = StoreError(error)
        if case .disk(let cause) = error, cause.code == .notFound {
          findings.append(StoreFinding(ofIndex: .runMissing(named.name)))
        } else if failure.isFinding {
          findings.append(StoreFinding(ofIndex: failure))
        } else {
          throw failure
        }
      }
    }
    if findings.isEmpty, let loss { findings.append(StoreFinding(ofIndex: loss)) }
    return findings
  }

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
          "the index of \(snapshot.era?.name(of: entity) ?? "").\(nameTold(of: key)) is not what "
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
