/// Another store, doing the same work.
///
/// Saves are numbered from 1 on, and each is one synced transaction.
protocol Peer: AnyObject, Sendable {
  var name: String { get }
  /// Whether every former value can be had back.
  var hasHistory: Bool { get }

  func insert(_ notes: [Note]) throws
  func update(_ changes: [NoteChange]) throws

  /// The note that has a number.
  func note(_ number: Int) throws -> Note
  /// One attribute of it.
  func rank(of number: Int) throws -> Int
  /// How many notes have ranks below one.
  func count(ofRanksBelow bound: Int) throws -> Int
  /// The first hundred titles of those.
  func firstTitles(ofRanksBelow bound: Int) throws -> [String]
  /// All notes as a save left them: the sum of their ranks, and how many there are.
  func pastRanks(after save: Int) throws -> (sum: Int, count: Int)
  /// A note as a save left it.
  func note(_ number: Int, after save: Int) throws -> Note
  /// Brings what was put off to where it stays, as at a quiet time.
  func settle() throws
  func close() throws
}

extension Peer {
  func settle() throws {}
}

/// Which peer, to be opened at a place.
enum PeerKind: String, CaseIterable {
  case sqlite = "SQLite"
  case auditedSQLite = "audited SQLite"
  case lmdb = "LMDB"
  case auditedLMDB = "LMDB with history"
  case rocksDB = "RocksDB"
  case auditedRocksDB = "RocksDB with history"

  static let withHistory: [PeerKind] = [.auditedSQLite, .auditedLMDB, .auditedRocksDB]
  static let namesWithHistory = Set(withHistory.map(\.rawValue))

  /// Opens it in a folder, and makes it where there is none.
  func open(_ path: String) throws -> any Peer {
    switch self {
    case .sqlite: try SQLitePeer(path, hasHistory: false)
    case .auditedSQLite: try SQLitePeer(path, hasHistory: true)
    case .lmdb: try LMDBPeer(path, hasHistory: false)
    case .auditedLMDB: try LMDBPeer(path, hasHistory: true)
    case .rocksDB: try RocksDBPeer(path, hasHistory: false)
    case .auditedRocksDB: try RocksDBPeer(path, hasHistory: true)
    }
  }

  /// A name for its folder.
  var folder: String { rawValue.filter { $0 != " " } }
}
