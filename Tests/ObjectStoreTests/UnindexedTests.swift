// What no index answers is found in the rows.

import DiskSimulation
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct UnindexedTests {
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription("Step", relationships: [RelationshipDescription("next", to: "Step")]),
      EntityDescription("Stop", parent: "Step"), EntityDescription("Other"),
    ])
  }

  @Test func `who refers to an object is found also by a relationship without an inverse`() throws {
    let store = try JournaledStore(
      on: SimulatedDisk(seed: 3), at: "store", model: try Self.model(), options: .small)
    let era = try #require(store.head.era)
    func number(_ name: String) throws -> EntityNumber {
      try #require(era.entities.first { $0.description.name == name }?.number)
    }
    let (step, stop, other) = (try number("Step"), try number("Stop"), try number("Other"))
    let next = try store.key(named: "next")
    let target = try store.newObject(of: step)
    let (one, two, three) = (
      try store.newObject(of: step), try store.newObject(of: stop), try store.newObject(of: step)
    )
    let rows: [(ObjectID, Row)] = [
      (target, Row()), (one, Row([next: .reference(target)])),
      (two, Row([next: .reference(target)])), (three, Row([next: .reference(one)])),
    ]
    let context = try store.beginContext(name: "", on: store.lastCommit)
    _ = try store.commit(
      CommitRequest(rows.map { .init($0.0, base: .none, nil, to: $0.1) }), by: context)
    try store.endContext(context)
    for isWritten in [false, true] {
      if isWritten { try store.checkpoint() }
      let head = store.head
      #expect(try Set(head.objects(referringTo: target, by: next, of: step)) == [one, two])
      #expect(try head.objects(referringTo: target, by: next, of: stop) == [two])
      #expect(try head.objects(referringTo: one, by: next, of: step) == [three])
      #expect(try head.objects(referringTo: two, by: next, of: step) == [])
      #expect(try head.objects(referringTo: target, by: next, of: other) == [])
      #expect(try head.countOfObjects(referringTo: target, by: next, of: step) == nil)
    }
    try store.close()
  }
}
