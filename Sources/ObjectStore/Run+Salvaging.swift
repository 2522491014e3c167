internal import DiskAccess
internal import ObjectModel
internal import PropertyListCoding

/// A row of a run that may be damaged, as far as it can be read.
struct SoundRow {
  let object: ObjectID
  /// The values of the columns that can be read; nil where the object was deleted.
  let row: Row?
  /// The commit that changed it last; nil where that cannot be read.
  let changed: CommitNumber?
  /// The keys whose columns cannot be read.
  let unread: Set<KeyNumber>
}

// What is sound of a run that is damaged.
extension Run {
  /// Calls a closure with every row of which something can be read.
  ///
  /// - Parameter lose: told what cannot.
  func forEachSound(
    losing lose: (SalvagedState.Loss) -> Void, _ body: (SoundRow) -> Void
  ) throws(RunError) {
    for block in index.entries.indices {
      let entry = index.entries[block]
      let rows = try ifSound { () throws(RunError) in
        try file.withBytes(index.offsets[block], Int(entry.sealedByteCount), name) {
          sealed throws(RunError) in try soundRows(ofBlock: block, sealed, losing: lose)
        }
      }
      rows?.forEach(body)
      guard rows == nil else { continue }
      lose(.rows(id(entry.firstObject), id(entry.lastObject), count: Int(entry.rowCount)))
    }
    // Of blocks that were not found nobody knows whose rows they had.
    if index.entries.reduce(0, { $0 + UInt64($1.rowCount) }) != footer.rowCount { lose(.run(name)) }
  }

  private func soundRows(
    ofBlock block: Int, _ sealed: UnsafeRawBufferPointer, losing lose: (SalvagedState.Loss) -> Void
  ) throws(RunError) -> [SoundRow] {
    let directory = try readDirectory(storedDirectory(in: sealed, block), block)
    let commits = try ifSound { () throws(RunError) in
      try self.commits(of: directory, in: sealed, block)
    }
    let (first, last) = (id(directory.object(0)), id(directory.object(directory.rowCount - 1)))
    if commits == nil { lose(.commits(first, last, count: directory.rowCount)) }
    var columns: [(key: KeyNumber, values: [Value])] = []
    var unread: Set<KeyNumber> = []
    for place in directory.placesOfKeys {
      let key = directory.key(place)
      let values = try ifSound { () throws(RunError) in
        try self.values(ofColumn: place, of: directory, in: sealed, block)
      }
      if let values {
        columns.append((key, values))
      } else {
        unread.insert(key)
        lose(.column(key, first, last, count: directory.rowCount))
      }
    }
    return (0..<directory.rowCount).map { place in
      let entries = columns.lazy.map { Row.Entry($0.key, $0.values[place]) }
        .filter { !$0.value.isNull }
      return SoundRow(
        object: id(directory.object(place)),
        row: directory.isDeleted(place) ? nil : row(Array(entries)), changed: commits?[place],
        unread: unread)
    }
  }

  private func values(
    ofColumn place: Int, of directory: BlockDirectory, in sealed: UnsafeRawBufferPointer,
    _ block: Int
  ) throws(RunError) -> [Value] {
    let column = directory.columns[place]
    let content = try content(of: column, in: sealed, directory, block)
    var values: [Value] = []
    do {
      try content.values.forEach(in: 0..<directory.rowCount) { _, value in
        values.append(value)
        return true
      }
    } catch {
      throw malformed(column, block)
    }
    return values
  }

  /// What a closure reads; nil where that is damaged.
  private func ifSound<Answer>(
    _ body: () throws(RunError) -> Answer
  ) throws(RunError) -> Answer? {
    do throws(RunError) {
      return try body()
    } catch {
      guard case .damaged = error else { throw error }
      return nil
    }
  }
}
