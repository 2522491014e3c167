internal import ObjectModel

private typealias Name = JSONPatchShape.Name

/// Reads a patch from JSON, by a model. Whether there are such objects, and whether the values are still what the
/// patch says, is found when it is applied.
struct JSONPatchReading {
  let model: ManagedObjectModel
  /// Whether any entity takes keys that it has no attribute for.
  let allowsDynamicKeys: Bool

  func patch(_ document: JSONValue) throws(JSONError) -> Patch {
    let members = try JSONMembers(document, [Name.version, Name.objects])
    try members.required(Name.version) { (value) throws(JSONError) in
      guard value == .integer(JSONPatchShape.version) else {
        throw JSONError(
          .unknownVersion, "is another version than \(JSONPatchShape.version), which is understood")
      }
    }
    return Patch(
      objects: try members.required(Name.objects) { (value) throws(JSONError) in
        try value.elements { (element) throws(JSONError) in try objectPatch(element) }
      })
  }

  /// - Parameter destination: what the relationship leads to under which the patch stands.
  private func objectPatch(
    _ value: JSONValue, of destination: String? = nil
  ) throws(JSONError) -> ObjectPatch {
    let members = try JSONMembers(
      value,
      [
        Name.entity, Name.identifier, Name.old, Name.new, Name.types,
        Name.relationships,
      ])
    let (entity, identity) = try identity(members, of: destination)
    let marks = try members.optional(Name.types) { (value) throws(JSONError) in
      try value.entries { (_, name) throws(JSONError) in try mark(name) }
    }
    func values(_ key: String) throws(JSONError) -> [String: Value]? {
      try members.optional(key) { (value) throws(JSONError) in
        try value.entries { (key, value) throws(JSONError) in
          try attribute(key, value, marks?[key], of: entity)
        }
      }
    }
    var patch = ObjectPatch(updating: identity)
    patch.old = try values(Name.old)
    patch.new = try values(Name.new)
    if marks != nil { try checkMarks(members, patch) }
    patch.relationships =
      try members.optional(Name.relationships) { (value) throws(JSONError) in
        try value.entries { (key, value) throws(JSONError) in
          try relationship(key, value, of: entity)
        }
      } ?? [:]
    return patch
  }

  /// Of what is neither in the old nor the new values nothing is said: the key is misspelt, or the value was left out.
  private func checkMarks(_ members: JSONMembers, _ patch: ObjectPatch) throws(JSONError) {
    _ = try members.optional(Name.types) { (value) throws(JSONError) in
      try value.entries { (key, _) throws(JSONError) in
        guard patch.old?[key] != nil || patch.new?[key] != nil else {
          throw JSONError(.unknownKey, "is the kind of a value that is neither old nor new")
        }
      }
    }
  }

  private func mark(_ name: JSONValue) throws(JSONError) -> JSONMark {
    let text = try name.text()
    guard let mark = JSONMark(rawValue: text), mark != .dictionary, mark != .integer else {
      throw JSONError(.badValue, "is ‘\(JSONError.clipped(text))’, which is no kind of value")
    }
    return mark
  }

  private func attribute(
    _ key: String, _ value: JSONValue, _ mark: JSONMark?, of entity: ModelEntity
  ) throws(JSONError) -> Value {
    switch entity.property(key) {
    case .relationship:
      throw JSONError(
        .unknownKey, "is a relationship of \(entity.name), which stands under ‘relationships’")
    case .attribute(let place):
      let value = try value.value(of: entity.attributes[place].type, markedAs: mark)
      guard value.isWithinDepth else { throw tooDeep }
      return value
    case nil:
      guard allowsDynamicKeys || entity.description.allowsAnyKey else {
        throw JSONError.unknown(key, of: entity)
      }
      let value = try value.value(of: nil, markedAs: mark)
      guard value.isWithinDepth else { throw tooDeep }
      guard value.isNull || value.isPropertyList else {
        throw JSONError(noPropertyList: value, of: entity)
      }
      return value
    }
  }

  private var tooDeep: JSONError {
    JSONError(.tooDeep, "is a value nested deeper than \(Value.largestDepth) levels")
  }

  // MARK: Identities

  private func identity(
    _ members: JSONMembers, of destination: String?
  ) throws(JSONError) -> (ModelEntity, PatchIdentity) {
    let entity = try members.required(Name.entity) { (value) throws(JSONError) in
      try self.entity(value, of: destination)
    }
    let identifier = try members.required(Name.identifier) { (value) throws(JSONError) in
      try self.identifier(value, of: entity)
    }
    return (entity, PatchIdentity(entity.name, identifier))
  }

