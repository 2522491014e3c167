import DiskAccess
import DiskSimulation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing
import ToolSupport

/// An import loses no value and adds none: whatever was taken away, leads elsewhere, or has a key that no model has.
@Suite struct ImportedValueTests {
  private static let model: @Sendable () throws -> ManagedObjectModel = {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Note",
        attributes: [
          AttributeDescription("title", .string, defaultValue: "Untitled"),
          AttributeDescription("rank", .integer, defaultValue: 7),
          AttributeDescription("likes", .counter, isOptional: false),
          AttributeDescription("favourite", .reference), AttributeDescription("shelf", .set),
        ],
        relationships: [
          RelationshipDescription("next", to: "Note", inverse: "previous"),
          RelationshipDescription("previous", to: "Note", inverse: "next"),
        ])
    ])
  }

  /// A journal of one commit, with what a closure puts into it.
  private static func disk(
    _ fill: (ManagedObjectContext, SimulatedDisk) throws -> Void
  ) throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: 1)
    let store = try JournaledStore(on: disk, at: Journals.path, model: try model())
    let context = ManagedObjectContext(store, isolation: nil)
    try fill(context, disk)
    try context.save()
    context.close()
    try store.close()
    return disk
  }

  private static func export(_ path: String, _ disk: SimulatedDisk) -> String {
    Upkeep.run("export -s \(path)", on: disk).output
  }

  private static func imported(_ text: String, on disk: SimulatedDisk) -> ToolSupport.Run {
    Upkeep.run("import -s Notes.xjournal - -o New.xjournal", on: disk, input: text)
  }

  @Test func `a value that was taken away does not come back as the default`() throws {
    let disk = try Self.disk { context, _ in
      let note = context.insert("Note")
      note["title"] = .null
      note["rank"] = .null
      context.insert("Note")["title"] = .null
    }
    let exported = Self.export(Journals.path, disk)
    #expect(!exported.contains("Untitled"), "\(exported)")
    let run = Self.imported(exported, on: disk)
    #expect(run.status == .fine && run.errors.isEmpty, "\(run)")
    let again = Self.export("New.xjournal", disk)
    #expect(again.contains(#""values":{"likes":0}"#), "\(again)")
    #expect(again.contains(#""values":{"rank":7,"likes":0}"#), "\(again)")
  }

  @Test func `what leads to an object of another store is imported as it is`() throws {
    var far: ObjectID?
    let disk = try Self.disk { context, disk in
      let other = try JournaledStore(on: disk, at: "Other.xjournal", model: try Self.model())
      let there = ManagedObjectContext(other, isolation: nil)
      let object = there.insert("Note")
      try there.save()
      let (note, second) = (context.insert("Note"), context.insert("Note"))
      note["favourite"] = .reference(object.objectID)
      note["shelf"] = .set([
        .reference(object.objectID), .reference(second.objectID),
        ["at": .reference(object.objectID), "by": .reference(second.objectID)],
      ])
      second["favourite"] = .reference(note.objectID)
      far = object.objectID
      there.close()
      try other.close()
    }
    let uri = try #require(far).uri
    let run = Self.imported(Self.export(Journals.path, disk), on: disk)
    #expect(run.status == .fine && run.errors.isEmpty, "\(run)")
    let again = Self.export("New.xjournal", disk)
    #expect(again.split(separator: uri).count == 4, "\(again)")
    // What leads to one of the objects themselves has its new number.
    let store = try StoreReader(on: disk, at: "New.xjournal")
    let past = try store.asOf(.commit(1))
    let notes = try past.fetch(FetchRequest("Note"))
    let first = try #require(notes.first { $0["shelf"] != nil })
    let second = try #require(notes.first { $0["shelf"] == nil })
    #expect(second["favourite"] == .reference(first.objectID))
    #expect(first["shelf"]?.set?.contains(.reference(second.objectID)) == true)
    extendLifetime(past)
  }

  @Test func `what is left out is told, and is in the document where JSON was asked for`() throws {
    let disk = try Journals.sound()
    // A post without its blog.
    let posts = Upkeep.run("export --entity Post -s Notes.xjournal", on: disk).output
    let line = "import -s Notes.xjournal - -o"
    let told = Upkeep.run("\(line) New.xjournal", on: disk, input: posts)
    #expect(told.status == .fine && told.errors.contains("left out: 1 reference"), "\(told)")
    let run = Upkeep.run("\(line) Newer.xjournal --json", on: disk, input: posts)
    #expect(run.status == .fine && run.errors.isEmpty, "\(run)")
    let document = try JSONValue(parsing: Array(run.output.utf8)).object
    #expect(document?["leftOutCount"] == 1, "\(run)")
    let reference = document?["leftOut"]?.array?.first?.object
    #expect(reference?["line"] == 1 && reference?["key"] == "blog", "\(run)")
    #expect(reference?["uri"]?.string?.hasPrefix("xjournal://") == true, "\(run)")
  }

  @Test func `a relationship that leads to another store is left out`() throws {
    let disk = try Self.disk { context, _ in context.insert("Note") }
    let text = Self.export(Journals.path, disk).replacing(
      #""values":{"#, with: #""values":{"next":"xjournal://0000000000000001/0/0/1","#)
    let run = Self.imported(text, on: disk)
    #expect(run.status == .fine && run.errors.contains("left out: 1 reference"), "\(run)")
  }

  @Test func `dynamic attributes of entities that do not allow any key come back`() throws {
    let disk = try Self.disk { context, _ in
      let note = context.insert("Note")
      note["mood"] = "sunny"
      note["deep"] = ["a": [1, 0.5, true]]
    }
    let run = Self.imported(Self.export(Journals.path, disk), on: disk)
    #expect(run.status == .fine && run.errors.isEmpty, "\(run)")
    for key in ["mood", "deep"] {
      let there = Upkeep.run("get Note/1 \(key) -s New.xjournal", on: disk)
      #expect(there.status == .fine, "\(there)")
      #expect(there.output == Upkeep.run("get Note/1 \(key) -s Notes.xjournal", on: disk).output)
    }
    #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
  }
}
