import DiskSimulation
import EventCoding
import JournalInspection
import ObjectModel
import ObjectPatching
import TestSupport
import Testing
import ToolSupport

/// Every kind of event and of change that a journal can have, also those that no program of ours has written lately:
/// `dump` takes them apart to the last byte, and `events` tells of them.
@Suite struct EveryEntryTests {
  private static let (text, list) = (KeyNumber(rawValue: 0), KeyNumber(rawValue: 1))
  private static let (one, other) = (ContextNumber(rawValue: 1), ContextNumber(rawValue: 2))
  private static let note = object(1)

  private static func object(_ number: UInt64, origin: UInt16 = 0, of store: StoreTag? = nil)
    -> ObjectID
  {
    ObjectID(
      origin: origin, entity: EntityNumber(rawValue: 0), number: number,
      store: store ?? ToldBatch.store)
  }

  private static func event(_ edit: Edit) -> Event { .edited(one, edit) }

  /// A text with two other middles.
  private static let splice = Splice(
    prefixCount: 1, suffixCount: 1, old: "b", new: "x",
    further: [Splice.Part(keptCount: 2, old: "", new: "yy")])

  private static let events: [Event] = [
    .keyNamed(text, "text"), .keyNamed(list, "list"), .timePassed(RecordedTime(rawValue: 5)),
    .modelAdopted([
      NumberedEntity(
        EntityNumber(rawValue: 0),
        EntityDescription(
          "Note",
          attributes: [
            AttributeDescription("text", .string, merging: .custom("join")),
            AttributeDescription("list", .transformed(by: "Lister")),
          ]))
    ]),
    .numbersReserved(origin: 3, EntityNumber(rawValue: 0), through: 9),
    .contextBegan(one, name: "editor", on: .none, parent: nil),
    .contextBegan(other, name: "child", on: .none, parent: one), .contextEnded(other),
    .contextResumed(other, name: "child", on: .none, oldest: .none, firstEdit: 7),
    .draftDiscarded(other), event(.renamed("other name")), event(.inserted(note)),
    event(.set(note, text, "abcde")), event(.set(note, list, .null)),
    event(.set(note, list, .reference(object(4, of: StoreTag(rawValue: 99))))),
    event(.set(note, list, .reference(object(5, origin: 2)))),
    event(.setPrimitive(note, text, nil)), event(.set(note, text, "abcde")),
    event(.spliced(note, text, splice)), event(.based(note, on: .none)),
    event(.membersChanged(note, list, inserted: [note], removed: [])), event(.deleted(note)),
    event(.stepEnded(name: "Typing")), event(.stepEnded(name: nil)),
    event(.undoSwitched(isOn: false)),
    event(
      .undone([
        Restoration(
          note, .updated,
          [Restoration.Entry(text, .splice(splice)), Restoration.Entry(list, .value(1))])
      ])), event(.redone([Restoration(note, .deleted, [])])),
    event(.refreshed([note], keepingChanges: false, at: .none)),
    event(.refreshed([note], keepingChanges: true, at: .none)), event(.merged(.none)),
    event(.rolledBack), event(.wasReset), event(.saveFailed("there was no room.")),
    event(.reconciled(note, [text, list])), .tagged("gone", nil), .tagged("kept", 1),
  ]

  private static let commits = [
    CommitContent(
      number: 1, time: RecordedTime(rawValue: 7), context: one, contextName: "editor",
      precedingEditCount: events.count, author: "ann", message: "all", userInfo: ["by": "hand"],
      changes: [
        ObjectChange(inserting: note, Row([text: "abcde"])),
        ObjectChange(inserting: object(1, origin: 3), Row([list: .counter(1), text: "t"])),
      ]),
    CommitContent(
      number: 2, time: RecordedTime(rawValue: 8), context: one, precedingEditCount: events.count,
      changes: [
        ObjectChange(
          note, .updated, [ObjectChange.Entry(text, .spliced(splice))], after: 1),
        ObjectChange(
          object(1, origin: 3), .updated,
          [
            ObjectChange.Entry(text, .replaced(old: "t", new: nil)),
            ObjectChange.Entry(list, .counted(2)),
          ], after: 1),
      ]),
  ]

