import DiskAccess
import Journaling
import ManagedObjects
import ObjectStore

/// The lines of saves: P1, P2 and P9.
struct SavingLines {
  let bench: Bench
  private var workplace: Workplace { bench.workplace }
  private var disk: PosixDisk { workplace.disk }

  private static let frameByteCount = 170

  /// How changes come into our store.
  private enum Door: CaseIterable {
    /// Through objects of a context.
    case objects
    /// By edits and commits, below contexts.
    case edits
  }

  /// Saves of one attribute by one thread.
  func oneThread(saves: Int) throws -> [Comparison] {
    var objects = Comparison(
      line: "P1", what: "synced saves of one attribute of 1,000 objects, 1 thread",
      goals: [.floor(0.90), .peers()])
    var edits = Comparison(line: "P1s", what: "the same, below contexts")
    for round in 0..<bench.rounds {
      let changes = changes(saves)
      try objects.round(
        round, ours: { try ours(changes, .objects) }, floor: { try floor(saves) },
        peers: PeerKind.allCases.map { kind in
          (kind.rawValue, { try peer(kind) { peer in try save(changes, to: peer) } })
        })
      try edits.round(round, ours: { try ours(changes, .edits) }, floor: { try floor(saves) })
    }
    try objects.requireSyncs()
    return [objects, edits]
  }

  private func ours(_ changes: [NoteChange], _ door: Door) throws -> Double {
    try ours { store, context in
      let objects = NoteContext(store)
      return try perSecond(changes.count, disk) {
        for change in changes {
          switch door {
          case .objects: try objects.update([change])
          case .edits: try store.update([change], .edits, by: context)
          }
        }
      }
    }
  }

  private func save(_ changes: [NoteChange], to peer: any Peer) throws -> Double {
    try perSecond(changes.count, disk) {
      for change in changes { try peer.update([change]) }
    }
  }

  /// Appends to a file that does not grow, each synced.
  private func floor(_ saves: Int) throws -> Double {
    let file = try workplace.preallocatedFile("floor", 16 << 20)
    let frame = [UInt8](repeating: 7, count: Self.frameByteCount)
    let rate = try perSecond(saves, disk) {
      for save in 0..<saves {
        try frame.withUnsafeBytes { try file.write($0, at: UInt64(save * frame.count)) }
        try file.syncData()
      }
    }
    try workplace.remove("floor")
    return rate
  }

  /// Saves of one attribute by many threads, each with objects and a context of its own.
  func manyThreads(_ threadCount: Int, savesPerThread: Int) throws -> [Comparison] {
    var objects = Comparison(
      line: "P9", what: "synced saves of one attribute of 1,000 objects, \(threadCount) threads",
      goals: [.floor(0.85), .peers()])
    var edits = Comparison(line: "P9s", what: "the same, below contexts")
    for round in 0..<bench.rounds {
      try objects.round(
        round, ours: { try ours(.objects, threadCount, savesPerThread) },
        floor: { try groupFloor(threadCount, savesPerThread) },
        peers: PeerKind.allCases.map { kind in
          (
            kind.rawValue,
            {
              try peer(kind) { peer in
                let some = max(1, savesPerThread / 4)
                return try perSecond(threads: threadCount, each: some, disk) { thread in
                  { try peer.update([change(by: thread)]) }
                }
              }
            }
          )
        })
      try edits.round(
        round, ours: { try ours(.edits, threadCount, savesPerThread) },
        floor: { try groupFloor(threadCount, savesPerThread) })
    }
    return [objects, edits]
  }

  /// A change of the note that a thread has for itself.
  private func change(by thread: Int) -> NoteChange {
    NoteChange(number: thread + 1, attribute: .rank(Int(disk.steadyClock() % 1_000_003)))
  }

  private func ours(_ door: Door, _ threadCount: Int, _ savesPerThread: Int) throws -> Double {
    try ours { store, _ in
      try perSecond(threads: threadCount, each: savesPerThread, disk) { thread in
        switch door {
        case .objects:
          let objects = NoteContext(store)
          return { try objects.update([change(by: thread)]) }
        case .edits:
          let context = try store.beginContext()
          return { try store.update([change(by: thread)], .edits, by: context) }
        }
      }
    }
  }

  private func groupFloor(_ threadCount: Int, _ savesPerThread: Int) throws -> Double {
    let file = try workplace.preallocatedFile("floor", 16 << 20)
    let plain = PlainGroupCommit(file)
    let frame = [UInt8](repeating: 7, count: 110)
    let rate = try perSecond(threads: threadCount, each: savesPerThread, disk) { _ in
      { try plain.append(frame) }
    }
    try workplace.remove("floor")
    return rate
  }

