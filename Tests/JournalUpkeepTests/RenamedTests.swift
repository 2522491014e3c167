import DiskSimulation
import JournalInspection
import Testing
import ToolSupport

/// What looks at a journal across changes of its model tells the same whichever name is asked for, and each state by the
/// names of its time.
@Suite struct RenamedTests {
  private func commits(_ line: String, on disk: SimulatedDisk) -> [String] {
    let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
    return run.output.split(separator: "\n").filter { $0.hasPrefix("commit ") }
      .map { String($0.split(separator: " ")[1]) }
  }

  @Test(arguments: ["Post", "Article", "Story"])
  func `a log of an entity is the same by each name that it had`(name: String) throws {
    let disk = try RenamedJournal.twiceRenamed()
    #expect(commits("log --entity \(name)", on: disk) == ["6", "5", "4", "3", "2", "1"])
    #expect(commits("log --entity \(name) --reverse -n 2", on: disk) == ["5", "6"])
    #expect(commits("log --entity Who", on: disk) == ["5"])
    for key in ["title", "headline", "heading"] {
      #expect(commits("log --attr \(key) --reverse", on: disk) == ["1", "2", "5"], "\(key)")
      let line = "log --attr \(key) --id \(name)/1 --entity \(name)"
      #expect(commits(line, on: disk) == ["5", "2", "1"], "\(key)")
      #expect(commits("history \(name)/1 \(key)", on: disk) == ["1", "2", "5"], "\(key)")
    }
  }

  @Test func `a history calls the objects in its values as they were called then`() throws {
    let disk = try RenamedJournal.renamedDestination()
    let run = Upkeep.run("history Note/1 zed -s Notes.xjournal", on: disk)
    let values = run.output.split(separator: "\n").map { $0.split(separator: ": ").last ?? "" }
    #expect(values == ["none → Zed/1", "Zeb/1 → Zeb/65"], "\(run)")
    let blame = Upkeep.run("blame Note/1 --at 1 -s Notes.xjournal", on: disk)
    #expect(blame.output.hasSuffix("zed: Zed/1\n"), "\(blame)")
  }

  @Test func `a name that two entities had in turn is each one's while it had it`() throws {
    let disk = try RenamedJournal.withoutZed(comesAgain: true)
    #expect(commits("log --entity Zed", on: disk) == ["3", "1"])
    #expect(commits("log --attr z", on: disk) == ["3", "1"])
    for (commit, value) in [(1, "zed"), (3, "another")] {
      let run = Upkeep.run("get Zed/1 z --at \(commit) -s Notes.xjournal", on: disk)
      #expect(run.output == "\(value)\n", "\(run)")
    }
  }

  @Test(arguments: [(0, "Post"), (1, "Post"), (4, "Article"), (6, "Story")])
  func `the entities of a state are those of its model, which schema tells`(
    commit: Int, entity: String
  ) throws {
    let disk = try RenamedJournal.twiceRenamed()
    for at in commit == 6 ? ["--at 6", "--at head", ""] : ["--at \(commit)"] {
      let info = Upkeep.run("info \(at) -s Notes.xjournal --json", on: disk)
      let schema = Upkeep.run("schema \(at) -s Notes.xjournal", on: disk)
      #expect(info.output.contains("\"entities\":[\"\(entity)\""), "\(at): \(info)")
      #expect(schema.output.hasPrefix(entity), "\(at): \(schema)")
    }
  }

