import DiskAccess
import DiskSimulation
import JournalInspection
import Testing
import ToolSupport

/// Something else stands where the folder of the kept states should be.
@Suite struct MisplacedFolderTests {
  private static let folder = "\(Journals.path)/snapshots"
  private static let lines = [
    "info", "log", "get Blog/1", "query Blog", "drafts", "events", "stats", "verify --deep",
    "report", "export", "diff 3",
  ]

  private static func replaceFolder(on disk: SimulatedDisk) throws {
    try disk.folder(at: Journals.path).rename("snapshots", to: "elsewhere")
    try disk.setContents(folder, [1, 2, 3])
  }

  @Test(arguments: [LongJournal.Checkpoint.early, .late])
  func `a file in its place is damage, and what the journal has is shown`(
    checkpoint: LongJournal.Checkpoint
  ) throws {
    let disk = try LongJournal.make(checkpoint)
    let whole = Self.lines.map { Upkeep.run($0, on: disk).output }
    try Self.replaceFolder(on: disk)
    for (line, before) in zip(Self.lines, whole) {
      let run = Upkeep.run(line, on: disk)
      #expect(run.status == .damage, "\(line): \(run.errors)")
      #expect((run.errors + run.output).contains(".xc is damaged or not there"), "\(line)")
      let isOfFiles = ["info", "stats", "verify --deep", "report"].contains(line)
      #expect(run.output == before || isOfFiles && !run.output.isEmpty, "\(line)")
    }
    for line in ["backup -o A", "compact -o B", "repair -o C"] {
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
      #expect(run.status == .fine && run.errors.contains(".xc is damaged or not"), "\(run)")
    }
    #expect(Upkeep.run("verify --deep --strict -s A", on: disk).status == .fine)
    #expect(Upkeep.run("dump --file snapshots/0000000001.xc", on: disk).status == .damage)
    let tag = Upkeep.run("tag x -s Notes.xjournal", on: disk)
    #expect(tag.status == .damage && tag.errors.contains("move it elsewhere"), "\(tag)")
  }

  @Test func `where the state it begins with was kept there nothing can be shown`() throws {
    let disk = try LongJournal.make(.none, compacted: true)
    try Self.replaceFolder(on: disk)
    for line in Self.lines + ["backup -o A"] {
      let run = Upkeep.run(line + " -s Notes.xjournal", on: disk)
      #expect(run.status == .damage && run.output.isEmpty, "\(line): \(run)")
      #expect(run.errors.contains(".xc is damaged or not there"), "\(line): \(run.errors)")
    }
  }

  @Test func `where nothing was kept there it is no matter`() throws {
    let disk = try LongJournal.make(.none)
    try Self.replaceFolder(on: disk)
    for line in Self.lines + ["backup -o A", "repair -o B"] {
      let run = Upkeep.run(line + " -s Notes.xjournal", on: disk)
      #expect(run.status == .fine && run.errors.isEmpty, "\(line): \(run)")
    }
  }

  @Test(arguments: [("0000000002.xj", "0000000003.xj"), ("0000000002.xj", "0000000009.xj")])
  func `a segment under another name is known by what it says of itself`(
    name: String, other: String
  ) throws {
    let disk = try LongJournal.make(.none)
    let truth = try JournalTruth(on: disk)
    let folder = try disk.folder(at: "\(Journals.path)/journal")
    try folder.rename(name, to: "between")
    if try folder.names().contains(other) { try folder.rename(other, to: name) }
    try folder.rename("between", to: other)
    let found = Upkeep.run("verify -s Notes.xjournal", on: disk)
    #expect(found.status == .damage, "\(found)")
    for (options, target) in [("", "New"), (" --salvage", "Salvaged")] {
      let run = Upkeep.run("repair\(options) -s Notes.xjournal -o \(target)", on: disk)
      #expect(run.status == .fine, "\(run)")
      #expect(
        run.errors.contains("journal/\(other): the segment \(name), by what it says of itself"),
        "\(run)")
      let kept = try JournalTruth(of: target, on: disk)
      #expect(kept.commits == truth.commits && kept.states == truth.states, "\(run)")
    }
  }
}
