import Foundation
import JournalInspection
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing
import ToolSupport

/// The reader of journals that was written from `docs/format.md` alone.
enum SecondReader {
  static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "SecondReader/read_store.py").path

  /// What it says of a journal, as lines of JSON.
  static func said(of path: String) throws -> String { try said(["python3", script, path]) }

  /// The same, and everything that happened.
  static func saidWithEvents(of path: String) throws -> String {
    try said(["python3", script, "--events", path])
  }

  private static func said(_ command: [String]) throws -> String {
    let path = command[command.count - 1]
    let answer = try ForeignProgram.run(command)
    try #require(answer.status == 0, "\(path): \(answer.said)")
    return answer.said
  }

  /// What it says otherwise than a store does.
  ///
  /// - Parameter tellsEvents: whether it was asked for everything that happened.
  static func problems(
    with reader: StoreReader, as said: String, tellsEvents: Bool = false
  ) throws -> [String] {
    let theirs = try said.split(separator: "\n").compactMap {
      try JSONValue(parsing: Array($0.utf8)).object
    }
    guard let store = theirs.first, case .integer(let since)? = store["since"],
      case .object(let tags)? = store["tags"]
    else { return ["it does not begin with the store: \(said)"] }
    var problems: [String] = []
    // Of one model alone the rows and the commits can be compared without knowing what the models mean.
    let modelCount = theirs.count { $0["kind"]?.string == "model" }
    if modelCount == 1, since == 1, store["compared"] != .boolean(true) {
      problems.append("it has not compared the commits with the rows")
    }
    let ourTags = reader.tags.map { "\($0.key): \($0.value.rawValue)" }.sorted()
    let theirTags = tags.members.map { "\($0.key): \(text($0.value))" }.sorted()
    if ourTags != theirTags { problems.append("tags: \(theirTags), and not \(ourTags)") }
    var ours = try lines(of: reader, since: CommitNumber(rawValue: UInt64(max(0, since - 1))))
    if tellsEvents { ours += try reader.events().map { event(try happening($0, of: reader)) } }
    let told = theirs.filter { ["commit", "object", "event"].contains($0["kind"]?.string) }
    if ours.count < 2 || told.count != ours.count {
      problems.append("\(told.count) lines, and not \(ours.count)")
    }
    for (mine, other) in zip(ours, told) {
      // Of commits that only the state at the checkpoint holds, it does not tell what they have changed.
      let isKnown = since == 1 || other["changes"] != .null
      for (key, value) in mine.members where key != "changes" || isKnown {
        let other = other[key] ?? .null
        // A date is no nanosecond.
        if key == "time", let (one, another) = numbers(value, other), abs(one - another) < 1_000 {
          continue
        }
        if text(other) != text(value) {
          problems.append("\(key): \(text(other)), and not \(text(value))")
        }
      }
    }
    return problems
  }

  private static func numbers(_ one: JSONValue, _ other: JSONValue) -> (Int, Int)? {
    guard case .integer(let one) = one, case .integer(let other) = other else { return nil }
    return (one, other)
  }

  // MARK: What the store finds

  private static func lines(of reader: StoreReader, since: CommitNumber) throws -> [JSONObject] {
    var lines: [JSONObject] = []
    for commit in try reader.commits(since: since) {
      var changes: [JSONValue] = []
      for change in commit.changes {
        let values = change.values.map { key, value in
          (key, JSONValue.object(JSONObject([("old", json(value.old)), ("new", json(value.new))])))
        }
        changes.append(
          .object(
            JSONObject([
              ("object", .string(name(change.objectID, change.entityName))),
              ("change", .string("\(change.kind)")), ("values", .object(JSONObject(values))),
            ])))
      }
      lines.append(
        JSONObject([
          ("kind", .string("commit")), ("number", .integer(Int(commit.number.rawValue))),
          ("time", .integer(Int((commit.date.timeIntervalSince1970 * 1e9).rounded()))),
          ("author", commit.author.map { .string($0) } ?? .null),
          ("message", commit.message.map { .string($0) } ?? .null),
          ("context", commit.contextName.map { .string($0) } ?? .null),
          ("userInfo", .object(JSONObject(commit.userInfo.map { ($0.key, json($0.value)) }))),
          ("changes", .array(changes)),
        ]))
    }
    let head = reader.head
    let objects = try head.rootEntities.flatMap { entity in
      try head.objects(of: try reader.queryOfAll(entity, in: head))
    }
    for object in objects.sorted() {
      let row = try #require(try head.row(of: object))
      let entity = try #require(head.era?.name(of: object.entity))
      let values = try row.entries.map { entry in
        (try #require(reader.name(of: entry.key)), json(entry.value))
      }
      lines.append(
        JSONObject([
          ("kind", .string("object")), ("object", .string(name(object, entity))),
          ("values", .object(JSONObject(values))),
        ]))
    }
    return lines
  }

  // MARK: What has happened

  private static func event(_ members: [(String, JSONValue)]) -> JSONObject {
    JSONObject([("kind", .string("event"))] + members)
  }

  /// An event as the second reader tells it: where it is of one object, to which, and with what value.
  private static func happening(
    _ event: StoreEvent, of reader: StoreReader
  ) throws -> [(String, JSONValue)] {
    func called(_ object: ObjectID) throws -> JSONValue {
      .string(name(object, try #require(reader.head.era?.name(of: object.entity))))
    }
    func all(_ objects: [ObjectID]) throws -> JSONValue { .array(try objects.map(called)) }
    func number(_ commit: CommitNumber?) -> JSONValue {
      commit.map { .integer(Int($0.rawValue)) } ?? .null
    }
    func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
    let told: (String, [(String, JSONValue)]) =
      switch event.kind {
      case .began(let commit): ("contextBegan", [("commit", number(commit))])
      case .ended: ("contextEnded", [])
      case .resumed: ("contextResumed", [])
      case .discarded: ("draftDiscarded", [])
      case .renamed(let name): ("renamed", [("text", text(name))])
      case .based(let object, let commit):
        ("based", [("object", try called(object)), ("commit", number(commit))])
      case .inserted(let object): ("inserted", [("object", try called(object))])
      case .set(let object, let key, let value):
        ("set", [("object", try called(object)), ("key", text(key)), ("value", json(value))])
      case .setPrimitive(let object, let key, let value):
        (
          "setPrimitive",
          [("object", try called(object)), ("key", text(key)), ("value", json(value))]
        )
      case .spliced(let object, let key, _):
        ("spliced", [("object", try called(object)), ("key", text(key))])
      case .membersChanged(let object, let key, let inserted, let removed):
        (
          "membersChanged",
          [
            ("object", try called(object)), ("key", text(key)), ("inserted", try all(inserted)),
            ("removed", try all(removed)),
          ]
        )
      case .deleted(let object): ("deleted", [("object", try called(object))])
      case .stepEnded(let name): ("stepEnded", [("text", text(name))])
      case .undoSwitched(let isOn): ("undoSwitched", [("flag", .boolean(isOn))])
      case .undone(let restored): ("undone", [("objects", try all(restored.map(\.objectID)))])
      case .redone(let restored): ("redone", [("objects", try all(restored.map(\.objectID)))])
      case .refreshed(let objects, let keepsChanges, let commit):
        (
          "refreshed",
          [
            ("objects", try all(objects)), ("flag", .boolean(keepsChanges)),
            ("commit", number(commit)),
          ]
        )
      case .merged(let commit): ("merged", [("commit", number(commit))])
      case .rolledBack: ("rolledBack", [])
      case .wasReset: ("wasReset", [])
      case .saved(let commit): ("saved", [("commit", number(commit))])
      case .saveFailed(let reason): ("saveFailed", [("text", text(reason))])
      case .reconciled(let object, let keys):
        (
          "reconciled",
          [("object", try called(object)), ("keys", .array(keys.map { .string($0) }))]
        )
      case .tagged(let name, let commit):
        ("tagged", [("text", text(name)), ("commit", number(commit))])
      case .modelAdopted: ("modelAdopted", [])
      case .unknown(let kind): ("kind\(kind)", [])
      }
    let context = event.context.map { JSONValue.integer(Int($0.number)) } ?? .null
    return [("event", .string(told.0)), ("context", context)] + told.1
  }

  private static func name(_ object: ObjectID, _ entity: String) -> String {
    "\(entity)/\(object.origin)/\(object.number)"
  }

  /// A value as the second reader tells it.
  private static func json(_ value: Value?) -> JSONValue {
    func kind(_ name: String, _ content: JSONValue) -> JSONValue {
      .object(JSONObject([(name, content)]))
    }
    func bits(_ number: UInt64) -> JSONValue {
      let digits = String(number, radix: 16)
      return .string(String(repeating: "0", count: 16 - digits.count) + digits)
    }
    switch value {
    case nil: return .null
    case .null: return kind("null", .boolean(true))
    case .boolean(let value): return .boolean(value)
    case .integer(let value): return kind("integer", .integer(value))
    case .counter(let value): return kind("counter", .integer(value))
    case .real(let value): return kind("real", bits(value.bitPattern))
    case .date(let value):
      return kind("date", bits(value.timeIntervalSinceReferenceDate.bitPattern))
    case .decimal(let value): return kind("decimal", .string("\(value)"))
    case .string(let value): return .string(value)
    case .url(let value): return kind("url", .string(value.absoluteString))
    case .data(let value): return kind("data", .string(value.base64EncodedString()))
    case .uuid(let value):
      return kind("uuid", .string(value.uuidString.filter { $0 != "-" }.lowercased()))
    case .array(let values): return kind("array", .array(values.map(json)))
    case .set(let values): return kind("set", .array(values.map(json)))
    case .dictionary(let values):
      return kind("dictionary", .object(JSONObject(values.map { ($0.key, json($0.value)) })))
    case .reference(let id):
      let object = JSONValue.array([
        .integer(Int(id.origin) << 12 | Int(id.entity.rawValue)), .integer(Int(id.number)),
      ])
      return kind("reference", .object(JSONObject([("store", .null), ("object", object)])))
    }
  }

  /// What is said, whatever the order of members, and without what is there for people only.
  private static func text(_ json: JSONValue) -> String {
    switch json {
    case .array(let elements): return "[\(elements.map(text).joined(separator: ","))]"
    case .object(let object):
      let members = object.members.filter { $0.key != "about" }.map { key, value in
        if key == "set", case .array(let elements) = value {
          return "set:\(elements.map(text).sorted())"
        }
        return "\(key):\(text(value))"
      }
      return "{\(members.sorted().joined(separator: ","))}"
    default: return "\(json)"
    }
  }
}