  private static func disk(_ more: [Event] = []) throws -> SimulatedDisk {
    try ToldBatch.disk([
      ToldBatch(events + more, commits: commits, fields: [CommitField(kind: 1, bytes: [2])]),
      // What stands in the last frame is not shown before it is known to be durable.
      ToldBatch([.timePassed(RecordedTime(rawValue: 9))]),
    ])
  }

  @Test func `every field of every entry is told, and every byte is in one`() throws {
    let run = Upkeep.run("dump --hex --json -s store", on: try Self.disk())
    #expect(run.status == .fine && run.errors == "")
    var kinds: Set<String> = []
    for line in run.output.split(separator: "\n") {
      let document = try #require(try JSONValue(parsing: Array(line.utf8)).object)
      for entry in document["content"]?.array ?? [] {
        let fields = entry.object?["fields"]?.array?.compactMap(\.object) ?? []
        #expect(!fields.contains { $0["name"]?.string == "rest" }, "\(entry)")
        let counts = fields.compactMap { $0["bytes"]?.string?.split(separator: " ").count }
        #expect(
          JSONValue.integer(counts.reduce(0, +)) == entry.object?["bytes"], "\(entry)")
        if let kind = fields.first?["value"]?.string { kinds.insert(kind) }
      }
    }
    #expect(kinds.count > 24, "\(kinds.sorted())")
    let text = Upkeep.run("dump --hex -s store", on: try Self.disk()).output
    for words in [
      "oldest commit it stood on", "several", "1, policy", "reference into store", "origin 3, ",
      "custom", "grew by",
    ] {
      #expect(text.contains(words), "\(words)")
    }
  }

  @Test func `every event is told in words and in JSON`() throws {
    let disk = try Self.disk([.unknown(kind: 90, bytes: [1, 2])])
    let run = Upkeep.run("events -s store", on: disk)
    // The last frame is not known to be durable.
    #expect(
      run.status == .fine && run.errors.contains("commits after 2 may be missing: 76 B"), "\(run)")
    for words in [
      "resumed", "reconciled  Note/1 text, list", "of kind 90", "stepEnded  Typing",
      "refreshed  Note/1 to commit", ", keeping changes", "and 2 further on", "saveFailed",
    ] {
      #expect(run.output.contains(words), "\(words) in \(run.output)")
    }
    let documents = try Upkeep.run("events --json -s store", on: disk).output
      .split(separator: "\n").map { try #require(try JSONValue(parsing: Array($0.utf8)).object) }
    let kinds = documents.compactMap { $0["event"]?.string }
    #expect(kinds.count == documents.count && Set(kinds).isSuperset(of: ["resumed", "reconciled"]))
    let reconciled = documents.first { $0["event"]?.string == "reconciled" }
    #expect(reconciled?["keys"]?.array == [.string("text"), .string("list")])
    let unknown = documents.first { $0["event"]?.string == "unknown" }
    #expect(unknown?["number"] == .integer(90))
    let spliced = documents.first { $0["event"]?.string == "spliced" }
    #expect("\(spliced as Any)".contains("keptBefore"))
  }

  @Test
  func `an entry that is not as the format says is shown as far as it can be, and the rest whole`()
    throws
  {
    // A kind that there is not; a number without an end; a text that is longer than its entry; a code that there is not.
    let edits: [[UInt8]] = [
      [99, 1, 2], [32] + [UInt8](repeating: 0xFF, count: 11), [32, 5, 200, 1],
      [33, 1, 0, 1, 65, 0, 0, 1, 1, 66, 77, 0, 0, 0, 0, 0, 0, 0],
    ]
    let payload = batchBytes(firstEdit: 1, edits: edits, commits: [[2, 1], [1, 1, 0, 0]])
    let disk = try StoreBuilder(payloads: [payload]).disk()
    let run = Upkeep.run("dump --hex -s store", on: disk)
    let rests = run.output.split(separator: "\n").filter { $0.contains("not taken apart") }
    #expect(rests.count >= 5, "\(run.output)")
    #expect(run.output.contains("format") && run.output.contains("77"), "\(run.output)")
  }
}
