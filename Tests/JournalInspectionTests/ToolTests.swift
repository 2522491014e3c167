// What holds for all commands: what is typed, where it goes, how it ends.

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

@Suite struct ToolTests {
  private let table = CommandTable(CommandTable.looking)

  @Test(arguments: ["-s", "--store", "--color", "--json -s", "log -s", "log --store"])
  func `an option without its value is told`(line: String) throws {
    let run = Run(line, on: try Journals.sound())
    #expect(run.status == .usage && run.errors.contains("needs a value"), "\(run)")
  }

  @Test func `a count is a whole number, however large`() throws {
    let disk = try Journals.sound()
    let large = "99999999999999999999"
    for command in ["log", "events", "query Post", "log --reverse", "report"] {
      let option = command == "report" ? "--longest" : "-n"
      let run = Run("\(command) \(option) \(large)", on: disk)
      #expect(run.status == .fine && !run.output.isEmpty, "\(command): \(run.errors)")
      for word in ["-1", "+1", "1.5", "''", "x", "٣"] {
        let run = Run("\(command) \(option) \(word)", on: disk)
        #expect(run.status == .usage && run.errors.contains("whole number"), "\(word): \(run)")
      }
    }
    for (option, name) in [("segment", "segment"), ("frame", "frame")] {
      let run = Run("dump --\(option) \(large)", on: disk)
      #expect(run.status == .no && run.errors.contains("no \(name) \(large)"), "\(run)")
    }
  }

  @Test func `without a command the commands are told, and that is no success`() {
    let run = Run()
    #expect(run.status == .usage)
    #expect(run.output.contains("xjournal COMMAND --help"))
  }

  @Test func `every example of the help does what it says`() throws {
    let disk = try Journals.killed()
    for command in table.commands {
      #expect(!command.examples.isEmpty, "\(command.name)")
      for example in command.examples {
        try #require(example.line.hasPrefix("xjournal \(command.name)"))
        let run = Run(String(example.line.dropFirst("xjournal ".count)), on: disk)
        #expect(run.status == .fine, "\(example.line): \(run.errors)")
        // Where nothing differs nothing is told.
        #expect(!run.output.isEmpty || example.line.contains("--exit-code"), "\(example.line)")
      }
    }
  }

  @Test(arguments: [
    "query Post --json --format csv", "query Post --json --format table",
    "export --json --format sql", "export --json --format plist", "diff 1 --json --format text",
    "show 1 --at 2", "show head --at 1", "export --format events --entity Post",
    "diff 1 2 --format patch --stat", "diff 1 2 --format patch --name-only",
    "diff 1 2 --stat --name-only", "diff 1 2 --json --format patch",
    "dump --file MANIFEST --segment 1", "dump --file edits --frame 1",
  ])
  func `what asks for two things at once is refused`(line: String) throws {
    #expect(Run(line, on: try Journals.sound()).status == .usage)
  }

  @Test func `dynamic attributes are found of entities that do not allow any key`() throws {
    let disk = SimulatedDisk(seed: 1)
    let store = try JournaledStore(
      on: disk, at: Journals.path,
      model: ManagedObjectModel(entities: [
        EntityDescription("Note", attributes: [AttributeDescription("title", .string)])
      ]))
    let context = ManagedObjectContext(store)
    let moods: [Value] = ["sunny", "grey"]
    for mood in moods { context.insert("Note")["mood"] = mood }
    try context.save()
    context.close()
    try store.close()
    let found = Run("query \"Note where mood == 'grey'\" --json", on: disk)
    #expect(found.status == .fine && found.output.contains("Note/2"), "\(found)")
    #expect(!found.output.contains("Note/1"), "\(found)")
    let sorted = Run("query Note --sort mood --format csv", on: disk)
    #expect(sorted.output == "object,title,mood\nNote/2,,grey\nNote/1,,sunny\n", "\(sorted)")
    let none = Run("query 'Note limit 0' --format csv", on: disk)
    #expect(none.output == "object,title\n", "\(none)")
    let misspelt = Run("query 'Note where titel == 1'", on: disk)
    #expect(misspelt.status == .usage && misspelt.errors.contains("title?"), "\(misspelt)")
    let unknown = Run("query 'Note sort humour'", on: disk)
    #expect(unknown.status == .usage && unknown.errors.contains("has no key humour"), "\(unknown)")
  }

