import DiskAccess
import DiskSimulation
import JournalInspection
import ObjectModel
import ObjectStore
import Testing
import ToolSupport

/// What becomes of edits that no frame has where their buffer is damaged: that is told, and nothing else is made of it.
@Suite struct LeftoverEditsTests {
  private static let path = "\(Journals.path)/edits"

  @Test(arguments: [
    "repair -o New.xjournal", "repair --salvage -o New.xjournal", "backup -o New.xjournal",
    "compact -o New.xjournal", "replay --into New.xjournal",
  ])
  func `an emptied file of edits ends no command`(line: String) throws {
    let disk = try LongJournal.make(.none)
    try disk.setContents(Self.path, [])
    let run = Upkeep.run(line, on: disk)
    #expect(run.status == .fine, "\(run)")
    #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
  }

  enum Damage: CaseIterable { case emptied, cut, header, half }

}
