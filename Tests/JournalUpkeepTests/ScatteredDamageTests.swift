import DiskAccess
import DiskSimulation
import JournalInspection
import Journaling
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import TestSupport
import Testing
import ToolSupport

/// Damage in many places, and beside programs that go on: what is told of it, and what is found behind it.
@Suite struct ScatteredDamageTests {
  private static func path(_ number: Int) -> String {
    "\(Journals.path)/journal/000000000\(number).xj"
  }

  private static func flip(_ part: Double, _ number: Int, on disk: SimulatedDisk) throws {
    var bytes = try #require(disk.contents(of: path(number)))
    let length = (bytes.lastIndex { $0 != 0 } ?? 0) + 1
    bytes[Int(Double(length) * part)] ^= 0x55
    try disk.setContents(path(number), bytes)
  }

  @Test func `of many stretches with other numbers the first are told, and in the document all`()
    throws
  {
    let disk = try LongJournal.make(.none, noise: 2000)
    for number in 1...4 { for part in [0.35, 0.75] { try Self.flip(part, number, on: disk) } }
    let line = "repair --salvage -s Notes.xjournal -o"
    let told = Upkeep.run("\(line) New.xjournal", on: disk)
    #expect(told.status == .fine, "\(told)")
    let note = try #require(
      told.errors.split(separator: "\n").first { $0.contains("in the new journal") })
    #expect(note.hasSuffix(", ….") && note.split(separator: " are ").count <= 4, "\(note)")
    let run = Upkeep.run("\(line) Newer.xjournal --json", on: disk)
    let document = try JSONValue(parsing: Array(run.output.utf8)).object
    #expect((document?["renumbered"]?.array?.count ?? 0) > 3, "\(run)")
    #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
  }

  @Test func `frames behind a long stretch of zeros are found`() throws {
    let disk = try LongJournal.make(.none)
    var bytes = try #require(disk.contents(of: Self.path(2)))
    let walk = try SegmentWalk(of: bytes).offsets
    let place = Int(walk[walk.count / 2])
    bytes.insert(contentsOf: [UInt8](repeating: 0, count: 5 << 20), at: place)
    try disk.setContents(Self.path(2), bytes)
    let run = Upkeep.run("repair --salvage -s Notes.xjournal -o New.xjournal", on: disk)
    #expect(run.status == .fine && run.errors.contains("damaged: journal/0000000002.xj"), "\(run)")
    #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
    let kept = try JournalTruth(of: "New.xjournal", on: disk)
    #expect(kept.commits.count == LongJournal.commitCount, "\(kept.commits.count)")
  }

  @Test func `a tag that was taken away behind the damage does not come back`() throws {
    let life = try LongJournal.make(.none)
    let store = try JournaledStore(on: life, at: Journals.path, model: nil)
    let context = ManagedObjectContext(store, isolation: nil)
    try store.beginSegment()
    try store.removeTag("middle")
    try store.tag("end", CommitNumber(rawValue: 3))
    try store.tag("new", CommitNumber(rawValue: 2))
    context.insert("Blog")["name"] = "last"
    try context.save()
    context.close()
    try store.close()
    try Self.flip(0.4, 4, on: life)
    let run = Upkeep.run("repair --salvage -s Notes.xjournal -o New.xjournal", on: life)
    #expect(run.status == .fine, "\(run)")
    let tags = try StoreReader(on: life, at: "New.xjournal").tags
    #expect(tags["middle"] == nil && tags["end"]?.rawValue == 3 && tags["new"]?.rawValue == 2)
    let plain = Upkeep.run("repair -s Notes.xjournal -o Newer.xjournal", on: life)
    #expect(plain.errors.contains("the tag ‘new’, which --salvage sets"), "\(plain)")
  }

  @Test func `a journal whose state is replaced without end is repaired when that rests`() throws {
    let disk = try LongJournal.make(.late)
    try Self.flip(0.5, 2, on: disk)
    let store = try JournaledStore(on: disk, at: Journals.path, model: nil)
    nonisolated(unsafe) let context = ManagedObjectContext(store)
    nonisolated(unsafe) var count = 0
    let beside = ReadingDisk(disk) { path, _ in
      guard path.hasSuffix("0000000001.xj") else { return nil }
      count += 1
      context.insert("Blog")["name"] = "meanwhile"
      guard (try? context.save()) != nil, (try? store.checkpoint()) != nil else {
        return .inputOutput
      }
      return nil
    }
    let line = "repair --salvage -s Notes.xjournal -o"
    let run = Run("\(line) New.xjournal", on: beside, table: Upkeep.table(on: disk))
    #expect(run.status == .locked && count >= 30, "\(run) \(count)")
    #expect(run.errors.contains("faster than it can be read"), "\(run)")
    #expect(!disk.paths.contains { $0.hasPrefix("New.xjournal/MANIFEST") })
    let rested = Upkeep.run("\(line) Newer.xjournal", on: disk)
    #expect(rested.status == .fine && rested.errors.contains("0000000002.xj"), "\(rested)")
    try store.close()
    #expect(Upkeep.run("verify --deep -s Newer.xjournal", on: disk).status == .fine)
  }

  @Test(arguments: ["repair", "backup"])
  func `beside a program that begins segments without end, all that was saved is copied`(
    line: String
  ) throws {
    let disk = try Journals.sound()
    let store = try JournaledStore(on: disk, at: Journals.path, model: nil)
    nonisolated(unsafe) let context = ManagedObjectContext(store)
    let beside = ReadingDisk(disk) { path, _ in
      guard path.hasSuffix("edits") else { return nil }
      context.insert("Blog")["name"] = "meanwhile"
      guard (try? context.save()) != nil, (try? store.beginSegment()) != nil else {
        return .inputOutput
      }
      return nil
    }
    let run = Run(
      "\(line) -s Notes.xjournal -o New.xjournal --json", on: beside, table: Upkeep.table(on: disk))
    #expect(run.status == .fine && run.errors.isEmpty, "\(run)")
    try store.close()
    #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
    #expect(try StoreReader(on: disk, at: "New.xjournal").lastCommit.rawValue > 5)
  }
}

