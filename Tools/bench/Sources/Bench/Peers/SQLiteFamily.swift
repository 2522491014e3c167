import CSQLite

/// Parents and children in SQLite, with an index on the foreign key; every insertion is a synced save.
final class SQLiteFamily {
  private let database: OpaquePointer
  private let insert: OpaquePointer
  private let select: OpaquePointer

  init(_ path: String) throws {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path + "/family.sqlite", &opened, flags, nil) == SQLITE_OK, let opened
    else {
      throw BenchError.peer("SQLite cannot open \(path)")
    }
    database = opened
    let words = """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -524288;
      CREATE TABLE parent (id INTEGER PRIMARY KEY);
      CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent);
      CREATE INDEX childByParent ON child (parent);
      """
    guard sqlite3_exec(database, words, nil, nil, nil) == SQLITE_OK else {
      throw BenchError.peer("SQLite cannot make tables")
    }
    func prepare(_ words: String) throws -> OpaquePointer {
      var prepared: OpaquePointer?
      guard sqlite3_prepare_v2(opened, words, -1, &prepared, nil) == SQLITE_OK, let prepared else {
        throw BenchError.peer("SQLite cannot prepare \(words)")
      }
      return prepared
    }
    insert = try prepare("INSERT INTO child (parent) VALUES (?)")
    select = try prepare("SELECT id FROM child WHERE parent = ?")
  }

  /// Makes a parent with children, saved a thousand at a time.
  func makeParent(_ parent: Int, childCount: Int) throws {
    try run("INSERT INTO parent VALUES (\(parent))")
    for first in stride(from: 0, to: childCount, by: NoteSource.saveCount) {
      try run("BEGIN")
      for _ in 0..<min(NoteSource.saveCount, childCount - first) { try addChild(to: parent) }
      try run("COMMIT")
    }
  }

  func addChild(to parent: Int) throws {
    sqlite3_bind_int64(insert, 1, Int64(parent))
    let code = sqlite3_step(insert)
    sqlite3_reset(insert)
    guard code == SQLITE_DONE else { throw BenchError.peer("SQLite says \(code)") }
  }

  /// How many children there are, having been handed each.
  func countChildren(of parent: Int) throws -> Int {
    sqlite3_bind_int64(select, 1, Int64(parent))
    defer { sqlite3_reset(select) }
    var count = 0
    var sum: Int64 = 0
    while sqlite3_step(select) == SQLITE_ROW {
      count += 1
      sum &+= sqlite3_column_int64(select, 0)
    }
    guard count == 0 || sum > 0 else { throw BenchError.wrongResult("no children") }
    return count
  }

  func run(_ words: String) throws {
    guard sqlite3_exec(database, words, nil, nil, nil) == SQLITE_OK else {
      throw BenchError.peer("SQLite: \(String(cString: sqlite3_errmsg(database)))")
    }
  }

  func close() throws {
    sqlite3_finalize(insert)
    sqlite3_finalize(select)
    guard sqlite3_close(database) == SQLITE_OK else {
      throw BenchError.peer("SQLite is not closed")
    }
  }
}
