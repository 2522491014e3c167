import DiskAccess
import DiskSimulation
import Foundation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import TestSupport
import Testing
import ToolSupport

/// What the rows of a damaged state say is believed over what commits say that came later, and the other way round.
@Suite struct SalvagedRowTests {
  /// A journal of notes whose past was dropped, and its last commit. Most of its rows is noise.
  struct Notes {
    let disk = SimulatedDisk(seed: 4)
    let store: JournaledStore
    let kept: UInt64
    private let first: ObjectID
    /// The segments of the commits that came then.
    private(set) var segments: [String] = []

    init(noise: Int = 400) throws {
      store = try JournaledStore(on: disk, at: Journals.path, model: Self.model())
      let context = ManagedObjectContext(store)
      let folder = context.insert("Folder")
      folder["name"] = "all"
      var dice = Dice(seed: 9)
      let notes = (1...6).map { number in
        let note = context.insert("Note")
        note["title"] = .string("A")
        note["likes"] = .counter(10)
        note["noise"] = .data(Data((0..<noise).map { _ in UInt8(dice.pick(256)) }))
        return note
      }
      folder["notes"] = .array(notes.map { .reference($0.objectID) })
      for note in notes { note["folder"] = .reference(folder.objectID) }
      try context.save()
      context.close()
      try store.compact(keeping: .latest)
      (first, kept) = (notes[0].objectID, store.lastCommit.rawValue)
    }

    static func model(_ others: [EntityDescription] = []) throws -> ManagedObjectModel {
      try ManagedObjectModel(
        entities: [
          EntityDescription(
            "Note",
            attributes: [
              AttributeDescription("title", .string),
              AttributeDescription("likes", .counter, isOptional: false),
              AttributeDescription("noise", .data),
            ],
            relationships: [RelationshipDescription("folder", to: "Folder", inverse: "notes")]),
          EntityDescription(
            "Folder", attributes: [AttributeDescription("name", .string)],
            relationships: [
              RelationshipDescription(
                "notes", to: "Note", inverse: "folder", isToMany: true, isOrdered: true)
            ]),
        ] + others)
    }

    /// Saves what a closure does with the first note, in a segment of its own.
    mutating func save(_ body: (ManagedObjectContext, ManagedObject) -> Void) throws {
      try store.beginSegment()
      let names = try disk.folder(at: "\(Journals.path)/journal").names()
      segments.append(try #require(names.max()))
      let context = ManagedObjectContext(store)
      body(context, try context.existingObject(with: first))
      try context.save()
      context.close()
    }

    /// The journal as it is after the end of the process: files with endings are damaged, and some of the commits gone.
    func damaged(_ endings: [String] = [], without lost: [Int] = []) throws -> SimulatedDisk {
      let image = disk.imageAfterProcessDeath()
      for ending in endings { try SalvagedRowTests.flip(ending, on: image) }
      let folder = try image.folder(at: "\(Journals.path)/journal")
      for place in lost { try folder.remove(segments[place]) }
      return image
    }
  }

  private static func flip(_ ending: String, on disk: SimulatedDisk) throws {
    for path in disk.paths where path.hasSuffix(ending) {
      var bytes = try #require(disk.contents(of: path))
      bytes[bytes.count / 2] ^= 0x20
      try disk.setContents(path, bytes)
    }
  }

  private static let effects = "what lost commits behind it did is there already"

  private static func repair(_ disk: SimulatedDisk) throws -> ToolSupport.Run {
    let run = Upkeep.run("repair --salvage -s Notes.xjournal -o New.xjournal", on: disk)
    try #require(run.status == .fine, "\(run)")
    let verified = Upkeep.run("verify --deep -s New.xjournal", on: disk)
    #expect(verified.status == .fine, "\(verified)")
    return run
  }