  @Test func `every kind of event can be asked for, and the manual tells of its members`() throws {
    let disk = try VariedJournal.make()
    let store = try JournaledStore(on: disk, at: Journals.path, model: nil)
    let context = ManagedObjectContext(store)
    let thing = context.insert("Thing")
    for middle in ["", "middle", "mind"] {
      let half = String(repeating: "x", count: 2_500)
      thing["title"] = .string(half + middle + half)
      try context.save()
    }
    context.close()
    try store.close()
    let kind = try #require(JSONKind.all.first { $0.name == "event" })
    var kinds: Set<String> = []
    for line in Run("events --json", on: disk).output.split(separator: "\n") {
      let document = try #require(try JSONValue(parsing: Array(line.utf8)).object)
      let members = Set(document.members.map(\.key)).subtracting(["version", "kind"])
      #expect(members.subtracting(kind.members) == [], "\(line)")
      kinds.insert(try #require(document["event"]?.string))
    }
    #expect(kinds.contains("spliced"))
    for kind in kinds {
      let run = Run("events --kind \(kind) --json", on: disk)
      #expect(run.status == .fine && run.output.contains(#""event":"\#(kind)""#), "\(run)")
    }
  }

  @Test func `no quotation mark of the manual takes words together that man shows`() {
    let lines = Run("manual").output.split(separator: "\n").filter { $0.hasPrefix(".B ") }
    #expect(lines.contains { $0.contains(#"contains \(dqo\(dq"#) })
    #expect(lines.allSatisfy { !$0.contains("\"") })
  }

  @Test func `who follows is told of objects of a new entity by its name`() throws {
    func model(_ names: [String]) throws -> ManagedObjectModel {
      try ManagedObjectModel(
        entities: names.map {
          EntityDescription($0, attributes: [AttributeDescription("when", .date)])
        })
    }
    let disk = SimulatedDisk(seed: 1)
    let first = try JournaledStore(on: disk, at: Journals.path, model: try model(["Note"]))
    let context = ManagedObjectContext(first)
    context.insert("Note")
    try context.save()
    try first.close()
    var rounds = 0
    let run = Run("log -p --follow --json", on: disk) {
      rounds += 1
      guard rounds == 1 else { return false }
      do {
        let next = try JournaledStore(
          on: disk, at: Journals.path, model: try model(["Note", "Task"]))
        let context = ManagedObjectContext(next)
        context.insert("Task")["when"] = .date(Date(timeIntervalSince1970: 1_795_168_800))
        try context.save()
        try next.tag("later", 1)
        try next.close()
      } catch {
        Issue.record(error)
      }
      return true
    }
    #expect(run.status == .fine)
    let told = run.output.split(separator: "\n").last.map(String.init)
    let shown = Run("show head --json", on: disk).output.split(separator: "\n").last
    #expect(told?.contains(#""object":"Task/1""#) == true, "\(run)")
    #expect(told == shown.map(String.init))
  }

  @Test func `of two ends the earlier is the end of the events`() throws {
    let disk = try Journals.sound()
    let early = Run("events --until 1", on: disk).output
    #expect(!early.isEmpty && early != Run("events --until 2", on: disk).output)
    for line in [
      "events --until 1 --at 2", "events --until 2 --at 1", "events --at 1",
      "events --until 2026-11-20T10:30 --at v1", "events --until v1 --at 2026-11-20T10:30",
    ] {
      #expect(Run(line, on: disk).output == early, "\(line)")
    }
  }

  @Test func `what is misspelt is answered by what may have been meant`() throws {
    let disk = try Journals.sound()
    for (line, meant) in [
      ("schema Pots", "Post"), ("log --attr titel", "title"), ("get Post/1 lieks", "likes"),
      ("get Post/1 size lieks", "likes"),
      ("get Post/1 title postDate lieks", "likes"),
      ("history Post/1 modo", "mood"), ("log --entity Bolg", "Blog"),
      ("export --entity Pots", "Post"),
    ] {
      let run = Run(line, on: disk)
      #expect(
        run.status == .no && run.errors.contains("did you mean ‘\(meant)’?"), "\(line): \(run)")
    }
  }

