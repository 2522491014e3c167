import CRocksDB
import Glibc
import Synchronization

/// RocksDB with notes as packed bytes; with history, a second table has the changes by note and save.
///
/// Threads save at once, and RocksDB syncs for all who wait. No two of them change the same note, so that no note
/// needs to be locked while it is read and changed.
final class RocksDBPeer: Peer, @unchecked Sendable {
  let hasHistory: Bool
  private let database: OpaquePointer
  private let notes: OpaquePointer?
  private let changes: OpaquePointer?
  private let writeOptions = RocksDBSettings.makeWriteOptions()
  private let readOptions = rocksdb_readoptions_create()
  private let lastSave = Atomic(0)
  /// For reading many histories by one thread, until something is saved.
  private var history: RocksDBCursor?

  var name: String { (hasHistory ? PeerKind.auditedRocksDB : .rocksDB).rawValue }

  init(_ path: String, hasHistory: Bool, settings: RocksDBSettings = .init()) throws {
    self.hasHistory = hasHistory
    let options = settings.makeOptions()
    defer { rocksdb_options_destroy(options) }
    var tables: [OpaquePointer?] = [nil, nil]
    let opened = try "default".withCString { notes in
      try "changes".withCString { changes in
        try check {
          rocksdb_open_column_families(
            options, path, 2, [notes, changes], [options, options], &tables, $0)
        }
      }
    }
    guard let opened else { throw BenchError.peer("RocksDB cannot open \(path)") }
    database = opened
    (notes, changes) = (tables[0], tables[1])
  }

  func insert(_ inserted: [Note]) throws {
    try save { batch, save in
      for note in inserted {
        put(batch, note)
        if hasHistory {
          put(batch, changes, PackedHistory.Key(note.number, save, 0)) {
            PackedHistory.writeInsertion(to: &$0)
          }
        }
      }
    }
  }

  /// A note that is changed more than once is put once.
  func update(_ changed: [NoteChange]) throws {
    try save { batch, save in
      var newest: [Int: Note] = [:]
      for (place, change) in changed.enumerated() {
        let old = try newest[change.number] ?? note(change.number)
        var note = old
        change.apply(to: &note)
        newest[change.number] = note
        guard hasHistory else { continue }
        put(batch, changes, PackedHistory.Key(note.number, save, place)) {
          PackedHistory.write(change, of: old, to: &$0)
        }
      }
      for note in newest.values { put(batch, note) }
    }
  }

  func note(_ number: Int) throws -> Note {
    try withBytes(of: number) { reader in reader.note(number) }
  }

  func rank(of number: Int) throws -> Int { try withBytes(of: number) { reader in reader.rank() } }

  func count(ofRanksBelow bound: Int) throws -> Int {
    var count = 0
    let cursor = cursor(notes)
    while let (_, value) = try cursor.next() {
      var reader = PackedReader(value)
      if reader.rank() < bound { count += 1 }
    }
    return count
  }

  func firstTitles(ofRanksBelow bound: Int) throws -> [String] {
    var first = FirstFew()
    let cursor = cursor(notes)
    while let (_, value) = try cursor.next() { first.add(value, ofRanksBelow: bound) }
    return first.sorted
  }

  func pastRanks(after save: Int) throws -> (sum: Int, count: Int) {
    let (noteCursor, changeCursor) = (cursor(notes), cursor(changes))
    return try PackedHistory.pastRanks(
      after: save,
      nextNote: {
        guard let (key, value) = try noteCursor.next() else { return nil }
        return (Int(UInt32(bigEndian: key.loadUnaligned(as: UInt32.self))), value)
      }, nextChange: changeCursor.next)
  }

  func note(_ number: Int, after save: Int) throws -> Note {
    var note = try note(number)
    let cursor = history ?? cursor(changes)
    history = cursor
    cursor.seek(PackedHistory.Key(number, save + 1, 0))
    var entry = try cursor.next()
    try PackedHistory.takeBack(from: &note, after: save, &entry, next: cursor.next)
    return note
  }

  /// Makes tables of what is in memory, and lets the threads behind come to rest.
  func settle() throws {
    let options = rocksdb_flushoptions_create()
    defer { rocksdb_flushoptions_destroy(options) }
    for table in [notes, changes] {
      try check { rocksdb_flush_cf(database, options, table, $0) }
    }
    waitUntilQuiet()
  }

