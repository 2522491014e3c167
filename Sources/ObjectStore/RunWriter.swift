internal import ByteCoding
package import DiskAccess
package import Journaling
package import ObjectModel

/// How a run is written.
package struct RunOptions: Hashable, Sendable {
  /// The most rows of a block.
  package var blockRowCount = 250
  /// How many bytes of values a block may have, roughly, unless it has one row only.
  package var blockByteCount = 256 << 10
  /// Whether a thread of its own compresses a block while the next one is put together.
  package var hasThread = false

  package init() {}
}

/// What has been written of a run.
package struct RunSummary: Hashable, Sendable {
  /// How many rows there are, those of deleted objects included.
  package let rowCount: UInt64
  /// How many rows say that their object is deleted.
  package let deletedCount: UInt64
  package let blockCount: Int
  /// The length of the file.
  package let byteCount: UInt64
}

/// Writes a run: rows in the order of their objects, then the index.
///
/// The file is a run once `finish` has returned. A writer that has thrown, or is let go before, leaves a file
/// that is none; whoever made it removes it. Until then up to two blocks of rows are in memory,
/// and for each of them up to 4 MiB of the blocks of other runs that they are made of.
package struct RunWriter: ~Copyable {
  private let press: BlockPress
  private let store: StoreIdentity
  private let options: RunOptions
  private var block = BlockAssembly()
  private var blockCount = 0
  private var rowCount: UInt64 = 0
  private var deletedCount: UInt64 = 0
  private var last: UInt64?
  /// Those of a row while it is added.
  private var entries: [RunEntry] = []

  /// Makes the file, which must not be there.
  ///
  /// - Parameter salt: a random number.
  package init(
    making name: String, in folder: any DiskFolder, store: StoreIdentity, salt: UInt64,
    options: RunOptions = RunOptions()
  ) throws(RunError) {
    precondition(
      (1...RunLimits.rowCount).contains(options.blockRowCount),
      "a block has 1 to \(RunLimits.rowCount) rows")
    precondition(
      (1...Limits.payloadByteCount / 4).contains(options.blockByteCount),
      "a block is bounded by at most a fourth of what a frame may hold")
    press = try BlockPress(
      making: name, in: folder, store: store, salt: salt, hasThread: options.hasThread)
    (self.store, self.options) = (store, options)
  }

  deinit { press.end() }

  /// Adds an object behind all others.
  ///
  /// - Throws: `disk`, `unwritable`, `rowTooLarge` or `tooManyBlocks`. It may be about a row added before.
  package mutating func append(_ object: ObjectID, _ stored: StoredRow) throws(RunError) {
    try append(object, .stored(stored))
  }

  /// The same for a row that may lie in another run, which is kept until it is written here.
  ///
  /// - Throws: `damaged` too.
  mutating func append(_ object: ObjectID, _ row: FoundRow) throws(RunError) {
    precondition(object.store == store.tag, "a run has objects of its own store only")
    precondition(last.map { $0 < object.rawValue } ?? true, "objects are added in ascending order")
    let changed = row.changed
    precondition(changed.rawValue <= Limits.number, "no store comes to such a commit")
    last = object.rawValue
    defer { entries.removeAll(keepingCapacity: true) }
    var row = row
    if let rows = row.rows, !block.mayKeep(rows) { row = .stored(try row.stored()) }
    try row.add(to: &entries)
    let byteCount = BlockAssembly.byteCount(of: entries)
    guard byteCount <= Limits.payloadByteCount else {
      throw .rowTooLarge(object, byteCount: byteCount, limit: Limits.payloadByteCount)
    }
    let hasRoom = block.hasRoom(
      for: object.rawValue, byteCount: byteCount, valueCount: entries.count, options)
    if !hasRoom { try writeBlock() }
    block.keep(row.rows)
    let isDeleted = row.isDeleted
    block.append(
      object.rawValue, changed: changed, isDeleted ? nil : entries, byteCount: byteCount)
    rowCount += 1
    if isDeleted { deletedCount += 1 }
  }

  /// Writes what is left, the index and the footer, and syncs the file. The folder is for the caller to sync.
  ///
  /// - Throws: what `append` does.
  package consuming func finish() throws(RunError) -> RunSummary {
    if !block.isEmpty { try writeBlock() }
    let byteCount = try press.finish(rowCount: rowCount, deletedCount: deletedCount)
    return RunSummary(
      rowCount: rowCount, deletedCount: deletedCount, blockCount: blockCount,
      byteCount: byteCount)
  }

  private mutating func writeBlock() throws(RunError) {
    try countBlock()
    try press.write(&block)
  }

  private mutating func countBlock() throws(RunError) {
    guard blockCount < RunIndex.largestBlockCount else {
      throw .tooManyBlocks(limit: RunIndex.largestBlockCount)
    }
    blockCount += 1
  }

  // MARK: Blocks of other runs

  /// Whether a block of another run may follow: none that has been begun would become too small by it.
  var takesBlocks: Bool {
    block.isEmpty || block.rowCount >= options.blockRowCount / 4
  }

  /// Whether a block is large enough to be taken over: merging is to make blocks larger.
  func takes(_ entry: RunIndex.Entry) -> Bool {
    takesBlocks
      && (Int(entry.rowCount) >= options.blockRowCount / 2
        || Int(entry.sealedByteCount) >= options.blockByteCount / 4)
  }

  /// Adds a block of another run behind all objects, as it is: its columns are checked and not decompressed.
  ///
  /// - Throws: `disk`, `damaged`, and what `append` does.
  package mutating func append(_ sealed: borrowing SealedBlock) throws(RunError) {
    let entry = sealed.entry
    precondition(sealed.store == store, "a run has objects of its own store only")
    precondition(
      last.map { $0 < entry.firstObject } ?? true, "objects are added in ascending order")
    last = entry.lastObject
    if !block.isEmpty { try writeBlock() }
    try countBlock()
    try press.write(sealed)
    rowCount += UInt64(entry.rowCount)
    deletedCount += UInt64(sealed.directory.deletedCount)
  }
}
