internal import ObjectModel
internal import ObjectStore

extension BatchRun {
  /// A row that is to become an object.
  private struct NewObject {
    let number: Int
    let object: ObjectID
    /// In the order of their numbers, each with the place of its value.
    let keys: [(key: BatchKey, place: Int)]
    let values: [Value?]
  }

  /// Inserts objects of rows that say their keys.
  mutating func insert(
    _ entityName: String, _ rows: some Sequence<[String: Value]>
  ) throws {
    let info = try insertable(entityName)
    var known: [String: BatchKey] = [:]
    var objects: [NewObject] = []
    for (number, row) in rows.enumerated() {
      var (keys, values): ([(key: BatchKey, place: Int)], [Value?]) = ([], [])
      for (name, value) in row {
        let key = try known[name] ?? key(name, of: info)
        known[name] = key
        keys.append((key, values.count))
        values.append(value)
      }
      keys.sort { $0.key.key < $1.key.key }
      try insert(keys, values, number, info, &objects)
    }
    try insert(objects, info)
  }

  /// Inserts objects of rows whose keys are the same.
  mutating func insert(
    _ entityName: String, _ names: [String], _ rows: some Sequence<[Value?]>
  ) throws {
    let info = try insertable(entityName)
    let keys = try names.enumerated().map { (key: try key($1, of: info), place: $0) }
      .sorted { $0.key.key < $1.key.key }
    if let pair = zip(keys, keys.dropFirst()).first(where: { $0.key.key == $1.key.key }) {
      throw BatchError.keyTwice(entity: info.name, key: pair.0.key.name)
    }
    var objects: [NewObject] = []
    for (number, row) in rows.enumerated() {
      guard row.count == keys.count else {
        throw BatchError.valueCountWrong(row: number, row.count, keys: keys.count)
      }
      try insert(keys, row, number, info, &objects)
    }
    try insert(objects, info)
  }

  private func insertable(_ entityName: String) throws -> EntityInfo {
    let info = try entity(entityName)
    guard !info.entity.description.isAbstract else { throw BatchError.entityAbstract(info.name) }
    return info
  }

  /// Adds a row to those that are inserted together, and inserts these where there are as many as one commit takes.
  private mutating func insert(
    _ keys: [(key: BatchKey, place: Int)], _ values: [Value?], _ number: Int, _ info: EntityInfo,
    _ objects: inout [NewObject]
  ) throws {
    objects.append(
      NewObject(
        number: number, object: try store.newObject(of: info.number), keys: keys, values: values))
    guard objects.count == objectsPerCommit else { return }
    try insert(objects, info)
    objects.removeAll(keepingCapacity: true)
  }

  private mutating func insert(_ objects: [NewObject], _ info: EntityInfo) throws {
    if objects.isEmpty { return }
    try commit { rows in
      for new in objects {
        do {
          try Self.insert(new, info, &rows)
        } catch let errors as ValidationErrors {
          throw BatchError.rowInvalid(new.number, errors)
        }
      }
      let ids = objects.map(\.object)
      if !rows.entries.isEmpty {
        let failures = try rows.failures(except: Set(ids))
        if !failures.isEmpty { throw ValidationErrors(failures: failures) }
      }
      return ids
    }
  }

  private static func insert(
    _ new: NewObject, _ info: EntityInfo, _ rows: inout BatchRows
  ) throws {
    var entries: [Row.Entry] = []
    entries.reserveCapacity(new.keys.count + info.fillings.count)
    var related: [(key: BatchKey, relationship: RelationshipInfo, value: Value?)] = []
    for (key, place) in new.keys {
      let given = new.values[place]
      guard let value = try key.taken(given, row: new.number, info, &rows) else { continue }
      if let identifier = key.identifier,
        try rows.isTaken(value, identifier, by: new.object, info)
      {
        throw BatchError.identifierTaken(row: new.number, entity: info.name, key: key.name, value)
      }
      if let relationship = key.relationship {
        related.append((key, relationship, value))
      } else {
        entries.append(Row.Entry(key.key, value))
      }
    }
    // A row is made at once where its values are in order, which they are but for those that nobody gave.
    var row = Row(known: entries)
    for (key, value) in info.fillings where !new.keys.contains(where: { $0.key.key == key }) {
      row[key] = value
    }
    rows.insert(new.object, row, isRelated: !related.isEmpty)
    for (key, relationship, value) in related {
      try rows.relate(new.object, key.key, relationship, to: value)
    }
    let whole = related.isEmpty ? row : try rows.row(of: new.object) ?? row
    let failures = try rows.failures(of: whole, new.object, info)
    if !failures.isEmpty { throw ValidationErrors(failures: failures) }
  }
}
