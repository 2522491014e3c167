import DiskAccess
import Journaling
import ObjectModel
import ObjectStore

/// The lines of the past: P7, P8 and P10.
struct HistoryLines {
  let library: Library
  private var bench: Bench { library.bench }
  private var workplace: Workplace { bench.workplace }
  private var disk: PosixDisk { workplace.disk }
  private var eventCount: Double {
    Double(bench.objectCount + bench.saveCount * NoteSource.saveCount)
  }

  /// The room that history takes: the journal alone, and whole folders.
  func size() throws -> [Comparison] {
    var lines: [Comparison] = []
    let floor = try bytes(of: try library.log())
    for (way, suffix, words) in [
      (NoteStore.Way.edits, "", "edits and commits"), (.commits, "b", "commits alone"),
    ] {
      let name = try library.ours(way)
      var journal = Comparison(
        line: "P7j" + suffix, what: "bytes an event, journal, \(words)", unit: .bytes,
        goals: [.floor(100.0 / 92)])
      journal.round(ours: try bytes(of: name + "/" + JournalFiles.journalFolder), floor: floor)
      var folder = Comparison(
        line: "P7" + suffix, what: "bytes an event, whole folder, \(words)", unit: .bytes,
        goals: [.floor(135.0 / 92), .peers()])
      folder.round(ours: try bytes(of: name), floor: floor)
      journal.noteDisk(try workplace.byteCount(of: name + "/" + JournalFiles.journalFolder))
      folder.noteDisk(try workplace.byteCount(of: name))
      for kind in PeerKind.withHistory {
        folder.peer(kind.rawValue, try bytes(of: try library.peer(kind)))
      }
      try library.noteDisk(ofPeersIn: &folder)
      lines += [journal, folder]
    }
    return lines
  }

  private func bytes(of name: String) throws -> Double {
    Double(try workplace.byteCount(of: name)) / eventCount
  }

  /// All objects as they were when half of the changes had been made.
  func pastState() throws -> Comparison {
    var comparison = Comparison(
      line: "P8", what: "state at a past time, all rows", unit: .seconds,
      goals: [.floor(0.86), .peers()])
    let save = library.pastSave
    let log = try PlainLog(workplace.place(try library.log()), disk)
    let store = try NoteStore(workplace.place(try library.ours()))
    let peers = try openPeers()
    var expected: (sum: Int, count: Int)?
    func measure(_ body: () throws -> (sum: Int, count: Int)) throws -> Double {
      try seconds(disk) {
        let found = try body()
        if let expected, expected != found { throw BenchError.wrongResult("P8 \(found)") }
        expected = found
      }
    }
    for round in 0..<bench.largeRounds {
      try comparison.round(
        round,
        ours: {
          try measure {
            let number = CommitNumber(rawValue: UInt64(save))
            return try store.ranks(of: try store.store.snapshot(at: number))
          }
        },
        floor: {
          try measure {
            let notes = try log.notes(after: save)
            return (notes.reduce(0) { $0 + $1.rank }, notes.count)
          }
        },
        peers: peers.map { peer in (peer.name, { try measure { try peer.pastRanks(after: save) } })
        })
    }
    try store.store.close()
    for peer in peers { try peer.close() }
    try library.noteDisk(in: &comparison)
    return comparison
  }

  /// Single objects as they were then.
  func pastObject(reads: Int = 20_000) throws -> Comparison {
    var comparison = Comparison(
      line: "P8o", what: "state at a past time, one object, warm", unit: .seconds,
      goals: [.floor(3.7), .peers()])
    let save = library.pastSave
    let number = CommitNumber(rawValue: UInt64(save))
    let floor = try PastInMemory(bench)
    let store = try NoteStore(workplace.place(try library.ours())) {
      $0.cacheByteCount = NoteStore.ampleCacheByteCount
    }
    let peers = try openPeers()
    var source = NoteSource(bench.objectCount, seed: 7)
    let numbers = (0..<reads).map { _ in source.randomNumber() }
    var expected: Int?
    func measure(_ rank: (Int) throws -> Int) throws -> Double {
      var sum = 0
      let time = try seconds(disk) { for number in numbers { sum += try rank(number) } }
      if let expected, expected != sum { throw BenchError.wrongResult("P8o \(sum)") }
      expected = sum
      return time / Double(reads)
    }
    for round in 0...bench.largeRounds {
      // The first round only warms.
      var discarded = comparison
      try discarded.round(
        round,
        ours: {
          try measure { note in
            try store.rank(in: try store.store.stored(store.object(note), at: number)?.row)
          }
        },
        floor: { try measure { floor.note($0, after: save).rank } },
        peers: peers.map { peer in
          (peer.name, { try measure { try peer.note($0, after: save).rank } })
        })
      comparison.take(discarded, round: round)
    }
    try store.store.close()
    for peer in peers { try peer.close() }
    try library.noteDisk(in: &comparison)
    return comparison
  }

