import DiskAccess
import DiskSimulation
import JournalInspection
import Journaling
import ManagedObjects
import ObjectModel
import ObjectStore
import Testing
import ToolSupport

/// What can be done about damage is told with it, once, by who meets it.
@Suite struct RemedyTests {
  private static let command = "‘xjournal repair -s Notes.xjournal -o NEW’"

  @Test(arguments: [
    "info", "log", "get Blog/1", "query Blog", "verify", "verify --deep", "drafts", "events",
    "stats", "report", "export", "dump", "replay", "backup -o A", "compact -o A", "tag x",
    "restore 1", "replay --into A", "import posts.ndjson -o A", "bisect 1 2 -- check",
  ])
  func `every command that meets damage says once what can be done`(line: String) throws {
    for options in ["", " --json"] {
      let disk = try Journals.damaged()
      try Upkeep.addFiles(to: disk, from: try Journals.killed())
      let run = Upkeep.run("\(line)\(options) -s Notes.xjournal", on: disk, running: Upkeep.check)
      #expect(run.status == .damage, "\(run)")
      #expect(run.errors.ranges(of: Self.command).count == 1, "\(line): \(run.errors)")
      #expect(run.errors.contains("--salvage"), "\(line): \(run.errors)")
      #expect(!run.errors.contains("a backup may have"), "\(line): \(run.errors)")
    }
  }

