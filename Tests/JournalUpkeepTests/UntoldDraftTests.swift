import DiskAccess
import DiskSimulation
import JournalInspection
import Testing
import ToolSupport

/// What is not saved is told as far as that can be known.
@Suite struct UntoldDraftTests {
  private static let lines = ["drafts", "drafts show writer", "report", "drafts --json"]

  private static func damage(_ number: Int, isMissing: Bool) throws -> SimulatedDisk {
    let disk = try LongJournal.make(number == 2 ? .late : .none)
    let (folder, name) = ("\(Journals.path)/journal", "000000000\(number).xj")
    guard !isMissing else {
      try disk.folder(at: folder).remove(name)
      return disk
    }
    var bytes = try #require(disk.contents(of: "\(folder)/\(name)"))
    bytes[180] ^= 0x55
    try disk.setContents("\(folder)/\(name)", bytes)
    return disk
  }

  // What is damaged in the second is not needed where the state was kept later, but that it is there is.
  @Test(arguments: [(2, true), (3, true), (3, false), (5, true), (5, false)])
  func `behind damage nobody knows what is unsaved`(number: Int, isMissing: Bool) throws {
    let disk = try Self.damage(number, isMissing: isMissing)
    for line in Self.lines {
      let run = Upkeep.run(line, on: disk)
      #expect(run.status == .damage, "\(line): \(run.errors)")
      #expect(run.errors.contains("what is not saved cannot be told"), "\(line): \(run.errors)")
      #expect(run.errors.contains("000000000\(number).xj"), "\(line): \(run.errors)")
      #expect(!run.errors.contains("nothing is unsaved"), "\(line): \(run.errors)")
    }
    let page = Upkeep.run("report", on: disk).output
    #expect(page.contains("unsaved <b>cannot be told"), "\(page.prefix(8000))")
    #expect(page.contains("\"kind\":\"note\",\"message\":\"what is not saved cannot be told"))
  }

  @Test func `where all is whole it is told what is unsaved, and that nothing is`() throws {
    let disk = try LongJournal.make(.late)
    #expect(Upkeep.run("drafts", on: disk).errors.isEmpty)
    #expect(Upkeep.run("drafts discard writer", on: disk).status == .fine)
    #expect(Upkeep.run("drafts", on: disk).errors == "nothing is unsaved\n")
    #expect(Upkeep.run("report", on: disk).output.contains("unsaved <b>0 drafts"))
  }
}
