import DiskAccess
import ObjectStore

/// Large stores with a past, made when a line asks for them: all notes inserted in saves of a thousand, and
/// then as many changes, in saves of a thousand too.
final class Library {
  let bench: Bench
  private var made: Set<String> = []
  private var workplace: Workplace { bench.workplace }

  init(_ bench: Bench) { self.bench = bench }

  /// A save in the middle of the changes.
  var pastSave: Int { bench.saveCount + bench.saveCount / 2 }

  /// The folder of our store, closed in order.
  func ours(_ way: NoteStore.Way = .edits) throws -> String {
    try make("ours-\(way)") { path in
      let store = try NoteStore(path) { $0.cacheByteCount = NoteStore.ampleCacheByteCount }
      let context = try store.beginContext()
      try write(
        insert: { try store.insert($0, way, by: context) },
        update: { try store.update($0, way, by: context) })
      try store.store.endContext(context)
      try store.store.close()
    }
  }

  /// The folder of the plain log.
  func log() throws -> String {
    try make("plain") { path in
      let log = try PlainLog(path, workplace.disk)
      try write(insert: { try log.insert($0) }, update: { try log.update($0) })
    }
  }

  /// The folder of a peer, at rest and closed.
  func peer(_ kind: PeerKind) throws -> String {
    try make(kind.folder) { path in
      let peer = try kind.open(path)
      try write(insert: { try peer.insert($0) }, update: { try peer.update($0) })
      try peer.settle()
      try peer.close()
    }
  }

  /// Notes what the folders have that a line has read, ours and those of its peers.
  func noteDisk(in comparison: inout Comparison) throws {
    comparison.noteDisk(try bench.workplace.byteCount(of: try ours()))
    try noteDisk(ofPeersIn: &comparison)
  }

  func noteDisk(ofPeersIn comparison: inout Comparison) throws {
    for kind in PeerKind.allCases
    where comparison.peers.contains(where: { $0.name == kind.rawValue }) {
      comparison.noteDisk(try bench.workplace.byteCount(of: try peer(kind)), of: kind.rawValue)
    }
  }

  private func make(_ name: String, _ body: (String) throws -> Void) throws -> String {
    if made.insert(name).inserted { try body(try workplace.emptyFolder(name)) }
    return name
  }

  private func write(
    insert: ([Note]) throws -> Void, update: ([NoteChange]) throws -> Void
  ) throws {
    try Self.insert(bench, insert)
    try Self.update(bench, update)
  }

  static func insert(_ bench: Bench, _ insert: ([Note]) throws -> Void) throws {
    var source = NoteSource(bench.objectCount)
    while true {
      let notes = source.next()
      if notes.isEmpty { return }
      try insert(notes)
    }
  }

  static func update(
    _ bench: Bench, changesPerNote: Int = 1, _ update: ([NoteChange]) throws -> Void
  ) throws {
    var source = NoteSource(bench.objectCount, seed: 2)
    for _ in 0..<(changesPerNote * bench.saveCount) { try update(source.changes()) }
  }

  /// Makes further changes of what is in a large store.
  static func changesAfterwards(_ bench: Bench) -> NoteSource {
    var source = NoteSource(bench.objectCount, seed: 2)
    for _ in 0..<bench.saveCount { _ = source.changes() }
    return source
  }
}
