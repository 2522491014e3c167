// Rows of which some values have changed since they were written into a run.

import DiskSimulation
import ObjectModel
import ObjectQuery
import ObjectStore
import TestSupport
import Testing

/// Queries find what was set since, and not what the run has, whatever kind of value that was and is.
@Suite struct PatchedColumnTests {
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Note", allowsAnyKey: true,
        attributes: [
          AttributeDescription("size", .integer), AttributeDescription("text", .string),
          AttributeDescription("later", .integer),
        ])
    ])
  }

  /// What there is of the first notes, over what their run has: nothing, another number, and in a dynamic attribute a
  /// text where a number was.
  private static func changed(_ row: Row, _ number: Int, _ keys: [KeyNumber]) -> Row {
    var row = row
    switch number % 4 {
    case 0: row[keys[0]] = Value?.none
    case 1: row[keys[0]] = .integer(1000 + number)
    case 2: (row[keys[3]], row[keys[2]]) = ("a text", .integer(number))
    default: row[keys[1]] = .string("changed \(number)")
    }
    return row
  }

  @Test(arguments: [false, true])
  func `a filter over values of a run finds those that lie over them`(isReopened: Bool) throws {
    let disk = SimulatedDisk(seed: 6)
    var options = StoreOptions.small
    options.unflushedByteCount = 1 << 20
    var store = try JournaledStore(
      on: disk, at: "Life.xjournal", model: try Self.model(), options: options)
    let keys = try ["size", "text", "later", "free"].map(store.key)
    let context = try store.beginContext(name: "", on: .none)
    let notes = try (0..<60).map { _ in try store.newObject(of: EntityNumber(rawValue: 0)) }
    var rows: [ObjectID: Row] = [:]
    for (number, note) in notes.enumerated() {
      rows[note] = Row([
        keys[0]: .integer(number), keys[1]: .string("note \(number)"),
        keys[3]: .integer(number * 10),
      ])
    }
    _ = try store.commit(
      CommitRequest(notes.map { .init($0, base: .none, nil, to: rows[$0]) }), by: context)
    try store.checkpoint()
    // One commit after the other, so that some are changed twice.
    for round in 1...2 {
      let changes = notes.prefix(20 * round).enumerated().map { number, note in
        let old = rows[note] ?? Row()
        let new = Self.changed(old, number + round, keys)
        rows[note] = new
        let base = number < 20 * (round - 1) ? CommitNumber(rawValue: UInt64(round)) : 1
        return CommitRequest.Object(note, base: base, old, to: new)
      }
      _ = try store.commit(CommitRequest(changes), by: context)
    }
    if isReopened {
      let image = disk.imageAfterProcessDeath()
      try store.close()
      store = try JournaledStore(on: image, at: "Life.xjournal", model: nil, options: options)
    }
    let head = store.head
    for (text, wanted) in Self.queries(keys) {
      let query = try store.prepare(try Query(text), in: head, text: text)
      let expected = notes.filter { wanted(rows[$0] ?? Row()) }
      let found = try head.objects(of: query)
      #expect(found == expected, "\(text)")
      #expect(try head.count(of: query) == expected.count, "\(text)")
    }
    for note in notes {
      let stored = try #require(try head.stored(note))
      #expect(stored.row == rows[note], "\(note)")
    }
    try store.close()
  }

  private static func queries(
    _ keys: [KeyNumber]
  ) -> [(text: String, wanted: (Row) -> Bool)] {
    [
      ("Note WHERE size >= 30", { ($0[keys[0]]?.integer).map { $0 >= 30 } ?? false }),
      (
        "Note WHERE size BETWEEN {5, 25}",
        { ($0[keys[0]]?.integer).map { (5...25) ~= $0 } ?? false }
      ),
      ("Note WHERE size == null", { $0[keys[0]] == nil }),
      ("Note WHERE free > 100", { ($0[keys[3]]?.integer).map { $0 > 100 } ?? false }),
      ("Note WHERE free == 'a text'", { $0[keys[3]] == "a text" }),
      ("Note WHERE later > 3", { ($0[keys[2]]?.integer).map { $0 > 3 } ?? false }),
      ("Note WHERE later == null", { $0[keys[2]] == nil }),
      (
        "Note WHERE text BEGINSWITH 'changed'",
        { $0[keys[1]]?.string?.hasPrefix("changed") ?? false }
      ),
    ]
  }
}
