internal import DiskAccess
internal import Journaling
internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// `xjournal info`: what a journal is.
extension Command {
  static let info = Command(
    "info", "Tells what a journal is: its size, its history, its model.",
    details: ["Costs no more than opening the journal does; ‘stats’ reads all of it."],
    examples: [
      Example("xjournal info Notes.xjournal", "what is in this journal"),
      Example("xjournal info --json", "the same for a script"),
    ],
    travels: true
  ) { (request) throws(ToolError) in
    let (store, number) = (try request.store(), try request.commitNumber())
    let facts = try JournalFacts(store, at: number)
    if let damage = facts.damage { request.passOver(damage) }
    if facts.lacksEdits {
      request.output.remark(
        "the file of unsaved edits is missing; what was not saved when the journal was used last may be missing with it."
      )
    }
    if request.output.isJSON {
      request.output.json(facts.json)
    } else {
      facts.show(request.output)
    }
    return .fine
  }
}

/// What is known of a journal without reading it.
struct JournalFacts {
  /// Of more tags the latest are shown to people; JSON has all of them.
  private static let shownTagCount = 12

  private let path: String
  private let identity: String
  private let commit: CommitContent?
  private let number: CommitNumber
  private let firstKept: CommitNumber
  private let tags: [String: CommitNumber]
  private let entities: [String]
  private let segmentCount: Int
  private let byteCount: UInt64
  private let isBehind: Bool
  /// Whether the file of edits that no frame has is missing, and nothing else tells that.
  let lacksEdits: Bool
  /// What hides the last commit.
  let damage: StoreError?

  init(_ store: StoreReader, at number: CommitNumber) throws(ToolError) {
    path = store.path
    identity = store.tag.digits
    self.number = number
    firstKept = store.firstKeptCommit
    tags = store.tags.filter { $0.value <= number }
    entities =
      store.head.era(of: number)?.model.descriptions.map(\.name) ?? []
    isBehind = store.isBehind
    let hasCommit = number >= firstKept && number > .none
    do throws(StoreError) {
      (commit, damage) = (hasCommit ? try store.content(of: number) : nil, nil)
    } catch {
      guard error.isFinding else { throw ToolError(error) }
      (commit, damage) = (nil, error)
    }
    let files = try onStore { () throws(StoreError) in try store.files() }
    segmentCount = files.count { $0.folder == JournalFiles.journalFolder }
    byteCount = files.byteCount
    lacksEdits =
      !isBehind && !files.contains { $0.folder.isEmpty && $0.name == JournalFiles.edits }
  }

  var json: JSONValue {
    .document(
      "info",
      [
        ("path", .string(path)), ("store", .string(identity)),
        ("lastCommit", .count(number.rawValue)),
        ("firstKeptCommit", .count(firstKept.rawValue)),
        ("lastDate", .text((commit?.time.date).map(Wording.exactTime))),
        ("lastAuthor", .text(commit?.author)), ("segments", .count(segmentCount)),
        ("bytes", .count(byteCount)), ("entities", .array(entities.map { .string($0) })),
        (
          "tags",
          .members(tags.sorted { $0.key < $1.key }.map { ($0.key, .count($0.value.rawValue)) })
        ),
        ("isBehind", .boolean(isBehind)),
      ])
  }

  /// By name, for people.
  var lines: [(name: String, text: String)] {
    var lines = [("store", identity)]
    if let commit {
      let author = commit.author.map { " by \($0)" } ?? ""
      lines.append(
        (
          "commits",
          "\(Wording.count(number.rawValue)), the last \(Wording.time(commit.time.date))\(author)"
        ))
    } else {
      let unread = damage == nil ? "" : ", the last of which cannot be read"
      lines.append(
        ("commits", number == .none ? "none yet" : Wording.count(number.rawValue) + unread))
    }
    if firstKept > 1 {
      lines.append(("kept", "from commit \(Wording.count(firstKept.rawValue)) on"))
    }
    lines.append(("entities", entities.isEmpty ? "none yet" : entities.joined(separator: ", ")))
    if !tags.isEmpty {
      let names = tags.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        .map { "\($0.key) (\($0.value))" }
      let earlierCount = names.count - Self.shownTagCount
      let shown = names.suffix(Self.shownTagCount).joined(separator: ", ")
      lines.append(
        ("tags", earlierCount > 0 ? "\(Wording.count(earlierCount)) earlier, \(shown)" : shown))
    }
    lines.append(
      ("size", "\(Wording.bytes(byteCount)) in \(Wording.count(segmentCount, "segment"))"))
    if isBehind {
      lines.append(("beyond", "there is more that is not known to be durable yet"))
    }
    return lines
  }

  func show(_ output: Output) {
    func fact(_ name: String, _ words: Words) {
      output.line("\(name + String(repeating: " ", count: 10 - name.count), .key)\(words)")
    }
    fact("journal", "\(path, .strong)  \(identity, .faint)")
    for (name, text) in lines.dropFirst() { fact(name, Words(text)) }
  }
}
