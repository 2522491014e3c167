public import ObjectModel

/// What an object is named by in a patch: its entity, and what tells it from the others of that.
public struct PatchIdentity: Hashable, Sendable {
  /// What tells an object from the others of its entity.
  public enum Identifier: Hashable, Sendable {
    /// The value of the entity's identifier attribute. It is never null.
    case attribute(key: String, Value)
    /// The object's ID, where the entity has no identifier attribute, or the object no value for it, or loses that. It
    /// is of use only among stores of one lineage, a store and its copies, and is refused elsewhere.
    case objectID(ObjectID)
  }

  /// The name of the object's own entity.
  public var entityName: String
  /// What tells it from the others of its entity.
  public var identifier: Identifier

  /// Makes an identity.
  public init(_ entityName: String, _ identifier: Identifier) {
    self.entityName = entityName
    self.identifier = identifier
  }

  /// Makes an identity of the value of the entity's identifier attribute.
  public init(_ entityName: String, _ key: String, _ value: Value) {
    self.init(entityName, .attribute(key: key, value))
  }

  /// Makes an identity of an object's ID.
  public init(_ entityName: String, _ object: ObjectID) {
    self.init(entityName, .objectID(object))
  }

  /// Whether a value tells it, and not the object's ID.
  var isByAttribute: Bool { if case .attribute = identifier { true } else { false } }

  /// Identities of several entities are seldom looked for together: what tells the object from its others is enough.
  public func hash(into hasher: inout Hasher) {
    switch identifier {
    case .attribute(_, let value): hasher.combine(value)
    case .objectID(let object): hasher.combine(object)
    }
  }
}

extension PatchIdentity: CustomStringConvertible {
  /// The entity, and what tells the object from its others.
  public var description: String {
    switch identifier {
    case .attribute(let key, let value): "\(entityName) (\(key) \(value))"
    case .objectID(let object): "\(entityName) (\(object))"
    }
  }
}

extension PatchIdentity: Comparable {
  /// A total order: by entity, then by what tells its objects apart.
  public static func < (one: PatchIdentity, other: PatchIdentity) -> Bool {
    if one.entityName != other.entityName { return one.entityName < other.entityName }
    switch (one.identifier, other.identifier) {
    case (.attribute(let key, let value), .attribute(let otherKey, let otherValue)):
      return key == otherKey ? Value.precedes(value, otherValue) : key < otherKey
    case (.attribute, .objectID): return true
    case (.objectID, .attribute): return false
    case (.objectID(let object), .objectID(let other)): return object < other
    }
  }
}
