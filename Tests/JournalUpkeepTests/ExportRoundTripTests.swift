import DiskSimulation
import Foundation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing
import ToolSupport

/// What others have read and written again comes back as it was, whatever their numbers and names are like.
@Suite struct ExportRoundTripTests {
  private static let large = 9_007_199_254_740_993

  @Test func `whole numbers beyond 2^53 come back as numbers, and texts as texts`() throws {
    let disk = SimulatedDisk(seed: 1)
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Note", allowsAnyKey: true,
        attributes: [
          AttributeDescription("size", .integer), AttributeDescription("likes", .counter),
          AttributeDescription("map", .dictionary), AttributeDescription("tags", .set),
          AttributeDescription("text", .string),
        ])
    ])
    let large = Value.integer(Self.large)
    let text = Value.string("\(Self.large)")
    let values: [String: Value] = [
      "size": large, "likes": .counter(.min), "text": text,
      "map": ["a": large, "b": text, "$counter": large, "c": ["$integer": text]],
      "tags": .set([large, text]), "free": large, "free text": text, "least": .integer(.min),
      "exact": .integer(1 << 53),
      "list": [large, text, [large], ["$counter": large, "d": text]],
    ]
    let store = try JournaledStore(on: disk, at: Journals.path, model: model)
    let context = ManagedObjectContext(store, isolation: nil)
    let note = context.insert("Note")
    for (key, value) in values { note[key] = value }
    try context.save(userInfo: ["sum": large, "text": text])
    context.close()
    try store.close()
    let exported = Upkeep.run("export -s Notes.xjournal", on: disk).output
    let folder = try TemporaryFolder()
    // A reader that has nothing better than a double must not meet a number that it would round.
    let script = """
      import json, sys
      def whole(text):
          assert abs(int(text)) <= 2 ** 53, text
          return int(text)
      for line in open(sys.argv[1], encoding="utf-8"):
          print(json.dumps(json.loads(line, parse_int=whole)))
      """
    let written = try ForeignProgram.python(script, of: exported, in: folder.path)
    let run = Upkeep.run(
      "import -s Notes.xjournal - -o New.xjournal", on: disk, input: written)
    #expect(run.status == .fine, "\(run.errors)")
    let copy = try StoreReader(on: disk, at: "New.xjournal")
    let past = try copy.asOf(.commit(1))
    let back = try past.fetch(FetchRequest("Note"))
    for (key, value) in values { #expect(back.first?[key] == value, "\(key)") }
    extendLifetime(past)
    let log = Upkeep.run("log --json -s Notes.xjournal", on: disk).output
    #expect(log.contains(#""sum":{"$integer":"\#(Self.large)"},"text":"\#(Self.large)""#), "\(log)")
  }

  @Test func `SQLite loads names that differ only in capitals, and every value`() throws {
    let disk = SimulatedDisk(seed: 1)
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Note", allowsAnyKey: true), EntityDescription("NOTE", allowsAnyKey: true),
      EntityDescription("sqlite_note", allowsAnyKey: true),
    ])
    let store = try JournaledStore(on: disk, at: Journals.path, model: model)
    let context = ManagedObjectContext(store, isolation: nil)
    for entity in ["Note", "NOTE", "sqlite_note"] {
      let note = context.insert(entity)
      for key in ["Title", "title", "TITLE", "title 2", "Object", "object 2", "zero\0"] {
        note[key] = .string("\(entity) \(key.filter { $0 != "\0" })")
      }
    }
    try context.save()
    context.close()
    try store.close()
    let script = """
      import sqlite3, sys
      base = sqlite3.connect(":memory:")
      base.executescript(open(sys.argv[1], encoding="utf-8").read())
      for table in [row[0] for row in base.execute("select name from sqlite_master where type = 'table'")]:
          rows = base.execute('select * from "' + table + '"')
          names = [column[0] for column in rows.description]
          for row in rows:
              print(table, dict(zip(names, row)))
      """
    let folder = try TemporaryFolder()
    let sql = Upkeep.run("export --format sql -s Notes.xjournal", on: disk).output
    let loaded = try ForeignProgram.python(script, of: sql, in: folder.path)
    func line(_ table: String, _ entity: String) -> String {
      "\(table) {'object 3': '\(entity)/1', 'Object': '\(entity) Object', "
        + "'TITLE': '\(entity) TITLE', 'Title 3': '\(entity) Title', "
        + "'object 2': '\(entity) object 2', 'title 4': '\(entity) title', "
        + "'title 2': '\(entity) title 2', 'zero\u{FFFD}': '\(entity) zero'}\n"
    }
    #expect(
      loaded == line("Note", "Note") + line("NOTE 2", "NOTE") + line("_sqlite_note", "sqlite_note"))
  }

  @Test func `SQL has a view of each entity that inherits, and every line ends as it did`() throws {
    let disk = SimulatedDisk(seed: 1)
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Note", attributes: [AttributeDescription("text", .string)]),
      EntityDescription("Letter", parent: "Note"),
      EntityDescription("letter", attributes: [AttributeDescription("text", .string)]),
      EntityDescription("LoveLetter", parent: "Letter"),
      EntityDescription("Bill", parent: "Note"),
    ])
    let store = try JournaledStore(on: disk, at: Journals.path, model: model)
    let context = ManagedObjectContext(store, isolation: nil)
    for entity in ["Note", "Letter", "letter", "LoveLetter"] {
      context.insert(entity)["text"] = .string("\(entity)\r\nits\rend\r\n")
    }
    try context.save()
    context.close()
    try store.close()
    let script = """
      import sqlite3, sys
      base = sqlite3.connect(":memory:")
      # As SQLite's shell reads lines.
      text = open(sys.argv[1], encoding="utf-8", newline="").read().replace("\\r\\n", "\\n")
      base.executescript(text)
      for name, in base.execute("select name from sqlite_master where type in ('table', 'view')").fetchall():
          print(name, [row[1] for row in base.execute('select * from "' + name + '" order by object')])
      """
    let folder = try TemporaryFolder()
    func loaded(_ line: String) throws -> String {
      let sql = Upkeep.run("\(line) -s Notes.xjournal", on: disk).output
      return try ForeignProgram.python(script, of: sql, in: folder.path)
    }
    func text(_ entity: String) -> String {
      "'\(entity)\\r\\nits\\rend\\r\\n'"
    }
    let letters = "[\(text("Letter")), \(text("LoveLetter"))]\n"
    let loves = "LoveLetter [\(text("LoveLetter"))]\n"
    #expect(
      try loaded("export --format sql")
        == "Note [\(text("Letter")), \(text("LoveLetter")), \(text("Note"))]\n"
        + "Letter 2 \(letters)\(loves)Bill []\nletter [\(text("letter"))]\n")
    #expect(
      try loaded("export --format sql --entity Letter") == "Letter \(letters)\(loves)")
  }

  @Test func `no two columns have one name, beside keys that are called like that of the names`()
    throws
  {
    let disk = SimulatedDisk(seed: 1)
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Note", allowsAnyKey: true)
    ])
    let store = try JournaledStore(on: disk, at: Journals.path, model: model)
    let context = ManagedObjectContext(store, isolation: nil)
    let note = context.insert("Note")
    for key in ["object", "Object", "object 2"] { note[key] = .string("the \(key)") }
    note["told"] = "a\u{1B}b\0"
    try context.save()
    context.close()
    try store.close()
    let csv = Upkeep.run("export --format csv --entity Note -s Notes.xjournal", on: disk).output
    let folder = try TemporaryFolder()
    let script = """
      import csv, sys
      rows = list(csv.DictReader(open(sys.argv[1], encoding="utf-8", newline="")))
      print([[row[name] for name in ("object 3", "object", "Object", "object 2")] for row in rows])
      """
    let read = try ForeignProgram.python(
      script, of: csv.replacing("\0", with: ""), in: folder.path)
    #expect(read == "[['Note/1', 'the object', 'the Object', 'the object 2']]\n", "\(csv)")
    let table = Upkeep.run("query Note -s Notes.xjournal", on: disk).output
    #expect(table.hasPrefix("object 3  "), "\(table)")
    let sql = Upkeep.run("export --format sql -s Notes.xjournal", on: disk).output
    #expect(
      sql.contains(
        #"("object 4" TEXT PRIMARY KEY, "Object" TEXT, "object 3" TEXT, "object 2" TEXT,"#),
      "\(sql)")
  }

  @Test func `a table that SQLite would not read is told`() throws {
    for (count, isTold) in [(1_999, false), (2_000, true)] {
      let disk = SimulatedDisk(seed: 1)
      let model = try ManagedObjectModel(entities: [EntityDescription("Note", allowsAnyKey: true)])
      let store = try JournaledStore(on: disk, at: Journals.path, model: model)
      let context = ManagedObjectContext(store, isolation: nil)
      let note = context.insert("Note")
      for number in 0..<count { note["key \(number)"] = .integer(number) }
      try context.save()
      context.close()
      try store.close()
      let run = Upkeep.run("export --format sql", on: disk)
      #expect(
        run.status == .fine && run.errors.contains("2,001 columns") == isTold, "\(run.errors)")
    }
  }

  @Test func `what XML does not have is told`() throws {
    let disk = try Journals.sound()
    let run = Upkeep.run("export --format plist --at 2", on: disk)
    #expect(run.status == .fine && run.output.contains("\u{FFFD}[31mred"), "\(run)")
    #expect(
      run.errors == "note: 1 text had characters that XML has not; \u{FFFD} stands for each.\n")
    #expect(Upkeep.run("export --format plist", on: disk).errors.isEmpty)
  }
}
