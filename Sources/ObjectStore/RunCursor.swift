internal import DiskAccess
internal import Journaling
package import ObjectModel
internal import PropertyListCoding

/// Goes over the rows of a run in the order of their objects, a block at a time, and leaves the cache as it
/// is: for scans over all that there is, and for merging runs.
package struct RunCursor {
  private let run: Run
  private let first: UInt64
  /// The block to be read next.
  private var block: Int
  private var rows: [(object: UInt64, stored: StoredRow)] = []
  private var place = 0

  /// Begins at an object, whether the run has it or not, or at the first.
  package init(_ run: Run, from object: ObjectID? = nil) {
    self.run = run
    first = object?.rawValue ?? 0
    block = run.index.firstBlock(notBefore: first)
  }

  /// The block whose first row comes next, if none of its rows has been read; nil within a block, and after the
  /// last.
  var wholeBlock: (run: Run, block: Int)? {
    guard place == rows.count, block < run.index.entries.count,
      run.index.entries[block].firstObject >= first
    else { return nil }
    return (run, block)
  }

  /// Goes on behind the block whose first row comes next.
  mutating func skipBlock() { block += 1 }

  /// The next object and what a commit has left of it; nothing after the last one.
  package mutating func next() throws(RunError) -> (object: ObjectID, stored: StoredRow)? {
    while place == rows.count {
      guard block < run.index.entries.count else { return nil }
      rows = try run.rows(ofBlock: block)
      place = rows.firstIndex { $0.object >= first } ?? rows.count
      block += 1
    }
    defer { place += 1 }
    return (run.id(rows[place].object), rows[place].stored)
  }
}

extension Run {
  /// Calls a closure with objects and what a commit has left of them, in order, until it says to stop.
  ///
  /// - Parameters:
  ///   - first: where to begin, whether the run has it or not.
  ///   - last: the last one to hand out.
  ///   - body: takes an object and its row; returns whether to go on.
  package func forEach(
    from first: ObjectID? = nil, through last: ObjectID? = nil,
    _ body: (ObjectID, StoredRow) -> Bool
  ) throws(RunError) {
    var cursor = RunCursor(self, from: first)
    while let (object, stored) = try cursor.next() {
      if let last, object.rawValue > last.rawValue { return }
      if !body(object, stored) { return }
    }
  }

  /// All rows of a block, read at once.
  fileprivate func rows(
    ofBlock block: Int
  ) throws(RunError) -> [(object: UInt64, stored: StoredRow)] {
    let count = Int(index.entries[block].sealedByteCount)
    return try file.withBytes(index.offsets[block], count, name) { sealed throws(RunError) in
      let directory = try readDirectory(storedDirectory(in: sealed, block), block)
      let commits = try commits(of: directory, in: sealed, block)
      var values = try values(of: directory, in: sealed, block)
      var rows: [(object: UInt64, stored: StoredRow)] = []
      rows.reserveCapacity(directory.rowCount)
      for place in 0..<directory.rowCount {
        let entries = values.takeRow(directory.keys)
        let row = directory.isDeleted(place) ? nil : row(entries)
        rows.append((directory.object(place), StoredRow(row, changed: commits[place])))
      }
      return rows
    }
  }

  /// The LZ4 blocks of a block's directory.
  func storedDirectory(
    in sealed: UnsafeRawBufferPointer, _ block: Int
  ) -> UnsafeRawBufferPointer {
    let start = Int(RunIndex.directoryOffset)
    let end = start + Int(index.entries[block].storedDirectoryByteCount)
    return UnsafeRawBufferPointer(rebasing: sealed[start..<end])
  }

  /// The commits that changed the rows of a block last.
  func commits(
    of directory: BlockDirectory, in sealed: UnsafeRawBufferPointer, _ block: Int
  ) throws(RunError) -> [CommitNumber] {
    let content = try content(of: directory.columns[0], in: sealed, directory, block)
    var commits: [CommitNumber] = []
    commits.reserveCapacity(directory.rowCount)
    do {
      try content.values.forEach(in: 0..<directory.rowCount) { _, value in
        guard let commit = CommitNumber(value) else { return false }
        commits.append(commit)
        return true
      }
    } catch {
      throw malformed(directory.columns[0], block)
    }
    guard commits.count == directory.rowCount else { throw malformed(directory.columns[0], block) }
    return commits
  }

  /// The values of all keys' columns of a block.
  private func values(
    of directory: BlockDirectory, in sealed: UnsafeRawBufferPointer, _ block: Int
  ) throws(RunError) -> BlockValues {
    var values = BlockValues(
      columnCount: directory.placesOfKeys.count, rowCount: directory.rowCount)
    for place in directory.placesOfKeys {
      let column = directory.columns[place]
      let content = try content(of: column, in: sealed, directory, block)
      do {
        try content.values.forEach(in: 0..<directory.rowCount) { _, value in
          values.append(value)
          return true
        }
      } catch {
        throw malformed(column, block)
      }
    }
    return values
  }

  /// A column of a block that is in memory.
  func content(
    of column: BlockDirectory.Column, in sealed: UnsafeRawBufferPointer,
    _ directory: BlockDirectory, _ block: Int
  ) throws(RunError) -> ColumnContent {
    let start = Int(column.offset)
    let stored = UnsafeRawBufferPointer(rebasing: sealed[start..<start + column.storedByteCount])
    return try readColumn(stored, column, directory, block)
  }
}
