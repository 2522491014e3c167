import DiskAccess
import DiskSimulation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectStore
import Testing
import ToolSupport

/// `replay --into` builds the journal that there was when a commit had been made.
@Suite struct ReplayIntoTests {
  @Test(arguments: 0...24)
  func `a journal that is replayed up to a commit is as it was then`(number: Int) throws {
    let disk = try LongJournal.make(.late)
    let truth = try JournalTruth(on: disk)
    let before = Upkeep.contents(of: Journals.path, on: disk)
    let run = Upkeep.run("replay --into Then.xjournal --until \(number)", on: disk)
    #expect(run.status == .fine, "\(run.errors)")
    #expect(Upkeep.contents(of: Journals.path, on: disk) == before)
    let then = try JournalTruth(of: "Then.xjournal", on: disk)
    #expect(then.commits[...] == truth.commits.prefix(number))
    #expect(then.states[...] == truth.states.prefix(number))
    #expect(Upkeep.run("verify --deep -s Then.xjournal", on: disk).status == .fine)
  }

  @Test func `a journal that is replayed has nothing of what came after the commit`() throws {
    let life = SimulatedDisk(seed: 1)
    let store = try JournaledStore(
      on: life, at: Journals.path,
      model: ManagedObjectModel(entities: [
        EntityDescription("Note", attributes: [AttributeDescription("text", .string)])
      ]))
    let (context, other) = (
      ManagedObjectContext(store, isolation: nil), ManagedObjectContext(store, isolation: nil)
    )
    (context.name, other.name) = ("saving", "sketching")
    for number in 1...2 {
      context.insert("Note")["text"] = .string("\(number)")
      try context.save()
      try store.tag("after \(number)", CommitNumber(rawValue: 1))
    }
    other.insert("Note")["text"] = "unsaved"
    other.processPendingChanges()
    let disk = life.imageAfterProcessDeath()
    let lines = [
      (["after 1", "after 2"], ""), (["after 1"], "--until head"), (["after 1"], "--at 2"),
      ([], "--until 1"), ([], "--until head~1"), ([], "--until 0"),
    ]
    for (number, (tags, option)) in lines.enumerated() {
      let name = "Then\(number).xjournal"
      let run = Upkeep.run("replay -s Notes.xjournal --into \(name) \(option)", on: disk)
      #expect(run.status == .fine && run.errors.isEmpty, "\(option): \(run)")
      let then = try StoreReader(on: disk, at: name)
      #expect(then.tags.keys.sorted() == tags, "\(option)")
      let drafts = Upkeep.run("drafts -s \(name)", on: disk)
      #expect(drafts.output.contains("sketching") == option.isEmpty, "\(option): \(drafts)")
      let verified = Upkeep.run("verify --deep -s \(name)", on: disk)
      #expect(verified.status == .fine, "\(option): \(verified)")
      guard !option.isEmpty, option != "--until 0" else { continue }
      // What led to the commits is there.
      let count = then.lastCommit.rawValue
      #expect(verified.output.contains("\(count) compared with their edits"), "\(verified)")
    }
  }

  @Test func `what was unsaved before a frame and saved in it is no draft where the frame is cut`()
    throws
  {
    let life = SimulatedDisk(seed: 1)
    var options = StoreOptions()
    options.durability = .written
    let store = try JournaledStore(
      on: life, at: Journals.path,
      model: ManagedObjectModel(entities: [
        EntityDescription("Note", attributes: [AttributeDescription("text", .string)])
      ]), options: options)
    let contexts = (0..<2).map { _ in ManagedObjectContext(store, isolation: nil) }
    for context in contexts {
      context.insert("Note")["text"] = "unsaved"
      context.processPendingChanges()
    }
    // The edits are in a frame before that of the commits.
    try store.beginSegment()
    for context in contexts { try context.save() }
    try store.close()
    let run = Upkeep.run("replay -s Notes.xjournal --into Then.xjournal --until 1", on: life)
    #expect(run.status == .fine && run.errors.isEmpty, "\(run)")
    let then = try StoreReader(on: life, at: "Then.xjournal")
    #expect(then.lastCommit.rawValue == 1)
    #expect(try then.unsavedWork().count == 1, "the other context had not saved")
    #expect(Upkeep.run("verify --deep -s Then.xjournal", on: life).status == .fine)
  }

  @Test(arguments: 0...3)
  func `a journal whose commits are in pieces is replayed up to each of them`(number: Int) throws {
    let disk = try LongJournal.inPieces()
    let truth = try JournalTruth(on: disk)
    let run = Upkeep.run("replay --into Then.xjournal --until \(number)", on: disk)
    #expect(run.status == .fine, "\(run)")
    let then = try JournalTruth(of: "Then.xjournal", on: disk)
    #expect(then.commits[...] == truth.commits.prefix(number))
    #expect(then.states[...] == truth.states.prefix(number))
    #expect(Upkeep.run("verify --deep -s Then.xjournal", on: disk).status == .fine)
  }

  @Test func `up to a commit behind damage nothing is replayed, and it is told where that is`()
    throws
  {
    let disk = try LongJournal.make(.none)
    let segment = "\(Journals.path)/journal/0000000002.xj"
    var bytes = try #require(disk.contents(of: segment))
    bytes[1500] ^= 0x55
    try disk.setContents(segment, bytes)
    for line in ["replay --into Then.xjournal --until 24", "replay --into Then.xjournal"] {
      let run = Upkeep.run(line, on: disk)
      #expect(run.status == .damage && run.errors.contains("damaged"), "\(run)")
      #expect(try !disk.folder(at: "").names().contains("Then.xjournal"))
    }
    // What comes before it can be replayed, and the damage is told all the same.
    let run = Upkeep.run("replay --into Then.xjournal --until 3", on: disk)
    #expect(run.status == .damage && run.output.contains("with 3 commits"), "\(run)")
    #expect(Upkeep.run("verify --deep -s Then.xjournal", on: disk).status == .fine)
  }
}
