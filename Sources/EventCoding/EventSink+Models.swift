internal import ObjectModel

// Entities as a model describes them.
extension EventSink {
  mutating func put(_ entities: [NumberedEntity]) throws(Refusal) {
    put(count: entities.count)
    for entity in entities {
      guard entity.number <= .largest else { throw refusal(.numberTooLarge) }
      put(varint: UInt64(entity.number.rawValue))
      try put(entity.description)
    }
  }

  private mutating func put(_ entity: EntityDescription) throws(Refusal) {
    put(text: entity.name)
    put(optionalText: entity.parent)
    put(byte: ModelTags.byte(entity.isAbstract, entity.allowsAnyKey))
    put(count: entity.attributes.count)
    for attribute in entity.attributes { try put(attribute) }
    put(count: entity.relationships.count)
    for relationship in entity.relationships { put(relationship) }
    put(optionalText: entity.renamingIdentifier)
  }

  private mutating func put(_ attribute: AttributeDescription) throws(Refusal) {
    put(text: attribute.name)
    put(attribute.type)
    put(
      byte: ModelTags.byte(
        attribute.isOptional, attribute.isTransient, attribute.isIndexed, attribute.isIdentifier))
    try put(attribute.defaultValue)
    put(attribute.merging)
    put(count: attribute.validation.count)
    for rule in attribute.validation { try put(rule) }
    put(optionalText: attribute.renamingIdentifier)
  }

  private mutating func put(_ type: AttributeType) {
    if case .transformed(let name) = type {
      put(byte: ModelTags.transformedType)
      put(text: name)
    } else if let index = ModelTags.plainTypes.firstIndex(of: type) {
      put(byte: UInt8(truncatingIfNeeded: index))
    } else {
      preconditionFailure("every type has a number")
    }
  }

  private mutating func put(_ merging: AttributeMerging) {
    switch merging {
    case .asWhole: put(byte: ModelTags.mergingAsWhole)
    case .byKey: put(byte: ModelTags.mergingByKey)
    case .custom(let name):
      put(byte: ModelTags.mergingByFunction)
      put(text: name)
    }
  }

  private mutating func put(_ rule: ValidationRule) throws(Refusal) {
    switch rule {
    case .minLength(let length): put(ModelTags.minLength, length)
    case .maxLength(let length): put(ModelTags.maxLength, length)
    case .minimum(let limit):
      put(byte: ModelTags.minimum)
      try put(limit)
    case .maximum(let limit):
      put(byte: ModelTags.maximum)
      try put(limit)
    case .matches(let pattern):
      put(byte: ModelTags.matches)
      put(text: pattern)
    }
  }

  private mutating func put(_ tag: UInt8, _ number: Int) {
    put(byte: tag)
    put(signed: Int64(number))
  }

  private mutating func put(_ relationship: RelationshipDescription) {
    put(text: relationship.name)
    put(text: relationship.destination)
    put(optionalText: relationship.inverse)
    put(
      byte: ModelTags.byte(
        relationship.isToMany, relationship.isOrdered, relationship.isOptional,
        relationship.isTransient))
    for count in [relationship.minCount, relationship.maxCount] {
      put(byte: count == nil ? 0 : 1)
      if let count { put(signed: Int64(count)) }
    }
    put(byte: relationship.deleteRule.rawValue)
    put(optionalText: relationship.renamingIdentifier)
  }
}
