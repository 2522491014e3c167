internal import ObjectModel

/// What a filter's names mean: an entity of a model, and who knows the numbers of keys.
struct PathBinder {
  let model: ManagedObjectModel
  let entity: ModelEntity
  let resolver: any KeyResolver

  /// Resolves a path.
  func bind(_ path: [String], isCount: Bool = false) throws(BindProblem) -> BoundPath {
    var bound = BoundPath()
    var entity = entity
    for (index, name) in path.enumerated() {
      let rest = path[(index + 1)...]
      guard let relationship = try relationship(path, index, of: entity) else {
        if name == "objectID", rest.isEmpty, entity.property(name) == nil { break }
        return try end(bound, name, Array(rest), isCount, of: entity, path, index)
      }
      let found =
        resolver.resolve(name, of: entity) ?? resolver.resolve(name, of: relationship.owner)
      guard case .stored(let key)? = found else {
        throw BindProblem(
          .badPath, "\(entity.name).\(name) is not stored, so no filter can follow it.", path, index
        )
      }
      let destination = relationship.destination
      let isCounted =
        isCount && rest.isEmpty
        || rest == ["count"] && relationship.isToMany && destination.property("count") == nil
      let isIdentity = rest == ["objectID"] && destination.property("objectID") == nil
      if relationship.isToMany, isCounted {
        bound.terminal = .destinationCount(key)
        bound.type = .count
        return bound
      }
      if rest.isEmpty || isIdentity && !relationship.isToMany {
        bound.terminal = relationship.isToMany ? .destinations(key) : .stored(key)
        bound.type = relationship.isToMany ? .destinations : .reference
        return try counted(bound, isCount, path, index)
      }
      bound.hops.append(BoundPath.Hop(key: key, isToMany: relationship.isToMany))
      entity = destination
    }
    return try counted(bound, isCount, path, max(0, path.count - 1))
  }

  /// The hops to the objects of a relationship to many, and a binder of their keys.
  func bindDestinations(
    _ path: [String]
  ) throws(BindProblem) -> (hops: [BoundPath.Hop], binder: PathBinder) {
    let bound = try bind(path)
    guard case .destinations(let key) = bound.terminal else {
      throw BindProblem(
        .badPath, "\(path.joined(separator: ".")) leads to no objects that could be filtered.",
        path,
        max(0, path.count - 1))
    }
    var entity = entity
    for index in path.indices {
      if let relationship = try relationship(path, index, of: entity) {
        entity = relationship.destination
      }
    }
    return (
      bound.hops + [BoundPath.Hop(key: key, isToMany: true)],
      PathBinder(model: model, entity: entity, resolver: resolver)
    )
  }

  /// A relationship by which a path leads on.
  private struct Relationship {
    /// An entity whose objects have it.
    let owner: ModelEntity
    let destination: ModelEntity
    let isToMany: Bool
  }

  /// The relationship of a name, of the entity or of those that inherit from it: objects without it lead nowhere. Nil
  /// where there is none, or the path ends at one that only those have: it is a value then, as other objects may have one
  /// of that name.
  private func relationship(
    _ path: [String], _ index: Int, of entity: ModelEntity
  ) throws(BindProblem) -> Relationship? {
    let name = path[index]
    // The model has been checked: every destination is there.
    func destination(_ relationship: RelationshipDescription) -> ModelEntity? {
      model.entity(named: relationship.destination)
    }
    if entity.property(name) != nil {
      guard let own = entity.relationship(name), let destination = destination(own) else {
        return nil
      }
      return Relationship(owner: entity, destination: destination, isToMany: own.isToMany)
    }
    let having = model.entities.filter { $0.isKind(of: entity.name) && $0.property(name) != nil }
    let relationships = having.compactMap { $0.relationship(name) }
    guard let first = relationships.first else { return nil }
    if index == path.count - 1, !relationships.contains(where: \.isToMany) { return nil }
    let destinations = relationships.compactMap(destination)
    let shared = destination(first)?.line.first { name in
      destinations.allSatisfy { $0.isKind(of: name) }
    }
    if relationships.count == having.count,
      relationships.allSatisfy({ $0.isToMany == first.isToMany }),
      let destination = shared.flatMap({ model.entity(named: $0) })
    {
      return Relationship(owner: having[0], destination: destination, isToMany: first.isToMany)
    }
    throw BindProblem(
      .badPath,
      "\(name) is not one relationship of all that inherit from \(entity.name), so no filter of that can follow it; ask for "
        + "\(having.map(\.name).joined(separator: " or ")).", path, index)
  }