  @Test(arguments: [true, false])
  func `a journal without a manifest is made of its segments, and that is said`(isThere: Bool)
    throws
  {
    let disk = try LongJournal.make(.late)
    if isThere {
      try disk.setContents("\(Journals.path)/MANIFEST", [1, 2, 3])
    } else {
      try disk.folder(at: Journals.path).remove("MANIFEST")
    }
    for line in ["info", "log", "verify", "dump", "drafts", "backup -o A", "tag x"] {
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
      #expect(run.status == .damage, "\(line): \(run)")
      #expect(
        run.errors.contains("\(Self.command) makes a sound journal of the segments"), "\(run)")
      #expect(!run.errors.contains("bring it back from a backup"), "\(run)")
    }
    #expect(Upkeep.run("repair -s Notes.xjournal -o NEW", on: disk).status == .fine)
    #expect(try JournalTruth(of: "NEW", on: disk).commits.count == LongJournal.commitCount)
  }

  @Test func `where repairing is no remedy it is not named`() throws {
    let disk = try LongJournal.make(.none)
    try disk.setContents("\(Journals.path)/\(JournalFiles.copyMark)", [])
    let copy = Upkeep.run("info", on: disk)
    #expect(copy.status == .damage && copy.errors.contains("make it anew"), "\(copy)")
    #expect(!copy.errors.contains("xjournal repair"), "\(copy)")
    let newer = Upkeep.run("info", on: try Journals.newer())
    #expect(newer.status == .newerFormat && !newer.errors.contains("xjournal repair"), "\(newer)")
  }

  @Test func `where the state is damaged that a journal begins with, only salvaging is named`()
    throws
  {
    let salvage = "‘xjournal repair --salvage -s Notes.xjournal -o NEW’"
    for isCompacted in [true, false] {
      let disk = try LongJournal.make(.late, compacted: isCompacted)
      let path = try #require(disk.paths.filter { $0.hasSuffix(".xr") }.max())
      var bytes = try #require(disk.contents(of: path))
      bytes[bytes.count / 2] ^= 4
      try disk.setContents(path, bytes)
      for line in ["query Blog", "verify", "verify --deep", "report", "compact -o A"] {
        let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
        guard isCompacted || run.status == .damage else { continue }
        #expect(run.status == .damage, "\(line): \(run)")
        #expect(run.errors.contains(isCompacted ? salvage : Self.command), "\(line): \(run.errors)")
        #expect(
          !run.errors.contains(isCompacted ? Self.command : salvage), "\(line): \(run.errors)")
        #expect(!run.errors.contains("a compaction makes"), "\(line): \(run.errors)")
        #expect(!run.output.contains("from a backup"), "\(line)")
      }
      let plain = Upkeep.run("repair -s Notes.xjournal -o NEW", on: disk)
      #expect((plain.status == .damage) == isCompacted, "\(plain)")
      let salvaging = Upkeep.run("repair --salvage -s Notes.xjournal -o B", on: disk)
      #expect(salvaging.status == .fine, "\(salvaging)")
    }
    // Damage of the segments is no matter of that state.
    let disk = try LongJournal.make(.late, compacted: true)
    let path = "\(Journals.path)/journal/0000000003.xj"
    try disk.setContents(path, disk.contents(of: path).map { Array($0.prefix(400)) } ?? [])
    let run = Upkeep.run("verify -s Notes.xjournal", on: disk)
    #expect(run.status == .damage && run.errors.contains(Self.command), "\(run)")
  }

  @Test func `of sound frames that contradict each other no repair is a remedy`() throws {
    let disk = try LongJournal.make(.none)
    let model = try #require(StoreReader(on: disk, at: Journals.path).model)
    let store = try JournaledStore(on: disk, at: Journals.path, model: model)
    let context = ManagedObjectContext(store)
    let (one, other) = (context.insert("Blog"), context.insert("Blog"))
    other["previous"] = .reference(one.objectID)
    try context.save()
    // As code does that keeps no ends, and commits something else than it has edited.
    let before = try #require(try store.head.row(of: other.objectID))
    var row = before
    row[try store.key(named: "previous")] = nil
    let name = try store.key(named: "name")
    row[name] = "committed"
    let live = try store.beginContext(name: "by hand", on: store.lastCommit)
    try store.record(.set(other.objectID, name, "edited"), by: live)
    let object = CommitRequest.Object(other.objectID, base: store.lastCommit, before, to: row)
    _ = try store.commit(CommitRequest([object]), by: live)
    try store.close()
    for line in ["verify --deep", "verify --deep --json", "report --deep", "replay --check"] {
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
      #expect(run.status == .damage, "\(line): \(run)")
      for words in ["does not lead back by previous", "what the edits of its context add up to"] {
        #expect((run.output + run.errors).contains(words), "\(run)")
      }
      #expect(!run.errors.contains("xjournal repair"), "\(line): \(run.errors)")
    }
    // Of damage besides it is one.
    let path = "\(Journals.path)/journal/0000000002.xj"
    try disk.setContents(path, disk.contents(of: path).map { Array($0.prefix(400)) } ?? [])
    let run = Upkeep.run("verify --deep -s Notes.xjournal", on: disk)
    #expect(run.status == .damage && run.errors.contains(Self.command), "\(run)")
  }

  @Test func `a path that a shell would take apart is quoted in a command, or not in it`() {
    #expect(Remedy.repair.words("a/b-c_d.xjournal").contains("-s a/b-c_d.xjournal -o NEW"))
    for path in ["My Notes.xjournal", "a;b", "$HOME"] {
      #expect(Remedy.gather.words(path).hasPrefix("‘xjournal repair -s '\(path)' -o NEW’"))
    }
    for path in ["", "a\nb", "a\u{1B}[2J", "it's"] {
      #expect(Remedy.gather.words(path).hasPrefix("‘xjournal repair -s PATH -o NEW’"))
    }
  }

  /// Words of the library, which a program can obey.
  private static let library: [String] = {
    let finding = Finding(.segmentMissing, "journal/0000000001.xj")
    let lost = Finding(.manifestMissing, "MANIFEST")
    let failure = DiskError(.sync, "edits", .readOnlyFileSystem)
    let refusal = DiskError(.sync, "edits", .inputOutput, isRefusal: true)
    let errors: [JournalError] = [
      .disk(failure), .disk(refusal), .notAStore(path: "P"), .storeExists(path: "P"),
      .storeMissing(path: "P"), .inUse(path: "P", holder: "1"),
      .networkFileSystem(path: "P", name: "NFS"), .damaged(finding), .damaged(lost),
      .framesDropped(before: FrameNumber(2)), .newerFormat(finding), .stopped(cause: failure),
      .queuedBehindFailure(cause: failure), .closed, .tooLarge(byteCount: 2, limit: 1),
    ]
    return errors.map { StoreError($0).description }
  }()

  @Test func `what the library tells a program is told in words for who has the tool`() {
    for text in Self.library {
      let said = ToolWords.said(text)
      #expect(!said.isEmpty && said.hasSuffix("."), "\(said)")
      for word in ["open it", "open the store", "the options", "backup", "delegate"] {
        #expect(!said.contains(word), "\(said)")
      }
    }
    let missing = Upkeep.run("info -s Nothing.xjournal", on: SimulatedDisk(seed: 1))
    #expect(missing.status == .noJournal && missing.errors.contains("by -s"), "\(missing)")
    #expect(!missing.errors.contains("open it"), "\(missing)")
  }
}
