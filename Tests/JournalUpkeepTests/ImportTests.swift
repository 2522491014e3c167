import DiskAccess
import DiskSimulation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectStore
import Testing
import ToolSupport

/// What was exported comes back.
@Suite struct ImportTests {
  @Test func `what is exported, imported and exported again is the same but for the numbers`()
    throws
  {
    for make in [Journals.killed, { try LongJournal.make(.late) }] {
      let disk = try make()
      try Upkeep.addFiles(to: disk)
      let run = Upkeep.run("import posts.ndjson -o New.xjournal", on: disk)
      #expect(run.status == .fine && run.errors.isEmpty, "\(run.errors)")
      #expect(values(of: "New.xjournal", on: disk) == values(of: Journals.path, on: disk))
      #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
      #expect(
        Upkeep.run("import posts.ndjson -s Notes.xjournal -o New.xjournal", on: disk).status
          == .cannotCreate)
    }
  }

  /// The lines of an export without what names objects.
  private func values(of path: String, on disk: SimulatedDisk) -> [String] {
    Upkeep.run("export -s \(path)", on: disk).output.split(separator: "\n").map { line in
      String(line).replacing(/xjournal:\/\/[0-9a-f]+\//, with: "").replacing(/"at":\d+,/, with: "")
        .replacing(/"\d\/(\d+)\/\d+"/, with: "ID")
        .replacing(/"object":"\w+\/\d+"/, with: "")
    }.sorted()
  }

  @Test(arguments: [
    ("{}", "line 1: what is there is no object as ‘export’ writes them: it has no ‘kind’."),
    (#"{"version":1,"kind":"objects","at":4,"objects":["#, "export without that, a line for each."),
    ("[]", "it is not in { }"), (#"{"kind":"diff"}"#, "its ‘kind’ is not ‘object’"),
    (#"{"kind":"object"}"#, "it has no ‘entity’"),
    (#"{"kind":"object","entity":3}"#, "its ‘entity’ is no text"),
    (#"{"kind":"object","entity":"Blog"}"#, "it has no ‘uri’"),
    (#"{"kind":"object","entity":"Blog","uri":"x"}"#, "it has no ‘values’"),
    (#"{"kind":"object","entity":"Blog","uri":"x","values":[]}"#, "its ‘values’ is no object"),
    ("{\"kind\":\"object\",\"entity\":\"Pot\",\"uri\":\"x\",\"values\":{}}", "Pot"),
    ("\n\nnot json", "line 3"),
    ("{\"kind\":\"object\",\"entity\":\"Blog\",\"uri\":\"x\",\"values\":{}}", "line 1"),
    (
      "{\"kind\":\"object\",\"entity\":\"Blog\",\"uri\":\"xjournal://0000000000000001/0/0/1\","
        + "\"values\":{\"nothing\":{\"$decimal\":\"1.5\"}}}", "nothing"
    ),
    (
      "{\"kind\":\"object\",\"entity\":\"Blog\",\"uri\":\"xjournal://0000000000000001/0/0/1\","
        + "\"values\":{\"name\":1}}", "name"
    ),
  ])
  func `what is no export is refused, and the line is named`(text: String, said: String) throws {
    let disk = try Journals.sound()
    let run = Upkeep.run("import - -o New.xjournal", on: disk, input: text)
    #expect(run.status == .usage)
    #expect(run.errors.contains(said), "\(run.errors)")
  }

  @Test func `of objects that have one identifier it is told that neither is found by it`() throws {
    let disk = SimulatedDisk(seed: 9)
    let book = EntityDescription(
      "Book", attributes: [AttributeDescription("isbn", .string, isIdentifier: true)])
    let store = try JournaledStore(
      on: disk, at: Journals.path, model: ManagedObjectModel(entities: [book]))
    let context = ManagedObjectContext(store, isolation: nil)
    for isbn in ["a", "b", "a", "a"] { context.insert("Book")["isbn"] = .string(isbn) }
    try context.save()
    try store.close()
    let lines = Upkeep.run("export", on: disk).output
    let run = Upkeep.run("import - -o New.xjournal", on: disk, input: lines)
    #expect(run.status == .fine, "\(run)")
    #expect(
      run.errors.contains(
        "line 3: ‘isbn’ is the same as in line 1, so that neither is found by it; so it is with 1 further line"
      ), "\(run)")
    #expect(Upkeep.run("export -s New.xjournal", on: disk).output.contains("\"isbn\":\"b\""))
  }

  @Test func `of what cannot be saved the lines are named`() throws {
    let disk = try Journals.sound()
    let title = String(repeating: "a", count: 300)
    let rows = [
      #""Blog","uri":"xjournal://0000000000000001/0/0/1","values":{"name":"x"}"#,
      #""Post","uri":"xjournal://0000000000000001/0/1/1","values":{"likes":null}"#,
      #""Post","uri":"xjournal://0000000000000001/0/1/2","values":{"title":"\#(title)"}"#,
    ].map { #"{"kind":"object","entity":\#($0)}"# }
    let run = Upkeep.run(
      "import - -o New.xjournal", on: disk, input: rows.joined(separator: "\n\n"))
    #expect(run.status == .no, "\(run)")
    #expect(run.errors.contains("line 3: Post.likes must have a value"), "\(run)")
    #expect(run.errors.contains("line 5: Post.title is \"aaa"), "\(run)")
    #expect(!run.errors.contains("xjournal://"), "\(run)")
  }

  @Test func `of much that cannot be saved the first lines are named, and the others counted`()
    throws
  {
    let disk = try Journals.sound()
    let rows = (1...25).map {
      #"{"kind":"object","entity":"Post","uri":"xjournal://0000000000000001/0/1/\#($0)","values":{"likes":null}}"#
    }
    let run = Upkeep.run(
      "import - -o New.xjournal", on: disk, input: rows.joined(separator: "\n"))
    #expect(run.status == .no)
    let lines = run.errors.split(separator: "\n")
    #expect(lines.count { $0.contains("Post.likes must have a value") } == 20, "\(run.errors)")
    #expect(run.errors.contains("line 20: ") && !run.errors.contains("line 21: "))
    #expect(run.errors.contains("and 5 more."), "\(run.errors)")
  }

  @Test(arguments: ["..", ".", "/", "Sub/.."])
  func `a place that says no name for a new journal is refused, and nothing is made`(
    path: String
  ) throws {
    let disk = try Journals.sound()
    let before = disk.paths
    for line in ["backup -o \(path) -s Notes.xjournal", "compact -o \(path) -s Notes.xjournal"] {
      let run = Upkeep.run(line, on: disk)
      #expect(run.status == .cannotCreate && !run.errors.isEmpty, "\(line): \(run)")
      #expect(disk.paths == before)
    }
  }

  static let making = ["import posts.ndjson", "backup", "compact", "repair", "replay --until 3"]

  @Test(arguments: making)
  func `what could not be made is taken away, and can be made again`(line: String) throws {
    let place = "New.xjournal"
    let command = line.hasPrefix("replay") ? "\(line) --into \(place)" : "\(line) -o \(place)"
    var failedCount = 0
    for call in 1... {
      let disk = try LongJournal.make(.late)
      try Upkeep.addFiles(to: disk)
      let before = Upkeep.contents(of: Journals.path, on: disk)
      disk.faults = [
        SimulatedFault(
          .failure(.noSpace), calls: [.write, .sync, .syncFolder, .rename], number: 7 * call,
          isLasting: true)
      ]
      let run = Upkeep.run("\(command) -s Notes.xjournal", on: disk)
      disk.faults = []
      #expect(Upkeep.contents(of: Journals.path, on: disk) == before, "\(call)")
      if run.status == .fine { break }
      failedCount += 1
      #expect(!run.errors.contains("What was begun is left"), "\(call): \(run)")
      #expect(!disk.paths.contains { $0.hasPrefix(place) }, "\(call): \(disk.paths)")
      let again = Upkeep.run("\(command) -s Notes.xjournal", on: disk)
      #expect(again.status == .fine, "\(call): \(again)")
    }
    #expect(failedCount > 1)
  }

  @Test(arguments: making)
  func `what was broken off is known by its mark, and by what is told of it`(line: String) throws {
    let place = "New.xjournal"
    let command = line.hasPrefix("replay") ? "\(line) --into \(place)" : "\(line) -o \(place)"
    var (brokenOff, shown) = (0, 0)
    for call in 1... {
      let disk = try LongJournal.make(.late)
      try Upkeep.addFiles(to: disk)
      disk.faults = [
        SimulatedFault(
          .failure(.noSpace),
          calls: [.write, .sync, .syncFolder, .rename, .remove, .removeFolder], number: 3 * call,
          isLasting: true)
      ]
      let run = Upkeep.run("\(command) -s Notes.xjournal", on: disk)
      disk.faults = []
      let isMarked = disk.contents(of: "\(place)/UNFINISHED-COPY") != nil
      if run.status == .fine {
        #expect(!isMarked)
        break
      }
      // What is not there at all, or has no manifest, is no journal to anybody.
      let told = Upkeep.run("info -s \(place)", on: disk)
      if isMarked, told.status != .noJournal {
        #expect(told.status == .damage, "\(call): \(run) \(told)")
        let isTorn = told.errors.contains("damaged manifest")
        #expect(isTorn || told.errors.contains("did not come to its end"), "\(told.errors)")
        shown += isTorn ? 0 : 1
      } else if told.status != .noJournal {
        // All of it had been read, and the mark taken away.
        #expect(run.errors.contains("syncing the folder"), "\(call): \(run)")
        #expect(Upkeep.run("verify --deep -s \(place)", on: disk).status == .fine)
      }
      brokenOff += 1
    }
    #expect(brokenOff > 3 && shown > 0, "\(brokenOff) \(shown)")
  }

  @Test func `what a newer version has exported is left to that`() throws {
    let disk = try Journals.sound()
    let line =
      "{\"version\":99,\"kind\":\"object\",\"entity\":\"Blog\",\"uri\":\"xjournal://0000000000000001/0/0/1\",\"values\":{}}"
    let run = Upkeep.run("import - -o New.xjournal", on: disk, input: line)
    #expect(run.status == .newerFormat && run.errors.contains("version 99"), "\(run)")
    #expect(!disk.paths.contains { $0.hasPrefix("New") })
  }

  @Test(arguments: [LongJournal.Checkpoint.none, .late])
  func `of a journal without its beginning that can be replayed which follows its state`(
    checkpoint: LongJournal.Checkpoint
  ) throws {
    let disk = try LongJournal.make(checkpoint, compacted: true)
    let reader = try StoreReader(on: disk, at: Journals.path)
    let (first, last) = (Int(reader.firstKeptCommit.rawValue), LongJournal.commitCount)
    let truth = try JournalTruth(on: disk)
    let state = checkpoint == .late ? 20 : first - 1
    for number in state...last {
      let place = "Then\(number).xjournal"
      let run = Upkeep.run("replay -s Notes.xjournal --into \(place) --until \(number)", on: disk)
      #expect(run.status == .fine && run.errors.isEmpty, "\(number): \(run)")
      let then = try JournalTruth(of: place, on: disk)
      #expect(then.commits[...] == truth.commits.prefix(number - first + 1), "\(number)")
      #expect(then.states[...] == truth.states.prefix(number - first + 1), "\(number)")
      #expect(try StoreReader(on: disk, at: place).lastCommit.rawValue == UInt64(number))
      #expect(Upkeep.run("drafts -s \(place)", on: disk).output.isEmpty, "\(number)")
      #expect(try StoreReader(on: disk, at: place).tags.isEmpty, "\(number)")
      #expect(Upkeep.run("verify --deep --strict -s \(place)", on: disk).status == .fine)
    }
    for number in [0, first - 2, state - 1] {
      let before = disk.paths
      let run = Upkeep.run("replay -s Notes.xjournal --into Then --until \(number)", on: disk)
      #expect(run.status == .no && disk.paths == before, "\(number): \(run)")
      #expect(
        run.errors.contains(number < first - 1 ? "commit" : "up to commit \(state) or"), "\(run)")
    }
  }

  @Test func `a journal of the state alone is replayed up to that, without what came behind it`()
    throws
  {
    let disk = try LongJournal.make(.none)
    #expect(Upkeep.run("drafts discard writer -s Notes.xjournal", on: disk).status == .fine)
    #expect(Upkeep.run("compact -s Notes.xjournal -o Small.xjournal", on: disk).status == .fine)
    let state = Upkeep.run("export -s Small.xjournal", on: disk).output
    // The state, and with the second an event behind it.
    for place in ["A", "B"] {
      let run = Upkeep.run("replay -s Small.xjournal --into \(place) --until head", on: disk)
      #expect(run.status == .fine && run.errors.isEmpty, "\(run)")
      #expect(Upkeep.run("export -s \(place)", on: disk).output == state && !state.isEmpty)
      #expect(Upkeep.run("verify --deep --strict -s \(place)", on: disk).status == .fine)
      #expect(try StoreReader(on: disk, at: place).tags.keys.sorted() == ["end", "middle"])
      let tagged = Upkeep.run("tag late -s Small.xjournal", on: disk)
      #expect(tagged.status == .fine || place == "B", "\(tagged)")
    }
    #expect(Upkeep.run("replay -s Small.xjournal --into C --until 23", on: disk).status == .no)
  }

  @Test func `a replay is refused where the place is taken`() throws {
    let sound = try Journals.sound()
    #expect(Upkeep.run("replay --into Then.xjournal", on: sound).status == .fine)
    let again = "replay -s Notes.xjournal --into Then.xjournal"
    #expect(Upkeep.run(again, on: sound).status == .cannotCreate)
    #expect(Upkeep.run("replay -s Notes.xjournal --into A --check", on: sound).status == .usage)
  }
}
