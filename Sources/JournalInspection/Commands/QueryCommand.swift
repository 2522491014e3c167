internal import ObjectModel
internal import ObjectPatching
internal import ObjectQuery
internal import ObjectStore

/// `xjournal query`: objects found by the language of filters.
extension Command {
  static let query = Command(
    "query", "Finds objects by the language of filters.",
    details: [
      "docs/query.md tells of the language. Without sort keys the objects come in the order of their IDs. "
        + "Of two limits the smaller holds. A key that the model does not have is that of dynamic attributes, where any object "
        + "ever had one of it. With --at the entity and its keys are called as the model of then has them. "
        + "CSV has a column for whatever the model can keep in one value, also where nothing is found."
    ],
    examples: [
      Example("xjournal query 'Post where likes > 3 sort -likes'", "a table"),
      Example("xjournal query Post --sort title --limit 2 --format csv", "for a spreadsheet"),
      Example(
        "xjournal query 'Post where title contains \"o\"' --at head~1 --json", "a line for each"),
    ],
    operands: [Operand("QUERY", "ENTITY [where FILTER] [sort KEYS] [limit N]")],
    options: [
      Option("sort", value: "KEYS", "by these keys, as in -likes,title; before those of the query"),
      Option("limit", letter: "n", value: "COUNT", "no more than so many"),
      Option("format", choices: ["table", "json", "ndjson", "csv"], "how it is written"),
      Option("count", "only how many there are"),
      Option("explain", "how it would be found, and nothing else"),
    ],
    travels: true
  ) { (request) throws(ToolError) in
    let alone = ["explain", "count", "format"].filter(request.has)
    if alone.count > 1 {
      throw .usage(
        "--\(alone[0]) and --\(alone[1]) ask for two things; leave one of them out"
          + (alone[1] == "format" ? ", or say --json." : "."))
    }
    let (store, snapshot) = (try request.store(), try request.snapshot())
    let query = try request.query(of: store, snapshot)
    let prepared = try onQuery { () throws(QueryError) in
      try store.prepare(query, in: snapshot, text: request.operands[0])
    }
    let output = request.output
    for remark in query.remarksOnNames(of: store, snapshot) { output.remark(remark) }
    if request.has("explain") {
      if output.isJSON {
        output.json(.document("explanation", [("text", .string(prepared.explanation))]))
      } else {
        output.exact(prepared.explanation + "\n")
      }
      return .fine
    }
    if request.has("count") {
      let count = try onStore { () throws(StoreError) in try snapshot.count(of: prepared) }
      if output.isJSON {
        output.json(.document("count", [("count", .count(count))]))
      } else {
        output.line("\(count)")
      }
      return .fine
    }
    let writer = RowWriter(
      try request.format("table", forPrograms: "ndjson"), store, snapshot, output)
    try onStore { () throws(StoreError) in
      try writer.write(try snapshot.objects(of: prepared), of: query.entity)
    }
    return .fine
  }
}

extension Request {
  /// The query of the first operand, with what options add to it.
  fileprivate func query(
    of store: StoreReader, _ snapshot: Snapshot
  ) throws(ToolError) -> Query {
    let limit = try number("limit")
    var query = try onQuery { () throws(QueryError) in try Query(operands[0]) }
    if let model = snapshot.era?.model, model.entity(named: query.entity) == nil {
      throw .noEntity(query.entity, at: snapshot, of: store)
    }
    if let sort = self["sort"] {
      try onQuery { () throws(QueryError) in
        _ = try store.prepare(query, in: snapshot, text: operands[0])
        // By itself first, so that what is wrong with it is pointed at there.
        let text = "\(query.entity) sort \(sort)"
        let sorted = try Query(text)
        _ = try store.prepare(sorted, in: snapshot, text: text)
        query.sort = sorted.sort + query.sort
      }
    }
    if let limit { query.limit = min(limit, query.limit ?? limit) }
    return query
  }
}

/// Notes which keys of which entities are asked for.
private final class AskedKeys: KeyResolver {
  private let keys: StoredKeys
  private(set) var asked: [(key: String, entity: ModelEntity)] = []

  init(_ keys: StoredKeys) { self.keys = keys }

  func resolve(_ key: String, of entity: ModelEntity) -> ResolvedKey? {
    asked.append((key, entity))
    return keys.resolve(key, of: entity)
  }
}

extension Query {
  /// That what is asked for by a name that other models have is called otherwise at a state, and only dynamic attributes
  /// are found by it.
  fileprivate func remarksOnNames(of store: ReadableStore, _ snapshot: Snapshot) -> [String] {
    let asked = AskedKeys(store.storedKeys)
    guard snapshot.eras.count > 1 || store.head.eras.count > 1, let era = snapshot.era,
      (try? bound(to: era.model, asked)) != nil
    else { return [] }
    var remarks: [String] = []
    for (key, entity) in asked.asked where entity.property(key) == nil {
      guard let number = era.number(of: entity.name) else { continue }
      let names = NamesOfKey(of: key, in: number, store).keys(inEra: snapshot.eras.count - 1)
        .compactMap { store.name(of: $0) }.filter { entity.property($0) != nil }.sorted()
      let remark =
        "what other models call ‘\(key)’ of \(entity.name) is called "
        + "\(names.map { "‘\($0)’" }.joined(separator: " or ")) at commit \(snapshot.number); "
        + "by ‘\(key)’ only dynamic attributes are found there."
      if !names.isEmpty, !remarks.contains(remark) { remarks.append(remark) }
    }
    return remarks
  }
}