  /// The end of a path: an attribute, a dynamic or a virtual key, and keys of dictionaries in it.
  private func end(
    _ path: BoundPath, _ name: String, _ members: [String], _ isCount: Bool,
    of entity: ModelEntity, _ names: [String], _ index: Int
  ) throws(BindProblem) -> BoundPath {
    var path = path
    let type = entity.attribute(name).map { OperandType.attribute($0.type) } ?? .unknown
    switch resolver.resolve(name, of: entity) {
    case .stored(let key): path.terminal = .stored(key)
    case .virtual(let number): path.terminal = .virtual(number)
    case nil:
      let mayBeUnused = entity.description.allowsAnyKey && resolver.allowsUnusedKeys
      if type == .unknown, !mayBeUnused { try refuseUnknown(name, of: entity, names, index) }
      path.terminal = .nothing
    }
    path.type = type
    if members.isEmpty { return try counted(path, isCount, names, index) }
    switch type {
    case .attribute(.set) where members == ["count"]: return try counted(path, true, names, index)
    case .unknown, .attribute(.dictionary), .attribute(.transformed):
      path.members = members
      path.type = .unknown
      return try counted(path, isCount, names, index)
    default:
      throw BindProblem(
        .badPath,
        "\(entity.name).\(name) holds values of type \(type), in which there are no keys.", names,
        index + 1)
    }
  }

  private func counted(
    _ path: BoundPath, _ isCount: Bool, _ names: [String], _ index: Int
  ) throws(BindProblem) -> BoundPath {
    guard isCount else { return path }
    switch path.type {
    case .unknown, .attribute(.set), .attribute(.dictionary), .attribute(.transformed):
      var path = path
      path.isCount = true
      path.type = .count
      return path
    default:
      throw BindProblem(
        .badPath, "\(names.joined(separator: ".")) holds nothing that could be counted.", names,
        index)
    }
  }

  /// Refuses a key that no object has, unless one may get it.
  private func refuseUnknown(
    _ name: String, of entity: ModelEntity, _ path: [String], _ index: Int
  ) throws(BindProblem) {
    let known =
      entity.attributes.map(\.name) + entity.relationships.map(\.name)
      + resolver.otherKeys(of: entity) + ["objectID"]
    let meant = Spelling.nearest(to: name, among: known)
    if meant == nil, resolver.allowsUnusedKeys { return }
    let hint = meant.map { "; did you mean \($0)?" } ?? "."
    throw BindProblem(
      .unknownKey, "\(entity.name) has no key \(name.prefix(60))\(hint)", path, index)
  }
}

extension OperandType: CustomStringConvertible {
  /// The type as people read it.
  var description: String {
    switch self {
    case .attribute(let type): type.description
    case .reference: "object"
    case .destinations: "objects"
    case .count: "integer"
    case .number: "number"
    case .unknown: "any"
    }
  }
}

/// Why a filter cannot be bound, and at which key.
struct BindProblem: Error {
  let code: QueryError.Code
  let message: String
  let path: [String]
  let index: Int

  init(_ code: QueryError.Code, _ message: String, _ path: [String] = [], _ index: Int = 0) {
    self.code = code
    self.message = message
    self.path = path
    self.index = index
  }
}
