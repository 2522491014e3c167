internal import ObjectModel
internal import ObjectStore

extension BatchRun {
  /// A row that is to become an object.
  private struct NewObject {
    let number: Int
    let object: ObjectID
    let values: [(key: BatchKey, value: Value?)]
  }

  /// Inserts objects of rows that say their keys.
  mutating func insert(
    _ entityName: String, _ rows: some Sequence<[String: Value]>
  ) throws {
    let info = try insertable(entityName)
    var keys: [String: BatchKey] = [:]
    try insert(info, rows) { run, row, _ in
      var values: [(key: BatchKey, value: Value?)] = []
      values.reserveCapacity(row.count)
      for (name, value) in row {
        if let key = keys[name] {
          values.append((key, value))
          continue
        }
        let key = try run.key(name, of: info)
        keys[name] = key
        values.append((key, value))
      }
      return values.sorted { $0.key.key < $1.key.key }
    }
  }

  /// Inserts objects of rows whose keys are the same.
  mutating func insert(
    _ entityName: String, _ names: [String], _ rows: some Sequence<[Value?]>
  ) throws {
    let info = try insertable(entityName)
    let keys = try names.map { try key($0, of: info) }
    let order = keys.indices.sorted { keys[$0].key < keys[$1].key }
    try insert(info, rows) { _, row, number in
      guard row.count == keys.count else {
        throw BatchError.valueCountWrong(row: number, row.count, keys: keys.count)
      }
      return order.map { (keys[$0], row[$0]) }
    }
  }

  private func insertable(_ entityName: String) throws -> EntityInfo {
    let info = try entity(entityName)
    guard !info.entity.description.isAbstract else { throw BatchError.entityAbstract(info.name) }
    return info
  }

  private mutating func insert<Row>(
    _ info: EntityInfo, _ rows: some Sequence<Row>,
    values: (BatchRun, Row, Int) throws -> [(key: BatchKey, value: Value?)]
  ) throws {
    var objects: [NewObject] = []
    for (number, row) in rows.enumerated() {
      let values = try values(self, row, number)
      objects.append(
        NewObject(number: number, object: try store.newObject(of: info.number), values: values))
      if objects.count == objectsPerCommit {
        try insert(objects, info)
        objects.removeAll(keepingCapacity: true)
      }
    }
    if !objects.isEmpty { try insert(objects, info) }
  }

  private mutating func insert(_ objects: [NewObject], _ info: EntityInfo) throws {
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
    entries.reserveCapacity(new.values.count + info.fillings.count)
    var related: [(key: BatchKey, relationship: RelationshipInfo, value: Value?)] = []
    for (key, given) in new.values {
      guard let value = try key.taken(given, row: new.number, info, &rows) else { continue }
      if key.property?.attribute?.isIdentifier ?? false, let property = key.property,
        try rows.isTaken(value, property, by: new.object, info)
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
    for (key, value) in info.fillings where !new.values.contains(where: { $0.key.key == key }) {
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
