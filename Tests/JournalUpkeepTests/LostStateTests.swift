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

/// Of a journal whose past was dropped, what is sound is kept where the state is damaged that it begins with.
@Suite struct LostStateTests {
  /// What is damaged of the state.
  enum Damage: String, CaseIterable {
    case column, runHeader, runMissing, checkpoint, checkpointMissing, folderMissing

    /// Whether the names of entities and keys are lost.
    var takesNames: Bool {
      switch self {
      case .checkpoint, .checkpointMissing, .folderMissing: true
      default: false
      }
    }

    /// Whether no row can be read.
    var takesRows: Bool {
      switch self {
      case .runHeader, .runMissing, .folderMissing: true
      default: false
      }
    }
  }

  private static let checkpoints: [LongJournal.Checkpoint] = [.none, .late]

  private static func damage(_ disk: SimulatedDisk, _ damage: Damage) throws {
    switch damage {
    case .column: try flip(".xr", at: 0.5, on: disk)
    case .runHeader: try flip(".xr", at: 0, on: disk)
    case .runMissing: try remove(".xr", on: disk)
    case .checkpoint: try flip(".xc", at: 0.5, on: disk)
    case .checkpointMissing: try remove(".xc", on: disk)
    case .folderMissing:
      try disk.folder(at: Journals.path).rename("snapshots", to: "elsewhere")
    }
  }

  private static func flip(_ ending: String, at part: Double, on disk: SimulatedDisk) throws {
    for path in disk.paths where path.hasSuffix(ending) {
      var bytes = try #require(disk.contents(of: path))
      bytes[Int(Double(bytes.count) * part) + 20] ^= 0x20
      try disk.setContents(path, bytes)
    }
  }

  private static func remove(_ ending: String, on disk: SimulatedDisk) throws {
    let folder = try disk.folder(at: "\(Journals.path)/snapshots")
    for name in try folder.names() where name.hasSuffix(ending) { try folder.remove(name) }
  }

  @Test(arguments: Damage.allCases, checkpoints)
  func `without --salvage it is refused before anything is made, and what to do is said`(
    damage: Damage, checkpoint: LongJournal.Checkpoint
  ) throws {
    let disk = try LongJournal.make(checkpoint, compacted: true)
    try Self.damage(disk, damage)
    let paths = disk.paths
    let run = Upkeep.run("repair -o New.xjournal", on: disk)
    #expect(run.status == .damage && run.errors.contains("--salvage"), "\(run)")
    #expect(!run.errors.contains(".;") && !run.errors.contains("`xjournal repair`"), "\(run)")
    #expect(disk.paths == paths)
  }

