/// What a store's objects are like: entities with their attributes and relationships, made once and checked.
public struct ManagedObjectModel: Sendable {
  /// The entities, with what they inherit, in the order they were given.
  package let entities: [ModelEntity]
  private let indexes: [String: Int]
  /// What the program has beside the descriptions: classes and functions. Two models that differ in nothing else
  /// are equal.
  package var program: (any Sendable)?

  /// Makes a model of entities.
  ///
  /// - Throws: `ModelError`, which lists everything that is wrong and names the entity and the property.
  public init(entities descriptions: [EntityDescription]) throws(ModelError) {
    try self.init(descriptions, ModelCheck(descriptions).problems)
  }

  /// Makes a model that a store has: earlier code, which refused less, may have saved under it.
  package init(stored descriptions: [EntityDescription]) throws(ModelError) {
    try self.init(descriptions, ModelCheck(descriptions).problems.filter { !$0.kind.mayBeStored })
  }

  private init(
    _ descriptions: [EntityDescription], _ problems: [ModelProblem]
  ) throws(ModelError) {
    guard problems.isEmpty else { throw ModelError(problems: problems) }
    let byName = Dictionary(uniqueKeysWithValues: descriptions.map { ($0.name, $0) })
    let ancestors = descriptions.map { description in
      Array(sequence(first: description) { $0.parent.flatMap { byName[$0] } }.dropFirst())
    }
    var heirs: [String: [String]] = [:]
    for (description, ancestors) in zip(descriptions, ancestors) {
      for ancestor in ancestors { heirs[ancestor.name, default: []].append(description.name) }
    }
    entities = zip(descriptions, ancestors).map { description, ancestors in
      ModelEntity(
        description, ancestors: ancestors, heirs: heirs[description.name, default: []])
    }
    indexes = Dictionary(
      uniqueKeysWithValues: descriptions.enumerated().map { ($1.name, $0) })
  }

  /// The descriptions the model was made of.
  public var descriptions: [EntityDescription] { entities.map(\.description) }

  /// The entity of a name.
  package func entity(named name: String) -> ModelEntity? { indexes[name].map { entities[$0] } }
}

extension ManagedObjectModel: Hashable {
  /// Whether both were made of equal descriptions in the same order.
  public static func == (one: ManagedObjectModel, other: ManagedObjectModel) -> Bool {
    one.descriptions == other.descriptions
  }

  /// Hashes the descriptions.
  public func hash(into hasher: inout Hasher) { hasher.combine(descriptions) }
}

/// An entity within its model: what it has, with what it inherits.
package struct ModelEntity: Sendable {
  package let description: EntityDescription
  /// The entities it inherits from, the nearest first.
  package let ancestors: [String]
  /// The entities that inherit from it, in the order they were given.
  package let heirs: [String]
  /// All attributes, those of the farthest ancestor first; the place here is the slot in a row.
  package let attributes: [AttributeDescription]
  /// All relationships, in the same order.
  package let relationships: [RelationshipDescription]
  private let places: [String: Property]

  /// Where a property stands among the attributes or the relationships.
  package enum Property: Hashable, Sendable {
    case attribute(Int)
    case relationship(Int)
  }

  package init(
    _ description: EntityDescription, ancestors: [EntityDescription], heirs: [String]
  ) {
    self.description = description
    self.ancestors = ancestors.map(\.name)
    self.heirs = heirs
    let line = ancestors.reversed() + [description]
    attributes = line.flatMap(\.attributes)
    relationships = line.flatMap(\.relationships)
    var places: [String: Property] = [:]
    for (index, attribute) in attributes.enumerated() {
      places[attribute.name] = .attribute(index)
    }
    for (index, relationship) in relationships.enumerated() {
      places[relationship.name] = .relationship(index)
    }
    self.places = places
  }

  package var name: String { description.name }

  /// Its own name, and those of the entities it inherits from, the nearest first.
  package var line: [String] { [name] + ancestors }

  package func property(_ name: String) -> Property? { places[name] }

  package func attribute(_ name: String) -> AttributeDescription? {
    if case .attribute(let index) = places[name] { attributes[index] } else { nil }
  }

  package func relationship(_ name: String) -> RelationshipDescription? {
    if case .relationship(let index) = places[name] { relationships[index] } else { nil }
  }

  /// Whether its objects are objects of the entity of a name.
  package func isKind(of name: String) -> Bool {
    self.name == name || ancestors.contains(name)
  }
}