  @Test(arguments: [(1, "Post", "title"), (4, "Article", "headline"), (6, "Story", "heading")])
  func `a state is told by the names of its time in every form`(
    commit: Int, entity: String, key: String
  ) throws {
    let disk = try RenamedJournal.twiceRenamed()
    func run(_ line: String) -> Run {
      Upkeep.run("\(line) --at \(commit) -s Notes.xjournal", on: disk)
    }
    let lines = [
      "export", "export --format json", "export --format csv --entity \(entity)",
      "export --format sql", "export --format plist", "query \(entity)", "query \(entity) --json",
      "get Post/1", "get Article/1 --json", "get Story/1", "blame Story/1", "blame Post/1 --json",
    ]
    let names = ["Post", "Article", "Story", "title", "headline", "heading"]
    for line in lines {
      let told = run(line)
      #expect(told.status == .fine, "\(line): \(told)")
      // To people a blame does not tell the object.
      for name in names where line != "blame Story/1" || name != entity {
        let isThen = name == key || name == entity
        #expect(told.output.contains(name) == isThen, "\(line): \(name) \(told.output)")
      }
    }
    #expect(run("schema \(entity)").status == .fine)
    #expect(run("get Post/1 \(key)").output == [1: "a\n", 4: "b\n", 6: "c\n"][commit])
    guard commit == 1 else { return }
    for line in ["export --entity Story", "schema Story", "query Story"] {
      let refused = run(line)
      #expect(refused.status == .no)
      #expect(refused.errors.contains("at commit 1; it is called ‘Post’ there."), "\(refused)")
    }
    let refused = run("get Story/1 heading")
    #expect(refused.status == .no)
    #expect(
      refused.errors.contains(
        "Post/1 has no value of ‘heading’ at commit 1; it is called ‘title’ there."))
  }

  @Test
  func
    `each commit is told by the names of its time, and what is exported comes as what it has become`()
    throws
  {
    let disk = try RenamedJournal.twiceRenamed()
    let log = Upkeep.run("log -p --reverse -s Notes.xjournal", on: disk).output
    let objects = log.split(separator: "\n").filter { $0.hasPrefix("  ~ ") || $0.hasPrefix("  + ") }
    #expect(
      objects == [
        "  + Post/1", "  ~ Post/1", "  ~ Article/1", "  ~ Article/1", "  ~ Story/1", "  + Who/1",
        "  ~ Story/1",
      ])
    let exported = Upkeep.run("export --at 1 -s Notes.xjournal", on: disk).output
    #expect(exported.contains(#""values":{"title":"a","n":1}"#), "\(exported)")
    try disk.setContents("then.ndjson", Array(exported.utf8))
    let made = Upkeep.run("import then.ndjson -o New.xjournal", on: disk)
    #expect(made.status == .fine, "\(made)")
    let imported = Upkeep.run("export -s New.xjournal", on: disk).output
    #expect(imported.contains(#""object":"Story/1""#), "\(imported)")
    #expect(imported.contains(#""values":{"heading":"a","n":1}"#), "\(imported)")
    // What another journal calls so is not taken for it.
    let foreign = exported.replacing(
      /xjournal:\/\/[0-9a-f]{16}/, with: "xjournal://0123456789abcdef")
    let refused = Upkeep.run(
      "import - -s Notes.xjournal -o Other.xjournal", on: disk, input: foreign)
    #expect(
      refused.status == .usage && refused.errors.contains("of an entity, ‘Post’"), "\(refused)")
  }

  @Test
  func `what is exported of a state keeps its dynamic attributes that are called like former ones`()
    throws
  {
    let disk = try RenamedJournal.twiceRenamed()
    let exported = Upkeep.run("export -s Notes.xjournal --entity Story", on: disk).output
    let dynamic = exported.replacing("\"values\":{", with: "\"values\":{\"title\":\"dynamic\",")
      .replacing(/"heading":"\w+",/, with: "")
    let made = Upkeep.run(
      "import - -s Notes.xjournal -o New.xjournal", on: disk, input: dynamic)
    #expect(made.status == .fine, "\(made)")
    let imported = Upkeep.run("export -s New.xjournal", on: disk).output
    #expect(imported.contains("\"title\":\"dynamic\""), "\(imported)")
    #expect(!imported.contains("heading"), "\(imported)")
  }

  @Test func `what has gone from the model with its entity is not imported as anything else`()
    throws
  {
    let disk = try RenamedJournal.withoutZed()
    let exported = Upkeep.run("export --at 1 -s Notes.xjournal", on: disk).output
    let run = Upkeep.run("import - -s Notes.xjournal -o New.xjournal", on: disk, input: exported)
    #expect(
      run.status == .usage
        && run.errors.contains("is of an entity, ‘Zed’, that the model does not have"), "\(run)")
    #expect(!disk.paths.contains { $0.hasPrefix("New") })
  }

  @Test(arguments: ["events", "replay", "export --format events"])
  func `events are told by the names that things had when they happened`(line: String) throws {
    let disk = try RenamedJournal.twiceRenamed()
    let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
    let names = run.output.matches(of: /(Post|Article|Story)\/1[" ]/).map { String($0.output.1) }
    var turns: [String] = []
    for name in names where turns.last != name { turns.append(name) }
    #expect(turns == ["Post", "Article", "Story"], "\(run)")
  }

  @Test func `who asks by a name of another time is told what it is called`() throws {
    let disk = try RenamedJournal.twiceRenamed()
    func run(_ line: String) -> Run { Upkeep.run(line, on: disk) }
    let late = run("query 'Story where title == \"a\" sort n' -s Notes.xjournal")
    #expect(late.status == .fine)
    #expect(
      late.errors.contains(
        "what other models call ‘title’ of Story is called ‘heading’ at commit 6; by ‘title’ only dynamic attributes are found there."
      ), "\(late)")
    let early = run("query 'Post sort heading' --at 1 -s Notes.xjournal --json")
    #expect(early.errors.contains("‘heading’ of Post is called ‘title’ at commit 1"), "\(early)")
    let own = run("query 'Post where title == \"a\"' --at 1 -s Notes.xjournal")
    #expect(own.errors.isEmpty && own.output.contains("Post/1"), "\(own)")
  }

  @Test func `that objects go with their entity is told by whatever meets it`() throws {
    let disk = try RenamedJournal.withoutZed()
    func run(_ line: String) -> Run { Upkeep.run("\(line) -s Notes.xjournal", on: disk) }
    let get = run("get Zed/1")
    #expect(get.status == .no)
    #expect(
      get.errors
        == "xjournal: there is no Zed/1 at commit 2: after commit 1 the model has no ‘Zed’ any more; xjournal history Zed/1 shows what it was.\n"
    )
    #expect(run("get Zed/1 --at 1").status == .fine)
    let gone = "- Zed/1  the later model has no ‘Zed’\n"
    #expect(run("diff 1 2").output.hasSuffix("\(gone)    z: \"zed\"\n"), "\(run("diff 1 2"))")
    #expect(run("diff 2 1 --name-only").output.hasSuffix("+\(gone.dropFirst())"))
    #expect(run("diff 1 2 --stat").output.hasSuffix("Zed  +0 ~0 -1  1 value\n"))
    #expect(run("diff 1 2 --json").output.contains(#""change":"deleted","isWithoutEntity":true"#))
    #expect(!run("diff 1 2 --format patch").output.contains("Zed"))
    let restored = run("restore 1")
    #expect(restored.status == .fine)
    #expect(
      restored.errors
        == "note: Zed/1 cannot come back: the model has no ‘Zed’ any more. ‘export --at’ shows what was.\n"
    )
    #expect(run("get Note/1 t").output == "note\n")
  }

  @Test func `what leads to an object is shown of a time whose model had the relationship`() throws
  {
    let disk = try RenamedJournal.withoutFolding()
    let then = Upkeep.run("get Folder/1 notes --at 1 -s Notes.xjournal", on: disk)
    #expect(then.status == .fine && then.output.contains("Note/1"), "\(then)")
    let now = Upkeep.run("get Folder/1 notes -s Notes.xjournal", on: disk)
    #expect(now.status == .no && now.errors.contains("notes"), "\(now)")
  }

  @Test(arguments: ["1", "2 --only --force"])
  func `of many objects that go with their entity the first are named, and the others counted`(
    commit: String
  ) throws {
    let disk = try RenamedJournal.withoutZeds()
    let restored = Upkeep.run("restore \(commit) -s Notes.xjournal", on: disk)
    #expect(restored.status == .fine, "\(restored)")
    #expect(
      restored.errors.hasPrefix(
        "note: Zed/1, Zed/2, Zed/3 and 2 more cannot come back: the model has no ‘Zed’ any more. ‘export --at’ shows what was.\n"
      ), "\(restored)")
  }

  @Test
  func `what came by a commit and went with its entity is not missed when that is taken back`()
    throws
  {
    let disk = try RenamedJournal.withoutZed()
    let told = Upkeep.run("restore 1 --only --force -s Notes.xjournal", on: disk)
    #expect(told.status == .fine && told.errors == "", "what came goes: \(told)")
  }
}
