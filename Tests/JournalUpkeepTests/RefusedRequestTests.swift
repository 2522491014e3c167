import DiskAccess
import DiskSimulation
import JournalInspection
import JournalUpkeep
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing
import ToolSupport

/// What commands cannot do they refuse in a sentence, before anything is made or changed.
@Suite struct RefusedRequestTests {
  @Test(arguments: [
    ("backup -o /", "there is something at “/” already"),
    ("backup -o ''", "--output needs a path."),
    ("backup -o Gone/New.xjournal", "Gone"), ("backup", "needs a place for the new journal"),
    ("replay --into ''", "--into needs a path."),
  ])
  func `a place that cannot be is refused, and nothing is made`(line: String, words: String) throws
  {
    let disk = try Journals.killed()
    let paths = disk.paths
    let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
    #expect([.usage, .cannotCreate].contains(run.status) && run.errors.contains(words), "\(run)")
    #expect(disk.paths == paths)
  }

  @Test func `slashes at the end of a place are not part of its name`() throws {
    let disk = try Journals.killed()
    let run = Upkeep.run("backup -s Notes.xjournal -o New.xjournal//", on: disk)
    #expect(run.status == .fine, "\(run)")
    #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
    let within = Upkeep.run("backup -s Notes.xjournal -o Notes.xjournal/New/", on: disk)
    #expect(within.status == .cannotCreate && within.errors.contains("is within a journal"))
  }

  @Test func `a journal is made in the topmost folder too`() throws {
    let disk = try Journals.killed()
    let run = Upkeep.run("backup -s Notes.xjournal -o /New.xjournal", on: disk)
    #expect(run.status == .fine, "\(run)")
    #expect(Upkeep.run("verify --deep -s /New.xjournal", on: disk).status == .fine)
  }

