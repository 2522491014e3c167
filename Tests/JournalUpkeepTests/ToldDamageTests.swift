import DiskAccess
import DiskSimulation
import JournalInspection
import ObjectPatching
import Testing
import ToolSupport

/// What is damaged is told by all commands alike, also where it does not keep them from their work.
@Suite struct ToldDamageTests {
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
}