  /// Waits until nothing is written but by saves.
  func waitUntilQuiet() {
    let works = [
      "num-running-flushes", "num-running-compactions", "mem-table-flush-pending",
      "compaction-pending",
    ]
    while [notes, changes].contains(where: { table in
      works.contains { work in
        var count: UInt64 = 0
        rocksdb_property_int_cf(database, table, "rocksdb." + work, &count)
        return count > 0
      }
    }) {
      usleep(10_000)
    }
  }

  func close() throws {
    history = nil
    for table in [notes, changes] { rocksdb_column_family_handle_destroy(table) }
    rocksdb_close(database)
    rocksdb_writeoptions_destroy(writeOptions)
    rocksdb_readoptions_destroy(readOptions)
  }

  // MARK: Below

  /// Makes one synced write of what a closure puts together.
  private func save(_ body: (_ batch: OpaquePointer?, _ save: Int) throws -> Void) throws {
    if history != nil { history = nil }
    let batch = rocksdb_writebatch_create()
    defer { rocksdb_writebatch_destroy(batch) }
    try body(batch, lastSave.add(1, ordering: .relaxed).newValue)
    try check { rocksdb_write(database, writeOptions, batch, $0) }
  }

  private func put(_ batch: OpaquePointer?, _ note: Note) {
    put(batch, notes, UInt32(note.number).bigEndian) { $0.write(note) }
  }

  private func put(
    _ batch: OpaquePointer?, _ table: OpaquePointer?, _ key: some BitwiseCopyable,
    _ body: (inout PackedWriter) -> Void
  ) {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { memory in
      var writer = PackedWriter(memory)
      body(&writer)
      withUnsafeBytes(of: key) { key in
        rocksdb_writebatch_put_cf(
          batch, table, characters(key), key.count, characters(UnsafeRawBufferPointer(memory)),
          writer.count)
      }
    }
  }

  private func withBytes<Answer>(
    of number: Int, _ body: (inout PackedReader) -> Answer
  ) throws -> Answer {
    let slice = try withUnsafeBytes(of: UInt32(number).bigEndian) { key in
      try check {
        rocksdb_get_pinned_cf(database, readOptions, notes, characters(key), key.count, $0)
      }
    }
    guard let slice else { throw BenchError.peer("RocksDB has no note \(number)") }
    defer { rocksdb_pinnableslice_destroy(slice) }
    var count = 0
    let value = rocksdb_pinnableslice_value(slice, &count)
    var reader = PackedReader(UnsafeRawBufferPointer(start: value, count: count))
    return body(&reader)
  }

  private func cursor(_ table: OpaquePointer?) -> RocksDBCursor {
    RocksDBCursor(rocksdb_create_iterator_cf(database, readOptions, table))
  }
}

/// Goes over a table in the order of its keys.
private final class RocksDBCursor {
  private let iterator: OpaquePointer?
  /// Whether the entry that it stands on has been given.
  private var isGiven = false

  init(_ iterator: OpaquePointer?) {
    self.iterator = iterator
    rocksdb_iter_seek_to_first(iterator)
  }

  deinit { rocksdb_iter_destroy(iterator) }

  /// Goes to the first entry that is not before a key.
  func seek(_ key: some BitwiseCopyable) {
    withUnsafeBytes(of: key) { rocksdb_iter_seek(iterator, characters($0), $0.count) }
    isGiven = false
  }

  /// The next entry, whose bytes are there until the next is asked for.
  func next() throws -> PackedHistory.Entry? {
    if isGiven { rocksdb_iter_next(iterator) }
    isGiven = true
    guard rocksdb_iter_valid(iterator) != 0 else {
      try check { rocksdb_iter_get_error(iterator, $0) }
      return nil
    }
    var (keyCount, valueCount) = (0, 0)
    let (key, value) = (
      rocksdb_iter_key(iterator, &keyCount), rocksdb_iter_value(iterator, &valueCount)
    )
    return (
      UnsafeRawBufferPointer(start: key, count: keyCount),
      UnsafeRawBufferPointer(start: value, count: valueCount)
    )
  }
}

private func characters(_ bytes: UnsafeRawBufferPointer) -> UnsafePointer<CChar>? {
  bytes.assumingMemoryBound(to: CChar.self).baseAddress
}

/// Gives a closure a place for what RocksDB says where it fails.
private func check<Answer>(
  _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Answer
) throws -> Answer {
  var words: UnsafeMutablePointer<CChar>?
  let answer = body(&words)
  guard let words else { return answer }
  defer { rocksdb_free(words) }
  throw BenchError.peer("RocksDB: \(String(cString: words))")
}