  @Test func `a name that is too long for a tag is refused, with how long it may be`() throws {
    let disk = try Journals.sound()
    let longest = JournaledStore.largestTagByteCount
    let fits = Upkeep.run("tag \(String(repeating: "t", count: longest))", on: disk)
    #expect(fits.status == .fine, "\(fits)")
    let run = Upkeep.run("tag \(String(repeating: "t", count: longest + 1))", on: disk)
    #expect(run.status == .usage, "\(run)")
    #expect(
      run.errors.contains("the name of a tag has \(longest + 1) bytes; it may have \(longest)."))
    #expect(try StoreReader(on: disk, at: Journals.path).tags.count == 2)
  }

  @Test func `one of several drafts of a name is named by its number, and no other is given up`()
    throws
  {
    let life = try Journals.sound()
    let store = try JournaledStore(on: life, at: Journals.path, model: nil)
    let contexts = (0..<2).map { _ in ManagedObjectContext(store, isolation: nil) }
    for context in contexts {
      context.name = "twin"
      context.insert("Blog")["name"] = "unsaved"
      context.processPendingChanges()
    }
    let nameless = ManagedObjectContext(store, isolation: nil)
    nameless.insert("Blog")["name"] = "of nobody"
    nameless.processPendingChanges()
    let disk = life.imageAfterProcessDeath()
    let before = Upkeep.contents(of: Journals.path, on: disk)
    let run = Upkeep.run("drafts discard twin", on: disk)
    #expect(run.status == .no && run.errors.contains("several drafts are called ‘twin’"), "\(run)")
    let number = try #require(run.errors.firstMatch(of: /number: (\d+), (\d+)\./))
    // Who opens it ends what the dead process had begun, and no more.
    #expect(before.count == Upkeep.contents(of: Journals.path, on: disk).count)
    let kept = Upkeep.run("compact -s Notes.xjournal -o New.xjournal --json", on: disk)
    #expect(kept.output.contains("\"keptFor\":["), "\(kept)")
    // What has no name is told by its number.
    #expect(kept.output.contains(/"keptFor":\["\d+","twin","twin"\]/), "\(kept)")
    #expect(
      Upkeep.run("drafts discard \(number.output.2) -s Notes.xjournal", on: disk).status == .fine)
    let left = Upkeep.run("drafts -s Notes.xjournal", on: disk).output
    #expect(left.split(separator: "twin").count == 2, "\(left)")
    #expect(Upkeep.run("drafts discard twin -s Notes.xjournal", on: disk).status == .fine)
    #expect(!Upkeep.run("drafts -s Notes.xjournal", on: disk).output.contains("twin"))
    // Of a variable of a script that is empty nothing is given up.
    for action in ["discard", "show", "list"] {
      let empty = Upkeep.run("drafts \(action) '' -s Notes.xjournal", on: disk)
      #expect(empty.status == .usage && empty.errors.contains("name of its context"), "\(empty)")
    }
    let last = try #require(
      Upkeep.run("drafts -s Notes.xjournal", on: disk).output.firstMatch(of: /draft (\d+)/))
    let gone = Upkeep.run("drafts discard \(last.output.1) -s Notes.xjournal", on: disk)
    #expect(gone.output == "discarded draft \(last.output.1): 2 edits.\n", "\(gone)")
    extendLifetime((contexts, nameless))
  }

  @Test func `an object that comes twice in an import is refused at its second line`() throws {
    let disk = try Journals.sound()
    let lines = Upkeep.run("export", on: disk).output
    let first = try #require(lines.split(separator: "\n").first)
    let run = Upkeep.run("import - -o New.xjournal", on: disk, input: "\(lines)\(first)\n")
    let count = lines.split(separator: "\n").count
    #expect(run.status == .usage, "\(run)")
    #expect(run.errors.contains("line \(count + 1): xjournal://"), "\(run)")
    #expect(run.errors.contains("comes a second time."), "\(run)")
    #expect(!disk.paths.contains { $0.hasPrefix("New") })
  }

  @Test func `what cannot be told at any commit leaves a bisection without an answer, in JSON too`()
    throws
  {
    let disk = try Journals.sound()
    func run(_ option: String) -> ToolSupport.Run {
      Upkeep.run("bisect 1 head \(option) -- check", on: disk) { _, variables in
        ["1": 0, "5": 1][variables["XJOURNAL_COMMIT"]] ?? 125
      }
    }
    let told = run("")
    #expect(told.status == .no && told.output.contains("cannot be told"), "\(told)")
    let run = run("--json")
    #expect(run.status == .no, "\(run)")
    let last = try #require(run.output.split(separator: "\n").last)
    #expect(
      last == #"{"version":1,"kind":"bisection","first":null,"good":1,"bad":5,"steps":5}"#,
      "\(last)")
  }

  @Test(arguments: [
    (
      1, Int32(2), JournalInspection.ExitStatus.no,
      "‘check’ ends with 2 at commit 1, which is to be good"
    ),
    (1, 125, .no, "‘check’ ends with 125 at commit 1, which is to be good"),
    (5, 0, .no, "‘check’ ends with 0 at commit 5, which is to be bad"),
    (5, 125, .no, "‘check’ ends with 125 at commit 5, which is to be bad"),
    (3, 126, .usage, "‘check’ ended with 126 at commit 3, which is no verdict"),
    (3, 127, .usage, "‘check’ ended with 127 at commit 3, which is no verdict"),
  ])
  func `a command that does not do what is said of it bisects nothing`(
    commit: Int, status: Int32, outcome: JournalInspection.ExitStatus, words: String
  ) throws {
    let disk = try Journals.sound()
    let run = Upkeep.run("bisect 1 head -- check", on: disk) { _, variables in
      let tried = Int(variables["XJOURNAL_COMMIT"] ?? "") ?? 0
      return tried == commit ? status : tried < 3 ? 0 : 1
    }
    #expect(run.status == outcome && run.errors.contains(words), "\(run)")
    #expect(!run.output.contains("first bad one"), "\(run)")
  }

  @Test(arguments: [
    ("drafts discard nothing", "there is no draft ‘nothing’"),
    ("tag nothing --remove", "there is no tag ‘nothing’"),
    ("tag other head~9", "only 5 come before"), ("tag v1", "‘v1’ stands for commit"),
    ("restore nothing", "there is no tag ‘nothing’"),
    ("restore nothing --only", "there is no tag ‘nothing’"),
  ])
  func `what is refused leaves every byte, though a program died with edits unsaved`(
    line: String, words: String
  ) throws {
    let disk = try Journals.killed()
    let before = Upkeep.contents(of: Journals.path, on: disk)
    let run = Upkeep.run(line, on: disk)
    #expect(run.status == .no && run.errors.contains(words), "\(run)")
    #expect(Upkeep.contents(of: Journals.path, on: disk) == before)
  }

  @Test func `a file of no journal is not dumped, and that there is none is told`() throws {
    let disk = try Journals.sound()
    try disk.makeFolders("Empty")
    for path in ["None", "Empty"] {
      for name in ["MANIFEST", "edits", "snapshots/0000000001.xr"] {
        let run = Upkeep.run("dump --file \(name) -s \(path)", on: disk)
        #expect(run.status == .noJournal, "\(path) \(name): \(run)")
      }
    }
    #expect(Upkeep.run("dump --file snapshots/0000000009.xr", on: disk).status == .no)
  }

  @Test(arguments: ["backup -o B", "compact -o B", "repair -o B", "replay --into B", "tag x"])
  func `that a journal is a copy that did not come to its end is told by who copies or changes it`(
    line: String
  ) throws {
    let disk = try Journals.sound()
    try disk.setContents("\(Journals.path)/UNFINISHED-COPY", [])
    for option in line == "tag x" ? [""] : ["", " --json"] {
      let run = Upkeep.run(
        "\(line)\(option.isEmpty ? "" : "2")\(option) -s Notes.xjournal", on: disk)
      #expect((run.output + run.errors).contains("may lack something"), "\(run)")
    }
  }

  @Test(arguments: [
    "log a/N.xjournal Notes.xjournal", "info -s a/N.xjournal -s Notes.xjournal",
    "-s a/N.xjournal tag x -s Notes.xjournal", "info a/N.xjournal -s Notes.xjournal",
    "get Blog/1 a/N.xjournal Notes.xjournal",
  ])
  func `of two journals it is said that there are two`(line: String) throws {
    let run = Upkeep.run(line, on: try Journals.sound())
    #expect(run.status == .usage, "\(run)")
    #expect(
      run.errors.contains("a/N.xjournal”") && run.errors.contains("are two journals"), "\(run)")
  }

  @Test func `what is left of a copy is told to be that, by whatever meets it`() throws {
    let disk = try Journals.killed()
    try disk.setContents("Left.xjournal/UNFINISHED-COPY", [])
    try disk.makeFolders("Left.xjournal/journal")
    for line in ["info", "verify", "tag x", "backup -o B", "repair -o B", "compact -o B", "log"] {
      let run = Upkeep.run("\(line) -s Left.xjournal", on: disk)
      #expect(run.status == .noJournal, "\(line): \(run)")
      #expect(
        run.errors.contains(
          "“Left.xjournal” is what is left of a copy that did not come to its end; remove it"),
        "\(line): \(run)")
    }
    for line in [
      "backup -o", "repair -o", "compact -o", "replay --into", "replay --until 2 --into",
    ] {
      let run = Upkeep.run("\(line) Left.xjournal -s Notes.xjournal", on: disk)
      #expect(run.status == .cannotCreate, "\(line): \(run)")
      #expect(
        run.errors.contains(
          "at “Left.xjournal” is what is left of a copy that did not come to its end; remove it"),
        "\(line): \(run)")
    }
  }

  @Test func `a journal without its file of unsaved edits says so where it is told what it is`()
    throws
  {
    let disk = try Journals.killed()
    #expect(Upkeep.run("info", on: disk).errors.isEmpty)
    #expect(Upkeep.run("backup -o New.xjournal -s Notes.xjournal", on: disk).status == .fine)
    #expect(Upkeep.run("info -s New.xjournal", on: disk).errors.isEmpty)
    try disk.folder(at: Journals.path).remove("edits")
    for line in ["info", "info --json"] {
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
      #expect(run.status == .fine)
      #expect(run.errors.contains("the file of unsaved edits is missing"), "\(run)")
    }
  }
}

