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

  /// One attribute of random objects whose blocks are in the cache: through faults of a context, of rows below
  /// contexts, and of rows that are read whole.
  func warm() throws -> [Comparison] {
    let store = try NoteStore(workplace.place(try library.ours())) {
      $0.cacheByteCount = NoteStore.ampleCacheByteCount
    }
    let head = store.store.head
    for number in 1...bench.objectCount { _ = try head.row(of: store.object(number)) }
    let cached = Double(store.store.cachedByteCount) / 1e6
    let objects = NoteContext(store)
    var lines = [
      try warm(
        Comparison(
          line: "P5", what: "one attribute of random objects, warm",
          goals: [.floor(0.27), .peers()])
      ) {
        try objects.note($0).rank
      } _: { peer, number in
        try peer.rank(of: number)
      },
      try warm(Comparison(line: "P5s", what: "the same, below contexts")) {
        try head.handle(of: store.object($0))?.value(store.rankKey)?.integer
      } _: { peer, number in
        try peer.rank(of: number)
      },
      try warm(Comparison(line: "P5r", what: "whole rows of random objects, warm")) {
        try head.row(of: store.object($0))?[store.rankKey]?.integer
      } _: { peer, number in
        try peer.note(number).rank
      },
    ]
    for index in lines.indices { lines[index].noteMemory(cached) }
    try store.store.close()
    return lines
  }

  private func warm(
    _ empty: Comparison, ours: @escaping (Int) throws -> Int?,
    _ rank: @escaping (any Peer, Int) throws -> Int
  ) throws -> Comparison {
    var comparison = empty
    let numbers = randomNumbers(200_000)
    let peers = try PeerKind.withHistory.map { try $0.open(workplace.place(try library.peer($0))) }
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
    for round in 0...bench.largeRounds {
      // The first round only warms.
      var measured = comparison
      try measured.round(
        round,
        ours: { try measure { try ours($0) ?? -1 } },
        floor: { try measure { objects.rank(of: $0) } },
        peers: peers.map { peer in (peer.name, { try measure { try rank(peer, $0) } }) })
      comparison.take(measured, round: round)
    }
    for peer in peers { try peer.close() }
    try library.noteDisk(in: &comparison)
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
            for number in numbers {
              let handle = try head.handle(of: store.object(number))
              guard try handle?.value(store.rankKey) != nil else {
                throw BenchError.wrongResult("P5c")
              }
            }
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
    try library.noteDisk(in: &comparison)
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

  /// All rows filtered by an integer, and the first hundred of those by their titles: of a store that is compacted, by a
  /// context and below it, and of one with all that ever happened.
  func filter() throws -> [Comparison] {
    let bound = NoteSource.rankBound / 4
    try workplace.copy(try library.ours(), to: "copy")
    func open(_ name: String) throws -> NoteStore {
      try NoteStore(workplace.place(name)) { $0.cacheByteCount = NoteStore.ampleCacheByteCount }
    }
    let (store, whole) = (try open("copy"), try open(try library.ours()))
    _ = try store.store.compact(keeping: .latest)
    let head = store.store.head
    let (context, wholeContext) = (NoteContext(store), NoteContext(whole))
    let objects = try InMemory(bench)
    let peers = try PeerKind.withHistory.map { try $0.open(workplace.place(try library.peer($0))) }
    let expected = objects.ranks.count { $0 < bound }
    let titles = objects.firstTitles(ofRanksBelow: bound)
    func counted(_ count: @escaping () throws -> Int) -> Comparison.Measured {
      {
        try seconds(disk) {
          let found = try count()
          guard found == expected else { throw BenchError.wrongResult("P6 \(found)") }
        }
      }
    }
    func found(_ find: @escaping () throws -> [String]) -> Comparison.Measured {
      {
        try seconds(disk) {
          let found = try find()
          guard found == titles else { throw BenchError.wrongResult("P6t \(found)") }
        }
      }
    }
    var lines = [
      Comparison(
        line: "P6", what: "filter of all rows by an integer, compacted", unit: .seconds,
        goals: [.floor(9.4), .peers()]),
      Comparison(line: "P6s", what: "the filter, below contexts", unit: .seconds),
      Comparison(line: "P6h", what: "the filter, not compacted", unit: .seconds),
      Comparison(
        line: "P6t", what: "the first hundred of those by title, compacted", unit: .seconds,
        goals: [.floor(4.3), .peers()] + bench.designed(.most(0.030))),
      Comparison(line: "P6u", what: "the first hundred, below contexts", unit: .seconds),
      Comparison(line: "P6v", what: "the first hundred, not compacted", unit: .seconds),
    ]
    for round in 0..<bench.rounds {
      try lines[0].round(
        round, ours: counted { try context.count(ofRanksBelow: bound) },
        floor: counted { objects.ranks.reduce(0) { $0 + ($1 < bound ? 1 : 0) } },
        peers: peers.map { peer in (peer.name, counted { try peer.count(ofRanksBelow: bound) }) })
    }
    for round in 0..<bench.rounds {
      try lines[1].round(round, ours: counted { try store.count(ofRanksBelow: bound, in: head) })
      try lines[2].round(round, ours: counted { try wholeContext.count(ofRanksBelow: bound) })
    }
    for round in 0..<bench.rounds {
      try lines[3].round(
        round, ours: found { try context.firstTitles(ofRanksBelow: bound) },
        floor: found { objects.firstTitles(ofRanksBelow: bound) },
        peers: peers.map { peer in
          (peer.name, found { try peer.firstTitles(ofRanksBelow: bound) })
        })
    }
    for round in 0..<bench.rounds {
      try lines[4].round(
        round, ours: found { try store.firstTitles(ofRanksBelow: bound, in: head) })
      try lines[5].round(
        round, ours: found { try wholeContext.firstTitles(ofRanksBelow: bound) })
    }
    for peer in peers { try peer.close() }
    for store in [store, whole] { try store.store.close() }
    let compacted = try workplace.byteCount(of: "copy")
    try workplace.remove("copy")
    for index in lines.indices {
      // Those that are not compacted end in h and v.
      if lines[index].line.hasSuffix("h") || lines[index].line.hasSuffix("v") {
        try library.noteDisk(in: &lines[index])
      } else {
        try library.noteDisk(ofPeersIn: &lines[index])
        lines[index].noteDisk(compacted)
      }
    }
    return lines
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
  private let titles: [String]

  init(_ bench: Bench) throws {
    var notes: [Note] = []
    try Library.insert(bench) { notes += $0 }
    try Library.update(bench) { changes in
      for change in changes { change.apply(to: &notes[change.number - 1]) }
    }
    ranks = notes.map(\.rank)
    titles = notes.map(\.title)
    for note in notes { objects[note.number] = Object(note) }
  }

  func rank(of number: Int) -> Int { objects[number]?.note.rank ?? 0 }

  func firstTitles(ofRanksBelow bound: Int) -> [String] {
    var first = FirstFew()
    for index in ranks.indices where ranks[index] < bound { first.add(titles[index]) }
    return first.sorted
  }
}
