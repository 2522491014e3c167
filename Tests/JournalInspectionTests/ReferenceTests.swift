// States and objects as people name them.

import DiskAccess
import DiskSimulation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing
import ToolSupport

@Suite struct ReferenceTests {
  @Test(arguments: [
    ("head", 5), ("HEAD", 5), ("Head~1", 4), ("@", 5), ("head~", 4), ("head~3", 2), ("head~1~1", 3),
    ("v1~~", 1),
    ("3", 3), ("3~1", 2),
    ("v1", 3),
    ("tag:v1", 3), ("v1~2", 1), ("2026-11-21", 2), ("2026-11-20T11:01:00Z", 2), ("now", 5),
    ("1 hour ago", 5), ("'90 minutes ago'", 4), ("1.day.ago", 3), ("yesterday", 3),
    ("today", 3), ("today~1", 2),
    ("'a week ago'", 0),
    ("2026-11-22T12:00~1", 4), ("'2 days ago'", 2), ("2026-11-21T00", 2), ("2026-11-20t12z", 2),
    ("20261120T110100Z", 2), ("20261120t1101", 2), ("20261120T11+00", 1), ("'2026-11-20 11:01'", 2),
    ("2026-11-20T11:01:00,5Z", 2), ("20261120T110000.25-00:01", 2), ("20261121T00Z~1", 1),
  ])
  func `a reference leads to a commit`(text: String, number: Int) throws {
    let line = text.contains(" ") && !text.hasPrefix("'") ? "'\(text)'" : text
    let run = Run("get Post/1 --at \(line) --json", on: try Journals.sound())
    if number == 0 {
      #expect(run.status == .no && run.output.isEmpty)
    } else {
      #expect(run.output.contains("\"at\":\(number),"), "\(run.errors)")
    }
  }

  @Test(arguments: [
    ("head~x", JournalInspection.ExitStatus.usage), ("head~9", .no), ("99", .no), ("v2", .no),
    ("tag:41", .no),
    ("2026-02-30", .usage), ("2026-13-01", .usage), ("2026-11-20T24:01", .usage),
    ("2026-11-20T10:60", .usage), ("2026-11-20T1", .usage), ("2026-11-20T10:00x", .usage),
    ("20261131T10", .usage), ("2026-11-20-late", .no), ("2026-11-20Tea", .no), ("20261120", .no),
    ("2026-1-2", .no),
    ("'2 moons ago'", .no), ("'x hours ago'", .no), ("99999999999999999999", .no), ("~", .no),
    ("head~18446744073709551615~9", .no),
  ])
  func `what leads nowhere is told`(text: String, status: JournalInspection.ExitStatus) throws {
    let run = Run("log --at \(text)", on: try Journals.sound())
    #expect(run.status == status && run.output.isEmpty && run.errors.hasPrefix("xjournal: "))
  }

  @Test func `a date that there is not is told to be wrong, and no tag`() throws {
    let run = Run("log --since 2026-02-30T10 --json", on: try Journals.sound())
    #expect(run.status == .usage && run.errors.contains("‘2026-02-30T10’ is no date"), "\(run)")
    #expect(!run.errors.contains("tag"), "\(run)")
  }

  @Test(arguments: [
    "Post/1", "Post/0:1", "00000000-0000-0000-0000-000000000001",
    "Post/00000000-0000-0000-0000-000000000001", "xjournal://88975b78e9afc9f8/0/1/1",
  ])
  func `an object is named in many ways`(text: String) throws {
    #expect(Run("get \(text) title", on: try Journals.sound()).output == "Hello, world\n")
  }

  @Test(arguments: [
    "Post/", "/1", "Post/99999999999999999999", "nobody", "Post/nobody", "Nothing/x/y",
  ])
  func `an object that is not there is told`(text: String) throws {
    let run = Run("get \(text)", on: try Journals.sound())
    #expect(run.status == .no && !run.errors.isEmpty, "\(run.errors)")
  }

  @Test(arguments: [
    "log -pn 2", "log -pn2", "log -p -n 2", "log --patch --limit=2", "log --limit 2 --patch",
    "log -n 2 -p Notes.xjournal --", "--no-pager log -p -n 2", "-s Notes.xjournal log -p -n 2",
    "-sNotes.xjournal --color never log -p -n 2", "--store Notes.xjournal log -p -n 2",
    "--store=Notes.xjournal --color=auto --no-pager log -p -n 2",
  ])
  func `options are read in every usual way`(line: String) throws {
    let disk = try Journals.sound()
    #expect(Run(line, on: disk).output == Run("log -p -n 2", on: disk).output)
    #expect(Run(line, on: disk).status == .fine)
  }

