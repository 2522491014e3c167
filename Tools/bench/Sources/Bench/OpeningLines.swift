import CXXHash
import DiskAccess
import ObjectStore

/// The lines of opening: P4 and P11.
struct OpeningLines {
  let library: Library
  private var bench: Bench { library.bench }
  private var workplace: Workplace { bench.workplace }
  private var disk: PosixDisk { workplace.disk }

  /// Opening what a killed process has left, with as many changes since the checkpoint as there are objects.
  func recovery() throws -> Comparison {
    var comparison = Comparison(
      line: "P4", what: "open after kill -9, all changed since the checkpoint", unit: .seconds,
      goals: [.floor(2.5)])
    // The copies are taken while the stores are open: that is what a killed process leaves.
    let store = try NoteStore(try workplace.emptyFolder("killed")) {
      $0.unflushedByteCount = .max
      $0.cacheByteCount = NoteStore.ampleCacheByteCount
    }
    let context = try store.beginContext()
    try Library.insert(bench) { try store.insert($0, .commits, by: context) }
    try store.store.checkpoint()
    try Library.update(bench) { try store.update($0, .edits, by: context) }
    let peers = try KilledPeer.all(bench)
    let log = try PlainLog(try workplace.emptyFolder("killedLog"), disk)
    try Library.update(bench) { try log.update($0) }

    for round in 0..<bench.largeRounds {
      try workplace.copy("killed", to: "copy")
      for peer in peers { try workplace.copy(peer.folder, to: peer.copy) }
      try comparison.round(
        round,
        ours: {
          var copy: NoteStore?
          let time = try seconds(disk) {
            copy = try NoteStore(workplace.place("copy"))
            _ = try copy?.rank(of: 1)
          }
          guard copy?.store.lastCommit == store.store.lastCommit else {
            throw BenchError.wrongResult("P4 lost commits")
          }
          return time
        },
        floor: { try floor(log) },
        peers: peers.map { peer in (peer.name, { try peer.openCopy(in: workplace) }) })
    }
    // As they were killed.
    comparison.noteDisk(try workplace.byteCount(of: "killed"))
    for peer in peers {
      comparison.noteDisk(try workplace.byteCount(of: peer.folder), of: peer.name)
    }
    try store.store.close()
    for peer in peers { try peer.peer.close() }
    for name in ["killed", "killedLog", "copy"] + peers.flatMap({ [$0.folder, $0.copy] }) {
      try workplace.remove(name)
    }
    return comparison
  }

  /// Reads and checks the log, and notes for each object where its newest values are.
  private func floor(_ log: PlainLog) throws -> Double {
    try seconds(disk) {
      var places = [UInt32](repeating: 0, count: 3 * (bench.objectCount + 1))
      var place: UInt32 = 0
      try log.forEachSave { reader in
        while !reader.isAtEnd {
          place += 1
          _ = reader.byte()
          let number = reader.number()
          switch reader.attribute() {
          case .title: places[number * 3] = place
          case .rank: places[number * 3 + 1] = place
          case .score: places[number * 3 + 2] = place
          }
        }
        return true
      }
      guard place > 0 else { throw BenchError.wrongResult("P4 floor") }
    }
  }

  /// Opening a store that was closed in order.
  func clean() throws -> Comparison {
    var comparison = Comparison(
      line: "P4c", what: "clean open, one row read", unit: .seconds, goals: [.most(0.010)])
    let name = try library.ours()
    let index = try workplace.preallocatedFile("index", bench.objectCount * 16)
    for round in 0..<bench.rounds {
      try comparison.round(
        round,
        ours: {
          var store: NoteStore?
          let time = try seconds(disk) {
            store = try NoteStore(workplace.place(name))
            _ = try store?.rank(of: 1)
          }
          try store?.store.close()
          return time
        },
        floor: {
          // An index of 16 bytes for each object, read and checked.
          var bytes = [UInt8](repeating: 0, count: bench.objectCount * 16)
          return try seconds(disk) {
            let check = try bytes.withUnsafeMutableBytes { bytes in
              _ = try index.read(into: bytes, at: 0)
              return XXH3_64bits(bytes.baseAddress, bytes.count)
            }
            guard check != 0 else { throw BenchError.wrongResult("P4c floor") }
          }
        },
        peers: PeerKind.withHistory.map { kind in
          let folder = workplace.place(try library.peer(kind))
          return (
            kind.rawValue,
            {
              var peer: (any Peer)?
              let time = try seconds(disk) {
                peer = try kind.open(folder)
                _ = try peer?.rank(of: 1)
              }
              try peer?.close()
              return time
            }
          )
        })
    }
    try workplace.remove("index")
    try library.noteDisk(in: &comparison)
    return comparison
  }

