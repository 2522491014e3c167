// What happened is dated, also where the journal does not tell a time before it.

import DiskSimulation
import FoundationEssentials
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct EventTimeTests {
  @Test func `S74: what came before the first time that the journal tells is dated none the less`()
    throws
  {
    let disk = SimulatedDisk(seed: 15)
    let (begun, second) = (disk.wallClock(), Int64(1_000_000_000))
    let store = try JournaledStore(
      on: disk, at: StoreLife.path, model: try StoreLife.model(), options: .small)
    func check(_ path: String = StoreLife.path) throws {
      let reader = try StoreReader(on: disk, at: path)
      let dates = try reader.events().map(\.date)
      #expect(dates == dates.sorted())
      #expect(dates.first.map { $0 >= date(begun) } ?? false)
      for session in try reader.sessions { #expect(session.startDate >= dates[0]) }
    }
    func date(_ time: Int64) -> Date {
      Date(timeIntervalSince1970: Double(time / second))
    }
    try store.checkpoint()
    try check()
    let note = EntityNumber(rawValue: 0)
    for _ in 1...4 {
      disk.advanceClock(by: 10 * UInt64(second))
      let context = try store.beginContext(name: "editor", on: store.lastCommit)
      let object = try store.newObject(of: note)
      try store.record(.inserted(object), by: context)
      _ = try store.commit(CommitRequest([.init(object, base: 0, nil, to: Row())]), by: context)
      try store.beginSegment()
      // Less than a moment later, in a segment that does not say what time it is.
      try store.endContext(context)
    }
    // A copy is made later than everything in it.
    disk.advanceClock(by: 1000 * UInt64(second))
    try store.backup(to: "Copy.xjournal")
    try check("Copy.xjournal")
    try store.compact(keeping: .commits(since: 3))
    try check()
    let first = try #require(store.events().first)
    #expect(first.date >= date(begun + 20 * second) && first.date <= date(begun + 41 * second))
    try store.close()
  }

  @Test func `S65: recorded times never go back after a checkpoint, though the clock was set back`()
    throws
  {
    let (disk, hour) = (SimulatedDisk(seed: 16), Int64(3600 * 1_000_000_000))
    func open() throws -> JournaledStore {
      try JournaledStore(
        on: disk, at: StoreLife.path, model: try StoreLife.model(), options: .small)
    }
    let noon = disk.wallClock()
    var store = try open()
    var times: [Int64] = []
    func edit(_ store: JournaledStore, saves: Bool) throws {
      let context = try store.beginContext(name: "editor", on: store.lastCommit)
      let object = try store.newObject(of: EntityNumber(rawValue: 0))
      try store.record(.inserted(object), by: context)
      if saves {
        let request = CommitRequest([.init(object, base: 0, nil, to: Row())])
        let commit = try store.commit(request, by: context)
        times.append(commit?.time.rawValue ?? 0)
      }
      try store.endContext(context)
    }
    try edit(store, saves: true)
    disk.setWallClock(noon + hour)
    try edit(store, saves: false)
    try store.checkpoint()
    try store.close()
    disk.setWallClock(noon + hour / 2)
    store = try open()
    try edit(store, saves: true)
    #expect(times.count == 2 && times[1] >= noon + hour)
    let dates = try store.events().map(\.date)
    #expect(dates == dates.sorted())
    try store.close()
  }
}
