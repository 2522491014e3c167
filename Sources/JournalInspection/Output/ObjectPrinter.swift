internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// Shows an object as it is at a state, for people and in JSON.
struct ObjectPrinter {
  private let snapshot: Snapshot
  private let store: ReadableStore
  private let output: Output
  private let wording: Wording

  init(_ store: ReadableStore, _ snapshot: Snapshot, _ output: Output) {
    self.snapshot = snapshot
    self.store = store
    self.output = output
    wording = Wording(store, snapshot)
  }

  /// Shows the object that the first operand names, and of it the keys that the others do.
  static func show(_ request: Request) throws(ToolError) -> ExitStatus {
    let (store, snapshot) = (try request.store(), try request.snapshot())
    let object = try request.object(0, snapshot)
    let printer = ObjectPrinter(store, snapshot, request.output)
    let stored = try onStore { () throws(StoreError) in try snapshot.stored(object) }
    guard let stored, let row = stored.row else { throw try printer.absence(of: object, stored) }
    let values = printer.values(of: row, object)
    let keys = request.operands.dropFirst()
    let entity = snapshot.era?.entity(of: object)
    for key in keys where !values.contains(where: { $0.key == key }) {
      guard entity?.property(key) != nil else {
        throw printer.absence(ofValue: key, of: object, among: values.map(\.key))
      }
    }
    var shown = keys.isEmpty ? values : []
    for key in keys {
      var value = values.first { $0.key == key }?.value
      if value == nil {
        value = try onStore { () throws(StoreError) in try printer.answered(key, of: object) }
      }
      shown.append((key, value ?? .null))
    }
    printer.show(object, stored, shown, isWhole: keys.isEmpty)
    return .fine
  }

  /// Where a relationship leads that no row has, as it is answered from its inverse; null where it leads nowhere.
  private func answered(_ key: String, of object: ObjectID) throws(StoreError) -> Value {
    guard let era = snapshot.era, let relationship = era.entity(of: object)?.relationship(key),
      era.model.isAnsweredFromInverse(relationship),
      let inverse = relationship.inverse.flatMap(store.existingKey),
      let destination = era.number(of: relationship.destination)
    else { return .null }
    let found = try snapshot.objects(referringTo: object, by: inverse, of: destination)
    return found.isEmpty ? .null : .set(Set(found.map { .reference($0) }))
  }

  /// The values of a row by name, those of the model in its order, and then others.
  func values(of row: Row, _ object: ObjectID) -> [(key: String, value: Value)] {
    let entity = snapshot.era?.entity(of: object)
    let order = (entity?.attributes.map(\.name) ?? []) + (entity?.relationships.map(\.name) ?? [])
    let places = Dictionary(firstOf: order.enumerated().map { ($1, $0) })
    return row.entries.map { (key: store.nameTold(of: $0.key), value: $0.value) }.sorted {
      let (one, other) = (places[$0.key] ?? .max, places[$1.key] ?? .max)
      return one == other ? $0.key < $1.key : one < other
    }
  }

  /// The object as a document.
  func json(_ object: ObjectID, _ values: [(key: String, value: Value)]) -> JSONValue {
    .document(
      "object",
      [
        ("object", .string(wording.name(object))), ("uri", .string(object.uri)),
        ("entity", .string(wording.entity(of: object))),
        ("at", .count(snapshot.number.rawValue)),
        (
          "values",
          .members(values.map { ($0.key, wording.json($0.value, $0.key, of: object)) })
        ),
      ])
  }

  private func show(
    _ object: ObjectID, _ stored: StoredRow, _ values: [(key: String, value: Value)], isWhole: Bool
  ) {
    guard !output.isJSON else { return output.json(json(object, values)) }
    if isWhole {
      output.line(
        "\(wording.name(object), .heading)  \("changed last by commit \(stored.changed)", .faint)")
    }
    let width = values.map(\.key.shown.count).max() ?? 0
    for (key, value) in values {
      if isWhole {
        let space = String(repeating: " ", count: width - key.shown.count)
        output.line("  \(key, .key)\(space)  \(wording.text(value, longest: 2_000))")
      } else if case .string(let text) = value {
        output.exact(text + "\n")
      } else {
        output.line("\(wording.text(value, longest: .max / 8))")
      }
    }
  }

  /// Why an object has no value of a key; where other models call one of its keys so, what it is called there is said.
  private func absence(
    ofValue key: String, of object: ObjectID, among known: [String]
  ) -> ToolError {
    let names = NamesOfKey(of: key, in: object.entity, store)
    let entity = snapshot.era?.entity(of: object)
    let called = names.keys(inEra: snapshot.eras.count - 1).compactMap(store.name)
      .filter { $0 != key && entity?.property($0) != nil }.sorted()
    let words = "\(wording.name(object)) has no value of ‘\(key)’"
    guard !called.isEmpty else { return .no(words, nearest: key, among: known) }
    let list = called.map { "‘\($0)’" }.joined(separator: " and ")
    return .no("\(words) at commit \(snapshot.number); it is called \(list) there.")
  }

  private func absence(
    of object: ObjectID, _ stored: StoredRow?
  ) throws(ToolError) -> ToolError {
    let name = wording.name(object)
    // One that came later is known, and changed by no commit up to here.
    guard let stored, stored.changed != .none else {
      return .no("there is no \(name) at commit \(snapshot.number).")
    }
    let seen = "xjournal history \(name) shows what it was."
    let last = try onStore { () throws(StoreError) in
      try snapshot.lastCommitWithEntity(of: object)
    }
    guard let last else {
      return .no("\(name) was deleted by commit \(stored.changed); \(seen)")
    }
    return .no(
      "there is no \(name) at commit \(snapshot.number): after commit \(last) the model has no ‘\(wording.entity(of: object))’ any more; "
        + seen)
  }
}
