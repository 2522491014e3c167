import DiskAccess
import DiskSimulation
import Foundation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing
import ToolSupport

/// A journal of long values that are changed in places, of which edits, undo and commits tell no more than the places, and
/// of whatever else is seldom in one: each of it is shown.
@Suite struct SplicedJournalTests {
  /// A long text with words between its parts.
  private static func text(_ one: String = "", _ two: String = "") -> String {
    func part(_ numbers: Range<Int>) -> String {
      numbers.map { "Night \($0) was dark and stormy. " }.joined()
    }
    return part(0..<40) + one + part(40..<80) + two + part(80..<120)
  }

  private static func make() throws -> SimulatedDisk {
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Page", allowsAnyKey: true,
        attributes: [
          AttributeDescription("text", .string, validation: [.minLength(1), .matches(".*")]),
          AttributeDescription(
            "rank", .integer, defaultValue: 3, validation: [.minimum(-5), .maximum(5_000)]),
          AttributeDescription("color", .transformed(by: "Color")),
          AttributeDescription("large", .decimal),
          AttributeDescription("open", .boolean, isTransient: true),
        ],
        relationships: [
          RelationshipDescription(
            "links", to: "Page", isToMany: true, minCount: 0, maxCount: 9, deleteRule: .deny)
        ])
    ])
    let disk = SimulatedDisk(seed: 5)
    disk.setWallClock(1_795_168_800_000_000_000)
    let store = try JournaledStore(on: disk, at: Journals.path, model: model)
    let context = ManagedObjectContext(store, isolation: nil)
    context.name = "typing"
    let page = context.insert("Page")
    page["text"] = .string(text())
    page["list"] = .array((0..<200).map { .integer($0) })
    page["large"] = .decimal(try #require(Decimal(string: "-98765432109876543210987654321")))
    page["off"] = false
    page["none"] = .array([true, .integer(-70_000), .real(0.5)])
    try context.save(author: "ann", message: "long")
    page["text"] = .string(text("one"))
    context.processPendingChanges()
    // Several places at once.
    page["text"] = .string("A" + text("one", "two") + "Z")
    page["list"] = .array([-1] + (0..<200).map { .integer($0) } + [7, 8])
    context.processPendingChanges()
    context.undo()
    context.undo()
    context.redo()
    context.redo()
    try context.save(author: "bob")
    page["text"] = .string(text("other"))
    context.processPendingChanges()
    return disk.imageAfterProcessDeath()
  }

  @Test func `of every command that tells of edits each tells the places that have changed`() throws
  {
    let disk = try Self.make()
    let events = Upkeep.run("events -n 1000", on: disk)
    #expect(events.status == .fine && events.errors.isEmpty, "\(events.errors)")
    #expect(events.output.contains("\"one\""), "\(events.output)")
    // No line has all of a long text but those of the value it began with.
    let lines = events.output.split(separator: "\n").filter { $0.contains("Page/1") }
    #expect(lines.filter { $0.utf8.count > 1_000 }.count <= 1, "\(lines.map(\.utf8.count))")
    let json = Upkeep.run("events -n 1000 --json", on: disk)
    #expect(json.status == .fine && json.output.contains("\"splices\":{"), "\(json)")
    for line in ["replay", "replay --json", "events --json -n 1000"] {
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
      #expect(run.status == .fine && run.output.contains("\"one\""), "\(run)")
    }
    #expect(Upkeep.run("replay --check", on: disk).status == .fine)
    #expect(Upkeep.run("verify --deep", on: disk).status == .fine)
  }

  @Test func `every byte of it is in a field of a dump, which says what it is`() throws {
    let disk = try Self.make()
    var names: Set<String> = []
    var texts: Set<String> = []
    let run = Upkeep.run("dump --hex --json", on: disk)
    #expect(run.status == .fine, "\(run.errors)")
    for line in run.output.split(separator: "\n") {
      let document = try #require(try JSONValue(parsing: Array(line.utf8)).object)
      for entry in document["content"]?.array ?? [] {
        for field in entry.object?["fields"]?.array ?? [] {
          let name = try #require(field.object?["name"]?.string)
          #expect(name != "rest", "\(line)")
          names.insert(name)
          if let text = field.object?["value"]?.string { texts.insert(text) }
        }
      }
    }
    for name in [
      "kept prefix", "kept suffix", "old middle", "new middle",
      "pattern", "bound", "length", "transformer", "largest count",
    ] {
      #expect(names.contains(name), "\(name): \(names.sorted())")
    }
    for text in ["no", "yes", "real 0.5", "integer -70000"] {
      #expect(texts.contains(text), "\(text)")
    }
    #expect(texts.contains { $0.hasPrefix("decimal -(") && $0.contains("× 2⁶⁴") }, "\(texts)")
  }
}
