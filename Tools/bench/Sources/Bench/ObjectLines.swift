import DiskAccess
import ManagedObjects
import ObjectModel
import ObjectStore

/// The lines that go through contexts and objects.
struct ObjectLines {
  let bench: Bench
  private var disk: PosixDisk { bench.workplace.disk }

  /// Edits through a context, with undo, tracking and the journal, not saved; against mapped appends of as many
  /// bytes.
  func editing() throws -> [Comparison] {
    var lines = [
      Comparison(
        line: "P3", what: "unsaved edits by a resolved key, 1,000 objects",
        goals: [.least(2_000_000)]),
      Comparison(
        line: "P3s", what: "the same by a string key", goals: [.least(1_000_000)]),
      Comparison(
        line: "P3r", what: "the same by a resolved key, at random over \(bench.objectCount)",
        goals: [.least(1_000_000)]),
    ]
    let journal = JournalLines(workplace: bench.workplace, rounds: bench.rounds)
    for round in 0..<bench.rounds {
      let floor = try journal.mappedFloor(1_000_000)
      for way in 0..<3 {
        let count = way < 2 ? 1_000 : bench.objectCount
        let store = try NoteStore(try bench.workplace.emptyFolder("editing"))
        let context = ManagedObjectContext(store.store)
        let notes = (0..<count).map { _ in context.insert(StoredNote.self) }
        try context.save()
        guard let rank = context.resolvedKey("rank", of: "StoredNote") else {
          throw BenchError.wrongResult("no key")
        }
        var chance = Chance(seed: UInt64(round))
        let places = (0..<1_000_000).map { _ in chance.number(below: count) }
        let counted = try Counted {
          perSecond(places.count, disk) {
            for (number, place) in places.enumerated() {
              if way == 1 {
                notes[place].setValue(.integer(number), forKey: "rank")
              } else {
                notes[place][rank] = .integer(number)
              }
            }
          }
        }
        lines[way].add(counted, of: Counted.ours)
        lines[way].floor.append(floor)
        context.rollback()
        try store.store.close()
        lines[way].noteDisk(try bench.workplace.byteCount(of: "editing"))
        try bench.workplace.remove("editing")
      }
    }
    return lines
  }
}
