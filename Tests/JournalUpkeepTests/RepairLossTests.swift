import DiskAccess
import DiskSimulation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectStore
import Testing
import ToolSupport

/// What a repair tells to be lost, and that it gives up no more than that.
@Suite struct RepairLossTests {
  private static let lines = [
    "repair -s Notes.xjournal -o New.xjournal",
    "repair -s Notes.xjournal --salvage -o New.xjournal",
  ]

  private static func remove(_ segments: ClosedRange<Int>, on disk: SimulatedDisk) throws {
    for number in segments {
      try disk.folder(at: "\(Journals.path)/journal").remove("000000000\(number).xj")
    }
  }

  private static func zero(_ range: Range<Int>, ofSegment number: Int, on disk: SimulatedDisk)
    throws
  {
    let path = "\(Journals.path)/journal/000000000\(number).xj"
    var bytes = try #require(disk.contents(of: path))
    for place in range { bytes[place] = 0 }
    try disk.setContents(path, bytes)
  }

  private static func isSound(_ disk: SimulatedDisk) -> ToolSupport.Run {
    Upkeep.run("verify --deep -s New.xjournal", on: disk)
  }

  @Test(arguments: [true, false], lines)
  func `without the first segments the commits behind them are kept, and what came before is told`(
    hasManifest: Bool, line: String
  ) throws {
    for missing in 1...3 {
      let disk = try LongJournal.make(.late)
      let truth = try JournalTruth(on: disk)
      try Self.remove(1...missing, on: disk)
      if !hasManifest { try disk.folder(at: Journals.path).remove("MANIFEST") }
      let run = Upkeep.run(line, on: disk)
      try #require(run.status == .fine, "\(run)")
      let first = missing * 6 + 1
      #expect(
        run.errors.contains("lost: all that was before commit \(first), but for the state it left"),
        "\(run.errors)")
      let sound = Self.isSound(disk)
      #expect(sound.status == .fine, "\(sound)")
      let store = try StoreReader(on: disk, at: "New.xjournal")
      #expect(store.firstKeptCommit.rawValue == UInt64(first) && store.lastCommit.rawValue == 24)
      let kept = try JournalTruth(of: "New.xjournal", on: disk)
      #expect(kept.commits[...] == truth.commits.dropFirst(first - 1))
      #expect(kept.states[...] == truth.states.dropFirst(first - 1))
    }
  }

  @Test(arguments: lines)
  func `where the segments that are left do not follow the state that was kept, that state is kept`(
    line: String
  ) throws {
    let disk = try LongJournal.make(.late)
    let truth = try JournalTruth(on: disk)
    try Self.remove(1...4, on: disk)
    try disk.folder(at: Journals.path).remove("MANIFEST")
    let run = Upkeep.run(line, on: disk)
    try #require(run.status == .fine, "\(run)")
    #expect(run.errors.contains("commits 21 to 24"), "\(run.errors)")
    // A commit that was dropped cannot be tagged.
    if line.contains("--salvage") {
      #expect(run.errors.contains("the state that the tag ‘middle’ stands for"), "\(run.errors)")
    }
    #expect(Self.isSound(disk).status == .fine)
    let count = Upkeep.run("query Blog --count -s New.xjournal", on: disk)
    #expect(count.output == "\(truth.states[19].count)\n")
  }

}
