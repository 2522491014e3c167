import ByteCoding
import DiskAccess
import DiskSimulation
import JournalInspection
import Journaling
import ObjectStore
import TestSupport
import Testing
import ToolSupport

/// What lies in the folder of a journal that has lost its manifest is taken for what it says it is, and for no more.
@Suite struct LostManifestTests {
  private static let folder = "\(Journals.path)/journal"

  private static func withoutManifest(
    _ checkpoint: LongJournal.Checkpoint = .none
  ) throws -> SimulatedDisk {
    let disk = try LongJournal.make(checkpoint)
    try disk.folder(at: Journals.path).remove("MANIFEST")
    return disk
  }

  private static func flip(_ offset: Int, of name: String, on disk: SimulatedDisk) throws {
    let path = "\(Journals.path)/\(name)"
    var bytes = try #require(disk.contents(of: path))
    bytes[offset] ^= 0x55
    try disk.setContents(path, bytes)
  }

  @Test func `where the manifest is an older one, all tell that, and repair takes what follows`()
    throws
  {
    let disk = try LongJournal.make(.none)
    let truth = try JournalTruth(on: disk)
    let path = "\(Journals.path)/MANIFEST"
    var manifest = try JournalReader(at: Journals.path, on: disk).manifest
    manifest.segments.removeLast(2)
    manifest.segments[manifest.segments.count - 1].sealing = nil
    try disk.setContents(path, manifest.encoded().withBytes { Array($0) })
    for line in ["verify", "info", "log", "drafts"] {
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
      #expect(run.status == .damage, "\(run)")
    }
    let run = Upkeep.run("repair -s Notes.xjournal -o New.xjournal", on: disk)
    #expect(run.status == .fine && run.errors.contains("MANIFEST: an older one"), "\(run)")
    let kept = try JournalTruth(of: "New.xjournal", on: disk)
    #expect(kept.commits == truth.commits && kept.states == truth.states, "\(run)")
  }

  /// A journal as a copy may have it that was made while a writer went on: its manifest, and if wanted its edits, are older
  /// than its last two segments.
  private static func hasty(edits: String) throws -> SimulatedDisk {
    let disk = try LongJournal.make(.none)
    var manifest = try JournalReader(at: Journals.path, on: disk).manifest
    manifest.segments.removeLast(2)
    let last = try #require(manifest.segments.last?.sealing?.lastFrame)
    manifest.segments[manifest.segments.count - 1].sealing = nil
    try disk.setContents(
      "\(Journals.path)/MANIFEST", manifest.encoded().withBytes { Array($0) })
    let path = "\(Journals.path)/edits"
    switch edits {
    case "older":
      var older = EditBufferBytes()
      (older.store, older.slots) = (manifest.store, [last.rawValue, nil])
      try disk.setContents(path, older.encoded())
    case "cut": try disk.setContents(path, Array((disk.contents(of: path) ?? []).prefix(500)))
    default: try disk.folder(at: Journals.path).remove("edits")
    }
    return disk
  }

  @Test(arguments: ["older", "cut", "missing"])
  func `where the edits know no better than an older manifest, all tell that too`(
    edits: String
  ) throws {
    let disk = try Self.hasty(edits: edits)
    let truth = try JournalTruth(on: try LongJournal.make(.none))
    for line in ["verify", "info", "log", "drafts", "export", "stats", "show head", "tag late"] {
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
      #expect(run.status == .damage, "\(line): \(run)")
    }
    for line in ["backup", "compact", "replay --into"] {
      let output = line == "replay --into" ? "New.xjournal" : "-o New.xjournal"
      let run = Upkeep.run("\(line) \(output) -s Notes.xjournal", on: disk)
      #expect(run.status == .damage, "\(line): \(run)")
      #expect(!disk.paths.contains { $0.hasPrefix("New.xjournal") }, "\(line): \(run)")
    }
    let run = Upkeep.run("repair -s Notes.xjournal -o New.xjournal", on: disk)
    #expect(run.status == .fine, "\(run)")
    let told = run.errors.split(separator: "\n").filter { $0.contains("MANIFEST: an older one") }
    #expect(told.count == 1, "\(run)")
    let isUnsavedTold = run.errors.contains("lost: what was not saved")
    #expect(isUnsavedTold == (edits != "older"), "\(run)")
    let kept = try JournalTruth(of: "New.xjournal", on: disk)
    #expect(kept.commits == truth.commits && kept.states == truth.states, "\(run)")
  }

