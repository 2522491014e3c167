import DiskAccess
import DiskSimulation
import TestSupport
import Testing

@Suite("the end of a process")
struct ProcessDeathTests {
  private let disk = SimulatedDisk(seed: 1)
  private let folder: any DiskFolder
  private let file: any DiskFile

  init() throws {
    try disk.setContents("a", filled(1, 1024))
    folder = try disk.folder(at: "")
    file = try folder.file("a", .existing)
  }

  @Test func `everything written and everything stored stays`() throws {
    let memory = try file.map(1024)
    try file.put([2], at: 10)
    memory.base.storeBytes(of: 3, toByteOffset: 600, as: UInt8.self)
    _ = try folder.file("b", .new)
    for survivor in [disk.imageAfterProcessDeath(), disk] {
      if survivor === disk { disk.endProcess() }
      #expect(survivor.paths == ["a", "b"])
      #expect(survivor.contents(of: "a")?[10] == 2)
      #expect(survivor.contents(of: "a")?[600] == 3)
    }
    withExtendedLifetime(memory) {}
  }

  @Test func `what was not durable can still be lost`() throws {
    try file.put(filled(2))
    _ = try folder.file("b", .new)
    let image = disk.imageAfterProcessDeath()
    #expect(image.durableContents(of: "a") == filled(1, 1024))
    #expect(image.durableContents(of: "b") == nil)
    #expect(image.outcomes(of: "a").count == 4)
    try image.folder(at: "").file("a", .existing).sync()
    #expect(image.durableContents(of: "a") == filled(2) + filled(1))
    #expect(disk.durableContents(of: "a") == filled(1, 1024))
  }

  @Test func `a dead writer writes nothing`() throws {
    let memory = try file.map(1024)
    disk.endProcess()
    let calls = disk.callCount
    #expect(throws: DiskError(.write, "a", .badDescriptor)) { try file.put([9]) }
    #expect(throws: DiskError(.append, "a", .badDescriptor)) { try file.putAtEnd([9]) }
    #expect(throws: DiskError(.sync, "a", .badDescriptor)) { try file.sync() }
    #expect(throws: DiskError(.read, "a", .badDescriptor)) { try file.bytes(1) }
    #expect(throws: DiskError(.openFile, "b", .badDescriptor)) { try folder.file("b", .new) }
    #expect(throws: DiskError(.rename, "a", .badDescriptor)) { try folder.rename("a", to: "b") }
    #expect(throws: DiskError(.syncFolder, "", .badDescriptor)) { try folder.sync() }
    try file.close()
    memory.base.storeBytes(of: 9, toByteOffset: 0, as: UInt8.self)
    #expect(disk.everything == ["a": filled(1, 1024)])
    #expect(disk.callCount == calls)
  }

  @Test func `a process may die at a call, which is then not made`() throws {
    disk.onCall = { [disk] call in
      if call.kind == .write { disk.endProcess() }
    }
    #expect(throws: DiskError(.write, "a", .badDescriptor)) { try file.put([9]) }
    #expect(disk.contents(of: "a") == filled(1, 1024))
  }

  @Test func `a process may die at a change of names`() throws {
    disk.onCall = { [disk] _ in disk.endProcess() }
    #expect(throws: DiskError(.rename, "a", .badDescriptor)) { try folder.rename("a", to: "b") }
    #expect(disk.paths == ["a"])
  }

  @Test func `locks are free afterwards`() throws {
    #expect(try file.lock())
    let image = disk.imageAfterProcessDeath()
    #expect(try image.folder(at: "").file("a", .existing).lock())
    #expect(try !folder.file("a", .existing).lock())
    disk.endProcess()
    let next = try disk.folder(at: "").file("a", .existing)
    #expect(try next.lock())
    try file.close()
    #expect(try !disk.folder(at: "").file("a", .existing).lock())
  }

  @Test func `an image is independent of the disk and of its mappings`() throws {
    let memory = try file.map(1024)
    let image = disk.imageAfterProcessDeath()
    memory.base.storeBytes(of: 9, toByteOffset: 0, as: UInt8.self)
    try file.put([8], at: 1)
    #expect(image.contents(of: "a") == filled(1, 1024))
    try image.folder(at: "").file("a", .existing).put([7], at: 2)
    #expect(disk.contents(of: "a") == [9, 8] + filled(1, 1022))
    #expect(image.deviceNumber != disk.deviceNumber)
    #expect(image.processNumber() != disk.processNumber())
    withExtendedLifetime(memory) {}
  }

  @Test func `a removed file that only the dead process held is gone`() throws {
    try file.resize(to: 1000)
    try folder.remove("a")
    try folder.sync()
    disk.capacityByteCount = 1000
    #expect(throws: DiskError(.append, "b", .noSpace)) {
      try folder.file("b", .new).putAtEnd(filled(1))
    }
    let image = disk.imageAfterProcessDeath()
    try image.folder(at: "").file("c", .new).putAtEnd(filled(1))
  }

  @Test func `a write split in two shows its middle`() throws {
    disk.faults = [SimulatedFault(.short, calls: [.write])]
    var left: [[UInt8]?] = []
    disk.onCall = { [disk] _ in left.append(disk.imageAfterProcessDeath().contents(of: "a")) }
    try file.put(filled(2, 1024))
    #expect(left.count == 2)
    #expect(left[0] == filled(1, 1024))
    let middle = try #require(left[1])
    let count = try #require(middle.firstIndex(of: 1))
    #expect(middle == filled(2, count) + filled(1, 1024 - count))
    #expect(count > 0)
    #expect(disk.contents(of: "a") == filled(2, 1024))
  }
}
