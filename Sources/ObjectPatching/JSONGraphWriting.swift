internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

/// Writes the graph that a context shows as a document, all of it or a part.
struct JSONGraphWriting {
  let graph: JSONGraph
  private let side: PatchSide
  private let limits: JSONLimits?

  /// - Parameter limits: how large the document may be, where others say what is to be in it.
  /// - Throws: where the store has had no model yet.
  init(_ context: ManagedObjectContext, _ limits: JSONLimits?) throws {
    self.limits = limits
    guard let model = context.store.model else { throw ContextError.noModel }
    graph = JSONGraph(model: model)
    side = PatchSide(context)
  }

  /// The document with all objects of some entities; those of others are not in it.
  func document(where isWanted: (String) -> Bool) throws -> JSONValue {
    try document(try found(where: isWanted))
  }

  private func found(where isWanted: (String) -> Bool) throws -> [String: [Found]] {
    var (entities, count) = (emptyEntities, 0)
    try side.forEach { object, row in
      // What cannot be written is told when all was read.
      guard let identity = side.identity(of: object, row), isWanted(identity.entityName) else {
        return
      }
      count += 1 + row.entries.count
      if isTooMany(count) { return }
      entities[identity.entityName, default: []].append((identity, object, row))
    }
    try refuseTooMany(count)
    return entities
  }

  private func isTooMany(_ count: Int) -> Bool { limits.map { count > $0.valueCount } ?? false }

  private func refuseTooMany(_ count: Int) throws {
    guard isTooMany(count) else { return }
    throw JSONError(
      .tooLarge, "speaks of more than \(limits?.valueCount ?? 0) values of the graph's document")
  }

  /// The document with the objects that pointers lead to or into.
  func document(of pointers: [JSONPointer]) throws -> JSONValue {
    if pointers.contains(where: \.tokens.isEmpty) { return try document { _ in true } }
    let whole = Set(pointers.filter { $0.tokens.count == 1 }.map { $0.tokens[0] })
    var entities = whole.isEmpty ? emptyEntities : try found(where: whole.contains)
    for tokens in Set(pointers.map { Array($0.tokens.prefix(2)) })
    where tokens.count == 2 && !whole.contains(tokens[0]) {
      // A key that names nothing is found when the patch is applied, or is that of a new object.
      guard let found = try self.found(tokens) else { continue }
      entities[tokens[0], default: []].append(found)
    }
    return try document(entities)
  }

  private func found(_ tokens: [String]) throws -> Found? {
    guard let entity = try? graph.entity(tokens[0]),
      let identity = try? graph.identity(tokens[1], of: entity),
      let object = try side.lookup().object(identity, at: PatchPath(tokens)),
      let row = try side.row(of: object)
    else { return nil }
    return (identity, object, row)
  }

  /// What operations have made of a document, with what the context knows of the objects that are gone.
  struct Outcome {
    var before: JSONValue
    var after: JSONValue
    /// The pointers of what goes with them, by cascades.
    var goingAlong: Set<String> = []
  }

  /// - Returns: the documents before and after operations, with the objects that lead to those which are gone.
  func outcome(from before: JSONValue, to after: JSONValue) throws -> Outcome {
    var outcome = Outcome(before: before, after: after)
    let gone = try JSONRemovals.gone(from: before, to: after).compactMap { try found($0.tokens) }
      .map(\.object)
    if gone.isEmpty { return outcome }
    let going = try takenAlong(gone)
    var (leaders, known): ([String: [Found]], Set<ObjectID>) = ([:], [])
    for object in gone {
      for property in side.schema.properties(of: object.entity) where property.isLedTo {
        let isCleared = property.relationship?.description.deleteRule == .nullify
        for leader in try side.context().destinationsShown(of: object, property)
        where !(isCleared && going.contains(leader)) && known.insert(leader).inserted {
          guard let row = try side.row(of: leader), let identity = side.identity(of: leader, row),
            before.member(at: try graph.pointer(identity)) == nil
          else { continue }
          leaders[identity.entityName, default: []].append((identity, leader, row))
        }
      }
    }
    for object in going.subtracting(gone) {
      guard let identity = try side.identity(of: object) else { continue }
      outcome.goingAlong.insert(try graph.pointer(identity).text)
    }
    if leaders.isEmpty { return outcome }
    let document = try document(leaders)
    outcome.before = before.joined(with: document)
    outcome.after = after.joined(with: document)
    return outcome
  }

