import DiskAccess
import DiskSimulation
import TestSupport
import Testing

@Suite("after a failed sync")
struct FailedSyncTests {
  private let disk = SimulatedDisk(seed: 1)
  private let folder: any DiskFolder
  private let file: any DiskFile

  init() throws {
    try disk.setContents("a", filled(1, 16_384))
    folder = try disk.folder(at: "")
    file = try folder.file("a", .existing)
  }

  private func failSync(leaving remainder: SimulatedFault.Remainder = .nothing) {
    disk.faults = [
      SimulatedFault(.failure(.inputOutput, leaving: remainder), calls: [.syncData])
    ]
    #expect(throws: DiskError(.syncData, "a", .inputOutput)) { try file.syncData() }
  }

  @Test func `reads show the lost bytes as if they were there`() throws {
    try file.put(filled(2))
    failSync()
    #expect(try file.bytes(512) == filled(2))
    #expect(disk.durableContents(of: "a") == filled(1, 16_384))
  }

  @Test func `a later sync succeeds and makes nothing durable`() throws {
    try file.put(filled(2))
    failSync()
    try file.syncData()
    try file.sync()
    #expect(disk.durableContents(of: "a") == filled(1, 16_384))
    #expect(disk.outcomes(of: "a") == [filled(1, 16_384)])
  }

  @Test func `after forgetting, reads show the medium`() throws {
    try file.put(filled(2))
    failSync()
    try file.advise(.sequential)
    #expect(try file.bytes(512) == filled(2))
    try file.advise(.forget)
    #expect(try file.bytes(512) == filled(1))
  }

  @Test func `forgetting keeps what is still to be synced`() throws {
    try file.put(filled(2))
    try file.advise(.forget)
    #expect(try file.bytes(512) == filled(2))
    try file.sync()
    #expect(disk.durableContents(of: "a")?.first == 2)
  }

  @Test func `a write to the same page brings the lost bytes back into the next sync`() throws {
    try file.put(filled(2), at: 0)
    try file.put(filled(2), at: 8192)
    failSync()
    try file.put([3], at: 4095)
    try file.syncData()
    let durable = try #require(disk.durableContents(of: "a"))
    #expect(durable[..<512].elementsEqual(filled(2)))
    #expect(durable[4095] == 3)
    #expect(durable[8192..<8704].elementsEqual(filled(1)))
  }

  @Test func `the length stays to be synced, and the lost bytes turn into zeros`() throws {
    try file.putAtEnd(filled(2))
    failSync()
    #expect(disk.durableContents(of: "a")?.count == 16_384)
    try file.sync()
    #expect(disk.durableContents(of: "a") == filled(1, 16_384) + filled(0))
    try file.advise(.forget)
    #expect(try file.bytes(512, at: 16_384) == filled(0))
  }

  @Test func `a failed sync may have written some sectors`() throws {
    var counts: Set<Int> = []
    for seed in UInt64(0)..<60 {
      for remainder in [SimulatedFault.Remainder.prefix, .someSectors] {
        let disk = SimulatedDisk(seed: seed)
        try disk.setContents("a", filled(1, 1536))
        let file = try disk.folder(at: "").file("a", .existing)
        try file.put(filled(2, 1536))
        disk.faults = [SimulatedFault(.failure(.inputOutput, leaving: remainder))]
        #expect(throws: DiskError.self) { try file.sync() }
        let durable = try #require(disk.durableContents(of: "a"))
        let written = (0..<3).filter { durable[$0 * 512] == 2 }
        counts.insert(written.count)
        if remainder == .prefix { #expect(written == Array(0..<written.count)) }
        #expect(disk.outcomes(of: "a").count == 1)
      }
    }
    #expect(counts == [0, 1, 2, 3])
  }

  @Test func `a failed sync may have written everything`() throws {
    try file.put(filled(2))
    failSync(leaving: .everything)
    #expect(disk.durableContents(of: "a")?.prefix(512) == filled(2)[...])
  }

  @Test func `a cut drops what was lost past it`() throws {
    try file.put(filled(2), at: 1024)
    failSync()
    try file.resize(to: 1024)
    try file.resize(to: 1536)
    try file.sync()
    #expect(disk.durableContents(of: "a") == filled(1, 1024) + filled(0))
  }

  @Test func `stores to mapped memory are lost alike, and pages in use are not forgotten`() throws {
    let memory = try file.map(4096)
    memory.base.storeBytes(of: 9, toByteOffset: 700, as: UInt8.self)
    try file.put([9], at: 9000)
    failSync()
    try file.sync()
    #expect(disk.durableContents(of: "a") == filled(1, 16_384))
    try file.advise(.forget)
    #expect(try file.bytes(1, at: 700) == [9])
    #expect(try file.bytes(1, at: 9000) == [1])
    memory.base.storeBytes(of: 8, toByteOffset: 0, as: UInt8.self)
    try file.sync()
    #expect(disk.durableContents(of: "a")?[700] == 9)
    #expect(disk.durableContents(of: "a")?[9000] == 1)
  }

  @Test func `the end of the process keeps what is lost readable`() throws {
    try file.put(filled(2))
    failSync()
    let image = disk.imageAfterProcessDeath()
    let again = try image.folder(at: "").file("a", .existing)
    #expect(try again.bytes(1) == [2])
    try again.sync()
    try again.advise(.forget)
    #expect(try again.bytes(1) == [1])
  }
}
