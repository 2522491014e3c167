/// What becomes of an object's destinations when it is deleted.
public enum DeleteRule: UInt8, Hashable, Sendable, CaseIterable {
  /// They no longer refer to it.
  case nullify
  /// They are deleted, too.
  case cascade
  /// Saving fails while there are any.
  case deny
  /// Nothing: they go on referring to what is gone.
  case noAction
}

/// A relationship of an entity to another, or to itself.
public struct RelationshipDescription: Hashable, Sendable {
  /// The relationship's key.
  public var name: String
  /// The name of the entity at the other end.
  public var destination: String
  /// The relationship of the other entity that leads back.
  public var inverse: String?
  /// Whether there may be several destinations.
  public var isToMany: Bool
  /// Whether the destinations have an order.
  public var isOrdered: Bool
  /// Whether it may be empty when it is saved.
  public var isOptional: Bool
  /// How few destinations there may be where there are any; nil for no limit.
  public var minCount: Int?
  /// How many destinations there may be; nil for no limit.
  public var maxCount: Int?
  /// What becomes of the destinations of a deleted object.
  public var deleteRule: DeleteRule
  /// Whether it is never saved.
  public var isTransient: Bool
  /// The name it had in the model before, where it was renamed.
  public var renamingIdentifier: String?

  /// Describes a relationship.
  public init(
    _ name: String, to destination: String, inverse: String? = nil, isToMany: Bool = false,
    isOrdered: Bool = false, isOptional: Bool = true, minCount: Int? = nil, maxCount: Int? = nil,
    deleteRule: DeleteRule = .nullify, isTransient: Bool = false,
    renamingIdentifier: String? = nil
  ) {
    self.name = name
    self.destination = destination
    self.inverse = inverse
    self.isToMany = isToMany
    self.isOrdered = isOrdered
    self.isOptional = isOptional
    self.minCount = minCount
    self.maxCount = maxCount
    self.deleteRule = deleteRule
    self.isTransient = isTransient
    self.renamingIdentifier = renamingIdentifier
  }
}
