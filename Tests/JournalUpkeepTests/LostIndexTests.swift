import DiskAccess
import DiskSimulation
import JournalInspection
import Testing
import ToolSupport

/// What a damaged file of indexes leads to: it is told, nothing is lost, and a copy has another.
@Suite struct LostIndexTests {
  @Test(arguments: ["missing", "emptied", "flipped"], [false, true])
  func `a file of indexes that is damaged is told, and what is made of the journal has another`(
    damage: String, compacted: Bool
  ) throws {
    let disk = try LongJournal.make(.late, compacted: compacted)
    let path = try #require(disk.paths.last { $0.hasSuffix(".xi") })
    var bytes = try #require(disk.contents(of: path))
    bytes[100] ^= 4
    let name = String(path.dropFirst("\(Journals.path)/snapshots/".count))
    try disk.folder(at: "\(Journals.path)/snapshots").remove(name)
    if damage != "missing" { try disk.setContents(path, damage == "emptied" ? [] : bytes) }
    for line in ["verify", "verify --deep"] {
      let run = Upkeep.run(line, on: disk)
      #expect(run.status == .damage && run.output.contains(name), "\(line): \(run)")
    }
    for line in ["backup -o A.xjournal", "repair -o B.xjournal", "compact -o C.xjournal"] {
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
      #expect(run.status == .fine, "\(line): \(run)")
    }
    for name in ["A", "B", "C"] {
      let verified = Upkeep.run("verify --deep -s \(name).xjournal", on: disk)
      #expect(verified.status == .fine, "\(name): \(verified)")
      let count = Upkeep.run("query Blog --count -s \(name).xjournal", on: disk)
      #expect(count.output == "\(LongJournal.commitCount)\n")
    }
  }
}