  /// The memory of a process that has opened a store and read a row.
  func memory() throws -> Comparison {
    var comparison = Comparison(
      line: "P11", what: "memory of a process, store opened, one row read; floor: nothing opened",
      unit: .megabytes, goals: [.most(64)])
    let name = try library.ours()
    for round in 0..<bench.largeRounds {
      try comparison.round(
        round, ours: { try workplace.opening("ours", name).residentMegabytes },
        floor: { try workplace.opening("nothing", name).residentMegabytes },
        peers: PeerKind.withHistory.map { kind in
          let folder = try library.peer(kind)
          return (
            kind.rawValue, { try workplace.opening(kind.rawValue, folder).residentMegabytes }
          )
        })
    }
    try library.noteDisk(in: &comparison)
    return comparison
  }

  /// What an object of six attributes takes that was read and is held, beyond its values.
  func objectMemory() throws -> Comparison {
    var comparison = Comparison(
      line: "P11o", what: "memory of a registered object beyond its values", unit: .bytes,
      goals: [.most(300)])
    let name = try library.ours()
    for _ in 0..<bench.largeRounds {
      let none = try workplace.opening("ours", name)
      let objects = try workplace.opening("objects", name)
      let grown = (objects.residentMegabytes - none.residentMegabytes) * 1e6
      comparison.ours.append(
        (grown - objects.valueByteCount) / Double(min(Opening.objectCount, bench.objectCount)))
    }
    try library.noteDisk(in: &comparison)
    return comparison
  }

  /// Opening a store that was closed in order, with a history ten times as long as it has objects, and without.
  func withHistory() throws -> [Comparison] {
    let (long, fresh) = ("long", "fresh")
    for (name, changesPerNote) in [(long, 10), (fresh, 0)] {
      try make(name, changesPerNote: changesPerNote)
    }
    var openings: [String: [Opening]] = [:]
    for round in 0...4 * bench.rounds {
      for name in round % 2 == 0 ? [long, fresh] : [fresh, long] {
        let opening = try workplace.opening("ours", name)
        // The first round only warms.
        if round > 0 { openings[name, default: []].append(opening) }
      }
    }
    let byteCount = try workplace.byteCount(of: long)
    for name in [long, fresh] { try workplace.remove(name) }
    func comparison(
      _ line: String, _ what: String, _ unit: Comparison.Unit, _ goal: Comparison.Goal,
      _ measured: (Opening) -> Double
    ) -> Comparison {
      var comparison = Comparison(line: line, what: what, unit: unit, goals: [goal])
      comparison.ours = openings[long, default: []].map(measured)
      comparison.floor = openings[fresh, default: []].map(measured)
      comparison.noteDisk(byteCount)
      return comparison
    }
    return [
      comparison(
        "P4h", "clean open, ten changes an object; floor: none", .seconds, .floor(1.5), \.seconds),
      comparison(
        "P4hr", "what is read by that", .bytes, .floor(1.5), \.readByteCount),
      comparison(
        "P4hm", "memory of the process then", .megabytes, .most(64), \.residentMegabytes),
      comparison("P4hp", "the most it was", .megabytes, .most(64), \.peakMegabytes),
    ]
  }

  /// Makes a store of all notes, with all that ever happened to them, or compacted where nothing did.
  private func make(_ name: String, changesPerNote: Int) throws {
    let store = try NoteStore(try workplace.emptyFolder(name)) {
      $0.cacheByteCount = NoteStore.ampleCacheByteCount
    }
    let context = try store.beginContext()
    try Library.insert(bench) { try store.insert($0, .commits, by: context) }
    try Library.update(bench, changesPerNote: changesPerNote) {
      try store.update($0, .edits, by: context)
    }
    try store.store.endContext(context)
    if changesPerNote == 0 { try store.store.compact(keeping: .latest) }
    try store.store.close()
  }
}