  @Test func `the commit of a moment is shown`() throws {
    let disk = try Journals.sound()
    let run = Run("show --at 1", on: disk)
    #expect(run.status == .fine && run.output == Run("show 1", on: disk).output)
  }

  @Test func `all JSON can be read, line by line or as one, and says its version and kind`() throws
  {
    let disk = try Journals.killed()
    for command in table.commands {
      for example in command.examples where !example.line.contains("--format") {
        let run = Run(example.line.dropFirst("xjournal ".count) + " --json", on: disk)
        let lines = run.output.split(separator: "\n")
        #expect(!lines.isEmpty || example.line.contains("--exit-code"), "\(example.line)")
        for line in lines {
          let document = try JSONValue(parsing: Array(line.utf8)).object
          #expect(document?["version"] == 1, "\(line)")
          #expect(document?["kind"]?.string?.isEmpty == false, "\(line)")
        }
      }
    }
  }

  /// A journal of which one frame has more entries than a document.
  private static func longFrame() throws -> SimulatedDisk {
    let disk = try Journals.killed()
    let store = try JournaledStore(on: disk, at: Journals.path, model: nil)
    let context = ManagedObjectContext(store)
    let post = context.insert("Post")
    for number in 0..<10_000 { post["mood"] = .string("\(number)") }
    try context.save()
    try store.close()
    return disk
  }

  @Test func `every member of the JSON is told of in the manual, and every kind is written`() throws
  {
    let known = Dictionary(uniqueKeysWithValues: JSONKind.all.map { ($0.name, $0) })
    var written: Set<String> = []
    let editless = try Journals.killed()
    try editless.folder(at: Journals.path).remove("edits")
    let others = [
      try VariedJournal.make(), try Journals.damaged(), editless,
      try RenamedJournal.twiceRenamed(), try Self.longFrame(),
    ]
    for (number, disk) in ([try Journals.killed()] + others).enumerated() {
      let lines = number < others.count ? GoldenTests.lines.values.flatMap { $0 } : ["dump"]
      for line in lines where !line.contains("--format") {
        let run = Run(line + " --json", on: disk)
        for text in run.output.split(separator: "\n") + run.errors.split(separator: "\n") {
          let document = try #require(try JSONValue(parsing: Array(text.utf8)).object, "\(text)")
          let name = try #require(document["kind"]?.string)
          let kind = try #require(known[name], "\(name)")
          written.insert(name)
          let members = Set(document.members.map(\.key)).subtracting(["version", "kind"])
          #expect(members.subtracting(kind.members) == [], "\(name)")
        }
      }
    }
    #expect(Set(known.keys).subtracting(written).subtracting(["objects"]) == [])
  }

  @Test
  func `errors are JSON too where JSON was asked for, also where nothing else was understood`()
    throws
  {
    for line in [
      "--json", "--json -s Notes.xjournal", "-s Notes.xjournal --json lgo", "--json lgo",
      "log --limt --json", "show 99 --json",
      "info --json -s None",
    ] {
      let run = Run(line, on: try Journals.sound())
      #expect(run.output.isEmpty)
      let document = try JSONValue(parsing: Array(run.errors.utf8)).object
      #expect(document?["kind"] == "error")
      #expect(document?["status"] == .integer(Int(run.status.rawValue)))
      #expect(document?["message"]?.string?.isEmpty == false)
    }
  }

