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
      guard let entity = try? graph.entity(tokens[0]),
        let identity = try? graph.identity(tokens[1], of: entity),
        let object = try side.lookup().object(identity, at: PatchPath(tokens)),
        let row = try side.row(of: object)
      else { continue }
      entities[entity.name, default: []].append((identity, object, row))
    }
    return try document(entities)
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