  private static func get(_ words: String, on disk: SimulatedDisk) -> String {
    Upkeep.run("get Note/1 \(words) -s New.xjournal", on: disk).output
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// How far apart the bytes are that are flipped.
  private static var distance: Int {
    #if DEBUG
      53
    #else
      13
    #endif
  }

  @Test func `whatever is flipped of a run, its rows are as they were, or are told to be lost`()
    throws
  {
    var notes = try Notes(noise: 8)
    try notes.save { $1["likes"] = .counter(11) }
    let path = try #require(notes.disk.paths.first { $0.hasSuffix(".xr") })
    let length = try #require(notes.disk.contents(of: path)).count
    var toldCount = 0
    for place in stride(from: 80, to: length, by: Self.distance) {
      let disk = try notes.damaged()
      var bytes = try #require(disk.contents(of: path))
      bytes[place] ^= 0x10
      try disk.setContents(path, bytes)
      let run = Upkeep.run("repair --salvage -s Notes.xjournal -o New.xjournal", on: disk)
      guard run.status == .fine else { continue }
      let told = run.errors.split(separator: "\n")
      #expect(Set(told).count == told.count, "\(place): \(run.errors)")
      if run.errors.contains("which commits changed 6 objects") { toldCount += 1 }
      let isLost = ["likes of", "6 objects from", "what the file"].contains {
        run.errors.contains("before commit \(notes.kept + 1): \($0)")
      }
      if isLost { continue }
      #expect(Self.get("likes --at \(notes.kept)", on: disk) == "10", "\(place): \(run.errors)")
      #expect(Self.get("likes", on: disk) == "11", "\(place): \(run.errors)")
    }
    #expect(toldCount > 0)
  }

  @Test func `a row that is known is not taken back to what a lost commit has made of it`() throws {
    var notes = try Notes()
    for title in ["B", "C"] { try notes.save { $1["title"] = .string(title) } }
    try notes.save { _, _ in }
    let disk = try notes.damaged([".xr"], without: [0])
    let run = try Self.repair(disk)
    #expect(run.errors.contains("noise of 6 objects"), "\(run)")
    #expect(run.errors.contains("lost: commit \(notes.kept + 1)\n"), "\(run)")
    #expect(!run.errors.contains(Self.effects), "\(run)")
    #expect(Self.get("title --at \(notes.kept)", on: disk) == "A", "\(run)")
    #expect(Self.get("title", on: disk) == "C", "\(run)")
    // Of what is not in the row there is no more than that.
    let other = try notes.damaged(without: [0])
    for path in other.paths where path.hasSuffix(".xr") {
      try other.folder(at: "\(Journals.path)/snapshots")
        .remove(try #require(path.split(separator: "/").last.map(String.init)))
    }
    let told = try Self.repair(other)
    #expect(told.errors.contains(Self.effects), "\(told)")
    #expect(Self.get("title --at \(notes.kept)", on: other) == "B", "\(told)")
  }

  @Test func `a row that is known stays where its object was deleted and brought back`() throws {
    var notes = try Notes()
    try notes.save { $0.delete($1) }
    try notes.store.beginSegment()
    let disk = try notes.damaged()
    let restored = Upkeep.run("restore \(notes.kept)", on: disk)
    #expect(restored.status == .fine, "\(restored)")
    try Self.flip(".xr", on: disk)
    try disk.folder(at: "\(Journals.path)/journal").remove(notes.segments[0])
    let repaired = try Self.repair(disk)
    #expect(Self.get("title --at \(notes.kept)", on: disk) == "A", "\(repaired)")
    #expect(Self.get("title", on: disk) == "A", "\(repaired)")
  }

  @Test func `a run that another was put in the place of is lost`() throws {
    let notes = try Notes()
    let (one, other) = (
      notes.disk.imageAfterProcessDeath(), notes.disk.imageAfterProcessDeath()
    )
    for (disk, title) in [(one, "B"), (other, "C")] {
      let store = try JournaledStore(on: disk, at: Journals.path, model: nil)
      let context = ManagedObjectContext(store)
      for note in try context.fetch(FetchRequest("Note")) { note["title"] = .string(title) }
      try context.save()
      context.close()
      try store.compact(keeping: .latest)
      let later = ManagedObjectContext(store)
      later.insert("Note")["title"] = "D"
      try later.save()
      later.close()
      try store.close()
    }
    let path = try #require(one.paths.first { $0.hasSuffix(".xr") })
    try one.setContents(path, try #require(other.contents(of: path)))
    let run = try Self.repair(one)
    let name = path.split(separator: "/").last ?? ""
    #expect(run.errors.contains("what the file \(name) had"), "\(run)")
    let found = Upkeep.run("query 'Note where title = \"C\"' --count -s New.xjournal", on: one)
    #expect(found.output == "0\n", "\(found) \(run)")
  }

  @Test(arguments: [false, true])
  func `what lost commits at the end did is told to be in the state`(isNameless: Bool) throws {
    var notes = try Notes()
    try notes.save { $1["likes"] = .counter(11) }
    try notes.save { $1["title"] = "B" }
    try notes.store.checkpoint()
    let disk = try notes.damaged(isNameless ? [".xr", ".xc"] : [".xr"], without: [1])
    let run = try Self.repair(disk)
    #expect(run.errors.contains(Self.effects), "\(run)")
    #expect(run.errors.contains("lost: commit \(notes.kept + 2)\n"), "\(run)")
  }

  @Test func `without a checkpoint the row counts that was changed last, whichever run has it`()
    throws
  {
    var notes = try Notes(noise: 8)
    var second: ObjectID?
    try notes.save { context, note in
      note["title"] = "B"
      let other = context.insert("Note")
      other["title"] = "B"
      second = other.objectID
    }
    let disk = notes.disk.imageAfterProcessDeath()
    let model = try Notes.model([EntityDescription("Other")])
    let store = try JournaledStore(on: disk, at: Journals.path, model: model)
    let context = ManagedObjectContext(store)
    try context.existingObject(with: ObjectID(number: 1, like: #require(second)))["title"] = "C"
    context.delete(try context.existingObject(with: try #require(second)))
    try context.save()
    context.close()
    try store.checkpoint()
    try store.close()
    try Self.flip(".xc", on: disk)
    let folder = try disk.folder(at: "\(Journals.path)/journal")
    for name in try folder.names() { try folder.remove(name) }
    let run = try Self.repair(disk)
    for (words, count) in [("", 6), (" where key0 = \"C\"", 1), (" where key0 = \"B\"", 0)] {
      let found = Upkeep.run("query 'entity0\(words)' --count -s New.xjournal", on: disk)
      #expect(found.output == "\(count)\n", "\(words): \(found) \(run)")
    }
  }

  @Test func `an entity without a name does not take that of another`() throws {
    let disk = SimulatedDisk(seed: 5)
    let old = EntityDescription("Old", attributes: [AttributeDescription("name", .string)])
    let note = EntityDescription("Note", attributes: [AttributeDescription("name", .string)])
    let first = try JournaledStore(
      on: disk, at: Journals.path, model: try ManagedObjectModel(entities: [old, note]))
    var context = ManagedObjectContext(first)
    for name in ["Old", "Note"] { context.insert(name)["name"] = .string(name) }
    try context.save()
    context.close()
    try first.compact(keeping: .latest)
    try first.close()
    let called = EntityDescription("entity0", attributes: [AttributeDescription("name", .string)])
    let store = try JournaledStore(
      on: disk, at: Journals.path, model: try ManagedObjectModel(entities: [note, called]))
    context = ManagedObjectContext(store)
    context.insert("entity0")["name"] = "its own"
    try context.save()
    context.close()
    try store.close()
    try Self.flip(".xc", on: disk)
    let run = try Self.repair(disk)
    let words = "'entity0 where key0 = \"its own\"' --count"
    let found = Upkeep.run("query \(words) -s New.xjournal", on: disk)
    #expect(found.output == "1\n", "\(found) \(run)")
  }
}

extension ObjectID {
  fileprivate init(number: UInt64, like other: ObjectID) {
    self.init(origin: other.origin, entity: other.entity, number: number, store: other.store)
  }
}