  @Test func `nothing of the journal is changed, whatever is asked`() throws {
    let disk = try Journals.killed()
    let before = disk.paths.map { disk.contents(of: $0) }
    for line in GoldenTests.lines.values.joined() { _ = Run(line, on: disk) }
    #expect(disk.paths.map { disk.contents(of: $0) } == before)
  }

  @Test func `no control character of a journal reaches a terminal or JSON`() throws {
    let disk = try Journals.sound()
    for line in GoldenTests.lines.values.joined() where !line.contains("--color always") {
      for run in [
        Run(line, on: disk), Run(line, on: disk, terminal: true, environment: ["NO_COLOR": "1"]),
      ] {
        let isExact = ["csv", "sql", "plist"].contains { line.contains($0) }
        let hidden = run.output.unicodeScalars.filter {
          $0 == "\u{1B}" || $0 == "\u{202E}"
        }
        #expect(hidden.isEmpty || isExact && !run.output.contains("<pager"), "\(line)")
      }
    }
  }

  @Test func `colours and a pager are for terminals, and for who wants them`() throws {
    let disk = try Journals.sound()
    #expect(!Run("log", on: disk).output.contains("\u{1B}"))
    #expect(Run("log --color always", on: disk).output.contains("\u{1B}[33m"))
    let shown = Run("log", on: disk, terminal: true)
    #expect(shown.output.contains("\u{1B}[33m"))
    #expect(shown.output.hasPrefix("<pager less -FRX>\n"))
    #expect(shown.output.hasSuffix("</pager>\n"))
    let plain = Run("log --no-pager --color never", on: disk, terminal: true)
    #expect(!plain.output.contains("pager") && !plain.output.contains("\u{1B}"))
    let quiet = Run(
      "log", on: disk, terminal: true, environment: ["NO_COLOR": "1", "PAGER": "more"])
    #expect(quiet.output.hasPrefix("<pager more>\n") && !quiet.output.contains("\u{1B}"))
    #expect(!Run("log --json", on: disk, terminal: true).output.contains("pager"))
  }

  @Test func `of many tags the latest are shown, and in JSON all`() throws {
    let disk = SimulatedDisk(seed: 1)
    let store = try JournaledStore(
      on: disk, at: Journals.path,
      model: try ManagedObjectModel(entities: [
        EntityDescription("Post", attributes: [AttributeDescription("title", .string)])
      ]))
    let context = ManagedObjectContext(store)
    for number in 1...20 {
      context.insert("Post")
      try context.save()
      try store.tag("t\(number)")
    }
    try store.close()
    let told = Run("info", on: disk).output
    #expect(told.contains("8 earlier, t9 (9), ") && told.contains("t20 (20)"))
    #expect(!told.contains("t8 (8)"))
    #expect(Run("info --json", on: disk).output.contains("\"t1\":1"))
  }

  @Test func `a closed pipe ends quietly, and an output that fails is told`() throws {
    let disk = try Journals.sound()
    let closed = Run("log", on: disk, writable: .closed)
    #expect(closed.status == .fine && closed.errors.isEmpty)
    let failed = Run("log", on: disk, writable: .failed("No space left on device"))
    #expect(failed.status == .inputOutput)
    #expect(failed.errors.contains("No space left on device"))
  }

  @Test func `the journal is named by an operand, by -s, or not at all`() throws {
    let disk = try Journals.sound()
    let output = Run("log -n 1", on: disk).output
    #expect(!output.isEmpty)
    for line in [
      "log -n 1 Notes.xjournal", "log Notes.xjournal/ -n1", "log -s Notes.xjournal -n 1",
      "log --store=Notes.xjournal --limit 1",
    ] {
      #expect(Run(line, on: disk).output == output, "\(line)")
    }
    try disk.makeFolders("Other.xjournal")
    #expect(Run("log", on: disk).status == .usage)
    #expect(Run("log -s Other.xjournal", on: disk).status == .noJournal)
    try disk.setContents("file", [1])
    #expect(Run("info -s file", on: disk).status == .noJournal)
  }

