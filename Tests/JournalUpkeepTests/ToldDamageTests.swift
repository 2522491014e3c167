import DiskAccess
import DiskSimulation
import JournalInspection
import ObjectPatching
import Testing
import ToolSupport

/// What is damaged is told by all commands alike, also where it does not keep them from their work.
@Suite struct ToldDamageTests {
  private static func flip(_ ending: String, at part: Double, on disk: SimulatedDisk) throws {
    let path = try #require(disk.paths.last { $0.hasSuffix(ending) })
    var bytes = try #require(disk.contents(of: path))
    bytes[Int(Double(bytes.count) * part) + 2] ^= 0x20
    try disk.setContents(path, bytes)
  }

  @Test(
    arguments: [".xr", ".xc", ".xi"], ["backup -o New", "compact -o New"])
  func `a copy that makes a file anew tells that it is damaged`(ending: String, line: String) throws
  {
    let disk = try LongJournal.make(.late)
    try Self.flip(ending, at: 0.7, on: disk)
    let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
    #expect(run.status == .fine, "\(run)")
    #expect(run.errors.contains("damaged: ") && run.errors.contains(ending), "\(run)")
    #expect(Upkeep.run("verify --deep --strict -s New", on: disk).status == .fine)
    let repaired = Upkeep.run("repair -s Notes.xjournal -o Other --json", on: disk)
    let copied = Upkeep.run("backup -s Notes.xjournal -o Third --json", on: disk)
    let findings = try [repaired, copied].map {
      try JSONValue(parsing: Array($0.output.utf8)).object?["findings"]
    }
    #expect(findings[0]?.array?.count == 1 && findings[0] == findings[1], "\(findings)")
  }

  @Test func `a command that changes a journal tells what it has met and put right`() throws {
    let disk = try LongJournal.make(.late)
    try Self.flip(".xr", at: 0, on: disk)
    let other = disk.imageAfterProcessDeath()
    let run = Upkeep.run("tag x", on: disk)
    #expect(run.status == .fine && run.errors.contains("note: a run is damaged"), "\(run)")
    #expect(Upkeep.run("tag y", on: disk).errors.isEmpty)
    let json = Upkeep.run("tag x --json", on: other)
    #expect(json.errors.contains("\"kind\":\"note\""), "\(json)")
  }

  @Test func `edits that are missing are a note everywhere`() throws {
    let disk = try LongJournal.make(.none)
    try disk.folder(at: Journals.path).remove("edits")
    for line in ["drafts", "backup -o A", "repair -o B", "compact -o C", "replay --into D"] {
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
      #expect(run.status == .fine && run.errors.contains("note: edits: no edit buffer"), "\(run)")
      #expect(!run.errors.contains("damaged:"), "\(run)")
    }
    #expect(
      Upkeep.run("verify -s Notes.xjournal", on: disk).output.contains("note: edits: no edit"))
    let drafts = Upkeep.run("drafts --json -s Notes.xjournal", on: disk)
    #expect(drafts.status == .fine && drafts.errors.contains("\"kind\":\"note\""), "\(drafts)")
    let copied = Upkeep.run("backup -s Notes.xjournal -o E --json", on: disk).output
    #expect(copied.contains("\"doubts\":[\"edits: no edit buffer"), "\(copied)")
  }

  @Test(arguments: [1 << 20, 80 << 20])
  func `a tail of zeros is the same to all, whoever looks`(byteCount: Int) throws {
    let disk = try Journals.sound()
    let path = "\(Journals.path)/journal/0000000001.xj"
    let bytes = try #require(disk.contents(of: path))
    try disk.setContents(path, bytes + [UInt8](repeating: 0, count: byteCount))
    let status: JournalInspection.ExitStatus = byteCount > 72 << 20 ? .damage : .fine
    for line in [
      "verify", "verify --deep --strict", "info", "dump", "backup -o A", "compact -o B", "tag x",
    ] {
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
      #expect(run.status == status, "\(line): \(run.output.prefix(200)) \(run.errors)")
    }
  }

  @Test func `the same damage is told once, whoever meets it`() throws {
    let disk = try LongJournal.make(.late)
    let folder = try disk.folder(at: "\(Journals.path)/journal")
    for name in try folder.names().suffix(2) { try folder.remove(name) }
    for line in ["info", "log -n 1", "stats", "history Blog/1", "export"] {
      let run = Upkeep.run("\(line) --json -s Notes.xjournal", on: disk)
      let told = run.errors.split(separator: "\n").filter {
        $0.contains("the segment is not there")
      }
      #expect(run.status == .damage && told.count == 1, "\(line): \(run.errors)")
    }
  }
}
