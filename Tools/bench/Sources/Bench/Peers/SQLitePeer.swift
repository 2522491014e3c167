import CSQLite
import DiskAccess

/// SQLite with a write-ahead log and full syncs; with history, by triggers that fill an audit table with an
/// index, which is what one would build.
final class SQLitePeer: Peer, @unchecked Sendable {
  /// The settings for people.
  static let words = """
    write-ahead log, full syncs, page cache \(cacheByteCount >> 20) MiB, prepared statements, one transaction for all that is read
    """
  /// What our store is given.
  private static let cacheByteCount = NoteStore.ampleCacheByteCount

  let hasHistory: Bool
  private let database: OpaquePointer
  private var statements: [String: SQLiteStatement] = [:]
  /// One connection is used by one thread at a time: whoever saves has the lock, and nobody reads beside others.
  private let lock = Lock()
  /// Whether one transaction is open for all that is read until something is saved.
  private var isReading = false

  var name: String { (hasHistory ? PeerKind.auditedSQLite : .sqlite).rawValue }

  /// - Parameter checkpoints: whether the log is brought into the database from time to time.
  init(_ path: String, hasHistory: Bool, checkpoints: Bool = true) throws {
    self.hasHistory = hasHistory
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path + "/notes.sqlite", &opened, flags, nil) == SQLITE_OK, let opened
    else {
      throw BenchError.peer("SQLite cannot open \(path)")
    }
    database = opened
    try run("PRAGMA journal_mode = WAL")
    try run("PRAGMA synchronous = FULL")
    // In KiB where it is negative.
    try run("PRAGMA cache_size = -\(Self.cacheByteCount >> 10)")
    if !checkpoints { try run("PRAGMA wal_autocheckpoint = 0") }
    try run(
      """
      CREATE TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY, title TEXT, text TEXT, rank INTEGER,
      created REAL, score REAL, isDone INTEGER)
      """)
    if hasHistory { try makeAudit() }
  }

  private func makeAudit() throws {
    try run("CREATE TABLE IF NOT EXISTS save (number INTEGER PRIMARY KEY, time TEXT)")
    try run(
      """
      CREATE TABLE IF NOT EXISTS audit (id INTEGER PRIMARY KEY, save INTEGER, note INTEGER, key TEXT,
      old, new)
      """)
    try run("CREATE INDEX IF NOT EXISTS auditOfNote ON audit (note, save)")
    let save = "(SELECT max(number) FROM save)"
    try run(
      """
      CREATE TRIGGER IF NOT EXISTS inserted AFTER INSERT ON note BEGIN
      INSERT INTO audit (save, note) VALUES (\(save), NEW.id); END
      """)
    for key in ["title", "text", "rank", "created", "score", "isDone"] {
      try run(
        """
        CREATE TRIGGER IF NOT EXISTS \(key)Updated AFTER UPDATE OF \(key) ON note
        WHEN OLD.\(key) IS NOT NEW.\(key) BEGIN
        INSERT INTO audit (save, note, key, old, new)
        VALUES (\(save), NEW.id, '\(key)', OLD.\(key), NEW.\(key)); END
        """)
    }
  }

  func insert(_ notes: [Note]) throws {
    try save(notes.count) {
      let insert = try statement("INSERT INTO note VALUES (?, ?, ?, ?, ?, ?, ?)")
      for note in notes {
        try insert.run(
          .integer(note.number), .text(note.title), .text(note.text), .integer(note.rank),
          .real(note.created), .real(note.score), .integer(note.isDone ? 1 : 0))
      }
    }
  }

  func update(_ changes: [NoteChange]) throws {
    try save(changes.count) {
      for change in changes {
        let id = SQLiteStatement.Binding.integer(change.number)
        switch change.attribute {
        case .title(let title):
          try statement("UPDATE note SET title = ? WHERE id = ?").run(.text(title), id)
        case .rank(let rank):
          try statement("UPDATE note SET rank = ? WHERE id = ?").run(.integer(rank), id)
        case .score(let score):
          try statement("UPDATE note SET score = ? WHERE id = ?").run(.real(score), id)
        }
      }
    }
  }

  /// Makes one transaction of some changes; of one without history, none has to be begun.
  private func save(_ changeCount: Int, _ body: () throws -> Void) throws {
    try lock.withLock {
      try endReading()
      let isWhole = changeCount == 1 && !hasHistory
      if !isWhole { try statement("BEGIN IMMEDIATE").run() }
      if hasHistory { try statement("INSERT INTO save (time) VALUES (datetime())").run() }
      try body()
      if !isWhole { try statement("COMMIT").run() }
    }
  }

  /// A statement that reads.
  private func reading(_ words: String) throws -> SQLiteStatement {
    if !isReading { try statement("BEGIN").run() }
    isReading = true
    return try statement(words)
  }

  private func endReading() throws {
    if isReading { try statement("COMMIT").run() }
    isReading = false
  }

  private static let columns = "id, title, text, rank, created, score, isDone"

  func note(_ number: Int) throws -> Note {
    let select = try reading("SELECT \(Self.columns) FROM note WHERE id = ?")
    defer { select.reset() }
    guard try select.step(.integer(number)) else { throw BenchError.peer("no note \(number)") }
    return select.note
  }

  func rank(of number: Int) throws -> Int {
    let select = try reading("SELECT rank FROM note WHERE id = ?")
    defer { select.reset() }
    guard try select.step(.integer(number)) else { throw BenchError.peer("no note \(number)") }
    return select.integer(0)
  }

  func count(ofRanksBelow bound: Int) throws -> Int {
    let select = try reading("SELECT count(*) FROM note WHERE rank < ?")
    defer { select.reset() }
    _ = try select.step(.integer(bound))
    return select.integer(0)
  }

  func indexRank() throws { try run("CREATE INDEX IF NOT EXISTS noteByRank ON note (rank)") }

  func count(ofRank rank: Int) throws -> Int {
    let select = try reading("SELECT count(*) FROM note WHERE rank = ?")
    defer { select.reset() }
    _ = try select.step(.integer(rank))
    return select.integer(0)
  }

  func firstTitles(ofRanksBelow bound: Int) throws -> [String] {
    let select = try reading("SELECT title FROM note WHERE rank < ? ORDER BY title LIMIT 100")
    defer { select.reset() }
    var titles: [String] = []
    var isThere = try select.step(.integer(bound))
    while isThere {
      titles.append(select.text(0))
      isThere = try select.step()
    }
    return titles
  }

  func pastRanks(after save: Int) throws -> (sum: Int, count: Int) {
    var notes: [Note] = []
    let select = try reading("SELECT \(Self.columns) FROM note ORDER BY id")
    while try select.step() { notes.append(select.note) }
    select.reset()
    let changes = try reading(
      "SELECT note, key, old FROM audit WHERE save > ? ORDER BY id DESC")
    var isBound = false
    while try isBound ? changes.step() : changes.step(.integer(save)) {
      isBound = true
      changes.takeBack(from: &notes[changes.integer(0) - 1], key: 1)
    }
    changes.reset()
    return (notes.reduce(0) { $0 + $1.rank }, notes.count)
  }

  func note(_ number: Int, after save: Int) throws -> Note {
    var note = try note(number)
    let changes = try reading(
      "SELECT key, old FROM audit WHERE note = ? AND save > ? ORDER BY save DESC, id DESC")
    defer { changes.reset() }
    var isBound = false
    while try isBound ? changes.step() : changes.step(.integer(number), .integer(save)) {
      isBound = true
      changes.takeBack(from: &note, key: 0)
    }
    return note
  }

  /// Brings the log into the database.
  func settle() throws {
    try endReading()
    try run("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  func close() throws {
    try endReading()
    statements = [:]
    guard sqlite3_close(database) == SQLITE_OK else { throw failure("close") }
  }

  private func run(_ words: String) throws {
    guard sqlite3_exec(database, words, nil, nil, nil) == SQLITE_OK else { throw failure(words) }
  }

  private func statement(_ words: String) throws -> SQLiteStatement {
    if let statement = statements[words] { return statement }
    var prepared: OpaquePointer?
    guard sqlite3_prepare_v2(database, words, -1, &prepared, nil) == SQLITE_OK, let prepared else {
      throw failure(words)
    }
    let statement = SQLiteStatement(prepared)
    statements[words] = statement
    return statement
  }

  private func failure(_ words: String) -> BenchError {
    .peer("\(words): \(String(cString: sqlite3_errmsg(database)))")
  }
}
