import DiskAccess
import DiskSimulation
import TestSupport
import Testing

@Suite("faults")
struct FaultTests {
  private let disk = SimulatedDisk(seed: 1)
  private let folder: any DiskFolder
  private let file: any DiskFile

  init() throws {
    try disk.setContents("store/a", filled(1, 2048))
    folder = try disk.folder(at: "store")
    file = try folder.file("a", .existing)
  }

  @Test func `a fault strikes once at its number`() throws {
    disk.faults = [SimulatedFault(.failure(.noSpace), calls: [.write], number: 2)]
    try file.put([2])
    #expect(throws: DiskError(.write, "a", .noSpace)) { try file.put([3]) }
    try file.put([4], at: 1)
    #expect(try file.bytes(2) == [2, 4])
  }

  @Test func `a lasting fault strikes from its number on`() throws {
    disk.faults = [
      SimulatedFault(.failure(.readOnlyFileSystem), calls: [.write], number: 2, isLasting: true)
    ]
    try file.put([2])
    for _ in 0..<3 {
      #expect(throws: DiskError(.write, "a", .readOnlyFileSystem)) { try file.put([3]) }
    }
    disk.faults = []
    try file.put([3])
  }

  @Test func `a fault without kinds counts every call`() throws {
    disk.faults = [SimulatedFault(.failure(.inputOutput), number: 3)]
    _ = try file.bytes(1)
    try file.put([1])
    #expect(throws: DiskError(.listNames, "store", .inputOutput)) { try folder.names() }
    _ = try folder.names()
  }

  @Test func `a fault with a name strikes at that name only`() throws {
    let other = try folder.file("ba", .new)
    for name in ["a", "store/a"] {
      disk.faults = [SimulatedFault(.failure(.inputOutput), name: name)]
      try other.put([1])
      #expect(throws: DiskError(.write, "a", .inputOutput)) { try file.put([1]) }
    }
  }

  @Test func `the first of several faults wins and all of them count`() throws {
    disk.faults = [
      SimulatedFault(.failure(.noSpace), calls: [.write]),
      SimulatedFault(.failure(.inputOutput), calls: [.write]),
      SimulatedFault(.failure(.quotaExceeded), calls: [.write], number: 2),
    ]
    #expect(throws: DiskError(.write, "a", .noSpace)) { try file.put([1]) }
    #expect(throws: DiskError(.write, "a", .quotaExceeded)) { try file.put([1]) }
    try file.put([1])
    #expect(disk.faults.count == 3)
  }

  @Test func `every call can fail, and then changes nothing`() throws {
    let before = disk.everything
    disk.faults = [SimulatedFault(.failure(.tooManyOpenFiles), isLasting: true)]
    func failure(_ call: DiskError.Call, _ name: String) -> DiskError {
      DiskError(call, name, .tooManyOpenFiles)
    }
    #expect(throws: failure(.openFile, "b")) { try folder.file("b", .new) }
    #expect(throws: failure(.openFile, "a")) { try folder.file("a", .emptied) }
    #expect(throws: failure(.openFile, "a")) { try folder.fileForReading("a") }
    #expect(throws: failure(.openFolder, "b")) { try folder.folder("b") }
    #expect(throws: failure(.openFolder, "store")) { try disk.folder(at: "store") }
    #expect(throws: failure(.makeFolder, "b")) { try folder.makeFolder("b") }
    #expect(throws: failure(.rename, "a")) { try folder.rename("a", to: "b") }
    #expect(throws: failure(.remove, "a")) { try folder.remove("a") }
    #expect(throws: failure(.syncFolder, "store")) { try folder.sync() }
    #expect(throws: failure(.listNames, "store")) { try folder.names() }
    #expect(throws: failure(.inspect, "a")) { try folder.information(of: "a") }
    #expect(throws: failure(.inspect, "store")) { try folder.fileSystem() }
    #expect(throws: failure(.read, "a")) { try file.bytes(1) }
    #expect(throws: failure(.write, "a")) { try file.put([9]) }
    #expect(throws: failure(.append, "a")) { try file.putAtEnd([9]) }
    #expect(throws: failure(.resize, "a")) { try file.resize(to: 1) }
    #expect(throws: failure(.allocate, "a")) { try file.allocate(9000, at: 0) }
    #expect(throws: failure(.map, "a")) { try file.map(1) }
    #expect(throws: failure(.lock, "a")) { try file.lock() }
    #expect(throws: failure(.advise, "a")) { try file.advise(.forget) }
    #expect(throws: failure(.inspect, "a")) { try file.information() }
    #expect(throws: failure(.sync, "a")) { try file.sync() }
    #expect(throws: failure(.close, "a")) { try file.close() }
    #expect(disk.everything == before)
    #expect(disk.openCount == 0)
  }

  @Test func `a failed write may leave its first part`() throws {
    var counts: Set<Int> = []
    for seed in UInt64(0)..<40 {
      let (disk, left) = try leftOfFailedWrite(seed, .prefix)
      let count = left.prefix { $0 == 2 }.count
      #expect(left == filled(2, count) + filled(1, 2048 - count))
      counts.insert(count)
      #expect(disk.durableContents(of: "a") == filled(1, 2048))
    }
    #expect(counts.count > 20)
  }