  /// Many objects in saves of a thousand: by a context that registers no undo, below contexts, and as a batch does.
  func inserting() throws -> [Comparison] {
    var lines = [
      Comparison(
        line: "P2", what: "objects of 6 attributes in saves of 1,000",
        goals: [.peers(of: [PeerKind.auditedSQLite.rawValue], by: 1.2)]),
      Comparison(line: "P2s", what: "the same by edits and commits, below contexts"),
      Comparison(
        line: "P2b", what: "the same by batches of 1,000",
        goals: [.peers(of: PeerKind.namesWithHistory)]),
      Comparison(line: "P2c", what: "the same by commits alone, below batches"),
    ]
    let ways: [(NoteStore, LiveContext) -> ([Note]) throws -> Void] = [
      { store, _ in
        let objects = NoteContext(store)
        objects.context.disableUndoRegistration()
        return { try objects.insert($0) }
      },
      { store, context in { try store.insert($0, .edits, by: context) } },
      { store, _ in { try store.insertBatch($0) } },
      { store, context in { try store.insert($0, .commits, by: context) } },
    ]
    for round in 0..<bench.largeRounds {
      // What the lines have in common is measured once.
      var steps: [(adds: (Counted) -> Void, measured: Comparison.Measured)] = []
      func add(_ name: String, _ measured: @escaping Comparison.Measured) {
        steps.append(
          (
            { counted in for index in lines.indices { lines[index].add(counted, of: name) } },
            measured
          )
        )
      }
      for kind in PeerKind.allCases {
        add(kind.rawValue) {
          try peer(kind, count: 0) { peer in try insertAll { try peer.insert($0) } }
        }
      }
      add(Counted.floor) { try floor() }
      for (index, way) in ways.enumerated() {
        steps.append(
          (
            { lines[index].add($0, of: Counted.ours) },
            { try ours(count: 0) { store, context in try insertAll(way(store, context)) } }
          ))
      }
      for step in round % 2 == 0 ? steps : steps.reversed() {
        step.adds(try Counted(step.measured))
      }
    }
    for line in lines { try line.requireSyncs() }
    return lines
  }

  private func floor() throws -> Double {
    let log = try PlainLog(try workplace.emptyFolder("log"), disk)
    defer { try? workplace.remove("log") }
    return try insertAll { try log.insert($0) }
  }

  /// Inserts all notes; making them is not counted.
  private func insertAll(_ insert: ([Note]) throws -> Void) throws -> Double {
    var (source, stopwatch) = (NoteSource(bench.objectCount), Stopwatch(disk))
    while true {
      let notes = source.next()
      if notes.isEmpty {
        Syncs.add(stopwatch.syncs, of: bench.saveCount)
        return Double(bench.objectCount) / stopwatch.seconds
      }
      try stopwatch.time { try insert(notes) }
    }
  }

  // MARK: Stores

  private func changes(_ count: Int) -> [NoteChange] {
    var source = NoteSource(NoteSource.saveCount, seed: 5)
    return (0..<count).map { place in
      // A value that differs from the one before, so that there is something to save.
      NoteChange(number: source.randomNumber(), attribute: .rank(1000 + place))
    }
  }

  /// Gives a closure a new store of some notes.
  private func ours(
    count: Int = NoteSource.saveCount, _ body: (NoteStore, LiveContext) throws -> Double
  ) throws -> Double {
    let store = try NoteStore(try workplace.emptyFolder("ours"))
    defer { try? workplace.remove("ours") }
    let context = try store.beginContext()
    var source = NoteSource(count)
    if count > 0 { try store.insert(source.next(), .edits, by: context) }
    let rate = try body(store, context)
    try store.store.close()
    FolderSize.note(try workplace.byteCount(of: "ours"))
    return rate
  }

  /// Gives a closure a new peer of some notes.
  private func peer(
    _ kind: PeerKind, count: Int = NoteSource.saveCount, _ body: (any Peer) throws -> Double
  ) throws -> Double {
    let peer = try kind.open(try workplace.emptyFolder("peer"))
    defer { try? workplace.remove("peer") }
    var source = NoteSource(count)
    if count > 0 { try peer.insert(source.next()) }
    let rate = try body(peer)
    try peer.close()
    FolderSize.note(try workplace.byteCount(of: "peer"))
    return rate
  }
}
