import DiskSimulation
import Foundation
import JournalInspection
import ObjectModel
import ObjectPatching
import ObjectStore
import TestSupport
import Testing
import ToolSupport

/// The second reader, which was written from `docs/format.md` alone, finds in journals what the store finds.
@Suite struct SecondReaderTests {
  @Test(arguments: GoldenJournalTests.present.indices)
  func `it tells the same commits and objects, with the same values, and all that happened`(
    index: Int
  ) throws {
    let (name, journal, make) = GoldenJournalTests.present[index]
    let disk = try make()
    let folder = try TemporaryFolder()
    try disk.write(to: folder.path)
    let said = try SecondReader.saidWithEvents(of: "\(folder.path)/\(journal)")
    let reader = try StoreReader(on: disk, at: journal)
    #expect(try SecondReader.problems(with: reader, as: said, tellsEvents: true) == [], "\(name)")
  }

  @Test func `it refuses what is damaged, and what is newer, as the tool does`() throws {
    for (make, status) in [(Journals.damaged, Int32(65)), (Journals.newer, 69)] {
      let folder = try TemporaryFolder()
      try make().write(to: folder.path)
      let path = "\(folder.path)/\(Journals.path)"
      let answer = try ForeignProgram.run([
        "sh", "-c", "python3 \(SecondReader.script) \(path) 2>&1",
      ])
      #expect(answer.status == status, "\(answer.said)")
    }
  }
}
