import DiskAccess
import TestSupport
import Testing

@Suite("every disk: files")
struct FileContractTests {
  @Test(arguments: DiskKind.allCases)
  func `what is written is read back`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let file = try ground.folder().file("a", .new)
    try file.put([1, 2, 3, 4])
    try file.put([9, 8], at: 1)
    #expect(try file.bytes(4) == [1, 9, 8, 4])
    #expect(try file.bytes(2, at: 1) == [9, 8])
    #expect(file.name == "a")
  }

  @Test(arguments: DiskKind.allCases)
  func `a read past the end is short`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let file = try ground.folder().file("a", .new)
    try file.put([1, 2, 3])
    #expect(try file.bytes(10, at: 1) == [2, 3])
    #expect(try file.bytes(10, at: 3) == [])
    #expect(try file.bytes(10, at: 1_000_000) == [])
  }

  @Test(arguments: DiskKind.allCases)
  func `a write past the end leaves zeros between`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let file = try ground.folder().file("a", .new)
    try file.put([7], at: 1000)
    #expect(try file.bytes(2000) == [UInt8](repeating: 0, count: 1000) + [7])
    #expect(try file.information().byteCount == 1001)
  }

  @Test(arguments: DiskKind.allCases)
  func `nothing written changes nothing`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let file = try ground.folder().file("a", .new)
    try file.put([], at: 100)
    #expect(try file.putAtEnd([]) == 0)
    #expect(try file.information().byteCount == 0)
  }

  @Test(arguments: DiskKind.allCases)
  func `an append returns where the bytes went`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let file = try ground.folder().file("a", .new)
    #expect(try file.putAtEnd([1, 2, 3]) == 0)
    #expect(try file.putAtEnd([4]) == 3)
    try file.resize(to: 2)
    #expect(try file.putAtEnd([5]) == 2)
    #expect(try file.bytes(9) == [1, 2, 5])
  }

  @Test(arguments: DiskKind.allCases)
  func `a large file comes back whole`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let file = try ground.folder().file("a", .new)
    let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    try file.put(bytes, at: 5)
    #expect(try file.bytes(3_000_000, at: 5) == bytes)
  }

  @Test(arguments: DiskKind.allCases)
  func `a file that is cut and extended has zeros at its end`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let file = try ground.folder().file("a", .new)
    try file.put([1, 2, 3, 4])
    try file.resize(to: 2)
    #expect(try file.bytes(9) == [1, 2])
    try file.resize(to: 4)
    #expect(try file.bytes(9) == [1, 2, 0, 0])
  }

  @Test(arguments: DiskKind.allCases)
  func `reserved room reads as zeros and keeps what is there`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let file = try ground.folder().file("a", .new)
    try file.put([1, 2, 3])
    try file.allocate(100, at: 0)
    #expect(try file.bytes(200) == [1, 2, 3] + [UInt8](repeating: 0, count: 97))
    try file.allocate(10, at: 0)
    #expect(try file.information().byteCount == 100)
    #expect(try file.information().allocatedByteCount >= 100)
  }

  @Test(arguments: DiskKind.allCases)
  func `no room is reserved for nothing`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let file = try ground.folder().file("a", .new)
    #expect(throws: DiskError(.allocate, "a", .invalid)) { try file.allocate(0, at: 0) }
  }

  @Test(arguments: DiskKind.allCases)
  func `places that no file can have are refused`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let file = try ground.folder().file("a", .new)
    #expect(throws: DiskError(.read, "a", .invalid)) { try file.bytes(1, at: .max) }
    #expect(throws: DiskError(.write, "a", .invalid)) { try file.put([1], at: .max) }
    #expect(throws: DiskError.self) { try file.put([1], at: UInt64(Int.max)) }
    #expect(throws: DiskError.self) { try file.resize(to: .max) }
    #expect(throws: DiskError.self) { try file.allocate(.max, at: 0) }
    #expect(throws: DiskError.self) { try file.allocate(2, at: .max) }
    #expect(try file.information().byteCount == 0)
  }

  @Test(arguments: DiskKind.allCases)
  func `information tells kind, length and identity`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let folder = try ground.folder()
    let file = try folder.file("a", .new)
    let other = try folder.file("b", .new)
    try file.put([1, 2, 3])
    let information = try file.information()
    #expect(information.kind == .file)
    #expect(information.byteCount == 3)
    #expect(try folder.information(of: "a") == information)
    #expect(try other.information().node != information.node)
    #expect(try other.information().device == information.device)
  }

  @Test(arguments: DiskKind.allCases)
  func `two handles of a file see the same bytes`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let folder = try ground.folder()
    let one = try folder.file("a", .new)
    let other = try folder.fileForReading("a")
    try one.put([1, 2])
    #expect(try other.bytes(9) == [1, 2])
    #expect(try one.information() == other.information())
  }

  @Test(arguments: DiskKind.allCases)
  func `syncs and advice are taken`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let folder = try ground.folder()
    let file = try folder.file("a", .new)
    try file.put([1, 2, 3])
    try file.syncData()
    try file.sync()
    try folder.sync()
    try file.advise(.forget)
    try file.advise(.sequential)
    #expect(try file.bytes(9) == [1, 2, 3])
  }

  @Test(arguments: DiskKind.allCases)
  func `a closed file answers that it is closed`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let file = try ground.folder().file("a", .new)
    try file.put([1, 2, 3])
    try file.close()
    try file.close()
    func closed(_ call: DiskError.Call) -> DiskError { DiskError(call, "a", .badDescriptor) }
    #expect(throws: closed(.read)) { try file.bytes(1) }
    #expect(throws: closed(.write)) { try file.put([1]) }
    #expect(throws: closed(.append)) { try file.putAtEnd([1]) }
    #expect(throws: closed(.resize)) { try file.resize(to: 0) }
    #expect(throws: closed(.allocate)) { try file.allocate(10, at: 0) }
    #expect(throws: closed(.map)) { try file.map(1) }
    #expect(throws: closed(.lock)) { try file.lock() }
    #expect(throws: closed(.advise)) { try file.advise(.forget) }
    #expect(throws: closed(.inspect)) { try file.information() }
  }

  // The fail-stop disk is left out: it stops at a failed sync.
  @Test(arguments: [DiskKind.posix, .simulated])
  func `a closed file cannot be synced`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let file = try ground.folder().file("a", .new)
    try file.close()
    #expect(throws: DiskError(.sync, "a", .badDescriptor)) { try file.sync() }
    #expect(throws: DiskError(.syncData, "a", .badDescriptor)) { try file.syncData() }
  }
}
