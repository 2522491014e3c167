import ObjectModel

/// A model of an entity A with some properties, and of an entity B that nothing is wrong with.
func model(
  _ attributes: [AttributeDescription], _ relationships: [RelationshipDescription] = [],
  others: [EntityDescription] = [EntityDescription("B"), EntityDescription("C")]
) throws -> ManagedObjectModel {
  try ManagedObjectModel(
    entities: [EntityDescription("A", attributes: attributes, relationships: relationships)]
      + others)
}

/// What stands in the way of a change; nothing where it can be made.
func differences(
  from older: ManagedObjectModel, to newer: ManagedObjectModel
) -> [ModelDifference] {
  do throws(ModelChangeError) {
    _ = try ModelChange(from: older, to: newer)
    return []
  } catch {
    return error.differences
  }
}

extension ModelChange {
  /// What an object of the entity A holds after the change.
  func row(_ values: [String: Value]) -> [String: Value]? {
    object(ofEntity: "A", holding: values)?.values
  }
}

extension AttributeDescription {
  /// An attribute that is required.
  static func required(
    _ name: String, _ type: AttributeType, defaultValue: Value? = nil
  ) -> AttributeDescription {
    AttributeDescription(name, type, isOptional: false, defaultValue: defaultValue)
  }
}
