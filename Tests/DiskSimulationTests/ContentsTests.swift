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

  @Test func `what is set leaves the names beside it and above it as durable as they were`() throws
  {
    let root = try disk.folder(at: "")
    try disk.makeFolders("in")
    let folder = try disk.folder(at: "in")
    for folder in [root, folder] { try folder.file("made", .new).sync() }
    try disk.setContents("old", [1])
    try root.rename("old", to: "new")
    try disk.setContents("set", [2])
    try disk.setContents("in/set", [3])
    try disk.setContents("link", [])
    try disk.link("set", to: "link")
    let lost = disk.powerLossStates(limit: 100, seed: 1).map { Set(disk.image(after: $0).paths) }
    for path in ["made", "in/made", "old", "new"] {
      #expect(lost.contains { $0.contains(path) } && lost.contains { !$0.contains(path) })
    }
    for path in ["set", "in/set", "link"] { #expect(lost.allSatisfy { $0.contains(path) }) }
    // What is pending of the same name is durable with it.
    try disk.setContents("new", [4])
    #expect(disk.durableContents(of: "new") == [4])
    #expect(disk.durableContents(of: "old") == nil)
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