  @Test func `following tells of commits when they are made`() throws {
    let disk = try Journals.sound()
    let store = try JournaledStore(on: disk, at: Journals.path, model: nil)
    let context = ManagedObjectContext(store)
    var rounds = 0
    let run = Run("log -n 1 --follow", on: disk) {
      rounds += 1
      do {
        context.insert("Blog")["name"] = .string("round \(rounds)")
        try context.save(author: "eve", message: "round \(rounds)")
      } catch {
        Issue.record(error)
      }
      return rounds < 4
    }
    #expect(run.status == .fine && rounds == 4)
    #expect(!run.output.contains("commit 4"))
    for (number, round) in [(6, 1), (7, 2), (8, 3)] {
      #expect(run.output.contains("commit \(number)"))
      #expect(run.output.contains("round \(round)\n"))
    }
    try store.close()
  }

  @Test(arguments: ["", " --json", " --explain", " --count", " --sort title"])
  func `of an entity that there is not a query says so as all commands do`(options: String) throws {
    let disk = try Journals.sound()
    let run = Run("query Pots\(options)", on: disk)
    #expect(run.status == .no && run.output.isEmpty, "\(run)")
    #expect(run.errors.contains("there is no entity ‘Pots’; did you mean ‘Post’?"), "\(run)")
    #expect(run.errors == Run("get Pots/1\(options == " --json" ? options : "")", on: disk).errors)
  }

  @Test(arguments: [
    ("query Blog --sort name,-nam", "Blog sort name,-nam", 16),
    ("query 'Blog sort name' --sort nam", "Blog sort nam", 10),
    ("query 'Blog where nam == 1' --sort nam", "Blog where nam == 1", 11),
    ("query 'Blog sort nam' --sort name", "Blog sort nam", 10),
  ])
  func `what is wrong with a query is pointed at where it stands`(
    line: String, shown: String, column: Int
  ) throws {
    let run = Run(line, on: try Journals.sound())
    #expect(run.status == .usage)
    let place = "  \(shown)\n  \(String(repeating: " ", count: column))^\n"
    #expect(run.errors.hasSuffix(place), "\(run.errors)")
  }

  @Test func `who follows is told first what there is, as it came about`() throws {
    let disk = try Journals.sound()
    let followed = Run("log -n 3 --follow --json", on: disk)
    #expect(followed.status == .fine)
    #expect(followed.output == Run("log -n 3 --reverse --json", on: disk).output)
    let all = Run("log -f --stat", on: disk).output
    #expect(all == Run("log --reverse --stat", on: disk).output)
  }

