internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// Writes what changes of the model made of objects, for a page that goes from commit to commit.
struct ModelChangeWriter {
  private let store: ReadableStore
  private let output: Output

  init(_ store: ReadableStore, _ output: Output) { (self.store, self.output) = (store, output) }

  /// Writes what has become of the objects before a commit; nothing where it was made under the model of the one before
  /// it.
  func write(before content: CommitContent) throws(StoreError) {
    guard let change = try store.modelChange(before: content) else { return }
    let words = (
      older: Wording(store, change.before), newer: Wording(store, at: content.number)
    )
    let document = JSONValue.document(
      "modelChange",
      [
        ("after", .count(content.number.previous.rawValue)),
        ("entities", Self.names(change.newer)),
        ("formerEntities", change.before.era.map(Self.names)),
      ])
    try output.json(document, with: "objects") { (write) throws(StoreError) in
      try change.forEach { (object, before, after) throws(StoreError) in
        if let told = json(object, before, after, words.older, words.newer) { write(told) }
        return output.isOpen
      }
    }
  }

  private static func names(_ era: Era) -> JSONValue {
    .array(era.model.descriptions.map(\.name).sorted().map { .string($0) })
  }

  /// What has become of an object; nil where it is shown as it was.
  private func json(
    _ object: ObjectID, _ before: Row, _ after: Row?, _ older: Wording, _ newer: Wording
  ) -> JSONValue? {
    let isRenamed = after != nil && older.entity(of: object) != newer.entity(of: object)
    let wording = after == nil ? older : newer
    var values: [(String, JSONValue?)] = []
    let keys = Set(before.entries.map(\.key)).union((after?.entries ?? []).map(\.key))
    let named = keys.map { (key: $0, name: store.name(of: $0) ?? "") }.sorted { $0.name < $1.name }
    for (key, name) in named {
      let old = older.json(before[key], name, of: object)
      let new = newer.json(after?[key], name, of: object)
      if old != new { values.append((name, .members([("old", old), ("new", new)]))) }
    }
    guard after == nil || isRenamed || !values.isEmpty else { return nil }
    let former = JSONValue.members([
      ("object", .string(older.name(object))), ("entity", .string(older.entity(of: object))),
    ])
    return .members([
      ("object", .string(wording.name(object))), ("uri", .string(object.uri)),
      ("entity", .string(wording.entity(of: object))), ("former", isRenamed ? former : nil),
      ("change", .string((after == nil ? Commit.Kind.deleted : .updated).name)),
      ("values", .members(values)),
    ])
  }
}
