internal import ObjectModel

extension EventReader {
  mutating func entities() throws(EventCodingError) -> [NumberedEntity] {
    try list(ofAtLeast: 7) { reader throws(EventCodingError) in
      let largest = UInt64(EntityNumber.largest.rawValue)
      let number = UInt16(truncatingIfNeeded: try reader.varint(through: largest))
      return NumberedEntity(EntityNumber(rawValue: number), try reader.entity())
    }
  }

  /// Flags, the first one lowest.
  private mutating func flags(_ count: UInt8) throws(EventCodingError) -> [Bool] {
    let byte = try choice(below: 1 << count)
    return (0..<count).map { byte >> $0 & 1 == 1 }
  }

  private mutating func entity() throws(EventCodingError) -> EntityDescription {
    var entity = EntityDescription(try text(), parent: try optionalText())
    let flags = try flags(2)
    (entity.isAbstract, entity.allowsAnyKey) = (flags[0], flags[1])
    entity.attributes = try list(ofAtLeast: 7) { reader throws(EventCodingError) in
      try reader.attribute()
    }
    entity.relationships = try list(ofAtLeast: 8) { reader throws(EventCodingError) in
      try reader.relationship()
    }
    entity.renamingIdentifier = try optionalText()
    return entity
  }

  private mutating func attribute() throws(EventCodingError) -> AttributeDescription {
    var attribute = AttributeDescription(try text(), try type())
    let flags = try flags(4)
    (attribute.isOptional, attribute.isTransient) = (flags[0], flags[1])
    (attribute.isIndexed, attribute.isIdentifier) = (flags[2], flags[3])
    attribute.defaultValue = try optionalValue()
    attribute.merging = try merging()
    attribute.validation = try list(ofAtLeast: 2) { reader throws(EventCodingError) in
      try reader.rule()
    }
    attribute.renamingIdentifier = try optionalText()
    return attribute
  }

  private mutating func type() throws(EventCodingError) -> AttributeType {
    let tag = try choice(below: ModelTags.transformedType + 1)
    if tag == ModelTags.transformedType { return .transformed(by: try text()) }
    return ModelTags.plainTypes[Int(tag)]
  }

  private mutating func merging() throws(EventCodingError) -> AttributeMerging {
    switch try choice(below: ModelTags.mergingByFunction + 1) {
    case ModelTags.mergingAsWhole: .asWhole
    case ModelTags.mergingByKey: .byKey
    default: .custom(try text())
    }
  }

  private mutating func rule() throws(EventCodingError) -> ValidationRule {
    switch try choice(below: ModelTags.matches + 1) {
    case ModelTags.minLength: .minLength(try signed())
    case ModelTags.maxLength: .maxLength(try signed())
    case ModelTags.minimum: .minimum(try value())
    case ModelTags.maximum: .maximum(try value())
    default: .matches(try text())
    }
  }

  private mutating func relationship() throws(EventCodingError) -> RelationshipDescription {
    var relationship = RelationshipDescription(
      try text(), to: try text(), inverse: try optionalText())
    let flags = try flags(4)
    (relationship.isToMany, relationship.isOrdered) = (flags[0], flags[1])
    (relationship.isOptional, relationship.isTransient) = (flags[2], flags[3])
    relationship.minCount = try boolean() ? try signed() : nil
    relationship.maxCount = try boolean() ? try signed() : nil
    let place = offset
    let rule = try byte()
    guard let deleteRule = DeleteRule(rawValue: rule) else {
      throw error(.choiceUnknown(rule), at: place)
    }
    relationship.deleteRule = deleteRule
    relationship.renamingIdentifier = try optionalText()
    return relationship
  }
}