  private func entity(
    _ value: JSONValue, of destination: String?
  ) throws(JSONError) -> ModelEntity {
    let name = try value.text()
    guard let entity = model.entity(named: name) else {
      throw JSONError(.unknownEntity, "is ‘\(JSONError.clipped(name))’, which the model has not")
    }
    guard !entity.description.isAbstract else {
      throw JSONError(.unknownEntity, "is \(name), which is abstract and has no objects of its own")
    }
    if let destination, !entity.isKind(of: destination) {
      throw JSONError(.wrongEntity, "is \(name), where the relationship leads to \(destination)")
    }
    return entity
  }

  private func identifier(
    _ value: JSONValue, of entity: ModelEntity
  ) throws(JSONError) -> PatchIdentity.Identifier {
    switch value {
    case .string(let uri):
      guard let object = try? ObjectID(uri: uri) else {
        throw JSONError(.badIdentifier, "is ‘\(JSONError.clipped(uri))’, which is no object's URI")
      }
      return .objectID(object)
    case .object(let object):
      guard object.count == 1, let (key, content) = object.members.first(where: { _ in true })
      else {
        throw JSONError(
          .badIdentifier, "has \(object.count) members, where the identifier is wanted")
      }
      guard let attribute = entity.attribute(key), attribute.isIdentifier else {
        throw JSONError(.badIdentifier, "is not the identifier attribute of \(entity.name)")
          .inside(key)
      }
      do throws(JSONError) {
        let value = try content.value(of: attribute.type)
        guard !value.isNull, attribute.type.admits(value) else {
          throw JSONError(
            .badIdentifier, "is \(content.kindName) that cannot be a \(attribute.type)")
        }
        return .attribute(key: key, value)
      } catch {
        throw error.inside(key)
      }
    default:
      throw JSONError(.badIdentifier, "is \(value.kindName), where an identifier is wanted")
    }
  }

  // MARK: Relationships

  private func relationship(
    _ key: String, _ value: JSONValue, of entity: ModelEntity
  ) throws(JSONError) -> RelationshipPatch {
    guard let relationship = entity.relationship(key) else {
      throw JSONError(.unknownKey, "is no relationship of \(entity.name)")
    }
    let members = try JSONMembers(
      value, [Name.kind, Name.removed, Name.added, Name.patches])
    let kind = RelationshipPatch.Kind(relationship)
    _ = try members.optional(Name.kind) { (value) throws(JSONError) in
      guard value == .string(kind.jsonName) else {
        throw JSONError(.wrongType, "is not ‘\(kind.jsonName)’, as the model has \(key)")
      }
    }
    func moved(_ name: String) throws(JSONError) -> [RelationshipPatch.Member] {
      try members.optional(name) { (value) throws(JSONError) in
        let moved = try value.elements { (element) throws(JSONError) in
          try self.member(element, of: relationship.destination, isOrdered: kind == .ordered)
        }
        if kind == .toOne, moved.count > 1 {
          throw JSONError(.badValue, "has \(moved.count) objects, where there can be one")
        }
        return moved
      } ?? []
    }
    return RelationshipPatch(
      kind, removed: try moved(Name.removed), added: try moved(Name.added),
      patches: try members.optional(Name.patches) { (value) throws(JSONError) in
        try value.elements { (element) throws(JSONError) in
          try objectPatch(element, of: relationship.destination)
        }
      } ?? [])
  }

  private func member(
    _ value: JSONValue, of destination: String, isOrdered: Bool
  ) throws(JSONError) -> RelationshipPatch.Member {
    let members = try JSONMembers(value, [Name.entity, Name.identifier, Name.position])
    let (_, identity) = try identity(members, of: destination)
    let position = try members.optional(Name.position) { (value) throws(JSONError) in
      guard isOrdered else {
        throw JSONError(.badValue, "is a position in a relationship without an order")
      }
      guard let position = value.whole, position >= 0 else {
        throw JSONError(.badValue, "is no position")
      }
      return position
    }
    return RelationshipPatch.Member(identity, position: position)
  }
}

extension JSONError {
  /// Refuses what a key cannot hold that an entity has no attribute for, at the part for which it cannot.
  init(noPropertyList value: Value, of entity: ModelEntity) {
    let misfit = value.propertyListMisfit
    self.init(
      .badValue,
      "is \(misfit?.kind ?? value.kind), which no property list holds, as a key must that \(entity.name) has no attribute for",
      at: JSONPointer((misfit?.path ?? []).map(Self.clipped)).text)
  }
}