  @Test(arguments: [
    "log -q", "log --patch=3", "log --limit", "log -n", "log -n -1", "log extra", "log --color red",
    "-s log", "-s", "--color red log", "--limit 2 log", "-s Notes.xjournal help",
    "get -- --title", "query", "completions", "replay --speed x", "dump --segment x",
  ])
  func `what is typed wrongly is refused, and said how it is used`(line: String) throws {
    let run = Run(line, on: try Journals.sound())
    #expect((run.status == .usage || line.contains("--title")) && run.output.isEmpty)
    #expect(run.errors.hasPrefix("xjournal: "))
  }
}

/// A journal whose times have more digits than are shown, and an identifier that passes from one object to another.
private enum Passing {
  static func make() throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: 3)
    let start: Int64 = 1_795_168_800_123_456_789
    disk.setWallClock(start)
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Note",
        attributes: [
          AttributeDescription("code", .string, isIdentifier: true),
          AttributeDescription("text", .string),
        ])
    ])
    let store = try JournaledStore(on: disk, at: Journals.path, model: model)
    let context = ManagedObjectContext(store)
    let (first, second) = (context.insert("Note"), context.insert("Note"))
    (first["code"], first["text"], second["text"]) = ("key", "first", "second")
    try context.save()
    disk.setWallClock(start + 60_000_000_000)
    (first["code"], second["code"]) = (nil, "key")
    try context.save()
    disk.setWallClock(start + 120_000_000_000)
    try store.close()
    return disk
  }
}

/// A journal with identifiers of digits, texts and numbers, and objects that lead to each other.
private enum Numbered {
  static func make() throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: 4)
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Book", attributes: [AttributeDescription("isbn", .string, isIdentifier: true)],
        relationships: [RelationshipDescription("author", to: "Person", inverse: "books")]),
      EntityDescription(
        "Person", attributes: [AttributeDescription("code", .integer, isIdentifier: true)],
        relationships: [
          RelationshipDescription("books", to: "Book", inverse: "author", isToMany: true)
        ]),
    ])
    let store = try JournaledStore(on: disk, at: Journals.path, model: model)
    let context = ManagedObjectContext(store)
    let (first, second) = (context.insert("Book"), context.insert("Book"))
    let (ann, bob) = (context.insert("Person"), context.insert("Person"))
    (first["isbn"], second["isbn"], ann["code"], bob["code"]) = ("42", "007", 1, 100)
    first["author"] = .reference(ann.objectID)
    second["author"] = .reference(ann.objectID)
    try context.save()
    context.insert("Person")["code"] = 7
    try context.save()
    try store.tag("a~1")
    try store.tag("a")
    try store.close()
    return disk
  }
}

extension ReferenceTests {
  @Test(arguments: [
    ("42", "Book/1"), ("007", "Book/2"), ("Book/007", "Book/2"), ("Book/42", "Book/1"),
    ("Book/2", "Book/2"), ("Book/02", "Book/2"), ("Person/100", "Person/2"), ("100", "Person/2"),
    ("Person/1", "Person/1"),
  ])
  func `an identifier of digits is found, and a number of an object comes before it`(
    text: String, object: String
  ) throws {
    let run = Run("get \(text) --json", on: try Numbered.make())
    #expect(run.output.contains("\"object\":\"\(object)\""), "\(run)")
  }

  @Test func `where many lead is told where their end is the one that is kept`() throws {
    let disk = try Numbered.make()
    #expect(Run("get Person/1 books", on: disk).output == "{Book/1, Book/2}\n")
    #expect(Run("get Person/2 books", on: disk).output == "none\n")
    let document = try JSONValue(
      parsing: Array(Run("get Person/1 books --json", on: disk).output.utf8))
    #expect(document.object?["values"]?.object?["books"]?.array?.count == 2)
  }

  @Test func `a tag with a tilde in its name is named as a tag`() throws {
    let disk = try Numbered.make()
    #expect(Run("info --at tag:a~1", on: disk).output == Run("info --at 2", on: disk).output)
    #expect(Run("info --at tag:a~2", on: disk).output == Run("info --at 0", on: disk).output)
    #expect(Run("info --at a~1", on: disk).output == Run("info --at 1", on: disk).output)
  }

