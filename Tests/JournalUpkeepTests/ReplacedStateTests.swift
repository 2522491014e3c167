import DiskAccess
import DiskSimulation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectStore
import Testing
import ToolSupport

/// A program may replace the state of a journal while a sound one is made of it.
@Suite struct ReplacedStateTests {
  @Test(arguments: [false, true])
  func `beside a program that replaces its state nothing is told as damaged`(compacted: Bool) throws
  {
    let disk = try Journals.sound()
    let store = try JournaledStore(on: disk, at: Journals.path, model: nil)
    try store.checkpoint()
    if compacted { try store.compact(keeping: .latest) }
    nonisolated(unsafe) let context = ManagedObjectContext(store)
    // When the manifest has been read, and the state has not.
    nonisolated(unsafe) var count = 0
    let beside = ReadingDisk(disk) { path, _ in
      guard path.hasSuffix(".xj"), count < 3 else { return nil }
      count += 1
      context.insert("Blog")["name"] = "meanwhile"
      guard (try? context.save()) != nil, (try? store.checkpoint()) != nil else {
        return .inputOutput
      }
      return nil
    }
    let run = Run(
      "repair -s Notes.xjournal -o New.xjournal --json", on: beside, table: Upkeep.table(on: disk))
    #expect(run.status == .fine && count == 3, "\(run)")
    #expect(run.output.contains("\"findings\":[],\"lost\":[]"), "\(run)")
    try store.close()
    #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
  }

  @Test(arguments: [
    "backup -o New.xjournal", "compact -o New.xjournal", "replay --into New.xjournal",
    "replay --into New.xjournal --until head",
  ])
  func `a copy takes the state of its beginning, however often a program replaces it`(
    line: String
  ) throws {
    let disk = try Journals.sound()
    let store = try JournaledStore(on: disk, at: Journals.path, model: nil)
    try store.checkpoint()
    nonisolated(unsafe) var count = 0
    let beside = ReadingDisk(disk) { path, _ in
      // Whenever the manifest has been read, and the state has not.
      guard path.hasSuffix(".xj"), count < 100 else { return nil }
      count += 1
      return Self.saves(store) && (try? store.checkpoint()) != nil ? nil : .inputOutput
    }
    let run = Run(
      "\(line) -s Notes.xjournal --json", on: beside, table: Upkeep.table(on: disk))
    #expect(run.status == .fine && run.errors.isEmpty && count > 0, "\(run)")
    #expect(!run.output.contains("findings"), "\(run)")
    try store.close()
    #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
  }

  @Test func `a state that is replaced before it is opened is not the one that is copied`() throws {
    let disk = try Journals.sound()
    let store = try JournaledStore(on: disk, at: Journals.path, model: nil)
    try store.checkpoint()
    nonisolated(unsafe) var count = 0
    let beside = OpeningDisk(disk) { name in
      // When the manifest has been read, and the files of its state have not been opened.
      guard name == "snapshots", count < 5 else { return }
      count += 1
      #expect(Self.saves(store) && (try? store.checkpoint()) != nil)
    }
    let run = Run(
      "backup -s Notes.xjournal -o New.xjournal --json", on: beside, table: Upkeep.table(on: disk))
    #expect(run.status == .fine && count == 5 && !run.output.contains("findings"), "\(run)")
    try store.close()
    #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
  }

  @Test(arguments: ["backup", "compact"])
  func `beside a program that drops its past a copy is made anew of what there is then`(
    line: String
  ) throws {
    let disk = try Journals.sound()
    let store = try JournaledStore(on: disk, at: Journals.path, model: nil)
    // When the manifest has been read, and the segments it names have not.
    nonisolated(unsafe) var count = 0
    let beside = ReadingDisk(disk) { path, _ in
      guard path.hasSuffix(".xj"), count < 3 else { return nil }
      count += 1
      guard Self.saves(store) else { return .inputOutput }
      return (try? store.compact(keeping: .latest)) == true ? nil : .inputOutput
    }
    let run = Run(
      "\(line) -s Notes.xjournal -o New.xjournal --json", on: beside, table: Upkeep.table(on: disk))
    #expect(run.status == .fine && run.errors.isEmpty && count == 3, "\(run)")
    try store.close()
    #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
    #expect(try StoreReader(on: disk, at: "New.xjournal").lastCommit.rawValue == 8)
  }

  /// Saves something by a context that is closed then; whether that went well.
  private static func saves(_ store: JournaledStore) -> Bool {
    let context = ManagedObjectContext(store, isolation: nil)
    defer { context.close() }
    context.insert("Blog")["name"] = "meanwhile"
    return (try? context.save()) != nil
  }
}

/// A disk that tells which folder of another is about to be opened.
private final class OpeningDisk: OverlaidDisk {
  let disk: any ReadableDisk
  private let onOpening: @Sendable (_ name: String) -> Void

  init(_ disk: any ReadableDisk, onOpening: @escaping @Sendable (_ name: String) -> Void) {
    (self.disk, self.onOpening) = (disk, onOpening)
  }

  func folderForReading(at path: String) throws(DiskError) -> any ReadableFolder {
    OpeningFolder(try disk.folderForReading(at: path), onOpening)
  }
}

private final class OpeningFolder: OverlaidFolder {
  let folder: any ReadableFolder
  private let onOpening: @Sendable (_ name: String) -> Void

  init(_ folder: any ReadableFolder, _ onOpening: @escaping @Sendable (_ name: String) -> Void) {
    (self.folder, self.onOpening) = (folder, onOpening)
  }

  func fileForReading(_ name: String) throws(DiskError) -> any ReadableFile {
    try folder.fileForReading(name)
  }

  func folderForReading(_ name: String) throws(DiskError) -> any ReadableFolder {
    onOpening(name)
    return try folder.folderForReading(name)
  }
}
