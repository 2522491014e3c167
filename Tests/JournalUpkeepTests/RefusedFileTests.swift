import DiskAccess
import DiskSimulation
import JournalInspection
import Testing
import ToolSupport

/// What the system does not let be opened or read is no damage: it is told, and nothing is made that lacks it unsaid.
@Suite struct RefusedFileTests {
  /// What is wrong with a journal before anything is refused.
  private enum Damage { case none, frame, manifestMissing }

  private static let lines: [(Damage, String)] = [
    (.frame, "repair -o New.xjournal"), (.frame, "repair --salvage -o New.xjournal"),
    (.manifestMissing, "repair --salvage -o New.xjournal"), (.none, "compact -o New.xjournal"),
    (.none, "replay --until 12 --into New.xjournal"),
  ]

  @Test(arguments: [
    Journals.path, "journal", "snapshots", "MANIFEST", "edits", "0000000002.xj", ".xc", ".xr",
  ])
  func `what may not be looked at is told, and what is made without it is sound`(
    name: String
  ) throws {
    var refused = 0
    for (damage, line) in Self.lines {
      for calls: Set<DiskError.Call> in [
        [.openFolder, .openFile], [.read], [.inspect, .listNames],
      ] {
        let disk = try Self.journal(damage)
        let path = disk.paths.first { $0.hasSuffix(name) }
        let before = Upkeep.contents(of: Journals.path, on: disk)
        disk.faults = [
          SimulatedFault(.failure(.accessDenied), calls: calls, name: path ?? name, isLasting: true)
        ]
        let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
        disk.faults = []
        let words = "\(line), \(calls): \(run)"
        #expect(Upkeep.contents(of: Journals.path, on: disk) == before, "\(words)")
        let isMarked = disk.contents(of: "New.xjournal/UNFINISHED-COPY") != nil
        if run.status == .fine {
          let verified = Upkeep.run("verify --deep -s New.xjournal", on: disk)
          #expect(!isMarked && verified.status == .fine, "\(words) \(verified)")
        } else {
          refused += 1
          #expect(run.status != .ourFault && !run.errors.isEmpty, "\(words)")
          #expect(isMarked || !disk.paths.contains { $0.hasPrefix("New") }, "\(words)")
        }
      }
    }
    #expect(refused > 0)
  }

  private static func journal(_ damage: Damage) throws -> SimulatedDisk {
    let disk = try LongJournal.make(.late)
    switch damage {
    case .none: break
    case .frame:
      let path = "\(Journals.path)/journal/0000000002.xj"
      var bytes = try #require(disk.contents(of: path))
      bytes[1500] ^= 0x55
      try disk.setContents(path, bytes)
    case .manifestMissing: try disk.folder(at: Journals.path).remove("MANIFEST")
    }
    return disk
  }
}
