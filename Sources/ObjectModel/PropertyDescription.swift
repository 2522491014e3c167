/// A property of an entity: an attribute or a relationship.
enum PropertyDescription: Hashable, Sendable, Renamable {
  case attribute(AttributeDescription)
  case relationship(RelationshipDescription)

  var name: String {
    switch self {
    case .attribute(let attribute): attribute.name
    case .relationship(let relationship): relationship.name
    }
  }

  var renamingIdentifier: String? {
    switch self {
    case .attribute(let attribute): attribute.renamingIdentifier
    case .relationship(let relationship): relationship.renamingIdentifier
    }
  }

  /// The relationship, where it is one that is saved.
  var storedRelationship: RelationshipDescription? {
    if case .relationship(let relationship) = self, !relationship.isTransient {
      relationship
    } else {
      nil
    }
  }
}

extension ModelEntity {
  /// All it has, with what it inherits: attributes, then relationships.
  var properties: [PropertyDescription] {
    attributes.map(PropertyDescription.attribute)
      + relationships.map(PropertyDescription.relationship)
  }
}

extension AttributeDescription {
  /// What objects get that hold nothing: the default. Counters begin at zero and sets empty without one.
  package var filling: Value? {
    if let defaultValue, !defaultValue.isNull { return defaultValue }
    if isOptional { return nil }
    return switch type {
    case .counter: .counter(0)
    case .set: .set([])
    default: nil
    }
  }
}

extension ManagedObjectModel {
  /// The relationship that leads back.
  func inverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
    relationship.inverse.flatMap { entity(named: relationship.destination)?.relationship($0) }
  }

  /// Whether the destinations are not held themselves, but found from a relationship to one that leads back.
  package func isAnsweredFromInverse(_ relationship: RelationshipDescription) -> Bool {
    guard relationship.isToMany, !relationship.isOrdered, !relationship.isTransient,
      let inverse = inverse(of: relationship)
    else { return false }
    return !inverse.isToMany && !inverse.isTransient
  }

  /// Where a property of an entity is declared: there or in what it inherits.
  func place(of property: String, in entity: ModelEntity) -> ModelDifference.Place {
    let declaring = entity.ancestors.first { name in
      guard let description = self.entity(named: name)?.description else { return false }
      return description.attributes.contains { $0.name == property }
        || description.relationships.contains { $0.name == property }
    }
    return ModelDifference.Place(declaring ?? entity.name, property)
  }
}
