// A state that is made anew while opening stays in memory where the disk has no room for it.

import DiskAccess
import DiskSimulation
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct FullWhileOpeningTests {
  @Test(arguments: ["xr", "xi"])
  func `a state whose runs cannot be written is made anew in memory`(ending: String) throws {
    var life = try StoreLife(seed: 31)
    for _ in 1...120 { try life.save() }
    try life.endContexts()
    try life.store.checkpoint()
    try life.store.close()
    let file = try #require(life.disk.paths.last { $0.hasSuffix(".xc") })
    try life.disk.setContents(file, [1, 2, 3])
    func open(_ faults: [SimulatedFault]) throws -> JournaledStore {
      let disk = life.disk.imageAfterProcessDeath()
      disk.faults = faults
      disk.isTracing = true
      defer { disk.faults = [] }
      let store = try life.store(on: disk)
      let failed = disk.trace.filter { $0.contains(".\(ending)") && $0.contains("No space left") }
      #expect(!failed.isEmpty)
      return store
    }
    let names = (1...200).map { String("000000000\($0)".suffix(10)) + ".\(ending)" }
    for isLasting in [false, true] {
      let faults = names.map {
        SimulatedFault(
          .failure(.noSpace), calls: [.write, .append, .allocate], name: $0, isLasting: isLasting)
      }
      let store = try open(faults)
      #expect(try store.head.plain() == life.state)
      var dice = Dice(seed: 2)
      #expect(try IndexOracle(store.head, store.existingKey).fault(&dice) == nil)
      try store.checkpoint()
      #expect(try store.verify(deep: true) == [])
      try store.close()
    }
  }
}
