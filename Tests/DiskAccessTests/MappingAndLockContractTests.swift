import DiskAccess
import TestSupport
import Testing

@Suite("every disk: mappings and locks")
struct MappingAndLockContractTests {
  @Test(arguments: DiskKind.allCases)
  func `a mapping and the file are the same bytes`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let file = try ground.folder().file("a", .new)
    try file.put([UInt8](repeating: 1, count: 9000))
    let memory = try file.map(9000)
    #expect(memory.byteCount == 9000)
    #expect(memory.base.load(fromByteOffset: 8999, as: UInt8.self) == 1)
    memory.base.storeBytes(of: 77, toByteOffset: 5000, as: UInt8.self)
    #expect(try file.bytes(3, at: 4999) == [1, 77, 1])
    try file.put([2, 3], at: 8000)
    #expect(memory.base.load(fromByteOffset: 8001, as: UInt8.self) == 3)
    try file.sync()
    #expect(try file.bytes(3, at: 4999) == [1, 77, 1])
  }

  @Test(arguments: DiskKind.allCases)
  func `a mapping outlives its handle and the name`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let folder = try ground.folder()
    let file = try folder.file("a", .new)
    let other = try folder.file("a", .existing)
    try file.put([UInt8](repeating: 1, count: 4096))
    let memory = try file.map(4096)
    try file.close()
    try folder.remove("a")
    memory.base.storeBytes(of: 5, toByteOffset: 10, as: UInt8.self)
    #expect(try other.bytes(2, at: 9) == [1, 5])
  }

  @Test(arguments: DiskKind.allCases)
  func `two mappings of a file are the same bytes`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let folder = try ground.folder()
    let file = try folder.file("a", .new)
    try file.resize(to: 4096)
    let one = try file.map(4096)
    let other = try folder.file("a", .existing).map(100)
    one.base.storeBytes(of: 5, toByteOffset: 10, as: UInt8.self)
    #expect(other.base.load(fromByteOffset: 10, as: UInt8.self) == 5)
  }

  @Test(arguments: DiskKind.allCases)
  func `what was stored stays after the mapping is given back`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let file = try ground.folder().file("a", .new)
    try file.resize(to: 100)
    do {
      let memory = try file.map(100)
      memory.base.storeBytes(of: 5, toByteOffset: 99, as: UInt8.self)
    }
    #expect(try file.bytes(2, at: 98) == [0, 5])
    try file.resize(to: 10_000)
    let memory = try file.map(10_000)
    #expect(memory.base.load(fromByteOffset: 99, as: UInt8.self) == 5)
  }

  @Test(arguments: DiskKind.allCases)
  func `a mapped file can be changed in length`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let file = try ground.folder().file("a", .new)
    try file.put([UInt8](repeating: 1, count: 8192))
    let memory = try file.map(8192)
    try file.resize(to: 4096)
    try file.resize(to: 20_000)
    #expect(memory.base.load(fromByteOffset: 4095, as: UInt8.self) == 1)
    #expect(memory.base.load(fromByteOffset: 5000, as: UInt8.self) == 0)
    memory.base.storeBytes(of: 9, toByteOffset: 5000, as: UInt8.self)
    try file.put([3], at: 19_999)
    #expect(try file.bytes(1, at: 5000) == [9])
    #expect(try file.bytes(2, at: 19_998) == [0, 3])
  }

  @Test(arguments: DiskKind.allCases)
  func `no mapping reaches past the end of its file`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let file = try ground.folder().file("a", .new)
    try file.put([1, 2, 3])
    for byteCount in [-1, 0, 4, Int.max] {
      #expect(throws: DiskError(.map, "a", .invalid)) { try file.map(byteCount) }
    }
    #expect(try file.map(3).byteCount == 3)
  }

  @Test(arguments: DiskKind.allCases)
  func `one handle at a time holds a file's lock`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let folder = try ground.folder()
    let one = try folder.file("LOCK", .new)
    let other = try folder.file("LOCK", .existing)
    #expect(try one.lock())
    #expect(try one.lock())
    #expect(try !other.lock())
    try one.close()
    #expect(try other.lock())
  }

  @Test(arguments: DiskKind.allCases)
  func `a lock ends with its handle`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let folder = try ground.folder()
    let other = try folder.file("LOCK", .new)
    do {
      let one = try folder.file("LOCK", .existing)
      #expect(try one.lock())
      #expect(try !other.lock())
    }
    #expect(try other.lock())
  }

  @Test(arguments: DiskKind.allCases)
  func `one opening of a folder at a time holds its lock`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let folder = try ground.folder()
    try folder.makeFolder("store")
    let other = try folder.folder("store")
    do {
      let one = try folder.folder("store")
      #expect(try one.lock())
      #expect(try one.lock())
      #expect(try !other.lock())
      // Who does not hold it gives nothing back.
      other.unlock()
      #expect(try !other.lock())
      one.unlock()
      #expect(try other.lock())
      other.unlock()
      #expect(try one.lock())
      // What is in the folder has locks of its own.
      #expect(try other.file("LOCK", .new).lock())
    }
    #expect(try other.lock())
  }

  @Test(arguments: DiskKind.allCases)
  func `a lock belongs to the file and not to its name`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let folder = try ground.folder()
    let one = try folder.file("LOCK", .new)
    #expect(try one.lock())
    try folder.rename("LOCK", to: "OLD")
    #expect(try folder.file("LOCK", .new).lock())
    #expect(try !folder.file("OLD", .existing).lock())
  }
}
