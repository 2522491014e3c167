import DiskAccess
import DiskSimulation
import TestSupport
import Testing

@Suite("what a loss of power keeps: bytes")
struct DurabilityTests {
  private let disk = SimulatedDisk(seed: 1)
  private let folder: any DiskFolder

  init() throws { folder = try disk.folder(at: "") }

  private func file(_ bytes: [UInt8]) throws -> any DiskFile {
    try disk.setContents("a", bytes)
    return try folder.file("a", .existing)
  }

  @Test(arguments: [true, false])
  func `synced bytes are kept`(_ isWhole: Bool) throws {
    let file = try file([1, 2, 3])
    try file.put([7, 8, 9, 10])
    if isWhole { try file.sync() } else { try file.syncData() }
    let states = disk.powerLossStates(limit: 10, seed: 1)
    #expect(states.count == 1)
    #expect(states.isExhaustive)
    #expect(disk.image(after: states[0]).contents(of: "a") == [7, 8, 9, 10])
    #expect(disk.durableContents(of: "a") == [7, 8, 9, 10])
    #expect(states[0].description == "nothing was unsynced")
  }

  @Test func `an unsynced sector is old or new`() throws {
    let file = try file(filled(1))
    try file.put([7, 8], at: 100)
    let new = try file.bytes(512)
    #expect(disk.outcomes(of: "a") == [filled(1), new])
    #expect(disk.durableContents(of: "a") == filled(1))
  }

  @Test func `unsynced sectors are kept or lost each on its own`() throws {
    let file = try file(filled(1, 1536))
    try file.put(filled(2, 1536))
    let outcomes = disk.outcomes(of: "a").compactMap { $0 }
    #expect(outcomes.count == 8)
    #expect(Set(outcomes).count == 8)
    for outcome in outcomes {
      for sector in 0..<3 {
        let bytes = Array(outcome[sector * 512..<(sector + 1) * 512])
        #expect(bytes == filled(1) || bytes == filled(2))
      }
    }
  }

  @Test func `a sector that was not written is not lost`() throws {
    let file = try file(filled(1, 1536))
    try file.put([2], at: 600)
    for outcome in disk.outcomes(of: "a", tearsPerSector: 3).compactMap({ $0 }) {
      #expect(outcome[..<512] == filled(1)[...])
      #expect(outcome[1024...].elementsEqual(filled(1)))
    }
  }

  @Test func `a sector tears at a place between the bytes that differ`() throws {
    let file = try file(filled(1))
    try file.put(filled(2, 10), at: 100)
    let outcomes = disk.outcomes(of: "a", tearsPerSector: 100).compactMap { $0 }
    let expected = (0...10).map { count in
      filled(1, 100) + filled(2, count) + filled(1, 412 - count)
    }
    #expect(Set(outcomes) == Set(expected))
    #expect(outcomes.count == 11)
    #expect(disk.outcomes(of: "a", tearsPerSector: 1).count == 3)
  }

  @Test func `one changed byte does not tear`() throws {
    try file(filled(1)).put([2], at: 100)
    #expect(disk.outcomes(of: "a", tearsPerSector: 5).count == 2)
  }

  @Test func `a sector may hold what it held between two syncs`() throws {
    let file = try file(filled(1))
    for byte in UInt8(2)...4 { try file.put(filled(byte)) }
    #expect(disk.outcomes(of: "a") == [filled(1), filled(4), filled(2), filled(3)])
  }

  @Test func `of the contents between two syncs the last three are remembered`() throws {
    let file = try file(filled(1))
    for byte in UInt8(2)...9 { try file.put(filled(byte)) }
    #expect(
      disk.outcomes(of: "a") == [filled(1), filled(9), filled(6), filled(7), filled(8)])
    try file.sync()
    try file.put(filled(10))
    #expect(disk.outcomes(of: "a") == [filled(9), filled(10)])
  }

  @Test func `a sector that is written back to what it was may still hold what was between`() throws
  {
    let file = try file(filled(1))
    try file.put(filled(2))
    try file.put(filled(1))
    #expect(disk.outcomes(of: "a") == [filled(1), filled(2)])
    let states = disk.powerLossStates(limit: 10, seed: 1)
    #expect(disk.image(after: states.everythingKept).contents(of: "a") == filled(1))
  }

  @Test func `a write that changes nothing leaves nothing to lose`() throws {
    try file(filled(1)).put(filled(1))
    #expect(disk.outcomes(of: "a") == [filled(1)])
  }

  @Test func `the length is kept or lost apart from the bytes`() throws {
    let file = try file(filled(1))
    try file.putAtEnd(filled(2))
    #expect(
      disk.outcomes(of: "a") == [filled(1), filled(1) + filled(0), filled(1) + filled(2)])
  }

  @Test func `a length between two syncs may come back`() throws {
    let file = try file(filled(1, 100))
    try file.putAtEnd(filled(0, 10))
    try file.putAtEnd(filled(0, 10))
    let lengths = disk.outcomes(of: "a").map { $0?.count }
    #expect(lengths == [100, 120, 110])
  }

  @Test func `a cut is kept or lost`() throws {
    let file = try file(filled(1, 1024))
    try file.resize(to: 512)
    #expect(disk.outcomes(of: "a") == [filled(1, 1024), filled(1)])
  }

  @Test func `a file cut and extended may hold its old bytes`() throws {
    let file = try file(filled(1))
    try file.resize(to: 0)
    try file.resize(to: 512)
    #expect(Set(disk.outcomes(of: "a")) == [filled(1), filled(0), []])
  }

  @Test func `where a cut is lost, what was written past it may be kept`() throws {
    let file = try file(filled(1, 1024))
    try file.put(filled(2), at: 512)
    try file.resize(to: 512)
    #expect(
      Set(disk.outcomes(of: "a"))
        == [filled(1, 1024), filled(1) + filled(2), filled(1)])
  }

  @Test func `a sync after a cut makes the cut durable`() throws {
    let file = try file(filled(1, 1000))
    try file.resize(to: 300)
    try file.syncData()
    try file.resize(to: 1000)
    #expect(disk.durableContents(of: "a") == filled(1, 300))
    try file.sync()
    #expect(disk.outcomes(of: "a") == [filled(1, 300) + filled(0, 700)])
  }

  @Test func `the states after a write cover its middle`() throws {
    let file = try file(filled(1, 1024))
    var before: [[UInt8]?] = []
    disk.onCall = { [disk] call in
      if call.kind == .write { before = disk.outcomes(of: "a") }
    }
    try file.put(filled(2, 1024))
    #expect(before == [filled(1, 1024)])
    let after = disk.outcomes(of: "a")
    #expect(after.contains(filled(2) + filled(1)))
    #expect(Set(after).isSuperset(of: Set(before)))
  }

  @Test func `a lying sync makes nothing durable and an honest one everything`() throws {
    let file = try file([1])
    _ = try folder.file("b", .new)
    #expect(!disk.syncsLie)
    disk.syncsLie = true
    #expect(disk.syncsLie)
    try file.put([2])
    try file.sync()
    try file.syncData()
    try folder.sync()
    #expect(disk.durableContents(of: "a") == [1])
    #expect(disk.durableContents(of: "b") == nil)
    disk.syncsLie = false
    try file.sync()
    try folder.sync()
    #expect(disk.durableContents(of: "a") == [2])
    #expect(disk.durableContents(of: "b") == [])
  }
}
