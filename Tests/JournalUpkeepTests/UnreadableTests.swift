import DiskAccess
import DiskSimulation
import JournalInspection

import Testing
import ToolSupport

/// What the medium gives no more is damage like any other: it is told where, and the rest is saved.
@Suite struct UnreadableTests {
  /// A stretch of a file that cannot be read, and how many commits of all are kept at least.
  struct Stretch: CustomTestStringConvertible {
    let file: String
    let bytes: Range<UInt64>
    let least: Int

    var testDescription: String { "\(file) \(bytes)" }
  }

  @Test(arguments: [
    Stretch(file: "journal/0000000002.xj", bytes: 4096..<8192, least: 6),
    Stretch(file: "journal/0000000002.xj", bytes: 0..<4096, least: 6),
    Stretch(file: "journal/0000000003.xj", bytes: 0..<1 << 40, least: 12),
    Stretch(file: "journal/0000000004.xj", bytes: 4096..<1 << 40, least: 18),
    Stretch(file: "MANIFEST", bytes: 0..<4096, least: 24),
    Stretch(file: "edits", bytes: 0..<4096, least: 24),
    Stretch(file: ".xc", bytes: 0..<4096, least: 24),
    Stretch(file: ".xr", bytes: 0..<4096, least: 24),
  ])
  func `a stretch that cannot be read is told by its place, and the rest is saved`(
    stretch: Stretch
  ) throws {
    let disk = try LongJournal.make(.late, noise: 3000)
    let truth = try JournalTruth(on: disk)
    let before = Upkeep.contents(of: Journals.path, on: disk)
    let path = try #require(disk.paths.first { $0.hasSuffix(stretch.file) })
    let bad = ReadingDisk(disk) { read, bytes in
      read == path && bytes.overlaps(stretch.bytes) ? .inputOutput : nil
    }
    func run(_ line: String) -> ToolSupport.Run {
      Run(line, on: bad, table: Upkeep.table(on: disk))
    }
    let plain = run("repair -s Notes.xjournal -o Repaired.xjournal")
    let salvaged = run("repair --salvage -s Notes.xjournal -o Salvaged.xjournal")
    for run in [plain, salvaged] {
      #expect(run.status == .fine, "\(run)")
      let place =
        "\(path.dropFirst(Journals.path.count + 1)): bytes \(stretch.bytes.lowerBound) to "
      #expect(run.errors.contains("damaged: \(place)"), "\(run.errors)")
    }
    #expect(Upkeep.contents(of: Journals.path, on: disk) == before)
    for name in ["Repaired.xjournal", "Salvaged.xjournal"] {
      #expect(Upkeep.run("verify --deep -s \(name)", on: disk).status == .fine)
      let kept = try JournalTruth(of: name, on: disk)
      #expect(kept.commits.count >= stretch.least, "\(name): \(kept.commits.count) commits")
      guard name == "Repaired.xjournal" else {
        // Of one segment six commits are lost at most, and one that brings the state back may be added.
        #expect(kept.commits.count >= 18, "\(kept.commits.count)")
        continue
      }
      #expect(kept.commits[...] == truth.commits.prefix(kept.commits.count))
      #expect(kept.states[...] == truth.states.prefix(kept.states.count))
    }
  }

  @Test func `a file that gets shorter when some of it could not be read ends no repair`() throws {
    let disk = try LongJournal.make(.none, noise: 3000)
    let path = try #require(disk.paths.first { $0.hasSuffix("journal/0000000004.xj") })
    nonisolated(unsafe) var hasFailed = false
    let bad = ReadingDisk(disk) { read, bytes in
      guard read == path, bytes.upperBound > 8192 else { return nil }
      if bytes.lowerBound >= 8192, hasFailed {
        // When what cannot be read is known.
        guard let content = disk.contents(of: path), content.count > 4096 else { return nil }
        try? disk.setContents(path, Array(content.prefix(4096)))
        return .inputOutput
      }
      hasFailed = true
      return .inputOutput
    }
    let run = Run(
      "repair --salvage -s Notes.xjournal -o New.xjournal", on: bad, table: Upkeep.table(on: disk))
    #expect(run.status == .fine && hasFailed, "\(run)")
    #expect(try #require(disk.contents(of: path)).count == 4096)
    #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
  }

  @Test func `where all of it cannot be read nothing is made, and it is told what`() throws {
    let disk = try LongJournal.make(.none)
    disk.faults = [SimulatedFault(.failure(.inputOutput), calls: [.read], isLasting: true)]
    let run = Upkeep.run("repair -o Repaired.xjournal", on: disk)
    #expect(run.status == .damage, "\(run)")
    #expect(!disk.paths.contains { $0.hasPrefix("Repaired") })
  }

