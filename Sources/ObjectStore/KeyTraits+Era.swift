package import EventFold
package import ObjectModel

extension ReadableStore {
  /// What the model of an era says of the keys of each entity.
  package func traits(of era: Era) -> [EntityNumber: KeyTraits] {
    var traits: [EntityNumber: KeyTraits] = [:]
    for (number, entity) in era.entitiesOfModel { traits[number] = self.traits(of: entity) }
    return traits
  }

  private func traits(of entity: ModelEntity) -> KeyTraits {
    func keys(_ names: [String]) -> Set<KeyNumber> {
      Set(names.compactMap { existingKey(named: $0) })
    }
    let (attributes, relationships) = (entity.attributes, entity.relationships)
    let transient =
      attributes.filter(\.isTransient).map(\.name)
      + relationships.filter(\.isTransient).map(\.name)
    var defaults = Row()
    for attribute in attributes where attribute.isTransient {
      guard let value = attribute.filling, let key = existingKey(named: attribute.name) else {
        continue
      }
      defaults[key] = value
    }
    return KeyTraits(
      transient: keys(transient), defaults: defaults,
      byKey: keys(attributes.filter { $0.merging == .byKey }.map(\.name)),
      destinations: keys(relationships.filter { $0.isToMany && !$0.isOrdered }.map(\.name)),
      keyCount: attributes.count)
  }
}
