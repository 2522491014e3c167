import DiskAccess
import ManagedObjects
import ObjectModel
import ObjectQuery
import ObjectStore

/// The lines of indexes: P12, and P6 with an index.
struct IndexLines {
  let bench: Bench
  private var workplace: Workplace { bench.workplace }
  private var disk: PosixDisk { workplace.disk }

  private static let peer = "SQLite, foreign key indexed"

  /// A relationship to many, gone over and added to.
  func toMany() throws -> [Comparison] {
    let childCount = min(100_000, bench.objectCount)
    let saveCount = 500
    var traversal = [
      Comparison(
        line: "P12", what: "traverse a relationship to \(childCount)", unit: .seconds,
        goals: [.peers()]),
      Comparison(line: "P12s", what: "the same, below contexts", unit: .seconds),
    ]
    var adding = [
      Comparison(
        line: "P12a", what: "synced saves of a child added to \(childCount)", goals: [.peers()]),
      Comparison(line: "P12t", what: "the same, below contexts"),
    ]
    var ratio = Comparison(
      line: "P12r", what: "children added to \(childCount), below contexts; floor: added to 10",
      goals: [.floor(1 / 1.2)])
    let family = try FamilyStore(try workplace.emptyFolder("family"))
    let sqlite = try SQLiteFamily(try workplace.emptyFolder("familyPeer"))
    let many = try family.makeParent(childCount: childCount)
    try sqlite.makeParent(1, childCount: childCount)
    try family.store.checkpoint()
    try sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)")
    for round in 0...bench.rounds {
      // The first round only warms.
      var measured = traversal
      for (line, counted) in [family.countMembers, family.countChildren].enumerated() {
        try measured[line].round(
          round, ours: { try count(childCount) { try counted(many) } },
          peers: [(Self.peer, { try count(childCount) { try sqlite.countChildren(of: 1) } })])
      }
      for line in traversal.indices { traversal[line].take(measured[line], round: round) }
    }
    for round in 0..<bench.rounds {
      let few = try family.makeParent(childCount: 10)
      func add(to parent: ObjectID) throws -> Double {
        try perSecond(saveCount, disk) {
          for _ in 0..<saveCount { try family.addChildren(1, to: parent) }
        }
      }
      let context = ManagedObjectContext(family.store)
      func addObjects() throws -> Double {
        try perSecond(saveCount, disk) {
          try family.addChildren(saveCount, to: many, in: context)
        }
      }
      let ways: [Comparison.Measured] = [addObjects, { try add(to: many) }]
      for (line, ours) in ways.enumerated() {
        try adding[line].round(
          round, ours: ours,
          peers: [
            (
              Self.peer,
              {
                try perSecond(saveCount, disk) {
                  for _ in 0..<saveCount { try sqlite.addChild(to: 1) }
                }
              }
            )
          ])
      }
      try ratio.round(round, ours: { try add(to: many) }, floor: { try add(to: few) })
    }
    for line in adding { try line.requireSyncs() }
    try family.store.close()
    try sqlite.close()
    var lines = traversal + adding + [ratio]
    for index in lines.indices {
      lines[index].noteDisk(try workplace.byteCount(of: "family"))
      if lines[index].peers.isEmpty { continue }
      lines[index].noteDisk(try workplace.byteCount(of: "familyPeer"), of: Self.peer)
    }
    for name in ["family", "familyPeer"] { try workplace.remove(name) }
    return lines
  }

  /// A filter by an integer of which one in a thousand is meant, through an index.
  func filter() throws -> [Comparison] {
    var comparison = Comparison(
      line: "P6i", what: "filter by an integer that one in a thousand has, indexed", unit: .seconds,
      goals: [.peers(), .most(0.0009)])
    var below = Comparison(line: "P6j", what: "the same, below contexts", unit: .seconds)
    var opening = Comparison(
      line: "P4i", what: "clean open, with an index", unit: .seconds, goals: [.most(0.010)])
    let rank = NoteSource.rankBound / 2
    let store = try NoteStore(try workplace.emptyFolder("indexed"), indexesRank: true)
    let context = try store.beginContext()
    try Library.insert(bench) { try store.insert($0, .commits, by: context) }
    try store.store.checkpoint()
    let sqlite = try SQLitePeer(try workplace.emptyFolder("indexedPeer"), hasHistory: false)
    try sqlite.indexRank()
    try Library.insert(bench) { try sqlite.insert($0) }
    try sqlite.settle()
    let expected = try sqlite.count(ofRank: rank)
    let objects = NoteContext(store).context
    // Made ready once, as the peer's is.
    let request = FetchRequest("StoredNote", where: try Filter("rank == \(rank)"))
    let query = try store.query("StoredNote where rank == \(rank)", in: store.store.head)
    let peers = [("SQLite, indexed", { try count(expected) { try sqlite.count(ofRank: rank) } })]
    for round in 0...bench.rounds {
      // The first round only warms.
      var (measured, measuredBelow) = (comparison, below)
      try measured.round(
        round, ours: { try count(expected) { try objects.count(request) } }, peers: peers)
      try measuredBelow.round(
        round, ours: { try count(expected) { try store.store.head.count(of: query) } }, peers: peers
      )
      comparison.take(measured, round: round)
      below.take(measuredBelow, round: round)
    }
    try store.store.endContext(context)
    try store.store.close()
    try sqlite.close()
    let plain = try NoteStore(try workplace.emptyFolder("plain"))
    let plainContext = try plain.beginContext()
    try Library.insert(bench) { try plain.insert($0, .commits, by: plainContext) }
    try plain.store.endContext(plainContext)
    try plain.store.close()
    func open(_ name: String, indexesRank: Bool) throws -> Double {
      var opened: NoteStore?
      let time = try seconds(disk) {
        opened = try NoteStore(workplace.place(name), indexesRank: indexesRank)
      }
      try opened?.store.close()
      return time
    }
    for round in 0..<bench.rounds {
      try opening.round(
        round, ours: { try open("indexed", indexesRank: true) },
        peers: [("without it", { try open("plain", indexesRank: false) })])
    }
    var lines = [comparison, below, opening]
    for (index, peer) in ["indexedPeer", "indexedPeer", "plain"].enumerated() {
      lines[index].noteDisk(try workplace.byteCount(of: "indexed"))
      lines[index].noteDisk(try workplace.byteCount(of: peer), of: lines[index].peers[0].name)
    }
    for name in ["indexed", "indexedPeer", "plain"] { try workplace.remove(name) }
    return lines
  }

  /// How many seconds counting takes, which is to come to a number.
  private func count(_ expected: Int, _ body: () throws -> Int) throws -> Double {
    try seconds(disk) {
      let found = try body()
      guard found == expected else { throw BenchError.wrongResult("\(found) and not \(expected)") }
    }
  }
}
