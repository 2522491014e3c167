/// An entity: what its objects have in common.
public struct EntityDescription: Hashable, Sendable {
  /// The entity's name.
  public var name: String
  /// The name of the entity it inherits from.
  public var parent: String?
  /// Whether it has no objects of its own, but only those of entities that inherit from it.
  public var isAbstract: Bool
  /// Whether any key that the model does not know is a dynamic attribute, also for `setValue`.
  public var allowsAnyKey: Bool
  /// The attributes beside those it inherits.
  public var attributes: [AttributeDescription]
  /// The relationships beside those it inherits.
  public var relationships: [RelationshipDescription]
  /// The name it had in the model before, where it was renamed.
  public var renamingIdentifier: String?

  /// Describes an entity.
  public init(
    _ name: String, parent: String? = nil, isAbstract: Bool = false, allowsAnyKey: Bool = false,
    attributes: [AttributeDescription] = [], relationships: [RelationshipDescription] = [],
    renamingIdentifier: String? = nil
  ) {
    self.name = name
    self.parent = parent
    self.isAbstract = isAbstract
    self.allowsAnyKey = allowsAnyKey
    self.attributes = attributes
    self.relationships = relationships
    self.renamingIdentifier = renamingIdentifier
  }
}