/// What is read besides a journal: files, pipes and the standard input, each within its bounds.
@Suite struct ReadInputTests {
  private static let bound = 64 << 20

  @Test func `a file of more than a patch may have is refused, and the journal stays`() throws {
    let disk = try Journals.sound()
    let before = Upkeep.contents(of: Journals.path, on: disk)
    try disk.setContents("large.json", [UInt8](repeating: 0x20, count: Self.bound + 1))
    let run = Upkeep.run("patch large.json -s Notes.xjournal", on: disk)
    #expect(run.status == .inputOutput, "\(run)")
    #expect(run.errors.contains("“large.json” has more than the 64 MiB that"), "\(run)")
    let input = Upkeep.run(
      "patch - -s Notes.xjournal", on: disk, input: String(repeating: " ", count: Self.bound + 1))
    #expect(input.status == .inputOutput, "\(input)")
    #expect(
      input.errors.contains("the standard input cannot be read, or has more than the 64 MiB that"),
      "\(input)")
    #expect(Upkeep.contents(of: Journals.path, on: disk) == before)
  }

  @Test func `a pipe that nobody writes to and what is no file are refused by name`() throws {
    let disk = try Journals.sound()
    try disk.setContents("pipe.json", Array("{}".utf8))
    let silent = ReadingDisk(disk) { path, _ in path.hasSuffix("pipe.json") ? .wouldBlock : nil }
    let run = Run("patch pipe.json -s Notes.xjournal", on: silent, table: Upkeep.table(on: disk))
    #expect(run.status == .inputOutput, "\(run)")
    #expect(run.errors.contains("nobody writes to the pipe “pipe.json”."), "\(run)")
    let device = Run("patch /dev/null", on: PosixDisk(), table: Upkeep.table(on: disk))
    #expect(device.status == .inputOutput, "\(device)")
    #expect(device.errors.contains("“/dev/null” is neither a file nor a pipe."), "\(device)")
    let missing = Upkeep.run("patch gone.json -s Notes.xjournal", on: disk)
    #expect(missing.status == .inputOutput && missing.errors.contains("gone.json"), "\(missing)")
  }

  @Test func `what ends before it begins is refused, as nothing could be found`() throws {
    let disk = try LongJournal.make(.none)
    for line in [
      "log --since 10 --until 5", "log --since head --at head~2", "events --since 10 --until 5",
      "log --since 2026-11-21 --until 2026-11-20", "report --since 10 --until 5",
    ] {
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
      #expect(run.status == .usage && run.output.isEmpty, "\(run)")
      #expect(run.errors.contains("--since must not be after --until"), "\(run)")
    }
    for line in [
      "log --since 5 --until 5", "log --since 2030-01-01", "log --since 2026-11-20 --until 5",
    ] {
      #expect(Upkeep.run("\(line) -s Notes.xjournal", on: disk).status == .fine, "\(line)")
    }
  }

  @Test func `a query refuses a key that nothing has had, also of what may have any`() throws {
    let disk = SimulatedDisk(seed: 6)
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Page", allowsAnyKey: true, attributes: [AttributeDescription("title", .string)])
    ])
    let store = try JournaledStore(on: disk, at: Journals.path, model: model)
    let context = ManagedObjectContext(store, isolation: nil)
    context.insert("Page")["colour"] = "red"
    try context.save()
    try store.close()
    func query(_ filter: String) -> ToolSupport.Run {
      Upkeep.run("query \"Page where \(filter)\" -s Notes.xjournal", on: disk)
    }
    #expect(query("colour == 'red'").status == .fine)
    for (filter, meant) in [("titel == 'a'", "title"), ("color == 'red'", "colour")] {
      let run = query(filter)
      #expect(run.status == .usage, "\(run)")
      #expect(run.errors.contains("did you mean \(meant)?"), "\(run)")
    }
  }

  @Test func `of a renamed key and a renamed entity nothing differs, however it is asked`() throws {
    let disk = SimulatedDisk(seed: 6)
    func model(_ entity: EntityDescription) throws -> ManagedObjectModel {
      try ManagedObjectModel(entities: [entity])
    }
    func open(_ model: ManagedObjectModel) throws -> (JournaledStore, ManagedObjectContext) {
      let store = try JournaledStore(on: disk, at: Journals.path, model: model)
      return (store, ManagedObjectContext(store, isolation: nil))
    }
    let first = try open(
      try model(
        EntityDescription(
          "Page",
          attributes: [AttributeDescription("name", .string), AttributeDescription("n", .integer)]))
    )
    let page = first.1.insert("Page")
    (page["name"], page["n"]) = ("a", 1)
    try first.1.save()
    first.1.close()
    try first.0.close()
    let second = try open(
      try model(
        EntityDescription(
          "Sheet",
          attributes: [
            AttributeDescription("title", .string, renamingIdentifier: "name"),
            AttributeDescription("n", .real),
          ], renamingIdentifier: "Page")))
    let sheet = try #require(second.1.fetch(FetchRequest("Sheet")).first)
    for value in [2.0, 1.0] {
      sheet["n"] = .real(value)
      try second.1.save(message: "\(value)")
    }
    second.1.close()
    try second.0.close()
    for format in ["text", "json", "patch"] {
      for ends in ["1 head", "head 1"] {
        let run = Upkeep.run(
          "diff \(ends) --exit-code --format \(format) -s Notes.xjournal", on: disk)
        #expect(run.status == .fine, "\(run)")
        if format != "patch" { #expect(run.output.isEmpty, "\(run)") }
      }
      let run = Upkeep.run("diff 1 2 --exit-code --format \(format) -s Notes.xjournal", on: disk)
      #expect(run.status == .no && !run.output.contains("name"), "\(run)")
    }
  }
}
