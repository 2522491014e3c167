import DiskSimulation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectStore
import Testing
import ToolSupport

/// What lies before damage that a kept state leads past is known from the beginning of the journal.
@Suite struct BeforeHoleTests {
  @Test func `a moment before a hole is shown as it was, and so is what differs from it`() throws {
    let sound = try LongJournal.make(.late)
    let disk = try LongJournal.make(.late)
    try PassedDamageTests.damage(3, on: disk)
    let lines = [
      "export --at 4", "get Blog/1 --at 9", "query Blog --at 2", "diff 2 5", "diff 2 head",
      "diff head 2 --format json", "diff 2 head --format patch", "stats --at 3",
    ]
    for line in lines {
      let (run, truth) = (Upkeep.run(line, on: disk), Upkeep.run(line, on: sound))
      #expect(truth.status == .fine && !truth.output.isEmpty, "\(truth)")
      if !line.hasPrefix("stats") { #expect(run.output == truth.output, "\(line): \(run)") }
      // A patch says nothing of what lies between, and what lies before the hole is sound.
      let isBeforeHole = line == "diff 2 5" || line.hasSuffix("patch")
      #expect(run.status == .damage || isBeforeHole, "\(line): \(run)")
    }
    let reader = try StoreReader(on: disk, at: Journals.path)
    let context = try reader.asOf(.commit(2))
    let other = try StoreReader(on: sound, at: Journals.path).asOf(.commit(2))
    #expect(
      try context.fetch(FetchRequest("Blog")).map(\.objectID)
        == other.fetch(FetchRequest("Blog")).map(\.objectID))
    // Of what was dropped before it nothing is known.
    let compacted = try LongJournal.make(.late, compacted: true)
    try PassedDamageTests.damage(4, on: compacted)
    let first = try StoreReader(on: compacted, at: Journals.path).firstKeptCommit
    #expect(Upkeep.run("export --at \(first)", on: compacted).status == .damage)
  }

  @Test func `what is asked for up to a commit in a hole does not go on behind it`() throws {
    let disk = try LongJournal.make(.late)
    try PassedDamageTests.damage(3, on: disk)
    let hidden = try (13...18).filter { number in
      let reader = try StoreReader(on: disk, at: Journals.path)
      return (try? reader.heading(of: CommitNumber(rawValue: UInt64(number)))) == nil
    }
    #expect(hidden.count > 2)
    for number in hidden {
      for line in [
        "replay --until \(number)", "events --until \(number)", "events --at \(number)",
        "export --format events --at \(number)",
      ] {
        let run = Upkeep.run("\(line) --json -s Notes.xjournal", on: disk)
        #expect(run.status == .damage, "\(line): \(run.errors)")
        for later in 19...24 {
          #expect(!run.output.contains("\"commit\":\(later)"), "\(line) shows \(later)")
          #expect(!run.output.contains("\"number\":\(later),"), "\(line) shows \(later)")
        }
      }
      let dumped = Upkeep.run("dump --at \(number) -s Notes.xjournal", on: disk)
      #expect(dumped.status == .damage && dumped.output.isEmpty, "\(dumped)")
      // Of those behind the hole all are told.
      let since = Upkeep.run("events --since \(number) -s Notes.xjournal", on: disk)
      let all = Upkeep.run("events --since 19 -s Notes.xjournal", on: try LongJournal.make(.late))
      #expect(since.output == all.output, "\(since.errors)")
    }
  }

  @Test func `a commit in a hole may get a name, and that it cannot be read is told`() throws {
    let disk = try LongJournal.make(.late)
    try PassedDamageTests.damage(3, on: disk)
    let reader = try StoreReader(on: disk, at: Journals.path)
    let hidden = try #require(
      (13...18).first { (try? reader.heading(of: CommitNumber(rawValue: $0))) == nil })
    let run = Upkeep.run("tag lost \(hidden)", on: disk)
    #expect(run.status == .fine && run.output == "lost stands for commit \(hidden).\n", "\(run)")
    #expect(
      run.errors.contains(
        "commit \(hidden) has the name, but cannot be read: the journal is damaged"),
      "\(run)")
    #expect(Upkeep.run("tag found \(hidden + 8)", on: disk).errors.isEmpty)
  }

  @Test func `the edits of the first commit that compaction has kept are told`() throws {
    let disk = try LongJournal.make(.late, compacted: true)
    let first = try StoreReader(on: disk, at: Journals.path).firstKeptCommit
    let all = Upkeep.run("events -s Notes.xjournal", on: disk)
    let since = Upkeep.run("events --since \(first) -s Notes.xjournal", on: disk)
    let sound = Upkeep.run(
      "events --since \(first) -s Notes.xjournal", on: try LongJournal.make(.late))
    // That its context had begun is told once more where the journal begins.
    #expect(since.status == .fine && since.output.hasSuffix(sound.output), "\(since)")
    #expect(all.output.hasSuffix(since.output) && !since.output.isEmpty)
  }

  @Test func `a report of what a hole hides says why it is not there`() throws {
    let disk = try LongJournal.make(.none)
    try PassedDamageTests.damage(3, on: disk)
    for line in ["report --since 20", "report --since 30", "report --until 24"] {
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
      #expect(run.status == .damage && run.errors.contains("journal/0000000003.xj"), "\(run)")
    }
  }
}
