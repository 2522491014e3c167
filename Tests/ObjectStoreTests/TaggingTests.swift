import DiskAccess
import DiskSimulation
import Journaling
import ObjectModel
import ObjectStore
import Synchronization
import TestSupport
import Testing

/// Names that several threads give at once.
@Suite struct TaggingTests {
  @Test func `a tag that was given stays, also where the same was refused somebody else`() throws {
    var life = try StoreLife(seed: 12)
    for _ in 0..<3 { try life.save() }
    let store = life.store
    var refusedCount = 0
    for round in 0..<200 {
      let name = "tag \(round)"
      let given = Mutex(0)
      life.disk.faults = [
        SimulatedFault(
          .failure(.noSpace), calls: [.write, .append, .allocate], number: 1 + round % 3)
      ]
      let threads = try (0..<3).map { _ in
        try BackgroundThread {
          if (try? store.tag(name, 2)) != nil { given.withLock { $0 += 1 } }
        }
      }
      for thread in threads { thread.join() }
      life.disk.faults = []
      let count = given.withLock { $0 }
      refusedCount += 3 - count
      #expect(store.tags[name] == (count > 0 ? 2 : nil), "\(round): \(count)")
    }
    #expect(refusedCount > 0)
    let tags = store.tags
    try life.reopen()
    #expect(life.store.tags == tags)
    try life.store.close()
  }

  @Test func `of a name that is refused twice in a row nothing is left`() throws {
    var life = try StoreLife(seed: 13)
    for _ in 0..<3 { try life.save() }
    try life.store.tag("name", 1)
    life.disk.faults = [
      SimulatedFault(.failure(.noSpace), calls: [.write, .append, .allocate], isLasting: true)
    ]
    for commit in [2, 3, 2] as [CommitNumber] {
      #expect(throws: StoreError.self) { try life.store.tag("name", commit) }
    }
    life.disk.faults = []
    #expect(life.store.tags == ["name": 1])
    try life.store.tag("name", 3)
    try life.reopen()
    #expect(life.store.tags == ["name": 3])
    try life.store.close()
  }
}