  @Test(arguments: [true, false])
  func `behind an older manifest what is sound is found though the next segment is not`(
    isMissing: Bool
  ) throws {
    let disk = try Self.hasty(edits: "missing")
    let truth = try JournalTruth(on: try LongJournal.make(.none))
    if isMissing {
      try disk.folder(at: "\(Journals.path)/journal").remove("0000000004.xj")
    } else {
      try Self.flip(SegmentHeader.byteCount + 5, of: "journal/0000000004.xj", on: disk)
    }
    let run = Upkeep.run("repair --salvage -s Notes.xjournal -o New.xjournal", on: disk)
    #expect(run.status == .fine && run.errors.contains("MANIFEST: an older one"), "\(run)")
    #expect(run.errors.contains("lost: "), "\(run)")
    let kept = try JournalTruth(of: "New.xjournal", on: disk)
    #expect(kept.commits.prefix(18) == truth.commits.prefix(18), "\(run)")
    #expect(kept.commits.count == (isMissing ? 18 : 23), "\(run)")
    #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
  }

  @Test func `edits that are cut anywhere are told by all commands`() throws {
    let disk = try LongJournal.make(.none)
    let path = "\(Journals.path)/edits"
    let bytes = try #require(disk.contents(of: path))
    for count in [1, 64, 4095, 4096, bytes.count - 1] {
      try disk.setContents(path, Array(bytes.prefix(count)))
      for line in ["info", "log -n 1", "export", "stats", "verify"] {
        let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
        #expect(
          run.status == .damage && (run.output + run.errors).contains("edits"),
          "\(count) \(line): \(run)")
      }
    }
  }

  @Test func `files that are no segments of the journal are left where they are`() throws {
    let disk = try Self.withoutManifest()
    try disk.setContents("\(Self.folder)/notes.txt", [1, 2, 3])
    try disk.setContents("\(Self.folder)/0000000098.xj", [1, 2, 3])
    try disk.makeFolders("\(Self.folder)/0000000099.xj")
    // A segment of another journal, under a number that is free here.
    let other = try Journals.sound()
    let foreign = try #require(other.contents(of: "\(Self.folder)/0000000001.xj"))
    var header = try SegmentHeader.sound(foreign)
    header.number = SegmentNumber(97)
    let named = header.encoded().withBytes { Array($0) }
    try disk.setContents("\(Self.folder)/0000000097.xj", named + foreign.dropFirst(named.count))
    // And one that a newer version has written.
    header.number = SegmentNumber(96)
    header.format += 1
    let newer = header.encoded().withBytes { Array($0) }
    try disk.setContents("\(Self.folder)/0000000096.xj", newer)
    let before = Upkeep.contents(of: Journals.path, on: disk)
    let run = Upkeep.run("repair -s Notes.xjournal -o New.xjournal", on: disk)
    #expect(run.status == .fine, "\(run)")
    #expect(Upkeep.contents(of: Journals.path, on: disk) == before)
    #expect(try JournalTruth(of: "New.xjournal", on: disk).commits.count == LongJournal.commitCount)
    #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
    #expect(!disk.paths.contains { $0.hasPrefix("New") && $0.contains("000000009") })
  }

  @Test func `segments that do not follow one another are no journal`() throws {
    let disk = try Self.withoutManifest()
    let path = "\(Self.folder)/0000000001.xj"
    let bytes = try #require(disk.contents(of: path))
    var header = try SegmentHeader.sound(bytes)
    header.number = SegmentNumber(9)
    let again = header.encoded().withBytes { Array($0) }
    try disk.setContents("\(Self.folder)/0000000009.xj", again + bytes.dropFirst(again.count))
    let paths = disk.paths
    let run = Upkeep.run("repair -s Notes.xjournal -o New.xjournal", on: disk)
    #expect(run.status == .damage, "\(run)")
    #expect(run.errors.contains("the segments do not follow one another"), "\(run)")
    #expect(disk.paths == paths)
  }

  @Test(arguments: ["missing", "short", "damaged", "folder"])
  func `where nothing says whose segments these are only a backup can help`(edits: String) throws {
    let disk = try Self.withoutManifest()
    for number in 1...5 { try Self.flip(70, of: "journal/000000000\(number).xj", on: disk) }
    let path = "\(Journals.path)/edits"
    switch edits {
    case "short": try disk.setContents(path, Array(repeating: 7, count: 20))
    case "damaged": try Self.flip(20, of: "edits", on: disk)
    default: try disk.folder(at: Journals.path).remove("edits")
    }
    if edits == "folder" { try disk.makeFolders(path) }
    let paths = disk.paths
    let run = Upkeep.run("repair --salvage -s Notes.xjournal -o New.xjournal", on: disk)
    #expect(run.status == .damage && run.errors.contains("only a backup"), "\(run)")
    #expect(disk.paths == paths)
  }

  @Test(arguments: [
    (SegmentHeader.byteCount + 5, 6), (SegmentHeader.byteCount + Seal.byteCount + 9, 6),
  ])
  func `a segment whose header and first frame are damaged is found by nobody, and told`(
    place: Int, least: Int
  ) throws {
    let disk = try Self.withoutManifest()
    try Self.flip(70, of: "journal/0000000002.xj", on: disk)
    try Self.flip(place, of: "journal/0000000002.xj", on: disk)
    let run = Upkeep.run("repair -s Notes.xjournal -o New.xjournal", on: disk)
    #expect(run.status == .fine && run.errors.contains("0000000002.xj"), "\(run)")
    let kept = try JournalTruth(of: "New.xjournal", on: disk)
    #expect(kept.commits.count == least, "\(kept.commits.count)")
    let salvaged = Upkeep.run("repair --salvage -s Notes.xjournal -o Newer.xjournal", on: disk)
    #expect(salvaged.status == .fine && salvaged.errors.contains("lost: commits 7 to "))
    #expect(Upkeep.run("verify --deep -s Newer.xjournal", on: disk).status == .fine)
  }

  @Test func `the first segment of a compacted journal is mended by what its first frame says`()
    throws
  {
    for checkpoint in [LongJournal.Checkpoint.none, .late] {
      let disk = try LongJournal.make(checkpoint, compacted: true)
      let truth = try JournalTruth(on: disk)
      let path = try #require(disk.paths.filter { $0.hasSuffix(".xj") }.min())
      let name = String(path.dropFirst(Journals.path.count + 1))
      try Self.flip(70, of: name, on: disk)
      let run = Upkeep.run("repair -s Notes.xjournal -o New.xjournal", on: disk)
      #expect(run.status == .fine, "\(run)")
      #expect(run.errors.contains("\(name): a header whose check does not fit"), "\(run)")
      let kept = try JournalTruth(of: "New.xjournal", on: disk)
      #expect(kept.commits == truth.commits && kept.states == truth.states)
      #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
      // Where the frame is damaged as well nothing says what the header was.
      try Self.flip(SegmentHeader.byteCount + 5, of: name, on: disk)
      let both = Upkeep.run("repair --salvage -s Notes.xjournal -o Newer.xjournal", on: disk)
      #expect(both.status == .fine && both.errors.contains("damaged: \(name)"), "\(both)")
      #expect(Upkeep.run("verify --deep -s Newer.xjournal", on: disk).status == .fine)
    }
  }

  @Test func `without the folder of segments the state is kept that there is`() throws {
    let disk = try LongJournal.make(.late)
    let kept = try JournalTruth(on: disk).states[19]
    try disk.folder(at: Journals.path).rename("journal", to: "elsewhere")
    for option in ["", "--salvage"] {
      let name = option.isEmpty ? "New.xjournal" : "Newer.xjournal"
      let run = Upkeep.run("repair \(option) -s Notes.xjournal -o \(name)", on: disk)
      #expect(run.status == .fine && run.errors.contains("lost: "), "\(run)")
      #expect(Upkeep.run("verify --deep -s \(name)", on: disk).status == .fine)
      #expect(Upkeep.run("query Blog --count -s \(name)", on: disk).output == "\(kept.count)\n")
    }
  }
}
