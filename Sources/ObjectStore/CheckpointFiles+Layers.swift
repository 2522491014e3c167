internal import Journaling
internal import ObjectModel

extension CheckpointFiles {
  /// Writes the changes of each era into a run, with those runs below that are not much larger.
  ///
  /// - Parameters:
  ///   - merging: whether every era's runs become one.
  ///   - kept: the first commit of which the state before can be asked for, and the era of that state. From this
  ///     era on, rows are those of the era; older ones become rows of it. Nil where all of the past is kept.
  ///   - meter: told what is written.
  ///   - salt: gives a random number.
  /// - Returns: layers that say the same, and have runs only.
  mutating func writeLayers(
    of snapshot: Snapshot, merging: Bool, keeping kept: (commit: CommitNumber, era: Int)?,
    _ meter: CompactionMeter? = nil, salt: () throws(StoreError) -> UInt64
  ) throws(StoreError) -> [Layer] {
    var eras = Dictionary(grouping: snapshot.layers, by: \.era).mapValues { layers in
      Layer(era: layers[0].era, runs: layers.flatMap(\.runs))
    }
    var layers: [Layer] = []
    for era in eras.keys.sorted(by: >) {
      guard var layer = eras.removeValue(forKey: era) else { continue }
      let changes = snapshot.layers.filter { $0.era == era && !$0.changes.isEmpty }
        .map(\.withoutRuns)
      let takesOlder = era == kept?.era
      let older = takesOlder ? snapshot.layers.filter { $0.era < era } : []
      var rowCount = changes.reduce(0) { $0 + UInt64($1.changes.count) }
      var mergedCount = 0
      while mergedCount < layer.runs.count,
        merging || takesOlder || layer.runs[mergedCount].rowCount <= 2 * rowCount
      {
        rowCount += layer.runs[mergedCount].rowCount
        mergedCount += 1
      }
      let isWritten =
        !changes.isEmpty || merging && mergedCount > 1 || !older.isEmpty || takesOlder
      if isWritten, rowCount > 0 || !older.isEmpty {
        let merged = Layer(era: era, runs: Array(layer.runs.prefix(mergedCount)))
        let run = try writeRun(
          of: changes + [merged] + older, snapshot, era: era,
          droppingDeletedBefore: takesOlder ? kept?.commit : nil, meter, salt: try salt())
        layer.runs.replaceSubrange(0..<mergedCount, with: [run])
      } else if merging {
        // What is compact already is read all the same: damage is to be noticed while it can be mended.
        for run in layer.runs {
          try onRun { () throws(RunError) in try run.verify() }
          try meter?.pass(Double(run.rowCount))
        }
      }
      if !layer.runs.isEmpty { layers.append(layer) }
      if takesOlder { break }
    }
    return layers
  }

  private mutating func writeRun(
    of layers: [Layer], _ snapshot: Snapshot, era: Int, droppingDeletedBefore kept: CommitNumber?,
    _ meter: CompactionMeter?, salt: UInt64
  ) throws(StoreError) -> Run {
    var rows = LayeredRows(layers, of: snapshot)
    return try writeRun(salt: salt) { (writer) throws(StoreError) in
      while true {
        if writer.takesBlocks, let (run, block) = try rows.nextBlock(ofEra: era),
          try writer.takeOver(block, of: run, unlessItHasDeletions: kept != nil)
        {
          rows.skipBlock(ofEra: era)
          try meter?.pass(Double(run.index.entries[block].rowCount))
          continue
        }
        guard let next = try rows.nextFound() else { return }
        try meter?.pass()
        let row = try next.row.converted(of: next.object, from: next.era, to: era, in: snapshot)
        if let kept, row.isDeleted, row.changed < kept { continue }
        try onRun { () throws(RunError) in try writer.append(next.object, row) }
      }
    }
  }
}

extension FoundRow {
  /// The row as a later era has it, or the same one.
  fileprivate func converted(
    of object: ObjectID, from era: Int, to later: Int, in snapshot: Snapshot
  ) throws(StoreError) -> FoundRow {
    if era >= later { return self }
    let stored = try onRun { () throws(RunError) in try self.stored() }
    let row = snapshot.convert(stored.row, of: object, from: era, to: later)
    return .stored(StoredRow(row, changed: stored.changed))
  }
}

extension RunWriter {
  /// Takes a block of another run over, as it is.
  ///
  /// - Returns: whether it did; nothing has been added where it did not.
  fileprivate mutating func takeOver(
    _ block: Int, of run: Run, unlessItHasDeletions: Bool
  ) throws(StoreError) -> Bool {
    guard takes(run.index.entries[block]) else { return false }
    do throws(RunError) {
      let sealed = try SealedBlock(block, of: run)
      if unlessItHasDeletions, sealed.hasDeletions { return false }
      try append(sealed)
      return true
    } catch {
      throw StoreError(error)
    }
  }
}

/// Keeps a state that is folded anew from outgrowing the memory: what has changed is written into runs, which
/// nothing names before the next checkpoint does.
struct FoldBound {
  private let byteCount: Int
  private var dueByteCount: Int
  private let journal: Journal
  private let sparedNames: [String]
  /// Whether what finds no room on the disk stays in memory.
  private let holdsWithoutRoom: Bool
  /// Whether anything was written.
  private(set) var hasWritten = false

  /// - Parameter names: files that stay, though nothing names them.
  init(
    _ byteCount: Int, _ journal: Journal, sparing names: [String] = [],
    holdsWithoutRoom: Bool = true
  ) {
    self.holdsWithoutRoom = holdsWithoutRoom
    (self.byteCount, dueByteCount) = (byteCount, byteCount)
    self.journal = journal
    sparedNames = names
  }

  /// Writes what a fold has changed, where it is too much.
  mutating func flush(
    _ fold: inout StoreFold, to files: inout CheckpointFiles
  ) throws(StoreError) {
    guard fold.snapshot.changesByteCount >= dueByteCount else { return }
    hasWritten = true
    do throws(StoreError) {
      let layers = try files.writeLayers(
        of: fold.snapshot, merging: false, keeping: nil,
        salt: { () throws(StoreError) in try journal.randomSalt() })
      let indexRuns = try writeIndexRuns(of: &fold.snapshot, to: &files)
      fold.snapshot.cover()
      fold.snapshot.replaceLayers(belowTop: layers, indexRuns)
      dueByteCount = byteCount
    } catch let error where error.code == .disk && holdsWithoutRoom {
      dueByteCount = 2 * fold.snapshot.changesByteCount
    }
    // Those that were merged, or not finished; what cannot be removed is in nobody's way.
    try? files.removeAll(
      notNamedBy: journal.manifest.attachments, norAmong: fold.snapshot.runNames + sparedNames)
  }

  /// Where an index run is damaged all indexes are lost, and made anew when the fold is done.
  private func writeIndexRuns(
    of snapshot: inout Snapshot, to files: inout CheckpointFiles
  ) throws(StoreError) -> [IndexRun] {
    do throws(StoreError) {
      return try files.writeIndexRuns(
        of: snapshot.index, merging: false,
        salt: { () throws(StoreError) in try journal.randomSalt() })
    } catch {
      guard error.code == .damaged else { throw error }
      snapshot.index.lose(because: error)
      return []
    }
  }
}

extension Journal {
  /// A random number for a run.
  func randomSalt() throws(StoreError) -> UInt64 {
    try onJournal { () throws(JournalError) in try randomNumber() }
  }
}