  @Test(arguments: ["removed", "moved", "replaced"])
  func `who follows is told that the journal is gone`(how: String) throws {
    let disk = try Journals.sound()
    let (others, path) = (try Journals.killed(), Journals.path)
    var rounds = 0
    let run = Run("log -n 1 --follow -s \(path)", on: disk) {
      rounds += 1
      guard rounds == 2 else { return rounds < 5 }
      do {
        try disk.folder(at: ".").rename(path, to: "Old.xjournal")
        if how == "removed" {
          for name in disk.paths where name.hasPrefix("Old.xjournal/") {
            let parts = name.split(separator: "/")
            try disk.folder(at: parts.dropLast().joined(separator: "/")).remove(
              String(try #require(parts.last)))
          }
        }
        for name in others.paths where how == "replaced" && name.hasPrefix(path) {
          try disk.setContents(name, others.contents(of: name) ?? [])
        }
      } catch {
        Issue.record(error)
      }
      return true
    }
    #expect(run.status == .noJournal && rounds == 2, "\(rounds): \(run)")
    #expect(run.errors.contains(how == "replaced" ? "is another one now" : "is there no more"))
  }

  private static func postModel() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription("Post", attributes: [AttributeDescription("title", .string)])
    ])
  }

  /// Copies a journal over another in place: the folders stay, and what they hold is another's.
  private static func copy(_ other: SimulatedDisk, over disk: SimulatedDisk) throws {
    for name in other.paths.sorted().reversed() where name.hasPrefix("\(Journals.path)/") {
      if let bytes = other.contents(of: name) { try disk.setContents(name, bytes) }
    }
  }

  @Test(arguments: ["other", "earlier", "branch"])
  func `who follows is told that another journal was copied over it`(how: String) throws {
    let disk = SimulatedDisk(seed: 3)
    let store = try JournaledStore(on: disk, at: Journals.path, model: Self.postModel())
    let context = ManagedObjectContext(store)
    func save(_ count: Int) throws {
      for number in 1...count {
        context.insert("Post")["title"] = .string("\(number)")
        try context.save(author: how)
      }
    }
    try save(3)
    try store.close()
    let kept = disk.imageAfterProcessDeath()
    func goOn(_ disk: SimulatedDisk, as author: String, _ count: Int) throws {
      let store = try JournaledStore(on: disk, at: Journals.path, model: Self.postModel())
      let context = ManagedObjectContext(store)
      for number in 1...count {
        context.insert("Post")["title"] = .string("\(author) \(number)")
        try context.save(author: author)
      }
      try store.close()
    }
    let branch = kept.imageAfterProcessDeath()
    try goOn(disk, as: "ann", 2)
    try goOn(branch, as: "bob", 4)
    let other = how == "other" ? try Journals.killed() : how == "earlier" ? kept : branch
    var rounds = 0
    let run = Run("log -n 1 --follow -s \(Journals.path)", on: disk) {
      rounds += 1
      if rounds == 2 {
        do { try Self.copy(other, over: disk) } catch { Issue.record(error) }
      }
      return rounds < 20
    }
    #expect(run.status == .noJournal && rounds < 10, "\(rounds): \(run)")
    let words = how == "other" ? "is another one now" : "was put back to an earlier state"
    #expect(run.errors.contains(words) && !run.errors.contains("damaged"), "\(run)")
  }

  @Test func `who follows beside a writer is told of nothing but commits`() throws {
    let disk = SimulatedDisk(seed: 4)
    let store = try JournaledStore(on: disk, at: Journals.path, model: Self.postModel())
    var rounds = 0
    let run = Run("log --follow -s \(Journals.path)", on: disk) {
      rounds += 1
      do {
        switch rounds % 4 {
        case 0: try store.beginSegment()
        case 1: try store.checkpoint()
        // What was not told yet is kept.
        case 2: try store.compact(keeping: .commits(since: store.lastCommit))
        default: break
        }
        let context = ManagedObjectContext(store)
        context.insert("Post")["title"] = .string("\(rounds)")
        try context.save(author: "ann")
        context.close()
      } catch {
        Issue.record(error)
      }
      return rounds < 24
    }
    #expect(run.status == .fine && run.errors.isEmpty, "\(run)")
    let told = run.output.split(separator: "\n").filter { $0.hasPrefix("commit ") }
    #expect(told.count >= 23, "\(run)")
  }

  @Test func `who follows is told where the journal cannot be read further`() throws {
    let disk = try Journals.damaged()
    let run = Run("log --follow", on: disk) {
      Issue.record("nothing more can come")
      return false
    }
    #expect(run.status == .damage && run.errors.contains("the journal is damaged"), "\(run)")
  }

  @Test func `no two commands share a name, nor two options of one`() {
    #expect(Set(table.commands.map(\.name)).count == table.commands.count)
    for command in table.commands {
      let names = command.allOptions.map(\.name)
      let letters = command.allOptions.compactMap(\.letter)
      #expect(
        Set(names).count == names.count && Set(letters).count == letters.count, "\(command.name)")
    }
  }
}
