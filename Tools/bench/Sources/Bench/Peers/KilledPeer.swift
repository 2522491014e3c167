/// A peer that has changed as many notes as it has since it was last at rest, and is open: a copy of its folder is what
/// a killed process leaves.
struct KilledPeer {
  let name: String
  let peer: any Peer
  private let open: (String) throws -> any Peer

  var folder: String { "killed " + name }
  var copy: String { "copy of " + name }

  /// With sizes by which all changes are still to be recovered, and RocksDB also with its own.
  static func all(_ bench: Bench) throws -> [KilledPeer] {
    var ample = RocksDBSettings()
    ample.writeBufferByteCount = 1 << 30
    return [
      try KilledPeer("SQLite without checkpoints", bench) {
        try SQLitePeer($0, hasHistory: false, checkpoints: false)
      },
      try KilledPeer("LMDB", bench) { try LMDBPeer($0, hasHistory: false) },
      try KilledPeer("RocksDB", bench) { try RocksDBPeer($0, hasHistory: false) },
      try KilledPeer("RocksDB without flushes", bench) { [ample] in
        try RocksDBPeer($0, hasHistory: false, settings: ample)
      },
    ]
  }

  private init(
    _ name: String, _ bench: Bench, _ open: @escaping (String) throws -> any Peer
  ) throws {
    (self.name, self.open) = (name, open)
    let peer = try open(try bench.workplace.emptyFolder("killed " + name))
    try Library.insert(bench) { try peer.insert($0) }
    try peer.settle()
    try Library.update(bench) { try peer.update($0) }
    // What is copied must not be written meanwhile.
    (peer as? RocksDBPeer)?.waitUntilQuiet()
    self.peer = peer
  }

  /// How many seconds it takes to open the copy and to read from it.
  func openCopy(in workplace: Workplace) throws -> Double {
    var copy: (any Peer)?
    let time = try seconds(workplace.disk) {
      copy = try open(workplace.place(self.copy))
      _ = try copy?.rank(of: 1)
    }
    try copy?.close()
    return time
  }
}
