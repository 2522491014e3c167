import DiskAccess
import DiskSimulation
import JournalInspection
import ObjectStore
import TestSupport
import Testing
import ToolSupport

/// Whatever the bytes of a journal are, and whatever stands where a new one is to be: nothing is lost that was there.
@Suite struct UpkeepHostileTests {
  @Test func `of mangled journals nothing is made that is not sound, and the mangled ones stay`()
    throws
  {
    let campaign = Campaign(count: "XJ_UPKEEPS", inGate: 12)
    let tally = Tally()
    let sources = [
      try Journals.killed(), try VariedJournal.make(), try LongJournal.make(.early),
      try LongJournal.make(.late, compacted: true),
    ]
    try campaign.forEachHistory(tally) { seed in
      var dice = Dice(seed: seed)
      let mangled = sources[dice.pick(sources.count)].imageAfterProcessDeath()
      try Upkeep.addFiles(to: mangled, from: sources[0])
      var places: [String] = []
      for _ in 0...dice.pick(2) { places.append(try Journals.mangle(mangled, &dice)) }
      for line in Upkeep.lines {
        let words = "seed \(seed), \(places): \(line)"
        // Each on a disk of its own.
        let disk = mangled.imageAfterProcessDeath()
        let before = Upkeep.contents(of: Journals.path, on: disk)
        let json = dice.chance(3) ? " --json" : ""
        let run = Upkeep.run("\(line) -s Notes.xjournal\(json)", on: disk, running: Upkeep.check)
        tally.count("status \(run.status.rawValue)")
        if line.hasPrefix("repair") { tally.count("repair \(run.status.rawValue)") }
        if run.status == .ourFault || run.status == .cannotCreate {
          tally.violation("\(words) ends with \(run.status): \(run.errors)")
        }
        if run.status != .fine, run.errors.isEmpty, !line.hasPrefix("bisect") {
          tally.violation("\(words) ends with \(run.status) and says nothing")
        }
        if !Upkeep.isInPlace(line), Upkeep.contents(of: Journals.path, on: disk) != before {
          tally.violation("\(words) has changed the journal")
        }
        guard run.status == .fine, line.contains("New.xjournal") else { continue }
        let verified = Upkeep.run("verify --deep -s New.xjournal", on: disk)
        if verified.status != .fine {
          tally.violation("\(words) has made what is not sound: \(verified.output)")
        }
        tally.count("made")
      }
    }
    print("seed \(campaign.seed): \(tally.summary)")
    #expect(tally.violations == "")
    #expect(tally["made"] > 0 && tally["status 65"] > 0)
  }

  @Test(arguments: ["file", "folder", "journal", "files"])
  func `where there is something already nothing is made`(there: String) throws {
    for line in Upkeep.making {
      let disk = try Journals.killed()
      try Upkeep.addFiles(to: disk)
      switch there {
      case "file": try disk.setContents("New.xjournal", [1, 2, 3])
      case "folder": try disk.folder(at: ".").makeFolder("New.xjournal")
      case "files":
        try disk.folder(at: ".").makeFolder("New.xjournal")
        try disk.setContents("New.xjournal/mine", [1, 2, 3])
      default:
        #expect(Upkeep.run("backup -o New.xjournal", on: disk).status == .fine)
      }
      let paths = disk.paths
      let before = paths.map { disk.contents(of: $0) }
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
      #expect(run.status == .cannotCreate, "\(line): \(run.errors)")
      #expect(run.errors.contains("New.xjournal"))
      #expect(disk.paths == paths)
      #expect(paths.map { disk.contents(of: $0) } == before)
    }
  }

  @Test func `what only reads a journal changes nothing of it`() throws {
    for line in Upkeep.lines where !Upkeep.isInPlace(line) {
      let disk = try Journals.killed()
      try Upkeep.addFiles(to: disk)
      let before = Upkeep.contents(of: Journals.path, on: disk)
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk, running: Upkeep.check)
      #expect(run.status == .fine, "\(line): \(run.errors)")
      #expect(Upkeep.contents(of: Journals.path, on: disk) == before, "\(line)")
    }
  }
}