  @Test(arguments: Damage.allCases, checkpoints)
  func `all commits are made again upon what is sound of the state, under their own numbers`(
    damage: Damage, checkpoint: LongJournal.Checkpoint
  ) throws {
    let disk = try LongJournal.make(checkpoint, compacted: true)
    let truth = try JournalTruth(on: disk)
    try Self.damage(disk, damage)
    let before = Upkeep.contents(of: Journals.path, on: disk)
    let run = Upkeep.run("repair --salvage -s Notes.xjournal -o New.xjournal --json", on: disk)
    try #require(run.status == .fine, "\(run)")
    #expect(Upkeep.contents(of: Journals.path, on: disk) == before)
    let verified = Upkeep.run("verify --deep -s New.xjournal", on: disk)
    #expect(verified.status == .fine, "\(verified)")
    let document = try #require(try JSONValue(parsing: Array(run.output.utf8)).object)
    #expect(document["renumbered"] == [] && document["lastCommit"] == 24, "\(run.output)")
    let lost = (document["lost"]?.array ?? []).compactMap(\.string)
    #expect(lost.contains { $0.contains("before commit 4") }, "\(lost)")
    #expect(!lost.contains { $0.hasPrefix("commit") }, "\(lost)")
    let tags = try StoreReader(on: disk, at: "New.xjournal").tags
    #expect(tags["middle"]?.rawValue == 12 && tags["end"]?.rawValue == 24, "\(tags)")
    guard damage.takesNames else {
      let kept = try JournalTruth(of: "New.xjournal", on: disk)
      #expect(kept.commits == truth.commits)
      for (state, whole) in zip(kept.states, truth.states) {
        // What a commit has changed is known before that, too.
        for number in 3...24 {
          #expect(state[UInt64(number)] == whole[UInt64(number)], "\(number)")
        }
        #expect(damage.takesRows == (state[1] == nil))
      }
      return
    }
    let all = "before commit 4: all objects that no commit from there on has changed"
    #expect(lost.contains(all) == (damage == .folderMissing), "\(lost)")
    let log = Upkeep.run("log -n 100 -s New.xjournal", on: disk).output
    for number in 4...24 { #expect(log.contains("  commit \(number)\n"), "\(number)") }
    let count = Upkeep.run("query entity0 --count -s New.xjournal", on: disk)
    #expect(count.output == "\(damage.takesRows ? 22 : 24)\n", "\(count)")
    // A name that the journal still tells is taken.
    let known = Upkeep.run("query 'entity0 where mood4 = 24' --count -s New.xjournal", on: disk)
    #expect(known.output == "1\n", "\(known)")
    let changed = "'entity0 where key0 = \"blog 23, changed\"' --count"
    #expect(Upkeep.run("query \(changed) -s New.xjournal", on: disk).output == "1\n")
  }

  @Test func `commits that are lost too are told, and the others are made again`() throws {
    for missing in ["0000000003.xj", "0000000002.xj"] {
      var count = 0
      for checkpoint in Self.checkpoints {
        let disk = try LongJournal.make(checkpoint, compacted: true)
        try Self.damage(disk, .runMissing)
        let folder = try disk.folder(at: "\(Journals.path)/journal")
        guard try folder.names().contains(missing) else { continue }
        count += 1
        try folder.remove(missing)
        let run = Upkeep.run("repair --salvage -s Notes.xjournal -o New.xjournal", on: disk)
        #expect(run.status == .fine && run.errors.contains("lost: commits "), "\(run)")
        #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
        #expect(Upkeep.run("log -s New.xjournal", on: disk).output.contains("  commit 24\n"))
      }
      #expect(count > 0)
    }
  }

  @Test func `where nothing can be read but the state, what is sound of that is kept`() throws {
    for damage in [Damage.column, .checkpoint] {
      let disk = try LongJournal.make(.late, compacted: true)
      try Self.damage(disk, damage)
      let folder = try disk.folder(at: "\(Journals.path)/journal")
      for name in try folder.names() { try folder.remove(name) }
      let run = Upkeep.run("repair --salvage -s Notes.xjournal -o New.xjournal", on: disk)
      #expect(run.status == .fine, "\(run)")
      #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
      let entity = damage == .column ? "Blog" : "entity0"
      let count = Upkeep.run("query \(entity) --count -s New.xjournal", on: disk)
      #expect(count.output == "20\n", "\(count)")
    }
    let disk = try LongJournal.make(.late, compacted: true)
    try Self.damage(disk, .folderMissing)
    let folder = try disk.folder(at: "\(Journals.path)/journal")
    for name in try folder.names() { try folder.remove(name) }
    let run = Upkeep.run("repair --salvage -s Notes.xjournal -o New.xjournal", on: disk)
    #expect(run.status == .damage && run.errors.contains("only a backup"), "\(run)")
    #expect(!disk.paths.contains { $0.hasPrefix("New") })
  }

  @Test(arguments: [false, true])
  func `what commits have changed is taken back, also where they tell only by how much`(
    isMissing: Bool
  ) throws {
    let disk = SimulatedDisk(seed: 4)
    let (store, note, first) = try Self.counted(on: disk)
    let values = { (path: String) in
      ["title", "text", "likes", "tags"].map {
        Upkeep.run("get Note/1 \($0) --at \(first) -s \(path)", on: disk).output
      }
    }
    let final = { (path: String) in
      ["title", "text", "likes", "tags"].map {
        Upkeep.run("get Note/1 \($0) -s \(path)", on: disk).output
      }
    }
    let (truth, last) = (values(Journals.path), final(Journals.path))
    #expect(truth[0].contains("first") && last[0].contains("last") && truth[1] != last[1])
    extendLifetime((store, note))
    if isMissing {
      try Self.remove(".xr", on: disk)
    } else {
      try Self.flip(".xr", at: 0.5, on: disk)
    }
    let run = Upkeep.run("repair --salvage -s Notes.xjournal -o New.xjournal", on: disk)
    try #require(run.status == .fine, "\(run)")
    #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
    if isMissing {
      #expect(run.errors.contains("lost: before commit \(first + 1): likes of Note/1"), "\(run)")
      #expect(run.errors.contains("1 object (Note/1)"), "\(run)")
      #expect(values("New.xjournal")[0].contains("first"))
    } else {
      #expect(run.errors.contains("noise of 40 objects from Note/1 to Note/40"), "\(run)")
      #expect(values("New.xjournal") == truth)
      #expect(final("New.xjournal") == last)
    }
  }

  /// - Parameter isLost: whether the commit that has deleted the object is lost as well.
  @Test(arguments: [false, true])
  func `what came back under its ID is before that what commits say it was`(isLost: Bool) throws {
    let disk = SimulatedDisk(seed: 5)
    let (store, note, first) = try Self.counted(on: disk) { (context, note, store) in
      note["title"] = "changed"
      try context.save()
      try store.beginSegment()
      context.delete(note)
      try context.save()
      try store.beginSegment()
      context.undo()
      (note["title"], note["likes"]) = ("came back", .counter(77))
      try context.save()
    }
    let path = Journals.path
    let values = { (path: String, number: UInt64) in
      ["title", "likes", "tags", "noise"].map {
        Upkeep.run("get Note/1 \($0) --at \(number) -s \(path)", on: disk).output
      }
    }
    let truth = (first...first + 3).map { values(path, $0) }
    #expect(truth[0][1] == "5\n" && truth[3][1] == "77\n" && truth[2][1].isEmpty, "\(truth)")
    extendLifetime((store, note))
    try Self.flip(".xr", at: 0.5, on: disk)
    if isLost {
      let names = try disk.folder(at: "\(path)/journal").names().sorted()
      try disk.folder(at: "\(path)/journal").remove(names[names.count - 2])
    }
    let run = Upkeep.run("repair --salvage -s Notes.xjournal -o New.xjournal", on: disk)
    try #require(run.status == .fine, "\(run)")
    let sound = Upkeep.run("verify --deep -s New.xjournal", on: disk)
    #expect(sound.status == .fine, "\(sound)")
    let found = (first...first + 3).map { values("New.xjournal", $0) }
    guard isLost else {
      #expect(found == truth, "\(run.errors)")
      return
    }
    #expect(run.errors.contains("lost: commit \(first + 2)"), "\(run.errors)")
    // The commits behind it have the numbers before theirs.
    #expect(found[2] == truth[3], "\(found)")
    // What nothing tells is not taken from what came back.
    let none = "none\n"
    #expect(found[0] == [truth[0][0], none, none, none] && found[1][0] == truth[1][0], "\(found)")
    #expect(run.errors.contains("(Note/1)"), "\(run.errors)")
  }

  /// A journal whose past was dropped up to a commit, in which a counter, a set and a long text have changed since, and
  /// whose state was kept again then. Most of that is noise, which has not changed.
  ///
  /// - Parameter change: what is done then, where it is something else.
  private static func counted(
    on disk: SimulatedDisk,
    _ change: (ManagedObjectContext, ManagedObject, JournaledStore) throws -> Void = changeOften
  ) throws -> (JournaledStore, ObjectID, first: UInt64) {
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Note",
        attributes: [
          AttributeDescription("title", .string), AttributeDescription("text", .string),
          AttributeDescription("likes", .counter, isOptional: false),
          AttributeDescription("tags", .set, isOptional: false),
          AttributeDescription("noise", .data),
        ])
    ])
    let store = try JournaledStore(on: disk, at: Journals.path, model: model)
    var context = ManagedObjectContext(store)
    let note = context.insert("Note")
    var dice = Dice(seed: 9)
    for number in 1...40 {
      let each = number == 1 ? note : context.insert("Note")
      each["noise"] = .data(
        Data((0..<400).map { _ in UInt8(dice.pick(256)) }))
    }
    note["title"] = "first"
    note["text"] = .string(String(repeating: "some words ", count: 200))
    note["likes"] = .counter(5)
    note["tags"] = .set(["a", "b"])
    try context.save()
    context.close()
    try store.compact(keeping: .latest)
    let first = store.lastCommit.rawValue
    context = ManagedObjectContext(store)
    let again = try context.existingObject(with: note.objectID)
    try change(context, again, store)
    context.close()
    try store.checkpoint()
    try store.close()
    return (store, note.objectID, first)
  }

  private static func changeOften(
    _ context: ManagedObjectContext, _ note: ManagedObject, _ store: JournaledStore
  ) throws {
    for number in 1...3 {
      note["likes"] = .counter(5 + 2 * number)
      note["tags"] = .set(["b", .string("\(number)")])
      let words = String(repeating: "some words ", count: 100)
      note["text"] = .string(words + "and \(number) " + words)
      if number == 3 { note["title"] = "last" }
      try context.save()
    }
  }
}
