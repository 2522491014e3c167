import DiskAccess
import DiskSimulation
import Foundation
import JournalInspection
import Journaling
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing
import ToolSupport

/// What stands behind damage and needs something from before it: values in pieces, models and names.
@Suite struct LostBeginningTests {
  private static let path = "\(Journals.path)/journal/0000000001.xj"

  private static func damage(frames places: some Sequence<Int>, on disk: SimulatedDisk) throws {
    var bytes = try #require(disk.contents(of: path))
    let offsets = try SegmentWalk(of: bytes).offsets
    for place in places { bytes[Int(offsets[place]) + Seal.byteCount + 9] ^= 4 }
    try disk.setContents(path, bytes)
  }

  private static func frames(on disk: SimulatedDisk) throws -> [[UInt8]?] {
    try SegmentWalk(of: try #require(disk.contents(of: path))).payloads
  }

  private static func places(ofCommitsIn frames: [[UInt8]?]) -> [Int] {
    frames.indices.filter { place in
      (frames[place]?.withUnsafeBytes { Batch($0)?.commitCount ?? 0 } ?? 0) > 0
    }
  }

  private static func salvage(
    _ disk: SimulatedDisk
  ) throws -> (run: ToolSupport.Run, reader: StoreReader) {
    let run = Upkeep.run("repair --salvage -s Notes.xjournal -o New.xjournal", on: disk)
    try #require(run.status == .fine, "\(run)")
    let verified = Upkeep.run("verify --deep -s New.xjournal", on: disk)
    #expect(verified.status == .fine, "\(run) \(verified)")
    return (run, try StoreReader(on: disk, at: "New.xjournal"))
  }

  @Test func `large values are put together from pieces that stand behind the damage`() throws {
    let disk = SimulatedDisk(seed: 41)
    // Pieces are small, and all of them in one segment.
    var options = StoreOptions()
    options.journal = .small
    options.journal.segmentByteCount = 64 << 20
    let model = try ManagedObjectModel(entities: [EntityDescription("Note", allowsAnyKey: true)])
    let store = try JournaledStore(on: disk, at: Journals.path, model: model, options: options)
    let context = ManagedObjectContext(store, isolation: nil)
    var dice = Dice(seed: 41)
    var pictures: [Value] = []
    for number in 1...4 {
      let note = context.insert("Note")
      note["name"] = .string("note \(number)")
      if number > 1 {
        let picture = Value.data(Data((0..<200_000).map { _ in UInt8(dice.pick(256)) }))
        note["picture"] = picture
        pictures.append(picture)
      }
      try context.save(message: "commit \(number)")
    }
    let image = disk.imageAfterProcessDeath()
    let frames = try Self.frames(on: image)
    let commits = Self.places(ofCommitsIn: frames)
    try #require(commits.count == 4, "\(commits) of \(frames.count)")
    let isPiece = frames.indices.map { place in
      frames[place]?.withUnsafeBytes { Batch($0) == nil } ?? true
    }
    // The frame of a commit, a piece, and both the first and a piece of the second with a value.
    let piece = try #require(isPiece.indices.first { isPiece[$0] && $0 > commits[0] })
    for damaged in [[commits[0]], [piece], [commits[1]], [0, piece + 1]] {
      let disk = image.imageAfterProcessDeath()
      try Self.damage(frames: damaged, on: disk)
      let (run, reader) = try Self.salvage(disk)
      let context = try reader.asOf(.head)
      let names = try context.fetch(FetchRequest(damaged[0] == 0 ? "entity0" : "Note"))
      let values = names.flatMap { $0.committedValues().values }
      let found = Set(values.filter { if case .data = $0 { true } else { false } })
      let expected = damaged == [commits[0]] ? pictures[...] : pictures[1...]
      #expect(found == Set(expected), "\(damaged): \(run)")
      context.close()
    }
  }

  @Test(arguments: [false, true])
  func `without the frame that has the model numbers stand for names`(isCommitLost: Bool) throws {
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Blog", attributes: [AttributeDescription("name", .string)])
    ])
    var disk = SimulatedDisk(seed: 43)
    // The model alone, as of a program that only opens.
    try JournaledStore(on: disk, at: Journals.path, model: model).close()
    let store = try JournaledStore(on: disk, at: Journals.path, model: model)
    let context = ManagedObjectContext(store, isolation: nil)
    for number in 1...5 {
      context.insert("Blog")["name"] = .string("blog \(number)")
      try context.save(message: "commit \(number)")
    }
    disk = disk.imageAfterProcessDeath()
    let commits = Self.places(ofCommitsIn: try Self.frames(on: disk))
    try #require(commits[0] > 0)
    try Self.damage(frames: 0..<(isCommitLost ? commits[2] : commits[0]), on: disk)
    let (run, reader) = try Self.salvage(disk)
    let first = isCommitLost ? 3 : 1
    #expect(reader.lastCommit.rawValue == 5, "\(run)")
    #expect(run.errors.contains("the model, and the names that were given before commit \(first)"))
    #expect(run.errors.contains("commits 1 to 2") == isCommitLost, "\(run)")
    let kept = try reader.commits(since: reader.firstKeptCommit.previous)
    #expect(kept.map(\.message) == (first...5).map { "commit \($0)" })
    let past = try reader.asOf(.head)
    let names = try past.fetch(FetchRequest("entity0")).map { blog in
      Array(blog.committedValues().values)
    }
    #expect(names == (first...5).map { [.string("blog \($0)")] }, "\(run)")
    past.close()
    let plain = Upkeep.run("repair -s Notes.xjournal -o Plain.xjournal", on: disk)
    #expect(plain.status == .fine && plain.errors.contains("--salvage takes over"), "\(plain)")
  }

  @Test func `what stands for a lost name is called like nothing else`() throws {
    let known = EntityDescription("entity1", attributes: [AttributeDescription("key1", .string)])
    let lost = ["Other", "Third"].map {
      EntityDescription($0, attributes: [AttributeDescription("x", .string)])
    }
    var disk = SimulatedDisk(seed: 44)
    var places: [Int] = []
    for entities in [[known], [known] + lost] {
      // The model alone, as of a program that only opens.
      let model = try ManagedObjectModel(entities: entities)
      try JournaledStore(on: disk, at: Journals.path, model: model).close()
      disk = disk.imageAfterProcessDeath()
      places.append(try Self.frames(on: disk).count)
      let store = try JournaledStore(on: disk, at: Journals.path, model: model)
      let context = ManagedObjectContext(store, isolation: nil)
      context.insert("entity1")["key1"] = "known"
      for entity in entities.dropFirst() { context.insert(entity.name)["x"] = "lost" }
      try context.save()
      context.close()
      try store.close()
      disk = disk.imageAfterProcessDeath()
      places.append(try Self.frames(on: disk).count)
    }
    try Self.damage(frames: places[1]..<places[2], on: disk)
    let (run, _) = try Self.salvage(disk)
    #expect(run.errors.contains("‘entity1_’") && run.errors.contains("‘key1_’"), "\(run)")
    for entity in ["entity1_", "entity2"] {
      let line = "query '\(entity) where key1_ = \"lost\"' --count -s New.xjournal"
      #expect(Upkeep.run(line, on: disk).output == "1\n", "\(run)")
    }
    let count = "query 'entity1 where key1 = \"known\"' --count -s New.xjournal"
    #expect(Upkeep.run(count, on: disk).output == "2\n", "\(run)")
  }

  @Test func `where manifest and beginning are lost, what comes first may be in pieces`() throws {
    let disk = try LongJournal.inPieces()
    let folder = try disk.folder(at: Journals.path)
    try folder.remove("MANIFEST")
    try folder.folder("journal").remove("0000000001.xj")
    let plain = Upkeep.run("repair -s Notes.xjournal -o New.xjournal", on: disk)
    #expect(plain.status == .damage, "\(plain)")
    #expect(plain.errors.contains("--salvage makes its commits again"), "\(plain)")
    let (run, reader) = try Self.salvage(disk)
    #expect(reader.lastCommit.rawValue == 3, "\(run)")
  }

  @Test func `of a draft that began in a lost segment nothing is made, and the kept state goes on`()
    throws
  {
    let disk = try LongJournal.inPieces(isKept: true)
    #expect(try StoreReader(on: disk, at: Journals.path).unsavedWork().count == 1)
    try disk.folder(at: "\(Journals.path)/journal").remove("0000000001.xj")
    let run = Upkeep.run("repair -s Notes.xjournal -o New.xjournal", on: disk)
    #expect(run.status == .fine, "\(run)")
    #expect(run.errors.contains("lost: what was not saved"), "\(run)")
    #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine, "\(run)")
    let reader = try StoreReader(on: disk, at: "New.xjournal")
    #expect(reader.lastCommit.rawValue == 3 && reader.firstKeptCommit.rawValue == 2, "\(run)")
    #expect(try reader.unsavedWork().isEmpty)
    #expect(try reader.asOf(.head).count(FetchRequest("Blog")) == 3)
  }

  @Test func `an entity that a lost model renamed keeps its objects`() throws {
    var disk = SimulatedDisk(seed: 42)
    var places: [Int] = []
    for (round, (name, former)) in [("Book", nil), ("Tome", "Book"), ("Volume", "Tome")]
      .enumerated()
    {
      let entity = EntityDescription(
        name, attributes: [AttributeDescription("a", .string)], renamingIdentifier: former)
      let store = try JournaledStore(
        on: disk, at: Journals.path, model: ManagedObjectModel(entities: [entity]))
      let context = ManagedObjectContext(store, isolation: nil)
      if round != 1 {
        context.insert(name)["a"] = .string("a \(round)")
        try context.save()
      }
      context.close()
      try store.close()
      disk = disk.imageAfterProcessDeath()
      places.append(try Self.frames(on: disk).count)
    }
    let schema = Upkeep.run("schema -s Notes.xjournal", on: disk).output
    for place in places[0]..<places[1] {
      let damaged = disk.imageAfterProcessDeath()
      try Self.damage(frames: [place], on: damaged)
      let (run, reader) = try Self.salvage(damaged)
      let context = try reader.asOf(.head)
      let values = try context.fetch(FetchRequest("Volume")).map { $0["a"] }
      #expect(values == ["a 0", "a 2"], "\(run)")
      context.close()
      #expect(Upkeep.run("schema -s New.xjournal", on: damaged).output == schema)
    }
  }

  @Test func `an entity that only a lost model names keeps its objects, under a number`() throws {
    var disk = SimulatedDisk(seed: 43)
    var places: [Int] = []
    let book = EntityDescription("Book", attributes: [AttributeDescription("a", .string)])
    let shelf = EntityDescription("Shelf", attributes: [AttributeDescription("b", .string)])
    for entities in [[book], [book, shelf]] {
      let store = try JournaledStore(
        on: disk, at: Journals.path, model: ManagedObjectModel(entities: entities))
      let context = ManagedObjectContext(store, isolation: nil)
      for entity in entities {
        let key = entity.attributes[0].name
        context.insert(entity.name)[key] = .string("\(key) \(entities.count)")
        try context.save(message: entity.name)
      }
      context.close()
      try store.close()
      disk = disk.imageAfterProcessDeath()
      places.append(try Self.frames(on: disk).count)
    }
    let commits = Self.places(ofCommitsIn: try Self.frames(on: disk)).filter { $0 >= places[0] }
    for place in places[0]..<places[1] where !commits.contains(place) {
      let damaged = disk.imageAfterProcessDeath()
      try Self.damage(frames: [place], on: damaged)
      let (run, reader) = try Self.salvage(damaged)
      let context = try reader.asOf(.head)
      let name = reader.model?.descriptions.map(\.name).first { $0 != "Book" } ?? "Book"
      #expect(try context.fetch(FetchRequest("Book")).map { $0["a"] } == ["a 1", "a 2"], "\(run)")
      let shelves = try context.fetch(FetchRequest(name)).map { Array($0.committedValues().values) }
      #expect(shelves == [[.string("b 2")]], "\(run)")
      if name != "Shelf" {
        #expect(run.errors.contains("objects are those of ‘\(name)’"), "\(run)")
      }
      context.close()
    }
  }

  @Test
  func `frames that were durable and are cut off keep a writer away, though the edits are cut`()
    throws
  {
    let disk = try LongJournal.make(.none)
    let last = "\(Journals.path)/journal/0000000005.xj"
    let bytes = try #require(disk.contents(of: last) ?? nil)
    let edits = "\(Journals.path)/edits"
    try disk.setContents(edits, Array(try #require(disk.contents(of: edits)).prefix(4096)))
    try disk.setContents(last, Array(bytes.prefix(SegmentHeader.byteCount)))
    let before = Upkeep.contents(of: Journals.path, on: disk)
    let run = Upkeep.run("tag late -s Notes.xjournal", on: disk)
    #expect(run.status == .damage, "\(run)")
    let after = Upkeep.contents(of: Journals.path, on: disk)
    let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
    #expect(changed == ["\(Journals.path)/LOCK"])
  }
}
