import DiskSimulation
import JournalInspection
import ObjectPatching
import Testing
import ToolSupport

/// What cannot be read to its end is JSON all the same, as far as it goes, and says that it is not whole.
@Suite struct BrokenOffTests {
  @Test(arguments: [
    "export --format json", "query Blog --format json", "export --format json --json",
    "query Blog --format json --json",
  ])
  func `a document of a damaged state is JSON that says it is not whole`(line: String) throws {
    let disk = try LongJournal.make(.late)
    let whole = try #require(
      try JSONValue(parsing: Array(Upkeep.run(line, on: disk).output.utf8)).object)
    #expect(whole["incomplete"] == nil)
    let run = try #require(disk.paths.first { $0.hasSuffix(".xr") })
    let bytes = try #require(disk.contents(of: run))
    var brokenOff = 0
    for place in stride(from: 0, to: bytes.count, by: 97) {
      var damaged = bytes
      damaged[place] ^= 0x20
      try disk.setContents(run, damaged)
      let shown = Upkeep.run(line, on: disk)
      guard !shown.output.isEmpty else { continue }
      let document = try JSONValue(parsing: Array(shown.output.utf8)).object
      let isWhole = document?["objects"]?.array?.count == whole["objects"]?.array?.count
      #expect((document?["incomplete"] == true) != isWhole, "\(place): \(shown.errors)")
      if !isWhole {
        #expect(shown.status == .damage, "\(place)")
        brokenOff += 1
      }
    }
    #expect(brokenOff > 0)
  }
}
