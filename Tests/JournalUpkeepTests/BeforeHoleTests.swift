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
}
