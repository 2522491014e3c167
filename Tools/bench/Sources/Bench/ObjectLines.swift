import DiskAccess
import FoundationEssentials
import Journaling
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
    for round in 0..<bench.rounds {
      for way in 0..<3 {
        let count = way < 2 ? 1_000 : bench.objectCount
        let store = try JournaledStore(
          at: bench.workplace.place("editing-\(round)-\(way)"), model: try Self.model())
        let context = ManagedObjectContext(store)
        let notes = (0..<count).map { _ in context.insert("Note") }
        try context.save()
        guard let rank = context.resolvedKey("rank", of: "Note") else {
          throw BenchError.wrongResult("no key")
        }
        var chance = Chance(seed: UInt64(round))
        let places = (0..<1_000_000).map { _ in chance.number(below: count) }
        let rate = perSecond(places.count, disk) {
          for (number, place) in places.enumerated() {
            if way == 1 {
              notes[place].setValue(.integer(number), forKey: "rank")
            } else {
              notes[place][rank] = .integer(number)
            }
          }
        }
        lines[way].ours.append(rate)
        context.rollback()
        try store.close()
      }
    }
    return lines
  }

  private static func model() throws -> ManagedObjectModel {
    let types: [(String, AttributeType)] = [
      ("title", .string), ("text", .string), ("rank", .integer), ("created", .date),
      ("score", .real), ("isDone", .boolean),
    ]
    return try ManagedObjectModel(entities: [
      EntityDescription("Note", attributes: types.map { AttributeDescription($0.0, $0.1) })
    ])
  }
}