  @Test func `errors are coloured as was asked for, whatever else is wrong`() throws {
    for (line, isColoured) in [
      ("log --bogus", true), ("log --color never --bogus", false),
      ("log --color=never --bogus", false),
      ("bogus -- --color never", true),
    ] {
      #expect(Run(line, errorTerminal: true).errors.contains("\u{1B}[") == isColoured, "\(line)")
    }
    #expect(Run("log --color always --bogus").errors.contains("\u{1B}["))
  }

  @Test func `what is typed and is no text is refused`() throws {
    let run = Run("info", on: try Journals.sound(), areText: false)
    #expect(run.status == .usage && run.output.isEmpty && run.errors.contains("UTF-8"), "\(run)")
  }

  @Test func `a time that was shown leads to the commit beside which it stood`() throws {
    let disk = try Passing.make()
    let lines = Run("log", on: disk).output.split(separator: "\n")
    let times = lines.compactMap { line in
      line.split(separator: " ").first { $0.hasPrefix("2026-") && $0.hasSuffix("Z") }
    }
    #expect(times.count == 2)
    for (time, number) in zip(times, [2, 1]) {
      #expect(time.contains(".123"))
      #expect(
        Run("info --at \(time) --json", on: disk).output.contains("\"lastCommit\":\(number),"))
      let until = Run("log --until \(time) -n 1 --json", on: disk).output
      let since = Run("log --since \(time) --reverse -n 2 --json", on: disk).output
      #expect(until.contains("\"number\":\(number),"), "\(until)")
      #expect(since.contains("\"number\":\(number),"), "\(since)")
      let events = Run("events --until \(time) --json", on: disk).output
      #expect(events.contains("\"event\":\"saved\"") && events.contains("\"commit\":\(number)}"))
    }
  }

  @Test(arguments: [("", "Note/2"), (" --at 1", "Note/1")])
  func `an identifier is that of the state which is asked for`(at: String, object: String) throws {
    let disk = try Passing.make()
    for line in ["get key", "history key", "blame key"] {
      let output = Run("\(line) --json\(at)", on: disk).output
      #expect(output.contains("\"object\":\"\(object)\""), "\(line): \(output)")
    }
    for line in ["log -p --id key", "events --kind set --id key"] {
      #expect(Run("\(line) --json\(at)", on: disk).output.contains(object), "\(line)")
    }
  }

  @Test func `a store is called alike in info and in the URIs of its objects`() throws {
    for seed in 1...40 {
      let disk = SimulatedDisk(seed: UInt64(seed))
      let model = try ManagedObjectModel(entities: [EntityDescription("Note")])
      let store = try JournaledStore(on: disk, at: Journals.path, model: model)
      let context = ManagedObjectContext(store, isolation: nil)
      let note = context.insert("Note")
      try context.save()
      let uri = note.objectID.uri
      try store.close()
      let told = try JSONValue(parsing: Array(Run("info --json", on: disk).output.utf8)).object
      let name = try #require(told?["store"]?.string)
      #expect(uri.hasPrefix("xjournal://\(name)/"), "\(uri) \(name)")
      if name.hasPrefix("0") { return }
    }
    Issue.record("no store has a name that begins with 0")
  }

  @Test func `both ends of what is asked for are kept`() throws {
    let disk = try Journals.sound()
    let since = Run("events --since 3 --kind saved --json", on: disk).output
    #expect(!since.contains("\"commit\":2}") && since.contains("\"commit\":3}"), "\(since)")
    let followed = Run("log -f --reverse --until 3 --json", on: disk) {
      Issue.record("nothing more is to come")
      return false
    }
    #expect(followed.output == Run("log --reverse --until 3 --json", on: disk).output)
    let full = Run("info --json", on: disk, writable: .failed("no space"))
    #expect(full.status == .inputOutput)
    let told = try JSONValue(parsing: Array(full.errors.utf8)).object
    #expect(told?["kind"] == "error" && told?["status"] == 74)
  }

  @Test func `a kind of event and a context that there are not are told`() throws {
    let disk = try Journals.sound()
    let kind = Run("events --kind insertd", on: disk)
    #expect(kind.status == .usage && kind.errors.contains("did you mean ‘inserted’?"))
    let context = Run("events --context editer", on: disk)
    #expect(context.status == .no && context.errors.contains("did you mean ‘editor’?"))
    #expect(Run("events --context editor --kind reconciled", on: disk).status == .fine)
  }
}
