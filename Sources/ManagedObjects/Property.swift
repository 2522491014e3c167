package import ObjectModel

/// A property of an entity as contexts use it, with the numbers that the store has given.
///
/// It is looked up for every value that is read, so it is shared and never copied; what is asked of it then stands by
/// itself, as descriptions are long.
package final class Property: Sendable {
  /// What the property is.
  package enum Kind: Sendable {
    case attribute(AttributeDescription)
    case relationship(RelationshipInfo)
  }

  package let name: String
  package let key: KeyNumber
  package let kind: Kind
  package let attribute: AttributeDescription?
  package let relationship: RelationshipInfo?
  /// What an attribute holds; nil for a relationship.
  let type: AttributeType?
  /// What the values of an attribute must be like to be saved.
  let rules: [ValidationRule]
  /// Whether it may have no value when it is saved.
  let isOptional: Bool
  /// Whether the destinations are not held, but found from the relationship that leads back.
  let isAnsweredFromInverse: Bool
  /// How values of the program's own type are stored, where the attribute has such.
  let transformation: (any Transforming)?

  init(
    name: String, key: KeyNumber, kind: Kind, transformation: (any Transforming)? = nil
  ) {
    self.name = name
    self.key = key
    self.kind = kind
    self.transformation = transformation
    switch kind {
    case .attribute(let attribute):
      self.attribute = attribute
      (type, rules, isOptional) = (attribute.type, attribute.validation, attribute.isOptional)
      relationship = nil
      isAnsweredFromInverse = false
    case .relationship(let relationship):
      attribute = nil
      (type, rules, isOptional) = (nil, [], relationship.description.isOptional)
      self.relationship = relationship
      isAnsweredFromInverse = relationship.storage == .inverse
    }
  }

  /// Whether something is demanded of its values.
  var isDemanding: Bool {
    switch kind {
    case .attribute(let attribute): !attribute.isOptional || !attribute.validation.isEmpty
    case .relationship(let relationship): relationship.isDemanding
    }
  }

  /// Whether no save takes its values.
  package var isTransient: Bool {
    attribute?.isTransient ?? relationship?.description.isTransient ?? false
  }
}

/// A relationship as contexts use it.
package struct RelationshipInfo: Sendable {
  /// How the store holds the destinations.
  package enum Storage: Sendable {
    /// As a reference.
    case one
    /// As a set of references.
    case set
    /// As an array of references.
    case array
    /// Not at all: the destinations refer back by a relationship to one.
    case inverse
  }

  /// The relationship that leads back.
  package struct Inverse: Sendable {
    package let key: KeyNumber
    package let storage: Storage
  }

  package let description: RelationshipDescription
  package let destination: EntityNumber
  package let inverse: Inverse?
  package let storage: Storage

  package var isToMany: Bool { description.isToMany }

  /// Whether something is demanded of the destinations.
  package var isDemanding: Bool {
    !description.isOptional || description.minCount != nil || description.maxCount != nil
  }
}
