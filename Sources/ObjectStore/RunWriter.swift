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
/// that is none; whoever made it removes it. Until then up to a block of rows is in memory.
package struct RunWriter: ~Copyable {
  private let file: any DiskFile
  private let store: StoreIdentity
  private let salt: UInt64
  private let options: RunOptions
  private var sealer = FrameSealer()
  private var block = BlockAssembly()
  private var index = ByteWriter(capacity: 4096)
  private var offset = UInt64(RunHeader.byteCount)
  private var previousBodyCheck: UInt64 = 0
  private var blockCount = 0
  private var rowCount: UInt64 = 0
  private var deletedCount: UInt64 = 0
  private var last: UInt64?
  private var unsyncedByteCount = 0
  /// The frame of a block that is taken over.
  private var copied = ByteWriter()

  private static let syncedByteCount = 8 << 20

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
    let file = try onDisk { () throws(DiskError) in
      let file = try folder.file(name, .new)
      let header = RunHeader(store: store, salt: salt).encoded()
      try header.withBytes { bytes throws(DiskError) in try file.write(bytes, at: 0) }
      return file
    }
    self.init(file, store, salt, options)
  }

  private init(_ file: any DiskFile, _ store: StoreIdentity, _ salt: UInt64, _ options: RunOptions)
  {
    (self.file, self.store, self.salt, self.options) = (file, store, salt, options)
  }

  /// Adds an object behind all others.
  ///
  /// - Throws: `disk`, `unwritable`, `rowTooLarge` or `tooManyBlocks`. It may be about a row added before.
  package mutating func append(_ object: ObjectID, _ stored: StoredRow) throws(RunError) {
    precondition(object.store == store.tag, "a run has objects of its own store only")
    precondition(last.map { $0 < object.rawValue } ?? true, "objects are added in ascending order")
    precondition(stored.changed.rawValue <= Limits.number, "no store comes to such a commit")
    last = object.rawValue
    let byteCount = BlockAssembly.byteCount(of: stored.row)
    guard byteCount <= Limits.payloadByteCount else {
      throw .rowTooLarge(object, byteCount: byteCount, limit: Limits.payloadByteCount)
    }
    if !block.hasRoom(for: object.rawValue, stored.row, byteCount: byteCount, options) {
      try writeBlock()
    }
    block.append(object.rawValue, stored, byteCount: byteCount)
    rowCount += 1
    if stored.row == nil { deletedCount += 1 }
  }

  /// Writes what is left, the index and the footer, and syncs the file. The folder is for the caller to sync.
  ///
  /// - Throws: what `append` does.
  package consuming func finish() throws(RunError) -> RunSummary {
    if !block.isEmpty { try writeBlock() }
    let check = sealer.seal(index.unsafeBytes, .runIndex, at: place)
    let sealed = sealer.unsafeBytes
    let footer = RunFooter(
      rowCount: rowCount, deletedCount: deletedCount, blockCount: UInt64(blockCount),
      indexOffset: offset, indexByteCount: UInt64(sealed.count), indexCheck: check
    ).encoded(salt: salt)
    let (file, offset) = (file, offset)
    let end = offset + UInt64(sealed.count)
    try onDisk { () throws(DiskError) in
      try file.write(sealed, at: offset)
      try file.write(footer.unsafeBytes, at: end)
      try file.sync()
      try file.close()
    }
    extendLifetime(footer)
    return RunSummary(
      rowCount: rowCount, deletedCount: deletedCount, blockCount: blockCount,
      byteCount: end + UInt64(RunFooter.byteCount))
  }

  /// Where the next frame stands. All that comes before it is taken for synced: a run is there as a whole, or
  /// not at all.
  private var place: FrameSealer.Place {
    FrameSealer.Place(
      number: FrameNumber(UInt64(blockCount) + 1), previousBodyCheck: previousBodyCheck,
      durableThrough: FrameNumber(UInt64(blockCount)), salt: salt)
  }

  private mutating func writeBlock() throws(RunError) {
    let entry = try block.compress(with: sealer.lz4, salt: salt, store: store.tag)
    previousBodyCheck = sealer.seal(
      .rows, payloadByteCount: block.payloadByteCount, at: place
    ) { _, output in
      block.writeFrame(to: &output)
    }
    try writeSealed(entry)
    block.removeAll()
  }

  /// Writes the block that has been sealed.
  private mutating func writeSealed(_ entry: RunIndex.Entry) throws(RunError) {
    guard blockCount < RunIndex.largestBlockCount else {
      throw .tooManyBlocks(limit: RunIndex.largestBlockCount)
    }
    var entry = entry
    let sealed = sealer.unsafeBytes
    entry.sealedByteCount = UInt32(sealed.count)
    let (file, offset) = (file, offset)
    try onDisk { () throws(DiskError) in try file.write(sealed, at: offset) }
    self.offset += UInt64(sealed.count)
    entry.write(to: &index)
    blockCount += 1
    try syncPiece(of: sealed.count)
  }

  /// Syncs what has been written, some megabytes at a time: whoever syncs another file would wait for all of
  /// it at the end.
  private mutating func syncPiece(of byteCount: Int) throws(RunError) {
    unsyncedByteCount += byteCount
    guard unsyncedByteCount >= Self.syncedByteCount else { return }
    unsyncedByteCount = 0
    let file = file
    try onDisk { () throws(DiskError) in try file.syncData() }
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
    copied.removeAll()
    let (copiedEntry, payloadByteCount) = sealed.writeFrame(
      with: sealer.lz4, salt: salt, to: &copied)
    previousBodyCheck = sealer.seal(.rows, payloadByteCount: payloadByteCount, at: place) {
      [copied = copied.unsafeBytes] _, output in output.write(copied)
    }
    rowCount += UInt64(entry.rowCount)
    deletedCount += UInt64(sealed.directory.deletedCount)
    try writeSealed(copiedEntry)
  }
}
