import DiskAccess
import DiskSimulation
import TestSupport
import Testing

@Suite("setting a disk up and looking at it")
struct ContentsTests {
  private let disk = SimulatedDisk(seed: 1)

  @Test func `what is set is there at once and durable, with its folders`() throws {
    try disk.setContents("a/b/c", [1, 2])
    try disk.setContents("a/d", [])
    try disk.makeFolders("e/f")
    #expect(disk.paths == ["a/b/c", "a/d"])
    #expect(disk.contents(of: "a/b/c") == [1, 2])
    #expect(disk.contents(of: "/a//b/./c") == [1, 2])
    #expect(disk.durableContents(of: "a/b/c") == [1, 2])
    #expect(try disk.folder(at: "e/f").names() == [])
    #expect(disk.powerLossStates(limit: 10, seed: 1).count == 1)
    #expect(disk.callCount == 2)
  }

  @Test func `a file that is set anew stays the same file`() throws {
    try disk.setContents("a", [1, 2, 3])
    let file = try disk.folder(at: "").file("a", .existing)
    let memory = try file.map(3)
    try disk.setContents("a", [9])
    #expect(try file.bytes(5) == [9])
    #expect(memory.base.load(as: UInt8.self) == 9)
    #expect(disk.durableContents(of: "a") == [9])
  }

  @Test func `there are no contents where there is no file`() throws {
    try disk.setContents("a/b", [1])
    for path in ["", "a", "b", "a/b/c", "c/d"] {
      #expect(disk.contents(of: path) == nil)
      #expect(disk.durableContents(of: path) == nil)
    }
  }

  @Test func `what stands in the way is an error`() throws {
    try disk.setContents("a/b", [1])
    #expect(throws: DiskError(.openFile, "a", .isFolder)) { try disk.setContents("a", []) }
    #expect(throws: DiskError(.makeFolder, "a/b", .notFolder)) {
      try disk.setContents("a/b/c", [])
    }
    #expect(throws: DiskError(.makeFolder, "a/b", .notFolder)) { try disk.makeFolders("a/b") }
    #expect(throws: DiskError(.makeFolder, "a/..", .invalid)) { try disk.makeFolders("a/..") }
    #expect(throws: DiskError(.openFile, "../a", .invalid)) { try disk.setContents("../a", []) }
    #expect(throws: DiskError(.openFile, "", .invalid)) { try disk.setContents("", []) }
    #expect(throws: DiskError(.openFolder, "a/..", .invalid)) { try disk.folder(at: "a/..") }
  }
}
