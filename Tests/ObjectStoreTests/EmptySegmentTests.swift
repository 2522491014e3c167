// A process that has just begun a segment is killed: the segment is sealed without frames when the store is opened again,
// and the next one has the same first frame.

import DiskSimulation
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct EmptySegmentTests {
  @Test func `commits are found where a segment before theirs has no frames`() throws {
    var life = try StoreLife(seed: 5)
    while life.states.count < 4 { try life.save() }
    try life.roll()
    // Twice, so that two have none.
    var disk = life.disk
    for _ in 0..<2 {
      disk = disk.imageAfterProcessDeath()
      let store = try life.store(on: disk)
      try store.beginSegment()
    }
    let store = try life.store(on: disk.imageAfterProcessDeath())
    let before = store.head.number
    let context = try store.beginContext(name: "late", on: before)
    let note = try store.newObject(of: EntityNumber(rawValue: 0))
    let key = try store.key(named: "title")
    for number in 1...3 {
      let row = try store.head.row(of: note)
      // Looked for before it is there, too.
      #expect(throws: StoreError.self) { try store.content(of: store.head.number.next) }
      _ = try store.commit(
        CommitRequest([
          .init(
            note, base: row == nil ? .none : store.head.number, row,
            to: Row([key: .string("title \(number)")]))
        ]), by: context)
      #expect(try store.content(of: store.head.number).changes.count == 1)
    }
    let commits = try store.commits(since: .none)
    #expect(commits.map(\.number) == (1...before.rawValue + 3).map { CommitNumber(rawValue: $0) })
    #expect(try store.verify(deep: true).isEmpty)
  }
}
