import DiskAccess
import DiskSimulation
import JournalInspection
import Journaling
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing
import ToolSupport

/// Of a state whose rows are lost, commits under models that were adopted since say what these have left as it was.
@Suite struct SalvagedModelTests {
  private static func book(_ attributes: AttributeDescription...) -> EntityDescription {
    EntityDescription("Book", attributes: attributes)
  }

  private static func attribute(
    _ name: String, _ type: AttributeType = .string, was former: String? = nil
  ) -> AttributeDescription {
    AttributeDescription(name, type, renamingIdentifier: former)
  }

  /// The models, one after the other: a key is renamed, one becomes a real number, and an entity comes.
  ///
  /// - Parameter isShelfLeft: whether none goes.
  private static func models(isShelfLeft: Bool) throws -> [ManagedObjectModel] {
    let last = book(
      attribute("a"), attribute("c", was: "b"), attribute("n", .real), attribute("d"),
      attribute("e"))
    let shelf = EntityDescription("Shelf", attributes: [attribute("a")])
    let desk = EntityDescription("Desk", attributes: [attribute("a")])
    return [
      try ManagedObjectModel(entities: [
        book(attribute("a"), attribute("b"), attribute("n", .integer))
      ]),
      try ManagedObjectModel(entities: [
        book(attribute("a"), attribute("c", was: "b"), attribute("n", .real), attribute("d")),
        shelf,
      ]),
      try ManagedObjectModel(entities: isShelfLeft ? [last, shelf, desk] : [last, desk]),
    ]
  }

  /// Books are made and their state kept, and each later model changes some of them.
  ///
  /// - Parameter kept: the model under which the state is kept again.
  private static func journal(
    keptUnder kept: Int, isShelfLeft: Bool = true
  ) throws -> SimulatedDisk {
    var disk = SimulatedDisk(seed: 12)
    for (round, model) in try models(isShelfLeft: isShelfLeft).enumerated() {
      let store = try JournaledStore(on: disk, at: Journals.path, model: model)
      var context = ManagedObjectContext(store, isolation: nil)
      func book(_ number: Int) throws -> ManagedObject {
        let books = try context.fetch(FetchRequest("Book"))
        return try #require(books.first { $0.objectID.number == UInt64(number) })
      }
      switch round {
      case 0:
        for number in 1...6 {
          let book = context.insert("Book")
          (book["a"], book["b"]) = (.string("a\(number)"), .string("b\(number)"))
          book["n"] = .integer(number)
          try context.save()
        }
        context.close()
        try store.compact(keeping: .latest)
        context = ManagedObjectContext(store, isolation: nil)
      case 1:
        let first = try book(1)
        (first["a"], first["n"]) = ("A1", .real(1.5))
        try context.save()
        try book(2)["c"] = "C2"
        try context.save()
        context.delete(try book(3))
        context.insert("Shelf")["a"] = "shelf"
        try context.save()
      default:
        (try book(1)["a"], try book(4)["a"]) = ("again", "A4")
        try context.save()
        context.delete(try book(5))
        context.insert("Desk")["a"] = "desk"
        try context.save()
      }
      context.close()
      if round == kept { try store.checkpoint() }
      disk = disk.imageAfterProcessDeath()
    }
    return disk
  }

  private static func repair(
    _ disk: SimulatedDisk, _ schema: String
  ) throws -> (ToolSupport.Run, StoreReader) {
    let run = Upkeep.run("repair --salvage -s Notes.xjournal -o New.xjournal", on: disk)
    try #require(run.status == .fine, "\(run)")
    let verified = Upkeep.run("verify --deep -s New.xjournal", on: disk)
    #expect(verified.status == .fine, "\(run) \(verified)")
    #expect(Upkeep.run("schema -s New.xjournal", on: disk).output == schema)
    return (run, try StoreReader(on: disk, at: "New.xjournal"))
  }

  /// What books have at a moment, by their numbers.
  private static func books(
    _ reader: StoreReader, at moment: Moment = .head
  ) throws -> [UInt64: [String: Value]] {
    var books: [UInt64: [String: Value]] = [:]
    let context = try reader.asOf(moment)
    for book in try context.fetch(FetchRequest("Book")) {
      books[book.objectID.number] = [:]
      for key in ["a", "b", "c", "d", "e", "n"] {
        if let value = book[key], !value.isNull { books[book.objectID.number]?[key] = value }
      }
    }
    context.close()
    return books
  }

  @Test(arguments: [0, 1, 2], [false, true])
  func `what a later model has not changed is known of the state, and nothing else`(
    kept: Int, isShelfLeft: Bool
  ) throws {
    let disk = try Self.journal(keptUnder: kept, isShelfLeft: isShelfLeft)
    let schema = Upkeep.run("schema -s Notes.xjournal", on: disk).output
    let folder = try disk.folder(at: "\(Journals.path)/snapshots")
    for name in try folder.names() where name.hasSuffix(".xr") { try folder.remove(name) }
    let (run, reader) = try Self.repair(disk, schema)
    let then = try Self.books(reader, at: .commit(CommitNumber(rawValue: 6)))
    // Where an entity goes, a value may have led to its objects.
    let expected: [UInt64: [String: Value]] = [
      1: ["a": "a1"], 2: [:], 3: ["a": "a3"], 4: isShelfLeft ? ["a": "a4"] : [:],
      5: isShelfLeft ? ["a": "a5"] : [:],
    ]
    #expect(then == expected, "\(run)")
    let now = try Self.books(reader)
    #expect(now == [1: ["a": "again", "n": .real(1.5)], 2: ["c": "C2"], 4: ["a": "A4"]], "\(run)")
    #expect(run.errors.contains("5 objects (Book/1 to Book/5), but for what commits"), "\(run)")
    let line = "query 'Desk where a = \"desk\"' --count -s New.xjournal"
    #expect(Upkeep.run(line, on: disk).output == "1\n")
  }

