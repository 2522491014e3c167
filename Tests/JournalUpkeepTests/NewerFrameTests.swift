import DiskAccess
import DiskSimulation
import JournalInspection
import Journaling
import Testing
import ToolSupport

/// A frame that newer code has written is no damage: nobody calls it so, and nothing is made without it.
@Suite struct NewerFrameTests {
  @Test(arguments: [
    "verify", "verify --json", "verify --deep", "verify --deep --json", "events", "replay",
    "replay --check --json", "dump", "dump --json", "dump --segment 1", "backup -o New.xjournal",
    "compact -o New.xjournal", "replay --into New.xjournal", "repair -o New.xjournal",
    "repair --salvage -o New.xjournal", "repair --salvage -o New.xjournal --json",
  ])
  func `what reads a frame of newer code ends with its own status, and makes nothing`(
    line: String
  ) throws {
    let disk = try Journals.newerFrame()
    let before = Upkeep.contents(of: Journals.path, on: disk)
    let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
    #expect(run.status == .newerFormat, "\(run)")
    #expect(!(run.output + run.errors).contains("damage"), "\(run)")
    #expect((run.output + run.errors).contains("which newer code has written"), "\(run)")
    #expect(Upkeep.contents(of: Journals.path, on: disk) == before)
    #expect(!disk.paths.contains { $0.hasPrefix("New.xjournal") })
  }

  @Test(arguments: [(UInt8(0x7F), false), (0x80, true), (0xC8, true)])
  func `an event of newer code is passed over where its kind allows that, and nobody goes on else`(
    kind: UInt8, isRefused: Bool
  ) throws {
    let disk = try Self.journal(endingWith: kind)
    for line in ["info", "log", "get Post/1", "verify", "tag last", "repair -o New.xjournal"] {
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
      #expect(run.status == (isRefused ? .newerFormat : .fine), "\(line): \(run)")
    }
  }

  /// A journal whose last event is of a kind that only newer code may know.
  ///
  /// - Parameter isSealed: whether a frame has it, and not only the buffer of edits.
  private static func journal(
    endingWith kind: UInt8, isSealed: Bool = true
  ) throws -> SimulatedDisk {
    let disk = try Journals.sound()
    var options = JournalOptions()
    options.hasUpkeepThread = false
    let (journal, _) = try Journal.open(on: disk, at: Journals.path, options: options)
    _ = try [kind, 1, 2].withUnsafeBytes { bytes in
      Result { () throws(JournalError) in try journal.appendEdit(bytes) }
    }.get()
    let image = disk.imageAfterProcessDeath()
    try journal.close()
    return isSealed ? disk : image
  }

  enum Newer: CaseIterable { case frame, event, unsavedEvent }

  @Test(arguments: ["repair -o New.xjournal", "repair --salvage -o New.xjournal"], Newer.allCases)
  func `what newer code has written behind damage is not given up either`(
    line: String, newer: Newer
  ) throws {
    let disk =
      switch newer {
      case .frame: try Journals.newerFrame()
      case .event: try Self.journal(endingWith: 0x80)
      case .unsavedEvent: try Self.journal(endingWith: 0x80, isSealed: false)
      }
    let path = "\(Journals.path)/journal/0000000001.xj"
    var bytes = try #require(disk.contents(of: path))
    // In the first frame.
    bytes[190] ^= 0x55
    try disk.setContents(path, bytes)
    let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
    #expect(run.status == .newerFormat, "\(run)")
    #expect(!disk.paths.contains { $0.hasPrefix("New.xjournal") })
    // There is damage, too.
    #expect(Upkeep.run("verify -s Notes.xjournal", on: disk).status == .damage)
  }
}
