import ByteCoding
import EventCoding
import FoundationEssentials
import ObjectModel
import TestSupport
import Testing

/// The section of docs/format.md on events and commits against the code, both ways.
struct EventFormatDocumentTests {
  private let page: FormatDocument

  init() throws { page = try FormatDocument.ofThisRepository() }

  private let eventOfPage = Event.edited(context(1), .set(object(300), key(5), "Zoë"))

  private let commitOfPage = CommitContent(
    number: 7, time: RecordedTime(rawValue: 1_700_000_000_000_000_000), context: context(1),
    contextName: "ed", precedingEditCount: 2, author: "Ann", userInfo: ["app": 2],
    changes: [
      ObjectChange(
        object(300), .updated,
        [.init(key(5), .replaced(old: "Zoe", new: "Zoë")), .init(key(6), .counted(2))],
        after: 4),
      ObjectChange(object(302), .deleted, [.init(key(5), .replaced(old: "x", new: nil))]),
    ])

  @Test func `the event is written and read as the page states`() throws {
    let block = try #require(page.blocks["event"])
    #expect(block.contradictions == [])
    #expect(try bytes(eventOfPage) == block.bytes)
    #expect(try event(block.bytes) == eventOfPage)
    #expect(block.number("event", "kind") == UInt64(EventKind.set.rawValue))
  }

  @Test func `the commit is written and read as the page states`() throws {
    let block = try #require(page.blocks["commit"])
    #expect(block.contradictions == [])
    var writer = ByteWriter()
    try commitEncoder.append(commitOfPage, to: &writer) { object, key, value in
      object.number == 300 && key.rawValue == 5 && value == "Zoë" ? 1 : nil
    }
    #expect(writer.array == block.bytes)
    let edit = try #require(page.blocks["event"]).bytes
    let decoded = try block.bytes.withUnsafeBytes { try decode($0, [[14, 1], edit]) }
    #expect(decoded == DecodedCommit(content: commitOfPage, fields: []))
  }

  @Test func `the kinds of events are those of the code`() throws {
    let table = try #require(page.table(under: "Events"))
    #expect(table.columns == ["Kind", "Name", "Fields"])
    let ofCode = EventKind.allCases.map { [String($0.rawValue), "\($0)"] }
    #expect(table.rows.map { Array($0[..<2]) } == ofCode)
  }

  private static let values: [String: Value] = [
    "null": .null, "no": .boolean(false), "yes": .boolean(true), "integer": .integer(112),
    "real": .real(1), "decimal": .decimal(1), "negative decimal": .decimal(-1),
    "string": .string(String(repeating: "x", count: 64)), "data": .data(Data()),
    "date": .date(Date(timeIntervalSinceReferenceDate: 0)),
    "UUID": .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
    "array": [], "dictionary": [:], "counter": .counter(0), "set": .set([]),
    "reference": .reference(object(1)),
    "foreign reference": .reference(ObjectID(rawValue: 1, store: otherStore)),
  ]

  @Test func `the tags of values are those of the code`() throws {
    let table = try #require(page.table(under: "Values"))
    #expect(table.columns == ["Tag", "Value", "What follows"])
    var tags = Self.values.mapValues { Optional($0) }
    tags["none"] = .some(nil)
    tags["URL"] = URL(string: "x:y").map { .url($0) }
    for row in table.rows where !row[0].contains("to") {
      let entry = tags.removeValue(forKey: row[1])
      let value = try #require(entry, "\(row[1])")
      #expect(try bytes(of: value).first == UInt8(row[0]), "\(row[1])")
    }
    #expect(tags.isEmpty)
    let ranges = table.rows.filter { $0[0].contains("to") }.map { $0[0] }
    #expect(ranges == ["64 to 127", "128 to 255"])
    #expect(try bytes(of: .string(String(repeating: "x", count: 63))).first == 127)
    #expect(try bytes(of: .integer(-16)) == [128])
    #expect(try bytes(of: .integer(111)) == [255])
  }
}