/// Of a state whose rows are lost it is told which objects are known by what commits have changed of them only.
@Suite struct ScatteredRowTests {
  @Test func `objects are told by stretches, an entity at a time, and of very many the first`()
    throws
  {
    let disk = SimulatedDisk(seed: 8)
    let attributes = [
      AttributeDescription("name", .string), AttributeDescription("rank", .integer),
    ]
    let store = try JournaledStore(
      on: disk, at: Journals.path,
      model: ManagedObjectModel(entities: [
        EntityDescription("Book", attributes: attributes),
        EntityDescription("Shelf", attributes: attributes),
      ]))
    var context = ManagedObjectContext(store, isolation: nil)
    let books = (0..<60).map { _ in context.insert("Book") }
    let shelves = (0..<6).map { _ in context.insert("Shelf") }
    for object in books + shelves { object["name"] = "first" }
    try context.save()
    let ids = (books + shelves).map(\.objectID)
    context.close()
    try store.compact(keeping: .latest)
    context = ManagedObjectContext(store, isolation: nil)
    for (place, id) in ids.enumerated() where place % 2 == 0 || place >= 60 {
      try context.existingObject(with: id)["rank"] = .integer(place)
    }
    try context.save()
    context.close()
    try store.close()
    let folder = try disk.folder(at: "\(Journals.path)/snapshots")
    for name in try folder.names() where name.hasSuffix(".xr") { try folder.remove(name) }
    let run = Upkeep.run("repair --salvage -s Notes.xjournal -o New.xjournal", on: disk)
    #expect(run.status == .fine, "\(run)")
    #expect(run.errors.contains("30 objects (Book/1, Book/3, "), "\(run.errors)")
    #expect(run.errors.contains(", Book/39, …), but for what commits"), "\(run.errors)")
    #expect(run.errors.contains("6 objects (Shelf/1 to Shelf/6), but for"), "\(run.errors)")
    #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
    #expect(
      Upkeep.run("query 'Book where rank >= 0' --count -s New.xjournal", on: disk).output == "30\n")
  }

  @Test(arguments: [false, true])
  func `models that were adopted on the way are those of the new journal, one after the other`(
    isStateLost: Bool
  ) throws {
    func model(_ keys: String...) throws -> ManagedObjectModel {
      try ManagedObjectModel(entities: [
        EntityDescription("Book", attributes: keys.map { AttributeDescription($0, .string) })
      ])
    }
    let disk = SimulatedDisk(seed: 9)
    var number = 0
    for (round, model) in [
      try model("a"), try model("a", "b"), try model("a", "b", "c"), try model("a", "b", "c", "d"),
    ].enumerated() {
      let store = try JournaledStore(on: disk, at: Journals.path, model: model)
      let context = ManagedObjectContext(store, isolation: nil)
      for _ in 0..<3 {
        let book = context.insert("Book")
        number += 1
        for key in ["a", "b", "c", "d"].prefix(round + 1) { book[key] = .string("\(key)\(number)") }
        try context.save(message: "commit \(number)")
      }
      context.close()
      if isStateLost, round == 1 { try store.compact(keeping: .latest) }
      if round == 2 { try store.checkpoint() }
      try store.beginSegment()
      try store.close()
    }
    if isStateLost {
      for path in disk.paths where path.hasSuffix(".xr") {
        var bytes = try #require(disk.contents(of: path))
        bytes[bytes.count / 2] ^= 0x20
        try disk.setContents(path, bytes)
      }
    } else {
      // The first commits, before the state that was kept.
      let path = "\(Journals.path)/journal/0000000001.xj"
      var bytes = try #require(disk.contents(of: path))
      bytes[200] ^= 0x55
      try disk.setContents(path, bytes)
    }
    let run = Upkeep.run("repair --salvage -s Notes.xjournal -o New.xjournal", on: disk)
    #expect(run.status == .fine, "\(run)")
    let verified = Upkeep.run("verify --deep -s New.xjournal", on: disk)
    #expect(verified.status == .fine, "\(run) \(verified)")
    let schema = Upkeep.run("schema -s New.xjournal", on: disk).output
    #expect(schema == Upkeep.run("schema -s Notes.xjournal", on: disk).output, "\(schema)")
    let last = Upkeep.run(
      "query 'Book where d = \"d12\" and a = \"a12\"' --count -s New.xjournal", on: disk)
    #expect(last.output == "1\n", "\(last)")
    let log = Upkeep.run("log -s New.xjournal", on: disk).output
    for commit in 7...12 { #expect(log.contains("  commit \(commit)\n"), "\(commit): \(log)") }
  }
}