  @Test(arguments: [1, 2])
  func `models under which nothing was done are adopted too, before and behind a kept state`(
    kept: Int
  ) throws {
    var disk = SimulatedDisk(seed: 13)
    var models = try Self.models(isShelfLeft: false)
    // The last of them comes again with a desk, after one without.
    models.insert(try ManagedObjectModel(entities: [Self.book(Self.attribute("a"))]), at: 2)
    for (round, model) in models.enumerated() {
      let store = try JournaledStore(on: disk, at: Journals.path, model: model)
      let context = ManagedObjectContext(store, isolation: nil)
      if round == 0 || round == models.count - 1 {
        for number in 1...3 {
          context.insert(round == 0 ? "Book" : "Desk")["a"] = .string("a\(number)")
          try context.save()
          if kept == 1, round > 0, number == 2 { try store.checkpoint() }
        }
      }
      if kept == 2, round == 0 { try store.checkpoint() }
      context.close()
      disk = disk.imageAfterProcessDeath()
    }
    let schema = Upkeep.run("schema -s Notes.xjournal", on: disk).output
    let line = "query Desk --format csv -s "
    let desks = Upkeep.run("\(line)Notes.xjournal", on: disk).output
    let path = "\(Journals.path)/journal/0000000001.xj"
    var bytes = try #require(disk.contents(of: path))
    let walk = try SegmentWalk(of: bytes)
    bytes[Int(walk.offsets[1]) + 60] ^= 4
    try disk.setContents(path, bytes)
    let (run, _) = try Self.repair(disk, schema)
    #expect(Upkeep.run("\(line)New.xjournal", on: disk).output == desks, "\(run)")
  }

  @Test func `where a model is lost between, entities keep the numbers that the next one says`()
    throws
  {
    func entity(_ name: String) -> EntityDescription {
      EntityDescription(name, attributes: [Self.attribute("a")])
    }
    let entities = [["Note"], ["Note", "Zed"], ["Note", "Alpha", "Zed"]]
    var disk = SimulatedDisk(seed: 14)
    var walks: [Int] = []
    for (round, names) in entities.enumerated() {
      let model = try ManagedObjectModel(entities: names.map(entity))
      let store = try JournaledStore(on: disk, at: Journals.path, model: model)
      let context = ManagedObjectContext(store, isolation: nil)
      if round != 1 {
        for name in names { context.insert(name)["a"] = .string("I am \(name)") }
        try context.save()
      }
      context.close()
      try store.close()
      disk = disk.imageAfterProcessDeath()
      walks.append(
        try SegmentWalk(
          of: try #require(disk.contents(of: "\(Journals.path)/journal/0000000001.xj"))
        )
        .offsets.count)
    }
    // The frames that the second process has written, which have the model alone.
    for number in walks[0]..<walks[1] {
      let damaged = disk.imageAfterProcessDeath()
      let path = "\(Journals.path)/journal/0000000001.xj"
      var bytes = try #require(damaged.contents(of: path))
      bytes[Int(try SegmentWalk(of: bytes).offsets[number]) + Seal.byteCount + 9] ^= 4
      try damaged.setContents(path, bytes)
      let run = Upkeep.run("repair --salvage -s Notes.xjournal -o New.xjournal", on: damaged)
      try #require(run.status == .fine, "\(run)")
      for name in entities[2] {
        let found = Upkeep.run("get \(name)/1 a -s New.xjournal", on: damaged)
        #expect(found.output == "I am \(name)\n", "\(found) \(run)")
      }
      #expect(run.errors.contains("adopted as a model in frame \(number + 1)"), "\(run)")
    }
  }

  @Test(arguments: [0, 1, 2])
  func `of a damaged column what commits under later models say is known`(kept: Int) throws {
    let disk = try Self.journal(keptUnder: kept)
    let schema = Upkeep.run("schema -s Notes.xjournal", on: disk).output
    let original = try StoreReader(on: disk, at: Journals.path)
    let truth = try Self.books(original, at: .commit(CommitNumber(rawValue: 6)))
    let last = try Self.books(original)
    for path in disk.paths where path.hasSuffix(".xr") {
      var bytes = try #require(disk.contents(of: path))
      bytes[bytes.count / 2] ^= 0x20
      try disk.setContents(path, bytes)
    }
    let (run, reader) = try Self.repair(disk, schema)
    let books = try Self.books(reader, at: .commit(CommitNumber(rawValue: 6)))
    #expect(Set(books.keys) == [1, 2, 3, 4, 5, 6], "\(run)")
    for (number, book) in books {
      for (key, value) in book { #expect(truth[number]?[key] == value, "\(number) \(key)") }
      if [1, 3, 4, 5].contains(number) { #expect(book["a"] != nil, "\(number) \(run)") }
    }
    let now = try Self.books(reader)
    #expect(Set(now.keys) == [1, 2, 4, 6])
    for (number, book) in now {
      for (key, value) in book { #expect(last[number]?[key] == value, "\(number) \(key)") }
    }
    #expect(now[1]?["a"] == "again" && now[4]?["a"] == "A4" && now[2]?["c"] == "C2", "\(now)")
  }
}
