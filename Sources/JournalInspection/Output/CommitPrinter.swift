package import ObjectModel
internal import ObjectPatching
package import ObjectStore

/// How much of commits is shown.
package enum CommitDetail {
  /// When, by whom, why, and how many objects.
  case summary
  /// Which objects, and which of their values.
  case objects
  /// With old and new values.
  case values
  /// With old and new values, and how many objects.
  case valuesAndCounts
}

/// Shows commits, for people and in JSON.
package struct CommitPrinter {
  private let store: ReadableStore
  private let output: Output
  private var wording: Wording
  /// How many models there had been when the commit was made by whose names is told.
  private var eraCount = 0
  private let detail: CommitDetail
  private var tags: [CommitNumber: [String]]
  private var commits: PassingCommits
  private var isFirst = true

  /// - Parameter direction: in which the commits come.
  package init(
    _ store: ReadableStore, _ detail: CommitDetail, _ output: Output,
    _ direction: RowsInPassing.Direction = .forward
  ) {
    self.store = store
    commits = PassingCommits(of: store, direction)
    self.output = output
    self.detail = detail
    wording = Wording(store)
    tags = Self.tags(of: store)
  }

  private static func tags(of store: ReadableStore) -> [CommitNumber: [String]] {
    let tags = store.tags
    return Dictionary(grouping: tags.keys.sorted()) { tags[$0] ?? .none }
  }

  /// Goes on with a store that was refreshed: entities, keys and tags have come meanwhile.
  package mutating func refresh() {
    eraCount = 0
    tags = Self.tags(of: store)
  }

  /// Goes on with a commit, which is told by the names that things had then.
  private mutating func enter(_ content: CommitContent) {
    let count = store.head.eraCount(at: content.number)
    guard count != eraCount else { return }
    (wording, eraCount) = (Wording(store, at: content.number), count)
  }

  /// Shows the next commit.
  package mutating func show(_ content: CommitContent) throws(StoreError) {
    enter(content)
    if output.isJSON { return try writeJSON(content) }
    if !isFirst { output.line() }
    isFirst = false
    heading(content)
    switch detail {
    case .summary: output.line("  \(counts(content), .faint)")
    case .objects:
      for change in content.changes {
        let keys = change.entries.compactMap { store.name(of: $0.key) }.sorted()
        output.line(
          "  \(ChangeWording.sign(Commit.Kind(change.kind))) \(wording.name(change.object))  \(keys.joined(separator: ", "), .key)"
        )
      }
      output.line("  \(counts(content), .faint)")
    case .values, .valuesAndCounts:
      let (output, wording) = (output, wording)
      try commits.show(content) { change in
        output.line("  \(ChangeWording.sign(change.kind)) \(wording.name(change.objectID))")
        for (key, value) in change.values.sorted(by: { $0.key < $1.key }) {
          output.line("      \(key, .key): \(ChangeWording.words(value, change.kind, wording))")
        }
      }
      if case .valuesAndCounts = detail { output.line("  \(counts(content), .faint)") }
    }
  }

  /// Passes a commit that is not shown.
  package mutating func leaveOut(_ content: CommitContent) throws(StoreError) {
    switch detail {
    case .summary, .objects: break
    case .values, .valuesAndCounts: try commits.leaveOut(content)
    }
  }

  private func heading(_ content: CommitContent) {
    var names = tags[content.number] ?? []
    if content.number == store.lastCommit { names.insert("head", at: 0) }
    let named: Words = names.isEmpty ? "" : " (\(names.joined(separator: ", "), .strong))"
    var line: Words =
      "\("commit \(content.number)", .heading)\(named)  \(Wording.time(content.time.date))"
    if let author = content.author { line = line + "  \(author, .strong)" }
    if let context = content.contextName, !context.isEmpty {
      line = line + "  \("[\(context)]", .faint)"
    }
    output.line(line)
    for text in content.message?.split(separator: "\n", omittingEmptySubsequences: false) ?? [] {
      output.line("  \(text)")
    }
    for (key, value) in content.userInfo.sorted(by: { $0.key < $1.key }) {
      output.line("  \(key, .faint): \(wording.text(value))")
    }
  }

  private func counts(_ content: CommitContent) -> String {
    let numbers = CommitCounts(content)
    let parts = [
      (numbers.inserted, "inserted"), (numbers.updated, "updated"), (numbers.deleted, "deleted"),
    ].filter { $0.0 > 0 }.map { "\(Wording.count($0.0)) \($0.1)" }
    return Wording.count(content.changes.count, "object")
      + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", "))
  }

  // MARK: JSON

  /// Writes a commit of which no more than what became of one object is held as JSON: it may have very many.
  private mutating func writeJSON(_ content: CommitContent) throws(StoreError) {
    let document = document(of: content)
    let (output, wording) = (output, wording)
    switch detail {
    case .summary: output.json(document)
    case .objects:
      output.json(document, with: "changes") { write in
        for change in content.changes { write(json(change)) }
      }
    case .values, .valuesAndCounts:
      try output.json(document, with: "changes") { (write) throws(StoreError) in
        try commits.show(content) { write(ChangeWording.json($0, wording)) }
      }
    }
  }

  /// A commit without what it has changed.
  private func document(of content: CommitContent) -> JSONValue {
    let numbers = CommitCounts(content)
    return .document(
      "commit",
      [
        ("number", .count(content.number.rawValue)),
        ("date", .string(Wording.exactTime(content.time.date))),
        ("author", .text(content.author)), ("message", .text(content.message)),
        ("context", .text(content.contextName)),
        ("tags", tags[content.number].map { .array($0.map { .string($0) }) }),
        (
          "userInfo",
          content.userInfo.isEmpty
            ? nil
            : .members(
              content.userInfo.sorted { $0.key < $1.key }.map {
                ($0.key, $0.value.markedJSON.withMarkedIntegers)
              })
        ),
        ("inserted", .count(numbers.inserted)), ("updated", .count(numbers.updated)),
        ("deleted", .count(numbers.deleted)),
      ])
  }

  private func json(_ change: ObjectChange) -> JSONValue {
    .members([
      ("object", .string(wording.name(change.object))),
      ("change", .string(Commit.Kind(change.kind).name)),
      (
        "keys",
        .array(
          change.entries.compactMap { store.name(of: $0.key) }.sorted().map { .string($0) })
      ),
    ])
  }
}

/// How many objects came to be, changed, and are gone by a commit.
private struct CommitCounts {
  private(set) var inserted = 0
  private(set) var updated = 0
  private(set) var deleted = 0

  init(_ content: CommitContent) {
    for change in content.changes {
      switch change.kind {
      case .inserted: inserted += 1
      case .updated: updated += 1
      case .deleted: deleted += 1
      }
    }
  }
}
