package import ObjectModel

// All rows of an entity in batches, for filters over few of their keys.
extension Snapshot {
  /// Calls a closure with all objects of an entity, batch by batch. Within a batch they are in order; the
  /// batches are not: what changed last comes first.
  ///
  /// Costs: of the rows that are in runs nothing is read but what the batches are asked for, and which objects
  /// there are.
  ///
  /// - Parameter body: returns whether to go on.
  package func forEachBatch(
    of entity: EntityNumber, origin: UInt16 = 0,
    _ body: (RowBatch) throws(StoreError) -> Bool
  ) throws(StoreError) {
    guard era?.name(of: entity) != nil else { return }
    let first = ObjectID(origin: origin, entity: entity, number: 0, store: store)
    var newer = NewerRows()
    for layer in layers {
      guard try forEachChanged(layer, from: first, newer, body) else { return }
      if !layer.changes.isEmpty { newer.tables.append(layer.changes) }
      for run in layer.runs {
        for index in run.index.blocks(ofPrefix: first.rawValue) {
          let batch = try onRun { () throws(RunError) in
            var batch = try run.batch(ofBlock: index)
            try newer.hideRows(of: &batch)
            return batch
          }
          let isOld = layer.era < eras.count - 1
          guard try body(isOld ? converted(batch, from: layer.era) : batch) else { return }
        }
        newer.runs.append(run)
      }
    }
  }

  private static let largestChangeCount = 1_000

  /// Hands out what a layer has in memory of an entity.
  ///
  /// - Returns: whether to go on.
  private func forEachChanged(
    _ layer: Layer, from first: ObjectID, _ newer: NewerRows,
    _ body: (RowBatch) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    var next: UInt64? = first.rawValue
    while let start = next {
      var objects: [ObjectID] = []
      layer.changes.forEach(from: start) { rawValue, _ in
        guard RunIndex.prefix(of: rawValue) == first.rawValue else { return false }
        objects.append(ObjectID(rawValue: rawValue, store: store))
        return objects.count < Self.largestChangeCount
      }
      next = objects.count < Self.largestChangeCount ? nil : objects.last.map { $0.rawValue &+ 1 }
      var rows: [(object: ObjectID, row: Row)] = []
      for object in objects where try onRun({ () throws(RunError) in try !newer.has(object) }) {
        if let row = try row(of: object) { rows.append((object, row)) }
      }
      if rows.isEmpty { continue }
      guard try body(RowBatch(.rows(rows))) else { return false }
    }
    return true
  }

  /// The rows of an older era as the snapshot's era has them.
  private func converted(_ batch: RowBatch, from era: Int) throws(StoreError) -> RowBatch {
    var rows: [(object: ObjectID, row: Row)] = []
    for place in 0..<batch.count where batch.hasRow(place) {
      let object = batch.object(place)
      if let row = convert(try batch.row(place), of: object, from: era, to: eras.count - 1) {
        rows.append((object, row))
      }
    }
    return RowBatch(.rows(rows))
  }
}

/// What lies above some rows and hides them.
private struct NewerRows {
  var tables: [ObjectTable<Overlay>] = []
  var runs: [Run] = []

  func has(_ object: ObjectID) throws(RunError) -> Bool {
    if tables.contains(where: { $0[object] != nil }) { return true }
    for run in runs where try run.place(of: object) != nil { return true }
    return false
  }

  /// Hides the rows of a block whose objects have been changed since.
  func hideRows(of batch: inout RowBatch) throws(RunError) {
    guard case .block(_, let block) = batch.source else { return }
    let directory = block.directory
    let (first, last) = (directory.firstObject, directory.object(directory.rowCount - 1))
    for table in tables {
      table.forEach(from: first) { object, _ in
        guard object <= last else { return false }
        if let place = directory.place(of: object) { batch.hide(place) }
        return true
      }
    }
    for run in runs {
      var index = run.index.firstBlock(notBefore: first)
      while index < run.blockCount, run.index.entries[index].firstObject <= last {
        let newer = try run.block(index).directory
        var place = newer.firstPlace(notBefore: first)
        while place < newer.rowCount, newer.object(place) <= last {
          if let own = directory.place(of: newer.object(place)) { batch.hide(own) }
          place += 1
        }
        index += 1
      }
    }
  }
}
