internal import ObjectModel

/// The relationships of a model's entities to many that are not stored, but answered from their inverses.
struct Inverses: Sendable {
  /// A relationship to one that leads back.
  struct Inverse: Hashable, Sendable {
    let key: KeyNumber
    /// The entity whose objects refer by it.
    let entity: EntityNumber
  }

  private var inverses: [EntityNumber: [KeyNumber: Inverse]] = [:]

  /// Those of a model whose entities and keys have numbers.
  init(_ model: ManagedObjectModel, _ keys: KeyNames, _ numbers: [String: EntityNumber]) {
    for entity in model.entities {
      for relationship in entity.relationships where model.isAnsweredFromInverse(relationship) {
        guard let number = numbers[entity.name], let key = keys[relationship.name],
          let inverse = relationship.inverse.flatMap({ keys[$0] }),
          let destination = numbers[relationship.destination]
        else { continue }
        inverses[number, default: [:]][key] = Inverse(key: inverse, entity: destination)
      }
    }
  }

  /// What answers a relationship; nil where its destinations are stored.
  subscript(entity: EntityNumber, key: KeyNumber) -> Inverse? { inverses[entity]?[key] }
}
