/// How the objects of an older model are read as objects of a newer one, found by comparing the two.
///
/// Found by itself: entities and properties that were added, removed or renamed (the newer one's
/// `renamingIdentifier` is the older one's name, or its `renamingIdentifier`); properties made optional, or
/// required with a default, which objects that hold nothing then get; wider numbers (a boolean, integer or
/// counter as an integer, counter, real or decimal; of these only a real may round, beyond 2^53);
/// relationships to one made to many; an order gained or lost, and with either what is stored of a relationship
/// dropped that the newer model answers from its inverse; another parent; transient attributes made
/// persistent, which begin at their default, and persistent ones made transient, whose values are dropped.
/// Defaults, validation, delete rules, indexes, identifiers and merging change no object.
///
/// Costs: in proportion to the models, and nothing per object until it is read.
public struct ModelChange: Sendable {
  /// What becomes of each entity of the older model, in its order.
  package let entities: [EntityChange]
  private let indexes: [String: Int]

  /// Compares two models.
  ///
  /// - Throws: `ModelChangeError`, which lists every difference that objects cannot be carried over.
  public init(
    from older: ManagedObjectModel, to newer: ManagedObjectModel
  ) throws(ModelChangeError) {
    let comparison = ModelComparison(from: older, to: newer)
    guard comparison.differences.isEmpty else {
      throw ModelChangeError(differences: comparison.differences)
    }
    entities = comparison.entities
    indexes = Dictionary(uniqueKeysWithValues: entities.enumerated().map { ($1.older, $0) })
  }

  /// The newer name of an entity of the older model; nil where it was removed, with its objects.
  public func newerName(ofEntity name: String) -> String? { entity(name)?.newer }

  /// Whether every object is read as it is.
  public var isIdentity: Bool { entities.allSatisfy(\.isIdentity) }

  /// What becomes of an entity of the older model; nil where that has none of the name.
  package func entity(_ name: String) -> EntityChange? { indexes[name].map { entities[$0] } }

  /// An object as the newer model has it: its entity's name and what it holds.
  ///
  /// - Parameters:
  ///   - entity: the name of its entity in the older model.
  ///   - values: what it holds by key, dynamic attributes too.
  /// - Returns: nil where its entity was removed.
  package func object(
    ofEntity entity: String, holding values: [String: Value]
  ) -> (entity: String, values: [String: Value])? {
    guard let change = self.entity(entity), let newer = change.newer else { return nil }
    return (newer, change.row(values))
  }
}

/// What becomes of the objects of an entity of the older model.
package struct EntityChange: Sendable {
  /// The entity's name in the older model.
  package let older: String
  /// Its name in the newer; nil where it was removed.
  package let newer: String?
  /// What the newer entity has, with what it inherits, attributes first.
  package let properties: [PropertyChange]
  /// The keys of the older entity's properties, whose values are carried over by `properties` alone.
  package let olderKeys: Set<String>

  /// Whether its objects are read as they are.
  package var isIdentity: Bool {
    older == newer && properties.count == olderKeys.count && properties.allSatisfy(\.isIdentity)
  }

  /// What an object holds by key, as the newer entity has it.
  ///
  /// Dynamic attributes stay. One whose key has become an attribute's is taken for its value where the
  /// attribute is new and of a type that admits it; otherwise it has no place any more.
  package func row(_ values: [String: Value]) -> [String: Value] {
    if isIdentity { return values }
    var row = values.filter { !olderKeys.contains($0.key) }
    for property in properties {
      let dynamic = row.removeValue(forKey: property.newer)
      row[property.newer] = property.value(
        from: property.older.flatMap { values[$0] }, dynamic: dynamic)
    }
    return row
  }
}

/// What becomes of a property of the newer model's entity: where its values come from.
package struct PropertyChange: Sendable {
  /// The property's name in the newer model.
  package let newer: String
  /// The name of the older property that it takes its values from; nil where it takes none.
  package let older: String?
  /// How those values are read.
  package let conversion: ValueConversion
  /// What objects get that hold nothing; nil where they go on holding nothing.
  package let filling: Value?
  /// The type of a new attribute, which may take the values of a dynamic one.
  let adoptedType: AttributeType?
  /// Whether the older model answered this relationship to many from its inverse, and the newer does not, so
  /// that its destinations must be gathered before the older inverse is let go.
  package let isGathered: Bool

  init(
    _ newer: String, from older: String?, conversion: ValueConversion = .same,
    filling: Value? = nil, adoptedType: AttributeType? = nil, isGathered: Bool = false
  ) {
    self.newer = newer
    self.older = older
    self.conversion = conversion
    self.filling = filling
    self.adoptedType = adoptedType
    self.isGathered = isGathered
  }

  /// Whether its values are read as they are.
  package var isIdentity: Bool {
    older == newer && conversion == .same && filling == nil && !isGathered
  }

  /// What the property holds.
  ///
  /// - Parameters:
  ///   - older: what the older object holds for the older property.
  ///   - dynamic: its dynamic attribute of the newer key, if it has one.
  package func value(from older: Value?, dynamic: Value?) -> Value? {
    let value = older.flatMap { conversion.apply(to: $0) } ?? adopted(dynamic)
    return filling != nil && value?.isNull != false ? filling : value
  }

  private func adopted(_ dynamic: Value?) -> Value? {
    // Not a conditional expression: there `nil` would be the value null.
    guard let dynamic, let adoptedType, adoptedType.admits(dynamic) else { return nil }
    return dynamic
  }
}
