import DiskAccess
import DiskSimulation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectStore
import Testing
import ToolSupport

/// A value with more elements than the tool shows is a value like any other to who copies it.
@Suite struct LargeValueTests {
  private static let count = HoldingLimits.ofTool.valueCount + 1
  private static let value = Value.array([Value](repeating: true, count: count))

  /// A journal whose second commit sets such a value, between two others.
  private static func disk() throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: 1)
    let store = try JournaledStore(
      on: disk, at: Journals.path,
      model: ManagedObjectModel(entities: [
        EntityDescription("Note", allowsAnyKey: true)
      ]))
    let context = ManagedObjectContext(store, isolation: nil)
    let note = context.insert("Note")
    try context.save()
    for number in 0..<20 { context.insert("Note")["number"] = .integer(number) }
    try context.save()
    try store.beginSegment()
    note["marks"] = value
    try context.save()
    context.insert("Note")
    try context.save()
    context.close()
    try store.close()
    return disk
  }

  @Test func `what copies a journal takes it over, and what shows it names it`() throws {
    let disk = try Self.disk()
    for line in [
      "backup", "compact", "compact --since 3", "repair", "replay --until 3 --into New.xjournal",
    ] {
      let output = line.hasPrefix("replay") ? "" : " -o New.xjournal"
      let run = Upkeep.run("\(line) -s Notes.xjournal\(output)", on: disk)
      #expect(run.status == .fine, "\(line): \(run.errors)")
      try expectValue(line, on: disk)
    }
    for line in ["verify", "verify --deep"] {
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
      #expect(run.status == .damage, "\(line): \(run)")
      #expect(
        run.output.contains("unchecked: ‘marks’ of Note/1 is too large"), "\(line): \(run)")
      #expect(!run.output.contains("damaged: "), "\(line): \(run)")
    }
    let document = Upkeep.run("verify --json -s Notes.xjournal", on: disk).output
    #expect(document.contains(#""isSound":false"#), "\(document)")
    for line in ["log -p", "history Note/1", "events"] {
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
      #expect(run.status == .inputOutput, "\(line)")
      #expect(run.errors.contains("‘marks’ of Note/1"), "\(line): \(run.errors)")
      #expect(run.errors.contains("2,000,000"), "\(line): \(run.errors)")
    }
    // What is in no such commit is shown.
    #expect(Upkeep.run("show 4 -s Notes.xjournal", on: disk).status == .fine)
    let name = "\(Journals.path)/journal/0000000001.xj"
    var bytes = try #require(disk.contents(of: name))
    let last = try #require(bytes.lastIndex { $0 != 0 })
    bytes[last / 2] ^= 0x55
    try disk.setContents(name, bytes)
    let run = Upkeep.run("repair --salvage -s Notes.xjournal -o New.xjournal", on: disk)
    #expect(run.status == .fine && run.errors.contains("damaged: "), "\(run.errors)")
    try expectValue("repair --salvage", on: disk)
  }

  /// That a new journal has the value; takes the journal away.
  private func expectValue(_ line: String, on disk: SimulatedDisk) throws {
    let store = try StoreReader(on: disk, at: "New.xjournal")
    let context = try store.asOf(.commit(store.lastCommit))
    let found = try context.fetch(FetchRequest("Note")).contains { $0["marks"] == Self.value }
    extendLifetime(context)
    #expect(found, "\(line)")
    let folder = try disk.folder(at: ".")
    try folder.rename("New.xjournal", to: "\(line.filter(\.isLetter)).old")
  }
}
