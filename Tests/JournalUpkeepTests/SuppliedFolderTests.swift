import DiskAccess
import DiskSimulation
import JournalUpkeep
import Testing

/// A folder shows what is supplied over what it has, and nothing is written for that.
@Suite struct SuppliedFolderTests {
  private let disk = SimulatedDisk(seed: 1)

  private func folder(_ files: [String: [UInt8]]) throws -> SuppliedFolder {
    try disk.makeFolders("store/journal")
    try disk.setContents("store/a", [1])
    try disk.setContents("store/journal/b", [2])
    return SuppliedFolder(try disk.folderForReading(at: "store"), files)
  }

  private func content(of file: any ReadableFile, from offset: UInt64 = 0) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 9)
    let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
    return Array(bytes[..<count])
  }

  @Test func `what is supplied is there beside what the folder has, and in its place`() throws {
    let supplied = try folder(["a": [8, 9], "new/inner/c": [3], "journal/d": [4]])
    #expect(try supplied.names() == ["a", "journal", "new"])
    #expect(try supplied.information(of: "a")?.byteCount == 2)
    #expect(try supplied.information(of: "new")?.kind == .folder)
    #expect(try supplied.information(of: "journal")?.kind == .folder)
    #expect(try supplied.information(of: "nothing") == nil)
    let file = try supplied.fileForReading("a")
    #expect(try content(of: file) == [8, 9] && content(of: file, from: 1) == [9])
    #expect(try content(of: file, from: 2) == [] && file.information().kind == .file)
    try file.close()
    let journal = try supplied.folderForReading("journal")
    #expect(try journal.names() == ["b", "d"])
    #expect(try content(of: journal.fileForReading("b")) == [2])
    #expect(try content(of: journal.fileForReading("d")) == [4])
    #expect(disk.contents(of: "store/a") == [1] && disk.contents(of: "store/journal/d") == nil)
  }

  @Test func `a folder of which only the files are supplied has these, and no others`() throws {
    let supplied = try folder(["new/inner/c": [3]])
    let new = try supplied.folderForReading("new")
    #expect(try new.names() == ["inner"] && new.name == "new")
    #expect(try content(of: new.folderForReading("inner").fileForReading("c")) == [3])
    #expect(try new.information(of: "x") == nil)
    let noFile = #expect(throws: DiskError.self) { try new.fileForReading("x") }
    let noFolder = #expect(throws: DiskError.self) { try new.folderForReading("x") }
    #expect(noFile?.code == .notFound && noFolder?.code == .notFound)
    #expect(try new.fileSystem() == FileSystemKind(magicNumber: 0))
    #expect(try supplied.fileSystem() == disk.folderForReading(at: "store").fileSystem())
  }

  @Test func `what is supplied within a file is not there`() throws {
    let supplied = try folder(["a/x": [1]])
    let error = #expect(throws: DiskError.self) { try supplied.folderForReading("a") }
    #expect(error?.code == .notFolder)
    #expect(try content(of: supplied.fileForReading("a")) == [1])
  }
}