  /// Objects, and what cascades take with them.
  private func takenAlong(_ objects: [ObjectID]) throws -> Set<ObjectID> {
    var (waiting, known) = (objects, Set(objects))
    while let next = waiting.popLast() {
      for property in side.schema.cascades(of: next.entity) {
        waiting += try side.context().destinationsShown(of: next, property)
          .filter { known.insert($0).inserted }
      }
    }
    return known
  }

  private typealias Found = (identity: PatchIdentity, object: ObjectID, row: Row)

  private var emptyEntities: [String: [Found]] {
    let names = graph.model.descriptions.filter { !$0.isAbstract }.map(\.name)
    return Dictionary(uniqueKeysWithValues: names.map { ($0, [Found]()) })
  }

  private func document(_ entities: [String: [Found]]) throws -> JSONValue {
    var (document, count) = (JSONObject(), 0)
    for (name, found) in entities.sortedByKey {
      let entity = try graph.entity(name)
      var objects = JSONObject()
      for each in found.sorted(by: { $0.identity < $1.identity }) {
        let key = try graph.pointer(each.identity).tokens[1]
        let json = try json(each.object, each.row, of: entity)
        if limits != nil { count += json.extent.count }
        try refuseTooMany(count)
        guard objects.append(key, json) else {
          throw PatchError(
            .ambiguousObject,
            "there are two objects of \(name) whose identifiers are, or look like, ‘\(key)’; give each one of its own."
          )
        }
      }
      document.append(name, .object(objects))
    }
    return .object(document)
  }

  private func json(_ object: ObjectID, _ row: Row, of entity: ModelEntity) throws -> JSONValue {
    var members = JSONObject()
    for (key, value) in side.attributes(of: object, row).sortedByKey where !value.isNull {
      members.append(key, graph.json(value, key, of: entity))
    }
    for (property, destinations) in side.relationships(of: object, row) {
      guard let relationship = entity.relationship(property.name) else { continue }
      var pointers: [String] = []
      for destination in destinations {
        // What leads to an object that is gone leads nowhere.
        if let identity = try side.identity(of: destination) {
          pointers.append(try graph.pointer(identity).text)
        }
      }
      switch graph.shape(of: relationship) {
      case .pointer:
        if let pointer = pointers.first { members.append(property.name, .string(pointer)) }
      case .members:
        var marks = JSONObject()
        for pointer in pointers.sorted(by: { $0.orderOfBytes($1) < 0 }) {
          guard marks.append(pointer, true) else {
            throw PatchError(
              .ambiguousObject,
              "\(entity.name).\(property.name) leads to two objects whose identifiers are, or look like, that of "
                + "‘\(pointer)’; give each one of its own.")
          }
        }
        members.append(property.name, .object(marks))
      case .list: members.append(property.name, .array(pointers.map { .string($0) }))
      case .inverse: break
      }
    }
    return .object(members)
  }
}

extension Property {
  /// Whether others lead to an object by what this leads back from, and the object does not say all of that itself.
  fileprivate var isLedTo: Bool {
    guard let relationship, let inverse = relationship.inverse, inverse.storage != .inverse else {
      return false
    }
    switch relationship.description.deleteRule {
    case .nullify: return true
    case .cascade, .deny: return relationship.storage == .inverse
    case .noAction: return false
    }
  }
}

extension JSONValue {
  /// What an object of a document is there; nil where it is not there.
  fileprivate func member(at pointer: JSONPointer) -> JSONValue? {
    var value: JSONValue? = self
    for token in pointer.tokens { value = value?.object?[token] }
    return value
  }

  /// A document with the objects of another, which it has not.
  fileprivate func joined(with other: JSONValue) -> JSONValue {
    guard var entities = object, let others = other.object else { return self }
    for (name, objects) in others.members {
      guard var joined = entities[name]?.object, let objects = objects.object else { continue }
      for (key, object) in objects.members { joined.append(key, object) }
      entities.set(name, .object(joined))
    }
    return .object(entities)
  }
}
