import DiskAccess
import DiskSimulation
import TestSupport
import Testing

@Suite("space")
struct SpaceTests {
  private let disk = SimulatedDisk(seed: 1)
  private let folder: any DiskFolder
  private let file: any DiskFile

  init() throws {
    try disk.setContents("a", filled(1, 1000))
    folder = try disk.folder(at: "")
    file = try folder.file("a", .existing)
    disk.capacityByteCount = 1500
  }

  @Test func `a write that does not fit writes what fits`() throws {
    let other = try folder.file("b", .new)
    try other.put(filled(2, 100))
    #expect(throws: DiskError(.append, "a", .noSpace)) { try file.putAtEnd(filled(3, 500)) }
    #expect(try file.bytes(2000) == filled(1, 1000) + filled(3, 400))
    #expect(throws: DiskError(.append, "b", .noSpace)) { try other.putAtEnd([1]) }
  }

  @Test func `a write in place needs no space`() throws {
    disk.capacityByteCount = 0
    #expect(disk.capacityByteCount == 0)
    try file.put(filled(2, 1000))
    #expect(throws: DiskError(.write, "a", .noSpace)) { try file.put(filled(3, 1001)) }
    #expect(try file.bytes(2000) == filled(3, 1000))
  }

  @Test func `room is reserved whole or not at all`() throws {
    #expect(throws: DiskError(.allocate, "a", .noSpace)) { try file.allocate(1501, at: 0) }
    #expect(throws: DiskError(.resize, "a", .noSpace)) { try file.resize(to: 1501) }
    #expect(try file.information().byteCount == 1000)
    try file.allocate(500, at: 1000)
    #expect(throws: DiskError(.append, "a", .noSpace)) { try file.putAtEnd([1]) }
  }

  @Test func `space is free again when a file is cut or gone`() throws {
    try file.resize(to: 1500)
    let other = try folder.file("b", .new)
    try file.resize(to: 0)
    try other.put(filled(2, 1500))
    try other.close()
    try folder.remove("b")
    try folder.sync()
    try file.put(filled(2, 1500))
  }

  @Test func `a removed file takes space until nobody holds it`() throws {
    let other = try folder.file("b", .new)
    try other.put(filled(2, 500))
    try folder.remove("b")
    try folder.sync()
    #expect(throws: DiskError(.append, "a", .noSpace)) { try file.putAtEnd([1]) }
    try other.close()
    try file.putAtEnd([1])
  }

  @Test func `files longer than the simulation holds are refused`() throws {
    disk.capacityByteCount = nil
    let tooLarge = SystemErrorCode(rawValue: 27)
    #expect(throws: DiskError(.resize, "a", tooLarge)) { try file.resize(to: 1 << 40) }
    #expect(throws: DiskError(.write, "a", tooLarge)) { try file.put([1], at: 1 << 40) }
    #expect(throws: DiskError(.allocate, "a", tooLarge)) { try file.allocate(.max, at: 9) }
    #expect(try file.information().byteCount == 1000)
  }
}

@Suite("rot")
struct RotTests {
  @Test(arguments: SimulatedDisk.Rot.allCases, 0..<20)
  func `rot changes one sector, in reads and on the medium, unnoticed`(
    _ rot: SimulatedDisk.Rot, _ seed: UInt64
  ) throws {
    let disk = SimulatedDisk(seed: 1)
    let before = (0..<1300).map { UInt8(truncatingIfNeeded: $0 % 255 + 1) }
    try disk.setContents("a", before)
    let file = try disk.folder(at: "").file("a", .existing)
    let range = try #require(disk.rot("a", rot, seed: seed))
    let after = try file.bytes(2000)
    #expect(after == disk.durableContents(of: "a"))
    let changed = after.indices.filter { after[$0] != before[$0] }
    #expect(!changed.isEmpty && changed.allSatisfy(range.contains))
    #expect(range.lowerBound % 512 == 0 && range.count <= 512)
    switch rot {
    case .flippedBit:
      #expect(changed.count == 1)
      #expect((after[changed[0]] ^ before[changed[0]]).nonzeroBitCount == 1)
    case .zeros: #expect(after[range].allSatisfy { $0 == 0 })
    case .garbage: #expect(changed.count > range.count / 2)
    }
    #expect(disk.powerLossStates(limit: 10, seed: 1).count == 1)
    try file.advise(.forget)
    #expect(try file.bytes(2000) == after)
    #expect(SimulatedDisk(seed: 1).rot("a", rot, seed: seed) == nil)
  }