  private func openPeers() throws -> [any Peer] {
    try PeerKind.withHistory.map { try $0.open(workplace.place(try library.peer($0))) }
  }

  /// Compaction while somebody saves, and how long the longest of these saves took.
  func compaction() throws -> [Comparison] {
    var whole = Comparison(
      line: "P10", what: "compaction to the latest state", unit: .seconds, goals: [.most(3)])
    var longest = Comparison(
      line: "P10w", what: "longest written save meanwhile; floor: without compaction",
      unit: .seconds, goals: [.never(over: 0.020)])
    let name = try library.ours()
    for _ in 0..<bench.largeRounds {
      try workplace.copy(name, to: "copy")
      let store = try NoteStore(workplace.place("copy")) { $0.durability = .written }
      let quiet = try longestSave(store) { try pause() }
      var busy = 0.0
      let counted = try Counted {
        var time = 0.0
        busy = try longestSave(store) {
          time = try seconds(disk) { _ = try store.store.compact(keeping: .latest) }
        }
        return time
      }
      whole.add(counted, of: Counted.ours)
      longest.round(ours: busy, floor: quiet)
      try store.store.close()
      // What compaction leaves.
      let byteCount = try workplace.byteCount(of: "copy")
      whole.noteDisk(byteCount)
      longest.noteDisk(byteCount)
    }
    try workplace.remove("copy")
    return [whole, longest]
  }

  private func pause() throws {
    let until = disk.steadyClock() + 1_000_000_000
    let lock = Lock()
    lock.lock()
    while !lock.wait(until: until) {}
    lock.unlock()
  }

  /// The longest time that a save took while something was done.
  private func longestSave(_ store: NoteStore, _ body: () throws -> Void) throws -> Double {
    let (saver, failures) = (Saver(store, disk), Failures())
    let thread = try BackgroundThread {
      do { try saver.run() } catch { failures.add(error) }
    }
    defer {
      saver.stop()
      thread.join()
    }
    try body()
    saver.stop()
    thread.join()
    try failures.throwFirst()
    return saver.longest
  }
}

/// Saves until it is told to stop.
private final class Saver: @unchecked Sendable {
  private let store: NoteStore
  private let disk: PosixDisk
  private let lock = Lock()
  private var isStopped = false
  /// Read when it has stopped.
  private(set) var longest = 0.0

  init(_ store: NoteStore, _ disk: PosixDisk) { (self.store, self.disk) = (store, disk) }

  func stop() { lock.withLock { isStopped = true } }

  func run() throws {
    let context = try store.beginContext()
    var rank = 0
    while !lock.withLock({ isStopped }) {
      rank += 1
      let change = NoteChange(number: 1 + rank % 100, attribute: .rank(1000 + rank))
      longest = max(
        longest, try seconds(disk) { try store.update([change], .edits, by: context) })
      // Often enough, and leaves the machine to what is done meanwhile.
      lock.withLock { _ = lock.wait(until: disk.steadyClock() + 1_000_000) }
    }
    try store.store.endContext(context)
  }
}

/// The floor of the past: every note and all of its changes in memory.
private struct PastInMemory {
  private var notes: [Note] = []
  private var changes: [[(save: Int, change: NoteChange)]] = []

  init(_ bench: Bench) throws {
    try Library.insert(bench) { notes += $0 }
    changes = Array(repeating: [], count: notes.count)
    var save = bench.saveCount
    try Library.update(bench) { changed in
      save += 1
      for change in changed { changes[change.number - 1].append((save, change)) }
    }
  }

  func note(_ number: Int, after save: Int) -> Note {
    var note = notes[number - 1]
    for (changed, change) in changes[number - 1] where changed <= save { change.apply(to: &note) }
    return note
  }
}
