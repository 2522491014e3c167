import DiskSimulation
import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// The section of docs/format.md on index runs against the code, both ways.
struct IndexFormatDocumentTests {
  private let page: FormatDocument
  private let block: AnnotatedBytes
  private static let file = "Notes.xjournal/snapshots/0000000002.xi"

  init() throws {
    page = try FormatDocument.ofThisRepository()
    block = try #require(page.blocks["index run"])
  }

  private static func open(_ disk: SimulatedDisk) throws -> JournaledStore {
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Note", attributes: [AttributeDescription("title", .string, isIndexed: true)],
        relationships: [RelationshipDescription("folder", to: "Folder", inverse: "notes")]),
      EntityDescription(
        "Folder",
        relationships: [
          RelationshipDescription("notes", to: "Note", inverse: "folder", isToMany: true)
        ]),
    ])
    return try JournaledStore(on: disk, at: "Notes.xjournal", model: model, options: .small)
  }

  /// The store that the page takes its example from: two notes of one title, one of them in a folder.
  private static func disk() throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: 12)
    let store = try open(disk)
    let context = try store.beginContext(name: "ed", on: .none)
    let notes = [
      try store.newObject(of: EntityNumber(rawValue: 0)),
      try store.newObject(of: EntityNumber(rawValue: 0)),
    ]
    let folder = try store.newObject(of: EntityNumber(rawValue: 1))
    let (title, key) = (try store.key(named: "title"), try store.key(named: "folder"))
    let rows = [Row([title: "Zoë"]), Row([title: "Zoë", key: .reference(folder)])]
    _ = try store.commit(
      CommitRequest(
        [.init(folder, base: .none, nil, to: Row())]
          + zip(notes, rows).map { .init($0, base: .none, nil, to: $1) }), by: context)
    try store.checkpoint()
    withExtendedLifetime(store) {}
    return disk.imageAfterProcessDeath()
  }

  @Test func `the index run is written as the page states`() throws {
    #expect(block.contradictions == [])
    let written = try #require(Self.disk().contents(of: Self.file))
    #expect(written == block.bytes)
  }

  @Test func `the index run is read as the page states`() throws {
    let disk = try Self.disk()
    try disk.setContents(Self.file, block.bytes)
    let store = try Self.open(disk)
    #expect(store.findings == [])
    let (title, folder) = (try store.key(named: "title"), try store.key(named: "folder"))
    let (head, note) = (store.head, EntityNumber(rawValue: 0))
    var numbers: [UInt64] = []
    try head.forEachObject(of: [note], indexedBy: title, .equal(to: "Zoë")) {
      numbers.append($0.object.number)
      return true
    }
    #expect(numbers.count == 2)
    let target = try #require(try head.plain().values.compactMap { $0[folder]?.reference }.first)
    #expect(try head.countOfObjects(referringTo: target, by: folder, of: note) == 1)
    #expect(try store.verify(deep: true) == [])
    try store.close()
  }

  @Test func `the kinds of values are those of the code`() throws {
    let table = try #require(
      page.tables.last { $0.heading == "Entry of an index" && $0.columns[0] == "Kind" })
    let kinds = table.rows.flatMap { $0[0].split(separator: ",") }
      .compactMap { UInt8($0.drop { $0 == " " }) }.sorted()
    let indexed: [Value.Kind] = [
      .boolean, .integer, .real, .decimal, .string, .data, .date, .uuid, .url, .counter,
      .reference,
    ]
    #expect(kinds == indexed.map(\.rawValue))
  }
}
