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
          var batch = try onRun { () throws(RunError) in try run.batch(ofBlock: index) }
          if !newer.isEmpty { try newer.cover(&batch) }
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
      // Of an object that has some values here the others are below, and that is where it is handed out.
      for object in objects {
        guard case .whole(let stored)? = layer.changes[object] else { continue }
        let (isHidden, isPatched) = try onRun { () throws(RunError) in try newer.covers(object) }
        if isHidden { continue }
        let isAsItIs = !isPatched && layer.era == eras.count - 1
        if let row = isAsItIs ? stored.row : try row(of: object) { rows.append((object, row)) }
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
      let row =
        batch.isPatched(place)
        ? try row(of: object)
        : convert(try batch.row(place), of: object, from: era, to: eras.count - 1)
      if let row { rows.append((object, row)) }
    }
    return RowBatch(.rows(rows))
  }
}

/// What lies above some rows, and hides them or gives them later values.
private struct NewerRows {
  /// The newest first.
  var tables: [ObjectTable<Overlay>] = []
  var runs: [Run] = []

  var isEmpty: Bool { tables.isEmpty && runs.isEmpty }

  /// Whether an object's row is hidden, and whether there are later values for it.
  func covers(_ object: ObjectID) throws(RunError) -> (isHidden: Bool, isPatched: Bool) {
    var isPatched = false
    for table in tables {
      switch table[object] {
      case .whole?: return (true, false)
      case .partial?: isPatched = true
      case nil: break
      }
    }
    for run in runs where try run.place(of: object) != nil { return (true, false) }
    return (false, isPatched)
  }

  /// Hides the rows of a block that are no more, and puts later values over others.
  func cover(_ batch: inout RowBatch) throws(StoreError) {
    guard case .block(let run, let block) = batch.source else { return }
    let directory = block.directory
    let (first, last) = (directory.firstObject, directory.object(directory.rowCount - 1))
    for newer in runs {
      try onRun { () throws(RunError) in try hide(rowsOf: newer, in: &batch, directory, first, last)
      }
    }
    var patches: [Int: PartialRow] = [:]
    var broken: (place: Int, row: PartialRow)?
    for table in tables {
      table.forEach(from: first) { object, overlay in
        guard object <= last else { return false }
        guard let place = directory.place(of: object), batch.hasRow(place) else { return true }
        switch overlay {
        case .whole: batch.hide(place)
        case .partial(let row): if !patches.put(row, under: place) { broken = (place, row) }
        }
        return true
      }
    }
    for (place, row) in patches where batch.hasRow(place) {
      let base = try onRun { () throws(RunError) in try run.changed(place, block) }
      if base != row.base { broken = (place, row) }
      batch.patch(place, row)
    }
    if let broken { throw .chainBroken(batch.object(broken.place), in: broken.row.changed) }
  }

  /// Hides the rows of a block that a newer run has.
  private func hide(
    rowsOf run: Run, in batch: inout RowBatch, _ directory: BlockDirectory, _ first: UInt64,
    _ last: UInt64
  ) throws(RunError) {
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

extension [Int: PartialRow] {
  /// Puts a row under the newer values that a place has; says whether these were made of it.
  fileprivate mutating func put(_ row: PartialRow, under place: Int) -> Bool {
    guard let newer = self[place] else {
      self[place] = row
      return true
    }
    guard newer.base == row.changed else { return false }
    self[place] = PartialRow(
      values: row.values.merged(with: newer.values), changed: newer.changed, base: row.base)
    return true
  }
}
