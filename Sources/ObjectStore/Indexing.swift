package import ObjectModel

/// Which values of a model's objects are indexed: attributes that are declared so or are identifiers, and
/// relationships to one object whose inverse is answered from them.
package struct Indexing: Sendable {
  /// One index: that of a property where it is declared, with the entities that inherit it.
  package struct Index: Hashable, Sendable {
    package let key: KeyNumber
    /// The entity that declares the property.
    package let entity: EntityNumber
    /// It and its heirs, in the order of their numbers.
    package let entities: [EntityNumber]
  }

  package private(set) var indexes: [Index] = []
  /// For each entity its indexed keys, and the places of their indexes.
  private var placesOfEntities: [[(key: KeyNumber, place: Int)]] = []

  init() {}

  /// The indexes of a model whose entities and keys have numbers.
  init(
    _ model: ManagedObjectModel, _ keys: KeyNames, numberOf: (String) -> EntityNumber?
  ) {
    for entity in model.entities {
      for name in entity.namesOfIndexed(in: model) {
        let entities = ([entity.name] + entity.heirs).compactMap(numberOf)
        guard let key = keys[name], let number = entities.first else { continue }
        for each in entities { add(key, place: indexes.count, to: each) }
        indexes.append(Index(key: key, entity: number, entities: entities.sorted()))
      }
    }
  }

  private mutating func add(_ key: KeyNumber, place: Int, to entity: EntityNumber) {
    while placesOfEntities.count <= Int(entity.rawValue) { placesOfEntities.append([]) }
    placesOfEntities[Int(entity.rawValue)].append((key, place))
  }

  /// The indexed keys of an entity.
  @inline(__always)
  func places(of entity: EntityNumber) -> [(key: KeyNumber, place: Int)] {
    let number = Int(entity.rawValue)
    return number < placesOfEntities.count ? placesOfEntities[number] : []
  }

  /// Whether an entity's key has an index.
  func isIndexed(_ entity: EntityNumber, _ key: KeyNumber) -> Bool { place(of: key, entity) != nil }

  /// Of which keys both sides of a commit must be known; nil where of none.
  var asked: ((EntityNumber, KeyNumber) -> Bool)? {
    guard !indexes.isEmpty else { return nil }
    return { isIndexed($0, $1) }
  }

  /// The place of the index of an entity's key; nil where it has none.
  func place(of key: KeyNumber, _ entity: EntityNumber) -> Int? {
    places(of: entity).first { $0.key == key }?.place
  }
}

extension ModelEntity {
  /// What the entity declares itself that has an index.
  fileprivate func namesOfIndexed(in model: ManagedObjectModel) -> [String] {
    let attributes = description.attributes.filter {
      !$0.isTransient && ($0.isIndexed || $0.isIdentifier)
    }
    let relationships = description.relationships.filter { relationship in
      guard !relationship.isTransient, !relationship.isToMany, let name = relationship.inverse,
        let inverse = model.entity(named: relationship.destination)?.relationship(name)
      else { return false }
      return model.isAnsweredFromInverse(inverse)
    }
    return attributes.map(\.name) + relationships.map(\.name)
  }
}
