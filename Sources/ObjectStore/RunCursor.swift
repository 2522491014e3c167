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
  /// The one whose rows come; nil where none of the next block has been read.
  private var rows: BlockRows?
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
    guard rows == nil, block < run.index.entries.count,
      run.index.entries[block].firstObject >= first
    else { return nil }
    return (run, block)
  }

  /// Goes on behind the block whose first row comes next.
  mutating func skipBlock() { block += 1 }

  /// Where the next row is; nothing after the last one.
  mutating func nextPlace() throws(RunError) -> (rows: BlockRows, place: Int)? {
    while true {
      if let rows {
        defer {
          place += 1
          if place >= rows.count { self.rows = nil }
        }
        if place < rows.count { return (rows, place) }
      }
      guard block < run.index.entries.count else { return nil }
      let read = try BlockRows(of: block, in: run)
      (rows, place) = (read, read.firstPlace(notBefore: first))
      block += 1
    }
  }

  /// The next object and what a commit has left of it; nothing after the last one.
  package mutating func next() throws(RunError) -> (object: ObjectID, stored: StoredRow)? {
    guard let (rows, place) = try nextPlace() else { return nil }
    return (rows.object(place), try rows.stored(place))
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