  @Test func `a failed write may leave some of its sectors`() throws {
    var patterns: Set<[UInt8]> = []
    for seed in UInt64(0)..<100 {
      let (_, left) = try leftOfFailedWrite(seed, .someSectors)
      let pattern = (0..<4).map { left[$0 * 512 + 511] }
      #expect(left == pattern.flatMap { filled($0) })
      patterns.insert(pattern)
    }
    #expect(patterns.count == 16)
  }

  @Test func `a failed write leaves nothing or everything where that is asked for`() throws {
    #expect(try leftOfFailedWrite(1, .nothing).left == filled(1, 2048))
    #expect(try leftOfFailedWrite(1, .everything).left == filled(2, 2048))
  }

  private func leftOfFailedWrite(
    _ seed: UInt64, _ remainder: SimulatedFault.Remainder
  ) throws -> (disk: SimulatedDisk, left: [UInt8]) {
    let disk = SimulatedDisk(seed: seed)
    try disk.setContents("a", filled(1, 2048))
    let file = try disk.folder(at: "").file("a", .existing)
    disk.faults = [SimulatedFault(.failure(.noSpace, leaving: remainder), calls: [.write])]
    #expect(throws: DiskError(.write, "a", .noSpace)) { try file.put(filled(2, 2048)) }
    return (disk, try #require(disk.contents(of: "a")))
  }

  @Test func `a short write is completed by a second call`() throws {
    disk.isTracing = true
    disk.faults = [SimulatedFault(.short, calls: [.write, .append], isLasting: true)]
    try file.put(filled(2, 1000))
    #expect(try file.bytes(1001) == filled(2, 1000) + [1])
    #expect(disk.trace.count { $0.contains("write") } == 2)
    #expect(try file.putAtEnd(filled(3, 100)) == 2048)
    #expect(try file.bytes(200, at: 2048) == filled(3, 100))
    try file.put([7])
    #expect(try file.bytes(1) == [7])
  }

  @Test func `the second half of a short write may fail`() throws {
    disk.faults = [
      SimulatedFault(.short, calls: [.append]),
      SimulatedFault(.failure(.noSpace), calls: [.append], number: 2),
    ]
    #expect(throws: DiskError(.append, "a", .noSpace)) { try file.putAtEnd(filled(2, 100)) }
    let count = try file.information().byteCount - 2048
    #expect((1..<100).contains(count))
  }

  @Test func `a short read is completed by a second call`() throws {
    disk.isTracing = true
    disk.faults = [SimulatedFault(.short, calls: [.read], isLasting: true)]
    #expect(try file.bytes(2048) == filled(1, 2048))
    #expect(disk.trace.count { $0.contains("read") } == 2)
  }

  @Test func `the second half of a short read may fail`() throws {
    disk.faults = [
      SimulatedFault(.short, calls: [.read]),
      SimulatedFault(.failure(.inputOutput), calls: [.read], number: 2),
    ]
    #expect(throws: DiskError(.read, "a", .inputOutput)) { try file.bytes(2048) }
  }

  @Test func `an interrupted call is made again, by a second call`() throws {
    disk.isTracing = true
    disk.faults = [SimulatedFault(.failure(.interrupted), isLasting: true)]
    var calls: [DiskError.Call] = []
    disk.onCall = { calls.append($0.kind) }
    try file.put([5])
    try file.sync()
    try folder.sync()
    try file.resize(to: 1)
    #expect(try file.bytes(1) == [5])
    #expect(calls == [.write, .write, .sync, .sync, .syncFolder, .syncFolder, .resize, .resize])
    #expect(disk.trace.map { $0.hasSuffix("interrupted") } == (0..<10).map { $0 % 2 == 0 })
    try file.close()
    #expect(disk.openCount == 0)
    #expect(disk.trace.count == 11)
  }

  @Test func `an interrupted call has done nothing, and the second may fail`() throws {
    disk.faults = [
      SimulatedFault(.failure(.interrupted), calls: [.write, .sync]),
      SimulatedFault(.failure(.noSpace), calls: [.write], number: 2),
    ]
    #expect(throws: DiskError(.write, "a", .noSpace)) { try file.put(filled(2, 2048)) }
    #expect(try file.bytes(2048) == filled(1, 2048))
  }

  @Test func `a file is closed even where closing fails`() throws {
    #expect(try file.lock())
    disk.faults = [SimulatedFault(.failure(.inputOutput), calls: [.close])]
    #expect(throws: DiskError(.close, "a", .inputOutput)) { try file.close() }
    try file.close()
    #expect(throws: DiskError(.read, "a", .badDescriptor)) { try file.bytes(1) }
    #expect(try folder.file("a", .existing).lock())
  }

  @Test func `random bytes can be refused`() throws {
    disk.faults = [SimulatedFault(.failure(.notSupported), calls: [.random])]
    var bytes: [UInt8] = [0]
    #expect(throws: DiskError(.random, "", .notSupported)) {
      try bytes.withUnsafeMutableBytes { try disk.fillWithRandomBytes($0) }
    }
  }

  @Test func `a fault may be given at the call it strikes`() throws {
    disk.onCall = { [disk] call in
      if call.kind == .syncData { disk.faults = [SimulatedFault(.failure(.inputOutput))] }
    }
    try file.put([1])
    #expect(throws: DiskError(.syncData, "a", .inputOutput)) { try file.syncData() }
  }

  @Test func `calls are counted from one on`() async {
    await #expect(processExitsWith: .failure) {
      _ = SimulatedFault(.short, number: 0)
    }
  }
}