  @Test func `a sector can be named`() throws {
    let disk = SimulatedDisk(seed: 1)
    try disk.setContents("a", filled(1, 1300))
    #expect(disk.rot("a", .zeros, sector: 2, seed: 1) == 1024..<1300)
    #expect(disk.contents(of: "a") == filled(1, 1024) + filled(0, 276))
    #expect(disk.rot("a", .zeros, sector: 2, seed: 1) == nil)
    #expect(disk.rot("a", .zeros, sector: 3, seed: 1) == nil)
    try disk.setContents("empty", [])
    #expect(disk.rot("empty", .zeros, seed: 1) == nil)
  }

  @Test func `mapped memory rots as well`() throws {
    let disk = SimulatedDisk(seed: 1)
    try disk.setContents("a", filled(1, 512))
    let memory = try disk.folder(at: "").file("a", .existing).map(512)
    disk.rot("a", .zeros, seed: 1)
    #expect(memory.base.load(fromByteOffset: 100, as: UInt8.self) == 0)
    #expect(disk.contents(of: "a") == filled(0))
  }
}

@Suite("clocks and randomness")
struct ClockTests {
  @Test func `time stands still until it is moved`() {
    let disk = SimulatedDisk(seed: 1)
    let (wall, steady) = (disk.wallClock(), disk.steadyClock())
    #expect(disk.wallClock() == wall && disk.steadyClock() == steady)
    disk.advanceClock(by: 250)
    #expect(disk.wallClock() == wall + 250 && disk.steadyClock() == steady + 250)
    disk.setWallClock(77)
    #expect(disk.wallClock() == 77 && disk.steadyClock() == steady + 250)
    for (time, rough) in [
      (77, 0), (7_999_999, 4_000_000), (-1, -4_000_000), (-4_000_000, -4_000_000),
    ]
      as [(Int64, Int64)]
    {
      disk.setWallClock(time)
      #expect(disk.roughWallClock() == rough)
    }
  }

  @Test func `every call and every look may take time`() throws {
    let disk = SimulatedDisk(seed: 1)
    disk.clockStep = 10
    let start = disk.steadyClock()
    #expect(disk.steadyClock() == start + 10)
    _ = try disk.folder(at: "").names()
    #expect(disk.steadyClock() == start + 40)
    #expect(disk.clockStep == 10)
  }

  @Test func `who waits for the clock is woken when it is advanced, and when it steps`() throws {
    let disk = SimulatedDisk(seed: 1)
    let lock = Lock()
    #expect(lock.withLock { disk.wait(on: lock, until: disk.steadyClock()) })
    for advance in [{ disk.advanceClock(by: 10) }, { for _ in 0..<10 { _ = disk.steadyClock() } }] {
      let moment = disk.steadyClock() + 10
      nonisolated(unsafe) var hasCome = false
      nonisolated(unsafe) var isAbout = false
      let thread = try BackgroundThread {
        lock.withLock {
          isAbout = true
          while !disk.wait(on: lock, until: moment) {}
          hasCome = true
        }
      }
      while !lock.withLock({ isAbout }) {}
      #expect(!lock.withLock { hasCome })
      advance()
      thread.join()
      #expect(hasCome)
      disk.clockStep = 1
    }
  }

  @Test func `the process number can be set`() {
    let disk = SimulatedDisk(seed: 1)
    disk.setProcessNumber(4711)
    #expect(disk.processNumber() == 4711)
  }

  @Test func `random bytes follow from the seed and do not repeat in an image`() throws {
    func random(_ disk: SimulatedDisk) throws -> [UInt8] {
      var bytes = filled(0, 32)
      try bytes.withUnsafeMutableBytes { try disk.fillWithRandomBytes($0) }
      return bytes
    }
    let (one, other) = (SimulatedDisk(seed: 5), SimulatedDisk(seed: 5))
    let first = try random(one)
    #expect(try random(other) == first)
    #expect(try random(one) != first)
    #expect(try random(SimulatedDisk(seed: 6)) != first)
    #expect(try random(other.imageAfterProcessDeath()) != first)
  }

  @Test func `the file system can be one over the network`() throws {
    let disk = SimulatedDisk(seed: 1)
    disk.fileSystemKind = FileSystemKind(magicNumber: 0x6969)
    #expect(try disk.folder(at: "").fileSystem().networkName == "NFS")
    #expect(disk.fileSystemKind.isNetwork)
  }
}
