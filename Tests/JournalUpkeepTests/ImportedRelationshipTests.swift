import DiskAccess
import DiskSimulation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing
import ToolSupport

/// What a line of an export says of a relationship is what that can hold, or is refused before anything is made; and what
/// another line contradicts is told.
@Suite struct ImportedRelationshipTests {
  private static let model: @Sendable () throws -> ManagedObjectModel = {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Book",
        attributes: [AttributeDescription("isbn", .string, validation: [.matches("(a+)+")])],
        relationships: [
          RelationshipDescription("author", to: "Person", inverse: "books"),
          RelationshipDescription("readers", to: "Person", inverse: "read", isToMany: true),
          RelationshipDescription(
            "chapters", to: "Chapter", inverse: "book", isToMany: true, isOrdered: true),
        ]),
      EntityDescription(
        "Person",
        relationships: [
          RelationshipDescription("books", to: "Book", inverse: "author", isToMany: true),
          RelationshipDescription("read", to: "Book", inverse: "readers", isToMany: true),
        ]),
      EntityDescription(
        "Chapter", relationships: [RelationshipDescription("book", to: "Book", inverse: "chapters")]
      ),
    ])
  }

  private static let uri = "xjournal://0000000000000001/0/"

  /// A line, and how a reference to its object is written.
  private static func line(_ entity: String, _ number: Int, _ values: String) -> String {
    let place = ["Book", "Person", "Chapter"].firstIndex(of: entity) ?? 0
    return
      "{\"kind\":\"object\",\"entity\":\"\(entity)\",\"uri\":\"\(uri)\(place)/\(number)\",\"values\":{\(values)}}\n"
  }

  private static func imported(_ text: String, json: Bool = false) throws -> (
    run: ToolSupport.Run, disk: SimulatedDisk
  ) {
    let disk = SimulatedDisk(seed: 1)
    try JournaledStore(on: disk, at: Journals.path, model: try model()).close()
    let line = "import -s Notes.xjournal - -o New.xjournal\(json ? " --json" : "")"
    return (Upkeep.run(line, on: disk, input: text), disk)
  }

  @Test(arguments: [
    ("Book", "\"author\":\"Person/1\"", "author"), ("Book", "\"author\":\"\(uri)0/1\"", "Person"),
    ("Book", "\"chapters\":[\"a\"]", "chapters"), ("Book", "\"readers\":5", "readers"),
    ("Book", "\"readers\":[{\"$reference\":\"\(uri)1/9\"},5]", "readers"),
    ("Book", "\"readers\":[{\"$reference\":\"\(uri)0/1\"}]", "Person"),
    ("Person", "\"books\":[{\"$reference\":\"\(uri)1/1\"}]", "Book"),
    (
      "Book", "\"chapters\":[{\"$reference\":\"\(uri)2/1\"},{\"$reference\":\"\(uri)2/1\"}]",
      "each of them once"
    ),
  ])
  func `what a relationship cannot hold is refused, and nothing is made`(
    entity: String, values: String, said: String
  ) throws {
    let (run, disk) = try Self.imported("\n" + Self.line(entity, 1, values))
    #expect(run.status == .usage && run.output.isEmpty)
    #expect(run.errors.contains("line 2: ") && run.errors.contains(said), "\(run.errors)")
    #expect(!disk.paths.contains { $0.hasPrefix("New") })
  }

  @Test func `a reference that another line contradicts is told`() throws {
    let text =
      Self.line("Person", 1, "\"read\":[{\"$reference\":\"\(Self.uri)0/1\"}]")
      + Self.line("Book", 1, "\"readers\":[]")
    let told = try Self.imported(text).run
    #expect(told.status == .fine && told.errors.contains("left out: 1 reference"), "\(told)")
    #expect(told.errors.contains("a later line says otherwise"), "\(told)")
    let run = try Self.imported(text, json: true).run
    let document = try JSONValue(parsing: Array(run.output.utf8)).object
    #expect(run.status == .fine && document?["leftOutCount"] == 1, "\(run)")
    let reference = document?["leftOut"]?.array?.first?.object
    #expect(reference?["line"] == 1 && reference?["key"] == "read", "\(run)")
    #expect(reference?["contradicted"] == true && reference?["uri"]?.string == "\(Self.uri)0/1")
  }

  @Test func `ends that agree lose nothing, and one of them is enough`() throws {
    let text =
      Self.line("Person", 1, "\"read\":[{\"$reference\":\"\(Self.uri)0/1\"}]")
      + Self.line(
        "Book", 1,
        "\"author\":\"\(Self.uri)1/1\",\"chapters\":[{\"$reference\":\"\(Self.uri)2/1\"}]")
      + Self.line("Chapter", 1, "\"book\":\"\(Self.uri)0/1\"")
    let (run, disk) = try Self.imported(text)
    #expect(run.status == .fine && run.errors.isEmpty, "\(run)")
    for line in ["get Book/1 author", "get Book/1 readers", "get Person/1 books"] {
      let got = Upkeep.run("\(line) -s New.xjournal", on: disk)
      #expect(got.status == .fine && got.output.contains("/1"), "\(line): \(got)")
    }
  }

  @Test func `a rule of a journal that could take for ever is judged at once`() throws {
    let isbn = String(repeating: "a", count: 40)
    #expect(try Self.imported(Self.line("Book", 1, "\"isbn\":\"\(isbn)\"")).run.status == .fine)
    let run = try Self.imported(Self.line("Book", 1, "\"isbn\":\"\(isbn)b\"")).run
    #expect(run.status == .no && run.errors.contains("must match (a+)+"), "\(run)")
  }

  @Test func `a disk that is full is told by the same status as of a backup`() throws {
    for line in [
      "import - -o New.xjournal -s Notes.xjournal", "backup -o New.xjournal -s Notes.xjournal",
    ] {
      var statuses: Set<JournalInspection.ExitStatus> = []
      for call in 1...9 {
        let disk = try Journals.sound()
        disk.faults = [
          SimulatedFault(.failure(.noSpace), calls: [.write], number: call, isLasting: true)
        ]
        statuses.insert(Upkeep.run(line, on: disk).status)
      }
      #expect(statuses.subtracting([.fine]) == [.inputOutput], "\(line)")
    }
  }
}
