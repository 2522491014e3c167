import DiskSimulation
import JournalInspection
import Journaling
import ObjectStore
import Testing
import ToolSupport

/// Where bytes of the file of unsaved edits are zeros, as of a sector that was lost, what that hides is told.
@Suite struct ZeroedEditsTests {
  private static func zero(_ places: Range<Int>..., on disk: SimulatedDisk) throws {
    let path = "\(Journals.path)/edits"
    var bytes = try #require(disk.contents(of: path))
    for place in places {
      bytes.replaceSubrange(place, with: Array(repeating: 0, count: place.count))
    }
    try disk.setContents(path, bytes)
  }

  @Test(arguments: [40, 48, 104, 512])
  func `a half that is zeros from its beginning on may have had edits, and that is told`(
    count: Int
  ) throws {
    let disk = try Journals.killed()
    #expect(Upkeep.run("drafts", on: disk).output.contains("4 edits"))
    try Self.zero(4096..<4096 + count, on: disk)
    let drafts = Upkeep.run("drafts", on: disk)
    #expect(
      drafts.errors.contains("a half of the edit buffer that was in use is empty"), "\(drafts)")
    #expect(!drafts.errors.contains("nothing is unsaved"), "\(drafts)")
    let verified = Upkeep.run("verify --strict", on: disk)
    #expect(verified.status == .no && verified.output.contains("is empty"), "\(verified)")
    let repaired = Upkeep.run("repair -s Notes.xjournal -o New.xjournal", on: disk)
    #expect(
      repaired.status == .fine && repaired.errors.contains("lost: what was not saved"),
      "\(repaired)")
  }

  @Test(arguments: [[1], [0, 1]])
  func `where a count of what is durable is zeros, more may be there, and all tell that`(
    slots: [Int]
  ) throws {
    let disk = try Journals.killed()
    for slot in slots {
      let offset = EditBufferLayout.slotOffsets[slot]
      try Self.zero(offset..<offset + 16, on: disk)
    }
    for line in ["log -n 1", "info", "export", "get Post/1 postDate", "diff 1 head", "events"] {
      let run = Upkeep.run(line, on: disk)
      #expect(run.status == .fine, "\(run)")
      #expect(run.errors.contains("commits after 4 may be missing"), "\(run)")
    }
    let verified = Upkeep.run("verify --strict", on: disk)
    #expect(verified.status == .no, "\(verified)")
    let drafts = Upkeep.run("drafts", on: disk)
    #expect(!drafts.output.contains("was lost"), "\(drafts)")
  }

  @Test(arguments: ["events", "replay", "export --format events", "stats", "drafts"])
  func `edits that cannot be read are told by all that show edits`(line: String) throws {
    let disk = try Journals.killed()
    let path = "\(Journals.path)/edits"
    let sound = try #require(disk.contents(of: path))
    let whole = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
    #expect(whole.status == .fine && whole.errors.isEmpty, "\(whole.errors)")
    let halfByteCount = (sound.count - EditBufferLayout.firstHalfOffset) / 2
    for half in 0...1 {
      var bytes = sound
      bytes[EditBufferLayout.firstHalfOffset + half * halfByteCount + 10] ^= 4
      try disk.setContents(path, bytes)
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
      #expect(run.status == .damage, "half \(half): \(run.errors)")
      #expect(run.errors.contains("damaged half of the edit buffer"), "half \(half): \(run)")
    }
    // One that is not whole may be of a loss of power.
    var toldCount = 0
    for half in 0...1 {
      var bytes = sound
      let start = EditBufferLayout.firstHalfOffset + half * halfByteCount
      bytes[start + EditBufferLayout.halfHeaderByteCount + 9] ^= 4
      try disk.setContents(path, bytes)
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
      #expect(run.status == .fine, "half \(half): \(run)")
      if run.errors.contains("is not whole") { toldCount += 1 }
    }
    // What the other half has is in frames.
    #expect(toldCount == 1)
  }

  @Test func `where neither count can be read, that is damage to all that look`() throws {
    let disk = try Journals.killed()
    var bytes = try #require(disk.contents(of: "\(Journals.path)/edits"))
    for offset in EditBufferLayout.slotOffsets { bytes[offset] ^= 0xFF }
    try disk.setContents("\(Journals.path)/edits", bytes)
    for line in ["info", "log", "verify", "verify --deep --json", "drafts", "report"] {
      let run = Upkeep.run(line, on: disk)
      #expect(run.status == .damage, "\(line): \(run.errors)")
    }
    // Repair reads the frames themselves.
    let run = Upkeep.run("repair -s Notes.xjournal -o New.xjournal", on: disk)
    #expect(run.status == .fine, "\(run)")
    #expect(try JournalTruth(of: "New.xjournal", on: disk).commits.count == 5)
  }
}
