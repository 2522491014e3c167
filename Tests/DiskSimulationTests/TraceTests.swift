import DiskAccess
import DiskSimulation
import TestSupport
import Testing

@Suite("the trace and the hook")
struct TraceTests {
  /// A little of everything, with some faults.
  private func work(seed: UInt64) throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: seed)
    disk.isTracing = true
    disk.faults = [
      SimulatedFault(.short, calls: [.write], number: 2),
      SimulatedFault(.failure(.noSpace, leaving: .prefix), calls: [.append], number: 2),
    ]
    let root = try disk.folder(at: "")
    try root.makeFolder("store")
    let folder = try root.folder("store")
    let file = try folder.file("a", .new)
    try file.put(filled(1, 100))
    try file.put(filled(2, 1000), at: 50)
    try file.putAtEnd([1])
    #expect(throws: DiskError.self) { try file.putAtEnd(filled(3, 1000)) }
    try file.resize(to: 900)
    try file.allocate(100, at: 1000)
    _ = try file.bytes(3, at: 5)
    _ = try file.map(100)
    try file.syncData()
    try folder.rename("a", to: "b")
    try folder.sync()
    var bytes = filled(0, 8)
    try bytes.withUnsafeMutableBytes { try disk.fillWithRandomBytes($0) }
    try file.putAtEnd(bytes)
    return disk
  }

  @Test(arguments: 0..<10)
  func `the same seed gives the same trace and the same bytes`(_ seed: UInt64) throws {
    let (one, other) = (try work(seed: seed), try work(seed: seed))
    #expect(one.trace == other.trace)
    #expect(one.everything == other.everything)
    #expect(try work(seed: seed + 1).everything != one.everything)
  }

  @Test func `the trace has a line for each call`() throws {
    let trace = try work(seed: 1).trace
    #expect(trace.first == "0 openFolder /")
    #expect(trace.contains("1 makeFolder store"))
    #expect(trace.contains("3 openFile store/a"))
    #expect(trace.contains("4 write store/a at 0, 100 bytes"))
    #expect(trace.contains("5 write store/a at 50, 1000 bytes: short"))
    #expect(trace.contains("7 append store/a at 1050, 1 bytes"))
    #expect(
      trace.contains(
        "8 append store/a at 1051, 1000 bytes: No space left on device, prefix done"))
    #expect(trace.contains("9 resize store/a to 900 bytes"))
    #expect(trace.contains("10 allocate store/a at 1000, 100 bytes"))
    #expect(trace.contains("12 map store/a 100 bytes"))
    #expect(trace.contains("14 rename store/a to b"))
    #expect(trace.contains("16 random / 8 bytes"))
  }

  @Test func `nothing is noted while tracing is off`() throws {
    let disk = SimulatedDisk(seed: 1)
    _ = try disk.folder(at: "").file("a", .new)
    #expect(disk.trace == [])
    #expect(disk.callCount == 2)
  }

  @Test func `the hook is told of every change and every sync before it is made`() throws {
    let disk = SimulatedDisk(seed: 1)
    var calls: [SimulatedCall] = []
    var lengths: [Int?] = []
    disk.onCall = { [disk] call in
      calls.append(call)
      lengths.append(disk.contents(of: "a")?.count)
    }
    let folder = try disk.folder(at: "")
    let file = try folder.file("a", .new)
    try file.put([1, 2, 3], at: 7)
    try file.putAtEnd([4])
    _ = try file.bytes(10)
    try file.advise(.forget)
    _ = try file.map(2)
    _ = try file.lock()
    try file.sync()
    try file.syncData()
    try file.resize(to: 5)
    try file.allocate(20, at: 0)
    try folder.rename("a", to: "b")
    try folder.makeFolder("c")
    try folder.sync()
    try folder.remove("b")
    _ = try folder.file("c2", .existingOrNew)
    _ = try folder.file("c2", .existing)
    _ = try folder.file("c2", .emptied)
    #expect(
      calls.map(\.kind) == [
        .openFile, .write, .append, .sync, .syncData, .resize, .allocate, .rename, .makeFolder,
        .syncFolder, .remove, .openFile, .openFile,
      ])
    #expect(lengths.prefix(7) == [nil, 0, 10, 11, 11, 11, 5])
    #expect(calls[1].path == "a" && calls[1].offset == 7 && calls[1].byteCount == 3)
    #expect(calls[2].offset == 10)
    #expect(calls[7].newName == "b")
    #expect(calls.map(\.index) == calls.map(\.index).sorted())
  }

  @Test func `images can be taken at every call of one run`() throws {
    let disk = SimulatedDisk(seed: 1)
    try disk.setContents("a", filled(0, 512))
    let file = try disk.folder(at: "").file("a", .existing)
    var seen: Set<[UInt8]> = []
    disk.onCall = { [disk] _ in
      for case .some(let bytes) in disk.outcomes(of: "a") { seen.insert(bytes) }
      if let bytes = disk.imageAfterProcessDeath().contents(of: "a") { seen.insert(bytes) }
    }
    for byte in UInt8(1)...5 {
      try file.put(filled(byte))
      try file.sync()
    }
    #expect(seen == Set((0...5).map { filled($0) }))
  }
}
