import DiskAccess
import TestSupport
import Testing

@Suite("every disk: folders and names")
struct FolderContractTests {
  @Test(arguments: DiskKind.allCases)
  func `each way of opening does what it says`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let folder = try ground.folder()
    #expect(throws: DiskError(.openFile, "a", .notFound)) { try folder.file("a", .existing) }
    #expect(throws: DiskError(.openFile, "a", .notFound)) { try folder.fileForReading("a") }
    #expect(try folder.names() == [])
    try folder.file("a", .new).put([1, 2])
    #expect(throws: DiskError(.openFile, "a", .exists)) { try folder.file("a", .new) }
    #expect(try folder.file("a", .existing).bytes(9) == [1, 2])
    #expect(try folder.file("a", .existingOrNew).bytes(9) == [1, 2])
    #expect(try folder.file("a", .emptied).bytes(9) == [])
    #expect(try folder.file("b", .existingOrNew).bytes(9) == [])
    #expect(try folder.file("c", .emptied).bytes(9) == [])
    #expect(try folder.names() == ["a", "b", "c"])
  }

  @Test(
    arguments: DiskKind.allCases,
    ["", ".", "..", "a/b", "/", "/a", "a/", "../a", "a\0b"])
  func `names that are no single component are refused`(_ kind: DiskKind, _ name: String) throws {
    let ground = try Ground(kind)
    let folder = try ground.folder()
    _ = try folder.file("plain", .new)
    for opening in [FileOpening.existing, .new, .existingOrNew, .emptied] {
      #expect(throws: DiskError(.openFile, name, .invalid)) { try folder.file(name, opening) }
    }
    #expect(throws: DiskError(.openFile, name, .invalid)) { try folder.fileForReading(name) }
    #expect(throws: DiskError(.openFolder, name, .invalid)) { try folder.folder(name) }
    #expect(throws: DiskError(.openFolder, name, .invalid)) { try folder.folderForReading(name) }
    #expect(throws: DiskError(.makeFolder, name, .invalid)) { try folder.makeFolder(name) }
    #expect(throws: DiskError(.removeFolder, name, .invalid)) { try folder.removeFolder(name) }
    #expect(throws: DiskError(.remove, name, .invalid)) { try folder.remove(name) }
    #expect(throws: DiskError(.rename, name, .invalid)) { try folder.rename(name, to: "x") }
    #expect(throws: DiskError(.rename, name, .invalid)) { try folder.rename("plain", to: name) }
    #expect(throws: DiskError(.inspect, name, .invalid)) { try folder.information(of: name) }
    #expect(try folder.names() == ["plain"])
  }

  @Test(arguments: DiskKind.allCases)
  func `names have at most 255 bytes`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let folder = try ground.folder()
    let long = String(repeating: "n", count: 255)
    _ = try folder.file(long, .new)
    #expect(try folder.names() == [long])
    #expect(throws: DiskError(.openFile, long + "n", SystemErrorCode(rawValue: 36))) {
      try folder.file(long + "n", .new)
    }
    #expect(throws: DiskError(.inspect, long + "n", SystemErrorCode(rawValue: 36))) {
      try folder.information(of: long + "n")
    }
  }

  @Test(arguments: DiskKind.allCases)
  func `names come sorted`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let folder = try ground.folder()
    for name in ["b", "a", "Z", "ö", "10", "9"] { _ = try folder.file(name, .new) }
    #expect(try folder.names() == ["10", "9", "Z", "a", "b", "ö"])
    #expect(try folder.names() == ["10", "9", "Z", "a", "b", "ö"])
  }

  @Test(arguments: DiskKind.allCases)
  func `a folder stands for no file and a file for no folder`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let folder = try ground.folder()
    try folder.makeFolder("inner")
    _ = try folder.file("a", .new)
    for opening in [FileOpening.existing, .existingOrNew, .emptied] {
      #expect(throws: DiskError(.openFile, "inner", .isFolder)) {
        try folder.file("inner", opening)
      }
    }
    #expect(throws: DiskError(.openFile, "inner", .exists)) { try folder.file("inner", .new) }
    #expect(throws: DiskError(.openFile, "inner", .isFolder)) {
      try folder.fileForReading("inner")
    }
    #expect(throws: DiskError(.openFolder, "a", .notFolder)) { try folder.folder("a") }
    #expect(throws: DiskError(.openFolder, "none", .notFound)) { try folder.folder("none") }
    #expect(throws: DiskError(.makeFolder, "a", .exists)) { try folder.makeFolder("a") }
    #expect(throws: DiskError(.makeFolder, "inner", .exists)) { try folder.makeFolder("inner") }
    #expect(throws: DiskError(.remove, "inner", .isFolder)) { try folder.remove("inner") }
    #expect(throws: DiskError(.remove, "none", .notFound)) { try folder.remove("none") }
  }

  @Test(arguments: DiskKind.allCases)
  func `a folder is removed when nothing is in it`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let folder = try ground.folder()
    try folder.makeFolder("inner")
    let inner = try folder.folder("inner")
    _ = try inner.file("a", .new)
    #expect(throws: DiskError(.removeFolder, "inner", .notEmpty)) {
      try folder.removeFolder("inner")
    }
    try inner.remove("a")
    try folder.removeFolder("inner")
    #expect(try folder.information(of: "inner") == nil)
    #expect(throws: DiskError(.openFile, "b", .notFound)) { try inner.file("b", .new) }
    _ = try folder.file("c", .new)
    #expect(throws: DiskError(.removeFolder, "c", .notFolder)) { try folder.removeFolder("c") }
    #expect(throws: DiskError(.removeFolder, "none", .notFound)) {
      try folder.removeFolder("none")
    }
    try folder.makeFolder("inner")
    #expect(try folder.folder("inner").names() == [])
  }

  @Test(arguments: DiskKind.allCases)
  func `information tells files, folders and nothing apart`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let folder = try ground.folder()
    try folder.makeFolder("inner")
    _ = try folder.file("a", .new)
    #expect(try folder.information(of: "inner")?.kind == .folder)
    #expect(try folder.information(of: "a")?.kind == .file)
    #expect(try folder.information(of: "none") == nil)
  }

  @Test(arguments: DiskKind.allCases)
  func `a file with another name is read, and not opened for writing`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let folder = try ground.folder()
    try folder.file("a", .new).put([1, 2, 3])
    #expect(try folder.information(of: "a")?.linkCount == 1)
    try ground.link("a", to: "b")
    #expect(try folder.information(of: "a")?.linkCount == 2)
    for opening in [FileOpening.existing, .existingOrNew, .emptied] {
      for name in ["a", "b"] {
        #expect(throws: DiskError(.openFile, name, .tooManyLinks)) {
          try folder.file(name, opening)
        }
      }
    }
    #expect(try folder.fileForReading("b").information().linkCount == 2)
    #expect(try folder.fileForReading("b").information().byteCount == 3)
    try folder.remove("b")
    #expect(try folder.file("a", .existing).bytes(9) == [1, 2, 3])
    #expect(try folder.file("a", .emptied).bytes(9) == [])
  }

  @Test(arguments: DiskKind.allCases)
  func `a rename replaces and keeps the file`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let folder = try ground.folder()
    let old = try folder.file("a", .new)
    let new = try folder.file("temp", .new)
    try old.put([1])
    try new.put([2])
    let node = try new.information().node
    try folder.rename("temp", to: "a")
    #expect(try folder.names() == ["a"])
    #expect(try folder.information(of: "a")?.node == node)
    #expect(try folder.file("a", .existing).bytes(9) == [2])
    #expect(try old.bytes(9) == [1])
    try new.put([3], at: 1)
    #expect(try folder.file("a", .existing).bytes(9) == [2, 3])
    try folder.rename("a", to: "a")
    #expect(try folder.names() == ["a"])
    #expect(throws: DiskError(.rename, "none", .notFound)) { try folder.rename("none", to: "a") }
  }

  @Test(arguments: DiskKind.allCases)
  func `folders are renamed over empty folders only`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let folder = try ground.folder()
    for name in ["one", "two", "three"] { try folder.makeFolder(name) }
    _ = try folder.file("file", .new)
    _ = try folder.folder("two").file("a", .new)
    #expect(throws: DiskError(.rename, "one", .notEmpty)) { try folder.rename("one", to: "two") }
    #expect(throws: DiskError(.rename, "one", .notFolder)) { try folder.rename("one", to: "file") }
    #expect(throws: DiskError(.rename, "file", .isFolder)) { try folder.rename("file", to: "one") }
    let replaced = try folder.folder("three")
    try folder.rename("two", to: "three")
    #expect(try folder.names() == ["file", "one", "three"])
    #expect(try folder.folder("three").names() == ["a"])
    #expect(throws: DiskError(.openFile, "b", .notFound)) { try replaced.file("b", .new) }
    #expect(throws: DiskError(.makeFolder, "b", .notFound)) { try replaced.makeFolder("b") }
  }

  @Test(arguments: DiskKind.allCases)
  func `a removed file lives as long as somebody holds it`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let folder = try ground.folder()
    let file = try folder.file("a", .new)
    try file.put([1, 2, 3])
    try folder.remove("a")
    #expect(try folder.names() == [])
    #expect(try folder.information(of: "a") == nil)
    #expect(try file.bytes(9) == [1, 2, 3])
    try file.put([4], at: 3)
    try file.sync()
    let fresh = try folder.file("a", .new)
    #expect(try fresh.information().node != file.information().node)
    #expect(try file.bytes(9) == [1, 2, 3, 4])
    #expect(try fresh.bytes(9) == [])
  }

  @Test(arguments: DiskKind.allCases)
  func `folders nest, and are held through a rename`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let folder = try ground.folder()
    try folder.makeFolder("outer")
    let outer = try folder.folder("outer")
    #expect(outer.name == "outer")
    try outer.makeFolder("inner")
    try outer.folder("inner").file("a", .new).put([1])
    try folder.rename("outer", to: "other")
    #expect(try outer.folderForReading("inner").fileForReading("a").bytes(9) == [1])
    #expect(try ground.disk.folder(at: ground.path + "/other/inner").names() == ["a"])
    try outer.sync()
  }

  @Test(arguments: DiskKind.allCases)
  func `a folder is found by its path`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let path = ground.path
    _ = try ground.folder().file("a", .new)
    #expect(try ground.disk.folder(at: path).name == path)
    #expect(try ground.disk.folderForReading(at: path).names() == ["a"])
    #expect(try ground.disk.folder(at: path + "/./").names() == ["a"])
    #expect(throws: DiskError(.openFolder, path + "/none", .notFound)) {
      try ground.disk.folder(at: path + "/none")
    }
    #expect(throws: DiskError(.openFolder, path + "/a", .notFolder)) {
      try ground.disk.folderForReading(at: path + "/a")
    }
    #expect(throws: DiskError(.openFolder, path + "/a/b", .notFolder)) {
      try ground.disk.folder(at: path + "/a/b")
    }
    #expect(try ground.disk.folder(at: "").information(of: "no such file") == nil)
  }

  @Test(arguments: DiskKind.allCases)
  func `the folder's file system is known and local`(_ kind: DiskKind) throws {
    let ground = try Ground(kind)
    let found = try ground.folder().fileSystem()
    #expect(found.magicNumber != 0)
    #expect(!found.isNetwork)
  }
}