  @Test func `other failures to read are no damage`() throws {
    let disk = try LongJournal.make(.none)
    disk.faults = [SimulatedFault(.failure(.accessDenied), calls: [.read], isLasting: true)]
    let run = Upkeep.run("repair -o Repaired.xjournal", on: disk)
    #expect(run.status == .inputOutput, "\(run)")
  }

  @Test(arguments: [1, 2, 3, 4, 0])
  func `without a manifest the segments whose headers are damaged as well are found`(
    number: Int
  ) throws {
    let disk = try LongJournal.make(.none)
    try disk.folder(at: Journals.path).remove("MANIFEST")
    for segment in 1...4 where segment == number || number == 0 {
      let path = "\(Journals.path)/journal/000000000\(segment).xj"
      var bytes = try #require(disk.contents(of: path))
      bytes[70] ^= 0x55
      try disk.setContents(path, bytes)
    }
    let run = Upkeep.run("repair -o Repaired.xjournal", on: disk)
    #expect(run.status == .fine, "\(run)")
    #expect(run.errors.contains("header"), "\(run.errors)")
    let verified = Upkeep.run("verify --deep -s Repaired.xjournal", on: disk)
    #expect(verified.status == .fine, "\(verified)")
    let kept = try JournalTruth(of: "Repaired.xjournal", on: disk)
    #expect(kept.commits.count == LongJournal.commitCount)
  }

  @Test(arguments: [
    "journal/0000000002.xj", "journal/0000000004.xj", "MANIFEST", "edits", ".xc", ".xr",
  ])
  func `a folder where a file should be is damage, and the rest is saved`(name: String) throws {
    let disk = try LongJournal.make(.late)
    let path = try #require(disk.paths.first { $0.hasSuffix(name) })
    let names = path.split(separator: "/").map(String.init)
    try disk.folder(at: names.dropLast().joined(separator: "/")).remove(names[names.count - 1])
    try disk.makeFolders(path)
    for line in ["verify", "stats", "log -p", "drafts", "dump"] {
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
      #expect(
        [.fine, .damage, .usage].contains(run.status), "\(line): \(run.status) \(run.errors)")
      if line == "verify" { #expect(run.status == .damage, "\(run)") }
    }
    for line in ["repair -o Repaired.xjournal", "repair --salvage -o Salvaged.xjournal"] {
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
      #expect(run.status == .fine && run.errors.contains("damaged: "), "\(line): \(run)")
      let made = line.split(separator: " ").last ?? ""
      #expect(Upkeep.run("verify --deep -s \(made)", on: disk).status == .fine)
      let kept = try JournalTruth(of: String(made), on: disk)
      #expect(kept.commits.count >= 6, "\(line): \(kept.commits.count)")
    }
  }

  @Test func `edits that cannot be read keep a journal from being repaired, and nothing is left`()
    throws
  {
    let disk = try LongJournal.make(.none)
    let bad = ReadingDisk(disk) { path, _ in path.hasSuffix("edits") ? .accessDenied : nil }
    let run = Run(
      "repair -s Notes.xjournal -o New.xjournal", on: bad, table: Upkeep.table(on: disk))
    #expect(run.status == .inputOutput, "\(run)")
    #expect(!disk.paths.contains { $0.hasPrefix("New") }, "\(disk.paths)")
    #expect((try? disk.folder(at: "New.xjournal")) == nil)
  }

  @Test func `where the segments should be something else stands, and the state is kept`() throws {
    let disk = try LongJournal.make(.late)
    let kept = try JournalTruth(on: disk).states[19]
    let folder = try disk.folder(at: Journals.path)
    try folder.rename("journal", to: "journal.old")
    try disk.setContents("\(Journals.path)/journal", [1, 2, 3])
    for line in ["verify", "log -n 1", "stats", "dump", "backup -o A", "tag release"] {
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
      #expect(run.status == .damage && run.errors.contains("is no folder"), "\(line): \(run)")
    }
    let run = Upkeep.run("repair -o Repaired.xjournal", on: disk)
    #expect(run.status == .fine && run.errors.contains("damaged: journal: no folder"), "\(run)")
    let query = Upkeep.run("query Blog --count -s Repaired.xjournal", on: disk)
    #expect(query.output == "\(kept.count)\n")
  }
}
