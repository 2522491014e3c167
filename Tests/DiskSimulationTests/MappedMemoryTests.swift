import DiskAccess
import DiskSimulation
import TestSupport
import Testing

@Suite("mapped memory of the simulated disk")
struct MappedMemoryTests {
  private let disk = SimulatedDisk(seed: 1)
  private let file: any DiskFile

  init() throws {
    try disk.setContents("a", filled(1, 2048))
    file = try disk.folder(at: "").file("a", .existing)
  }

  @Test func `stores can be lost until a sync, sector by sector`() throws {
    let memory = try file.map(2048)
    memory.base.storeBytes(of: 2, toByteOffset: 0, as: UInt8.self)
    memory.base.storeBytes(of: 3, toByteOffset: 1024, as: UInt8.self)
    #expect(Set(disk.outcomes(of: "a").map { [$0?[0], $0?[1024]] }).count == 4)
    #expect(disk.durableContents(of: "a") == filled(1, 2048))
    try file.syncData()
    #expect(disk.outcomes(of: "a").count == 1)
    #expect(disk.durableContents(of: "a")?[1024] == 3)
  }

  @Test func `stores seen at two looks are two contents of the sector`() throws {
    let memory = try file.map(2048)
    memory.base.storeBytes(of: 2, toByteOffset: 0, as: UInt8.self)
    #expect(disk.outcomes(of: "a").map { $0?[0] } == [1, 2])
    memory.base.storeBytes(of: 3, toByteOffset: 0, as: UInt8.self)
    #expect(disk.outcomes(of: "a").map { $0?[0] } == [1, 3, 2])
    withExtendedLifetime(memory) {}
  }

  @Test func `an image can be mapped on its own`() throws {
    let memory = try file.map(2048)
    let image = disk.imageAfterProcessDeath()
    let other = try image.folder(at: "").file("a", .existing).map(2048)
    other.base.storeBytes(of: 9, toByteOffset: 5, as: UInt8.self)
    #expect(memory.base.load(fromByteOffset: 5, as: UInt8.self) == 1)
    #expect(image.contents(of: "a")?[5] == 9)
    #expect(disk.contents(of: "a")?[5] == 1)
  }

  @Test func `a longer mapping is refused while a shorter one lives`() throws {
    do {
      let memory = try file.map(100)
      try file.resize(to: 10_000)
      #expect(throws: DiskError(.map, "a", .notSupported)) { try file.map(10_000) }
      #expect(try file.map(2048).byteCount == 2048)
      withExtendedLifetime(memory) {}
    }
    #expect(try file.map(10_000).byteCount == 10_000)
  }

  @Test func `the address stays whatever becomes of the file`() throws {
    let memory = try file.map(2048)
    let base = memory.base
    try file.resize(to: 100)
    try file.resize(to: 100_000)
    try file.put(filled(5, 50_000), at: 50)
    base.storeBytes(of: 6, toByteOffset: 60, as: UInt8.self)
    #expect(try file.bytes(2, at: 60) == [6, 5])
    try file.close()
    disk.endProcess()
    #expect(memory.base.load(fromByteOffset: 60, as: UInt8.self) == 6)
  }

  @Test func `mappings count as open until they are given back`() throws {
    let before = disk.openCount
    do {
      let memory = try file.map(10)
      #expect(disk.openCount == before + 1)
      withExtendedLifetime(memory) {}
    }
    #expect(disk.openCount == before)
  }

  @Test func `what was opened for reading is neither written nor mapped`() throws {
    let reader = try disk.folder(at: "").fileForReading("a") as? any DiskFile
    #expect(throws: DiskError(.write, "a", .badDescriptor)) { try reader?.put([1]) }
    #expect(throws: DiskError(.resize, "a", .invalid)) { try reader?.resize(to: 1) }
    #expect(throws: DiskError(.allocate, "a", .badDescriptor)) {
      try reader?.allocate(1, at: 0)
    }
    #expect(throws: DiskError(.map, "a", .accessDenied)) { try reader?.map(1) }
  }
}
