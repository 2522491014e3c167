import DiskSimulation
import Foundation
import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// The section of docs/format.md on checkpoints against the code, both ways.
struct CheckpointFormatDocumentTests {
  private let page: FormatDocument
  private let block: AnnotatedBytes
  private static let file = "Notes.xjournal/snapshots/0000000002.xc"

  init() throws {
    page = try FormatDocument.ofThisRepository()
    block = try #require(page.blocks["checkpoint"])
  }

  private static func open(_ disk: SimulatedDisk) throws -> JournaledStore {
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Note", attributes: [AttributeDescription("title", .string)])
    ])
    return try JournaledStore(on: disk, at: "Notes.xjournal", model: model, options: .small)
  }

  /// The store that the page takes its example from: a note, a tag, an open context, and a checkpoint.
  private static func disk() throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: 12)
    let store = try open(disk)
    let context = try store.beginContext(name: "ed", on: .none)
    let note = try store.newObject(of: EntityNumber(rawValue: 0))
    let title = try store.key(named: "title")
    try store.record(.inserted(note), by: context)
    try store.record(.set(note, title, "Zoë"), by: context)
    _ = try store.commit(
      CommitRequest([.init(note, base: .none, nil, to: Row([title: "Zoë"]))]), by: context)
    try store.tag("v1")
    try store.record(.set(note, title, "Zoe"), by: context)
    try store.checkpoint()
    withExtendedLifetime(store) {}
    return disk.imageAfterProcessDeath()
  }

  @Test func `the checkpoint is written as the page states`() throws {
    #expect(block.contradictions == [])
    let written = try #require(Self.disk().contents(of: Self.file))
    #expect(written == block.bytes)
    // What the property list says, in the words of the page.
    let list = Data(written[36..<(written.count - 8)])
    let read = try PropertyListSerialization.propertyList(from: list, options: [], format: nil)
    let dictionary = try #require(read as? [String: Any])
    let table = try #require(page.table(under: "Checkpoints"))
    #expect(Set(table.rows.map { $0[0] }) == Set(dictionary.keys.map { "`\($0)`" }))
  }

  @Test func `the checkpoint is read as the page states`() throws {
    let disk = try Self.disk()
    try disk.setContents(Self.file, block.bytes)
    let store = try Self.open(disk)
    // What could not be read would be made anew of the journal, and that would be said.
    #expect(store.findings == [])
    #expect(store.lastCommit == 1)
    #expect(store.tags == ["v1": 1])
    #expect(store.unsavedDrafts.map(\.contextName) == ["ed"])
    let title = try #require(store.existingKey(named: "title"))
    #expect(try store.head.plain().values.map { $0[title] } == ["Zoë"])
    try store.close()
  }

  @Test func `a table of fields leaves no byte out, and the example follows it`() throws {
    let table = try #require(page.table(under: "File of a checkpoint"))
    let fields = try #require(block.sections.first { $0.title == "head" }?.fields)
    var end = 0
    for (index, row) in table.rows.enumerated() {
      guard let length = Int(row[1]), Int(row[0]) != nil else { continue }
      #expect(Int(row[0]) == end, "\(row[3])")
      #expect(fields[index].name == row[3] && fields[index].bytes.count == length)
      end += length
    }
    #expect(end == 36)
  }
}
