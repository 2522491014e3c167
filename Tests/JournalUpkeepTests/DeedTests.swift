import DiskSimulation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectStore
import Testing
import ToolSupport

/// What a command has done stays, and is told, also where it cannot be shown.
@Suite struct DeedTests {
  @Test(arguments: [
    ("restore head~1", "commit 6 was made"), ("patch changes.json", "commit 6 was made"),
    ("tag release", "‘release’ stands for commit 5"),
    ("tag v1 --remove", "‘v1’ stands for nothing any more"),
    ("drafts discard sketch", "the draft was discarded"),
    ("backup -o New.xjournal", "“New.xjournal” was made"),
    ("compact -o New.xjournal", "“New.xjournal” was made"),
    ("repair -o New.xjournal", "“New.xjournal” was made"),
    ("replay --into New.xjournal", "“New.xjournal” was made"),
    ("import posts.ndjson -o New.xjournal", "“New.xjournal” was made"),
  ])
  func `that something was done is said where the output cannot be written`(
    line: String, deed: String
  ) throws {
    let disk = try Journals.killed()
    try Upkeep.addFiles(to: disk)
    for option in ["", " --json"] {
      let image = disk.imageAfterProcessDeath()
      let run = Run(
        "\(line) -s Notes.xjournal\(option)", on: image, table: Upkeep.table(on: image),
        writable: .failed("No space left on device"))
      #expect(run.status == .inputOutput)
      #expect(
        run.errors.contains(
          "the output cannot be written: No space left on device; \(deed) all the same."), "\(run)")
    }
  }

  @Test(arguments: ["restore head~1 --json", "patch changes.json --dry-run", "log"])
  func `where nothing was done nothing is said of it`(line: String) throws {
    let disk = try Journals.killed()
    try Upkeep.addFiles(to: disk)
    if line.hasPrefix("restore") {
      #expect(Upkeep.run("restore head~1 -s Notes.xjournal", on: disk).status == .fine)
      #expect(Upkeep.run("restore head -s Notes.xjournal", on: disk).errors.contains("different"))
    }
    let run = Run(
      "\(line.replacing("head~1", with: "head")) -s Notes.xjournal", on: disk,
      table: Upkeep.table(on: disk), writable: .failed("No space left on device"))
    #expect(!run.errors.contains("all the same"), "\(run)")
  }

  @Test func `a commit that restores is named by a number, whatever its head is later`() throws {
    let disk = try Journals.sound()
    #expect(Upkeep.run("restore head~1", on: disk).status == .fine)
    #expect(Upkeep.run("restore head --only", on: disk).status == .fine)
    #expect(Upkeep.run("restore v1", on: disk).status == .fine)
    let log = Upkeep.run("log -n 3", on: disk).output
    for message in ["restore 4", "revert 6", "restore v1"] {
      #expect(log.contains("  \(message)\n"), "\(log)")
    }
  }

  @Test(arguments: ["backup -o New.xjournal", "compact -o New.xjournal"])
  func `a copy whose state is replaced while it is made tells of no damage`(line: String) throws {
    let disk = try Journals.sound()
    let store = try JournaledStore(on: disk, at: Journals.path, model: nil)
    let context = ManagedObjectContext(store, isolation: nil)
    func save(_ name: String) throws {
      context.insert("Blog")["name"] = .string(name)
      try context.save()
      try store.checkpoint()
    }
    try save("before")
    nonisolated(unsafe) var replace: (() throws -> Void)? = { try save("meanwhile") }
    let read = ReadingDisk(disk) { path, _ in
      guard path.hasSuffix("edits"), let now = replace else { return nil }
      replace = nil
      #expect(throws: Never.self) { try now() }
      return nil
    }
    let run = Run("\(line) --json -s Notes.xjournal", on: read, table: Upkeep.table(on: disk))
    #expect(replace == nil)
    #expect(run.status == .fine && run.errors.isEmpty, "\(run)")
    #expect(!run.output.contains("findings"), "\(run)")
    let verified = Upkeep.run("verify --deep --strict -s New.xjournal", on: disk)
    #expect(verified.status == .fine, "\(verified)")
    #expect(Upkeep.run("export -s New.xjournal", on: disk).output.contains("meanwhile"))
    try store.close()
  }
}
