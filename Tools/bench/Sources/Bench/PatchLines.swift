import DiskAccess
import EventFold
import ManagedObjects
import ObjectPatching
import ObjectStore

/// The lines of differences and patches.
struct PatchLines {
  let library: Library
  private var bench: Bench { library.bench }
  private var disk: PosixDisk { bench.workplace.disk }

  /// What happened in a thousand commits at the end of a large store's past, against reading these commits with
  /// all that they changed.
  func difference(commits: Int = 1_000, changes: Int = 10) throws -> Comparison {
    var comparison = Comparison(
      line: "D1", what: "difference of two points \(commits) commits apart", unit: .seconds,
      goals: [.floor(3)])
    try withStore { store in
      let before = store.store.head.number
      var source = Library.changesAfterwards(bench)
      let context = try store.beginContext()
      for _ in 0..<commits { try store.update(source.changes(changes), .edits, by: context) }
      try store.store.endContext(context)
      var changed: Set<Int> = []
      // The first round only warms.
      for round in 0...bench.largeRounds {
        var discarded = comparison
        try discarded.round(
          round,
          ours: {
            try seconds(disk) {
              changed.insert(
                try Patch.difference(in: store.store, from: .commit(before)).objects.count)
            }
          },
          floor: {
            var count = 0
            let time = try seconds(disk) {
              for commit in try store.store.commits(since: before) {
                for change in commit.changes { count += change.values.count }
              }
            }
            // A commit that changes a note twice has one change of it.
            guard count > 0, count <= commits * changes else {
              throw BenchError.wrongResult("D1 reads \(count) changes")
            }
            return time
          })
        comparison.take(discarded, round: round)
      }
      guard let count = changed.first, changed.count == 1, count > 0 else {
        throw BenchError.wrongResult("D1 \(changed)")
      }
      comparison.noteDisk(try bench.workplace.byteCount(of: "copy"))
    }
    return comparison
  }

  /// The same of two points in a large store's past, with as many changes behind them as there are objects; objects
  /// came, went and were led elsewhere, too.
  func pastDifference(commits: Int = 1_000, changes: Int = 10) throws -> Comparison {
    var comparison = Comparison(
      line: "D1b", what: "the same far back, of relationships and objects too", unit: .seconds,
      goals: [.floor(3)])
    let family = try FamilyStore(try bench.workplace.emptyFolder("family"))
    let store = family.store
    let parents = try (0..<bench.saveCount).map { _ in
      try family.makeParent(childCount: NoteSource.saveCount)
    }
    var children = family.children(parents.count * NoteSource.saveCount, in: parents[0])
    var chance = Chance(seed: 12)
    let before = store.head.number
    for _ in 0..<commits { try family.change(changes, of: &children, among: parents, &chance) }
    let after = store.head.number
    for _ in parents {
      try family.change(NoteSource.saveCount, of: &children, among: parents, &chance)
    }
    for round in 0...bench.largeRounds {
      // The first round only warms.
      var measured = comparison
      try measured.round(
        round,
        ours: {
          try seconds(disk) {
            let patch = try Patch.difference(in: store, from: .commit(before), to: .commit(after))
            if patch.isEmpty { throw BenchError.wrongResult("D1b finds nothing") }
          }
        },
        floor: {
          var count = 0
          let time = try seconds(disk) {
            try store.forEachCommit(since: before) { commit in
              for change in commit.changes { count += change.values.count }
              return commit.number < after
            }
          }
          guard count > commits else { throw BenchError.wrongResult("D1b reads \(count) changes") }
          return time
        })
      comparison.take(measured, round: round)
    }
    try store.close()
    comparison.noteDisk(try bench.workplace.byteCount(of: "family"))
    try bench.workplace.remove("family")
    return comparison
  }

  /// Object patches applied to a context of a large store that has registered nothing, as one step; not saved.
  func applying(patches: Int = 10_000) throws -> Comparison {
    var comparison = Comparison(
      line: "D2", what: "object patches applied to a context, \(patches) at a time",
      goals: [.least(100_000)])
    try withStore { store in
      let before = store.store.head.number
      let context = try store.beginContext()
      let numbers = (0..<patches).map { 1 + $0 * bench.objectCount / patches }
      let ranks = numbers.map { NoteChange(number: $0, attribute: .rank(2_000 + $0 % 100)) }
      try store.update(ranks, .edits, by: context)
      try store.store.endContext(context)
      let patch = try Patch.difference(in: store.store, from: .commit(before)).inverted()
      for _ in 0..<bench.rounds {
        let context = ManagedObjectContext(store.store)
        let counted = try Counted {
          try perSecond(patches, disk) {
            let report = try patch.apply(to: context)
            guard report.objects.count == patches else {
              throw BenchError.wrongResult("D2 \(report.objects.count)")
            }
          }
        }
        comparison.add(counted, of: Counted.ours)
        context.rollback()
      }
      comparison.noteDisk(try bench.workplace.byteCount(of: "copy"))
    }
    return comparison
  }

  private func withStore(_ body: (NoteStore) throws -> Void) throws {
    try bench.workplace.copy(try library.ours(), to: "copy")
    let store = try NoteStore(bench.workplace.place("copy")) {
      $0.cacheByteCount = NoteStore.ampleCacheByteCount
    }
    try body(store)
    try store.store.close()
    try bench.workplace.remove("copy")
  }
}
