import DiskAccess
import Journaling
import ObjectModel
import ObjectStore

/// The lines of reading: P5 and P6.
struct ReadingLines {
  let library: Library
  private var bench: Bench { library.bench }
  private var workplace: Workplace { bench.workplace }
  private var disk: PosixDisk { workplace.disk }

  /// One attribute of random objects whose blocks are in the cache.
  func warmValues() throws -> Comparison {
    try warm(
      Comparison(
        line: "P5", what: "one attribute of random objects, warm", goals: [.floor(0.27), .peers()])
    ) { peer, number in try peer.rank(of: number) }
  }

  /// Whole rows of random objects whose blocks are in the cache.
  func warmRows() throws -> Comparison {
    try warm(Comparison(line: "P5r", what: "whole rows of random objects, warm")) { peer, number in
      try peer.note(number).rank
    }
  }

  private func warm(
    _ empty: Comparison, _ rank: @escaping (any Peer, Int) throws -> Int
  ) throws -> Comparison {
    var comparison = empty
    let numbers = randomNumbers(200_000)
    let store = try NoteStore(workplace.place(try library.ours())) {
      $0.cacheByteCount = NoteStore.ampleCacheByteCount
    }
    let peers = try PeerKind.withHistory.map { try $0.open(workplace.place(try library.peer($0))) }
    let head = store.store.head
    let objects = try InMemory(bench)
    var expected: Int?
    func measure(_ rank: (Int) throws -> Int) throws -> Double {
      var sum = 0
      let rate = try perSecond(numbers.count, disk) {
        for number in numbers { sum += try rank(number) }
      }
      if let expected, expected != sum { throw BenchError.wrongResult("\(empty.line) \(sum)") }
      expected = sum
      return rate
    }
    for number in 1...bench.objectCount { _ = try head.row(of: store.object(number)) }
    for round in 0...bench.largeRounds {
      // The first round only warms.
      var measured = comparison
      try measured.round(
        round,
        ours: { try measure { try store.rank(in: try head.row(of: store.object($0))) } },
        floor: { try measure { objects.rank(of: $0) } },
        peers: peers.map { peer in (peer.name, { try measure { try rank(peer, $0) } }) })
      if round > 0 { comparison = measured }
    }
    try store.store.close()
    for peer in peers { try peer.close() }
    return comparison
  }

  /// Random objects right after opening, the system having been told to forget what it holds of the files.
  func cold() throws -> Comparison {
    var comparison = Comparison(
      line: "P5c", what: "one attribute of random objects, cold", goals: [.floor(0.9)])
    let numbers = randomNumbers(1000)
    let name = try library.ours()
    try workplace.copy(name + "/snapshots", to: "cold")
    for round in 0..<bench.largeRounds {
      try comparison.round(
        round,
        ours: {
          try workplace.forgetPages(of: name)
          let store = try NoteStore(workplace.place(name))
          let head = store.store.head
          let rate = try perSecond(numbers.count, disk) {
            for number in numbers { _ = try head.row(of: store.object(number)) }
          }
          try store.store.close()
          return rate
        },
        floor: { try coldFloor("cold", numbers) },
        peers: try PeerKind.withHistory.map { kind in
          let folder = try library.peer(kind)
          return (
            kind.rawValue,
            {
              try workplace.forgetPages(of: folder)
              let peer = try kind.open(workplace.place(folder))
              let rate = try perSecond(numbers.count, disk) {
                for number in numbers { _ = try peer.rank(of: number) }
              }
              try peer.close()
              return rate
            }
          )
        })
    }
    try workplace.remove("cold")
    return comparison
  }

  /// Reads 4 KiB at random places of files that the system has forgotten.
  private func coldFloor(_ name: String, _ numbers: [Int]) throws -> Double {
    try workplace.forgetPages(of: name)
    let folder = try disk.folder(at: workplace.place(name))
    let largest = try folder.names().max { one, other in
      try folder.information(of: one)?.byteCount ?? 0 < folder.information(of: other)?.byteCount
        ?? 0
    }
    guard let largest else { throw BenchError.wrongResult("P5c floor") }
    let file = try folder.file(largest, .existing)
    let pages = Int(try file.information().byteCount / 4096)
    var page = [UInt8](repeating: 0, count: 4096)
    return try page.withUnsafeMutableBytes { page in
      try perSecond(numbers.count, disk) {
        for number in numbers {
          let place = UInt64(number * pages / (bench.objectCount + 1)) * 4096
          _ = try file.read(into: page, at: place)
        }
      }
    }
  }

  /// All rows filtered by an integer, through the column of a compacted store's run.
  func filter() throws -> Comparison {
    var comparison = Comparison(
      line: "P6", what: "filter of all rows by an integer, by the run's column", unit: .seconds,
      goals: [.floor(9.4), .peers()])
    let bound = NoteSource.rankBound / 4
    try workplace.copy(try library.ours(), to: "copy")
    let store = try NoteStore(workplace.place("copy"))
    _ = try store.store.compact(keeping: .latest)
    try store.store.close()
    let run = try self.run("copy")
    let column = try InMemory(bench).ranks
    let peers = try PeerKind.withHistory.map { try $0.open(workplace.place(try library.peer($0))) }
    var expected: Int?
    func measure(_ count: () throws -> Int) throws -> Double {
      try seconds(disk) {
        let found = try count()
        if let expected, expected != found { throw BenchError.wrongResult("P6 \(found)") }
        expected = found
      }
    }
    for round in 0..<bench.rounds {
      try comparison.round(
        round,
        ours: {
          try measure {
            var count = 0
            try run.forEachValue(of: store.rankKey, origin: 0, NoteStore.entity) {
              _, isDeleted, value in
              if !isDeleted, let rank = value?.integer, rank < bound { count += 1 }
              return true
            }
            return count
          }
        },
        floor: { try measure { column.reduce(0) { $0 + ($1 < bound ? 1 : 0) } } },
        peers: peers.map { peer in
          (peer.name, { try measure { try peer.count(ofRanksBelow: bound) } })
        })
    }
    for peer in peers { try peer.close() }
    try workplace.remove("copy")
    return comparison
  }

  /// The only run of a compacted store.
  private func run(_ name: String) throws -> Run {
    let folder = try disk.folderForReading(at: workplace.place(name + "/snapshots"))
    let runs = try folder.names().filter { $0.hasSuffix(".xr") }
    guard runs.count == 1, let only = runs.first else {
      throw BenchError.wrongResult("P6 has \(runs.count) runs")
    }
    let manifest = try JournalReader(at: workplace.place(name), on: disk).manifest
    let cache = BlockCache(largestByteCount: NoteStore.ampleCacheByteCount)
    return try Run(only, in: folder, store: manifest.store, cache: cache)
  }

  private func randomNumbers(_ count: Int) -> [Int] {
    var source = NoteSource(bench.objectCount, seed: 7)
    return (0..<count).map { _ in source.randomNumber() }
  }
}

/// The floor of reading: objects in memory, found by their numbers in a dictionary.
private struct InMemory {
  private final class Object {
    let note: Note
    init(_ note: Note) { self.note = note }
  }

  private var objects: [Int: Object] = [:]
  let ranks: [Int]

  init(_ bench: Bench) throws {
    var notes: [Note] = []
    try Library.insert(bench) { notes += $0 }
    try Library.update(bench) { changes in
      for change in changes { change.apply(to: &notes[change.number - 1]) }
    }
    ranks = notes.map(\.rank)
    for note in notes { objects[note.number] = Object(note) }
  }

  func rank(of number: Int) -> Int { objects[number]?.note.rank ?? 0 }
}
