import CLMDB

/// LMDB with notes as packed bytes; with history, a second table has the changes by note and save.
final class LMDBPeer: Peer, @unchecked Sendable {
  /// The settings for people.
  static let words =
    "map of \(mapByteCount >> 30) GiB, no reading ahead, both writes of a save synced"
  private static let mapByteCount = 8 << 30

  let hasHistory: Bool
  private let environment: OpaquePointer
  private var notes: MDB_dbi = 0
  private var changes: MDB_dbi = 0
  /// Changed within write transactions only, which are one after another.
  private var lastSave = 0
  /// For reading many notes by one thread.
  private var reading: OpaquePointer?

  var name: String { (hasHistory ? PeerKind.auditedLMDB : .lmdb).rawValue }

  init(_ path: String, hasHistory: Bool) throws {
    self.hasHistory = hasHistory
    var made: OpaquePointer?
    try check(mdb_env_create(&made))
    guard let made else { throw BenchError.peer("LMDB") }
    environment = made
    try check(mdb_env_set_mapsize(made, Self.mapByteCount))
    try check(mdb_env_set_maxdbs(made, 2))
    try check(mdb_env_open(made, path, UInt32(MDB_NORDAHEAD), 0o600))
    try write { transaction in
      let flags = UInt32(MDB_CREATE)
      try check(mdb_dbi_open(transaction, "notes", flags | UInt32(MDB_INTEGERKEY), &notes))
      try check(mdb_dbi_open(transaction, "changes", flags, &changes))
    }
    lastSave = 0
  }

  func insert(_ inserted: [Note]) throws {
    try write { transaction in
      for note in inserted {
        try put(transaction, note)
        if hasHistory {
          try put(transaction, note.number, 0) { PackedHistory.writeInsertion(to: &$0) }
        }
      }
    }
  }

  func update(_ changed: [NoteChange]) throws {
    try write { transaction in
      for (place, change) in changed.enumerated() {
        var note = try note(change.number, in: transaction)
        let old = note
        change.apply(to: &note)
        try put(transaction, note)
        guard hasHistory else { continue }
        try put(transaction, note.number, place) {
          PackedHistory.write(change, of: old, to: &$0)
        }
      }
    }
  }

  func note(_ number: Int) throws -> Note { try note(number, in: try reader()) }

  func rank(of number: Int) throws -> Int {
    try withBytes(of: number, in: try reader()) { reader in reader.rank() }
  }

  func count(ofRanksBelow bound: Int) throws -> Int {
    var count = 0
    let cursor = try cursor(notes)
    defer { mdb_cursor_close(cursor) }
    while let (_, value) = try next(cursor, MDB_NEXT) {
      var reader = PackedReader(value)
      if reader.rank() < bound { count += 1 }
    }
    return count
  }

  func firstTitles(ofRanksBelow bound: Int) throws -> [String] {
    var first = FirstFew()
    let cursor = try cursor(notes)
    defer { mdb_cursor_close(cursor) }
    while let (_, value) = try next(cursor, MDB_NEXT) { first.add(value, ofRanksBelow: bound) }
    return first.sorted
  }

  func pastRanks(after save: Int) throws -> (sum: Int, count: Int) {
    let (noteCursor, changeCursor) = (try cursor(notes), try cursor(changes))
    defer {
      mdb_cursor_close(noteCursor)
      mdb_cursor_close(changeCursor)
    }
    return try PackedHistory.pastRanks(
      after: save,
      nextNote: {
        guard let (key, value) = try next(noteCursor, MDB_NEXT) else { return nil }
        return (Int(key.load(as: UInt.self)), value)
      }, nextChange: { try next(changeCursor, MDB_NEXT) })
  }

  func note(_ number: Int, after save: Int) throws -> Note {
    var note = try note(number)
    let cursor = try cursor(changes)
    defer { mdb_cursor_close(cursor) }
    var first = PackedHistory.Key(number, save + 1, 0)
    var entry = try withUnsafeMutableBytes(of: &first) { bytes in
      var key = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
      return try next(cursor, MDB_SET_RANGE, &key)
    }
    try PackedHistory.takeBack(from: &note, after: save, &entry) { try next(cursor, MDB_NEXT) }
    return note
  }

  func close() throws {
    if let reading { mdb_txn_abort(reading) }
    mdb_env_close(environment)
  }

  // MARK: Below

  private func write(_ body: (OpaquePointer) throws -> Void) throws {
    if let reading {
      mdb_txn_abort(reading)
      self.reading = nil
    }
    var transaction: OpaquePointer?
    try check(mdb_txn_begin(environment, nil, 0, &transaction))
    guard let transaction else { throw BenchError.peer("LMDB") }
    lastSave += 1
    do { try body(transaction) } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    try check(mdb_txn_commit(transaction))
  }

  private func reader() throws -> OpaquePointer {
    if let reading { return reading }
    try check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &reading))
    guard let reading else { throw BenchError.peer("LMDB") }
    return reading
  }

  private func cursor(_ table: MDB_dbi) throws -> OpaquePointer {
    var cursor: OpaquePointer?
    try check(mdb_cursor_open(try reader(), table, &cursor))
    guard let cursor else { throw BenchError.peer("LMDB") }
    return cursor
  }

  private func next(
    _ cursor: OpaquePointer, _ operation: MDB_cursor_op
  ) throws -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    var key = MDB_val()
    return try next(cursor, operation, &key)
  }

  private func next(
    _ cursor: OpaquePointer, _ operation: MDB_cursor_op, _ key: inout MDB_val
  ) throws -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    var value = MDB_val()
    let code = mdb_cursor_get(cursor, &key, &value, operation)
    if code == MDB_NOTFOUND { return nil }
    try check(code)
    return (
      UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size),
      UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
    )
  }

  private func note(_ number: Int, in transaction: OpaquePointer) throws -> Note {
    try withBytes(of: number, in: transaction) { reader in reader.note(number) }
  }

  private func withBytes<Answer>(
    of number: Int, in transaction: OpaquePointer, _ body: (inout PackedReader) -> Answer
  ) throws -> Answer {
    var (number, value) = (UInt(number), MDB_val())
    try withUnsafeMutableBytes(of: &number) { bytes in
      var key = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
      try check(mdb_get(transaction, notes, &key, &value))
    }
    var reader = PackedReader(UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
    return body(&reader)
  }

  private func put(_ transaction: OpaquePointer, _ note: Note) throws {
    try withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { memory in
      var writer = PackedWriter(memory)
      writer.write(note)
      var number = UInt(note.number)
      try withUnsafeMutableBytes(of: &number) { bytes in
        var key = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
        var value = MDB_val(mv_size: writer.count, mv_data: memory.baseAddress)
        try check(mdb_put(transaction, notes, &key, &value, 0))
      }
    }
  }

  /// Keeps what a save changed of a note.
  private func put(
    _ transaction: OpaquePointer, _ number: Int, _ place: Int, _ body: (inout PackedWriter) -> Void
  ) throws {
    var key = PackedHistory.Key(number, lastSave, place)
    try withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { memory in
      var writer = PackedWriter(memory)
      body(&writer)
      try withUnsafeMutableBytes(of: &key) { bytes in
        var key = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
        var value = MDB_val(mv_size: writer.count, mv_data: memory.baseAddress)
        try check(mdb_put(transaction, changes, &key, &value, 0))
      }
    }
  }
}

private func check(_ code: Int32) throws {
  guard code == MDB_SUCCESS else {
    throw BenchError.peer("LMDB: \(String(cString: mdb_strerror(code)))")
  }
}
