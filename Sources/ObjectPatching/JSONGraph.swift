internal import ObjectModel

/// How a graph of objects is one JSON document: its entities by their names, in them the objects by their identifiers,
/// and in these what they have.
///
/// What an object has no value for is not there. A relationship to one is the JSON Pointer of the object it leads to;
/// one to many is an object with a member for each such pointer, or, where it has an order, an array of them. One that
/// is answered from its inverse is not there: what leads back says it.
struct JSONGraph {
  let model: ManagedObjectModel

  /// How a relationship stands in the document.
  enum Shape {
    case pointer
    case members
    case list
    /// It is said at the other end, by a relationship to one of that name.
    case inverse(String)
  }

  func shape(of relationship: RelationshipDescription) -> Shape {
    if !relationship.isToMany { return .pointer }
    if let inverse = relationship.inverse, model.isAnsweredFromInverse(relationship) {
      return .inverse(inverse)
    }
    return relationship.isOrdered ? .list : .members
  }

  // MARK: Objects

  /// The entity of a name, which has objects of its own.
  func entity(_ name: String) throws(JSONError) -> ModelEntity {
    guard let entity = model.entity(named: name), !entity.description.isAbstract else {
      throw JSONError(
        .unknownEntity, "is no entity of the model that has objects of its own"
      ).inside(name)
    }
    return entity
  }

  /// Where an object stands.
  func pointer(_ identity: PatchIdentity) throws(JSONError) -> JSONPointer {
    JSONPointer([identity.entityName, try text(identity)])
  }

  private func text(_ identity: PatchIdentity) throws(JSONError) -> String {
    switch identity.identifier {
    case .objectID(let object): return object.uri
    case .attribute(_, let value):
      let text: String
      switch value.plainJSON {
      case .string(let plain)?: text = plain
      case .integer(let plain)?: text = String(plain)
      case .boolean(let plain)?: text = plain ? "true" : "false"
      case .number(let plain)?: text = plain.text
      default:
        throw JSONError(.badIdentifier, "is named by \(value), which is no key of a JSON object")
      }
      guard !text.hasPrefix(Self.scheme) else {
        throw JSONError(.badIdentifier, "is named by what looks like an object's URI, \(text)")
      }
      return text
    }
  }

  private static let scheme = "xjournal://"

  /// The object that stands under a key of an entity's member.
  func identity(_ text: String, of entity: ModelEntity) throws(JSONError) -> PatchIdentity {
    if text.hasPrefix(Self.scheme), let object = try? ObjectID(uri: text) {
      return PatchIdentity(entity.name, object)
    }
    guard let attribute = entity.attributes.first(where: \.isIdentifier) else {
      throw JSONError(
        .badIdentifier, "is no object's URI, by which objects of \(entity.name) are named")
    }
    let plain: JSONValue
    switch attribute.type {
    case .integer, .counter, .boolean, .real:
      // Reals without a number have names, as in every value.
      plain = (try? JSONValue(parsing: text.utf8)) ?? .string(text)
    default: plain = .string(text)
    }
    let value = try plain.value(of: attribute.type)
    let identity = PatchIdentity(entity.name, attribute.name, value)
    // One object has one key: another spelling of the same would be another member.
    guard !value.isNull, attribute.type.admits(value),
      try self.text(identity).hasSameBytes(as: text)
    else {
      throw JSONError(
        .badIdentifier, "is not how the \(attribute.type) \(attribute.name) is written")
    }
    return identity
  }

  /// The object that a pointer in a relationship leads to.
  func destination(
    _ text: String, of relationship: RelationshipDescription
  ) throws(JSONError) -> PatchIdentity {
    let tokens = try JSONPointer(text).tokens
    guard tokens.count == 2 else {
      throw JSONError(.badValue, "is no pointer to an object, as /\(relationship.destination)/… is")
    }
    guard let entity = model.entity(named: tokens[0]), !entity.description.isAbstract,
      entity.isKind(of: relationship.destination)
    else {
      throw JSONError(
        .wrongEntity,
        "leads to ‘\(JSONError.clipped(tokens[0]))’, where the relationship leads to "
          + relationship.destination)
    }
    return try identity(tokens[1], of: entity)
  }

  // MARK: Values

  /// A value as it stands in the document: plain where the model has the attribute, and marked elsewhere.
  func json(_ value: Value, _ key: String, of entity: ModelEntity) -> JSONValue {
    guard let type = entity.attribute(key)?.type, type.admits(value), !type.isTransformed else {
      return value.markedJSON
    }
    return value.plainJSON ?? value.markedJSON
  }
}

extension AttributeType {
  var isTransformed: Bool { if case .transformed = self { true } else { false } }
}
