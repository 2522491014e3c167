package import EventFold
package import ObjectModel
package import ObjectStore
internal import Synchronization

/// A store's entities in one era as contexts use them. Made once for each store that is open.
package final class Schema: Sendable {
  package let entities: [EntityInfo]
  package let program: ModelProgram
  /// What the model says of the keys of each entity.
  package let traits: [EntityNumber: KeyTraits]
  private let store: StoreTag
  private let byName: [String: EntityInfo]
  /// By number; nil where it has none.
  private let byNumber: [EntityInfo?]
  private let byClass: [ObjectIdentifier: EntityInfo]

  /// The schema of a store's last era.
  package static func of(_ store: ReadableStore) -> Schema { of(store, store.head.eras) }

  /// The schema of the last of some of a store's eras.
  static func of(_ store: ReadableStore, _ eras: [Era]) -> Schema {
    let shelf = store.program.withLock { program in
      if let shelf = program as? Shelf { return shelf }
      let shelf = Shelf(program as? ModelProgram ?? ModelProgram())
      program = shelf
      return shelf
    }
    return shelf.schemas.withLock { schemas in
      if let schema = schemas[eras.count] { return schema }
      let latest = store.head.eras
      func schema(_ eras: [Era], _ latest: Schema?) -> Schema {
        let schema = schemas[eras.count] ?? Schema(store, eras, shelf.program, latest)
        schemas[eras.count] = schema
        return schema
      }
      return schema(eras, latest.count > eras.count ? schema(latest, nil) : nil)
    }
  }

  /// The schemas of a store, by the number of eras up to theirs.
  private final class Shelf: Sendable {
    let program: ModelProgram
    let schemas = Mutex<[Int: Schema]>([:])

    init(_ program: ModelProgram) { self.program = program }
  }

  /// - Parameter latest: that of the model which the program's classes are of, where it is another.
  private init(_ store: ReadableStore, _ eras: [Era], _ program: ModelProgram, _ latest: Schema?) {
    self.program = program
    self.store = store.tag
    let (era, eraCount) = (eras.last, eras.count)
    var entities: [EntityInfo] = []
    traits = era.map { store.traits(of: $0) } ?? [:]
    if let era {
      for (number, entity) in era.entitiesOfModel {
        let kinds = [number] + entity.heirs.compactMap(era.number(of:))
        let properties = Self.properties(of: entity, era, program) {
          store.existingKey(named: $0)
        }
        entities.append(
          EntityInfo(
            number, entity, kinds: kinds, properties, program,
            latest: latest?.entity(number),
            formerKeys: { store.formerKeys(of: $0, in: number, atEra: eraCount) }))
      }
    }
    self.entities = entities
    byName = Dictionary(firstOf: entities.map { ($0.name, $0) })
    var byNumber: [EntityInfo?] = []
    for entity in entities {
      let number = Int(entity.number.rawValue)
      while byNumber.count <= number { byNumber.append(nil) }
      byNumber[number] = entity
    }
    self.byNumber = byNumber
    // An entity without a class of its own has that of an ancestor, which is the one meant by it.
    byClass = Dictionary(
      firstOf: entities.filter { program.classes[(latest?.entity($0.number) ?? $0).name] != nil }
        .map {
          (ObjectIdentifier($0.objectClass), $0)
        })
  }

  private static func properties(
    of entity: ModelEntity, _ era: Era, _ program: ModelProgram, key: (String) -> KeyNumber?
  ) -> [Property] {
    func storage(_ description: RelationshipDescription) -> RelationshipInfo.Storage {
      if !description.isToMany { return .one }
      if description.isOrdered { return .array }
      return era.model.isAnsweredFromInverse(description) ? .inverse : .set
    }
    let attributes = entity.attributes.compactMap { attribute in
      key(attribute.name).map {
        Property(
          name: attribute.name, key: $0, kind: .attribute(attribute),
          transformation: program.transformation(of: attribute, in: entity.line))
      }
    }
    let relationships = entity.relationships.compactMap { description -> Property? in
      guard let number = key(description.name),
        let destination = era.model.entity(named: description.destination),
        let destinationNumber = era.number(of: destination.name)
      else { return nil }
      let inverse = description.inverse.flatMap { name -> RelationshipInfo.Inverse? in
        guard let back = destination.relationship(name), let backKey = key(name) else { return nil }
        return RelationshipInfo.Inverse(key: backKey, storage: storage(back))
      }
      return Property(
        name: description.name, key: number,
        kind: .relationship(
          RelationshipInfo(
            description: description, destination: destinationNumber, inverse: inverse,
            storage: storage(description))))
    }
    return attributes + relationships
  }

  package func entity(named name: String) -> EntityInfo? { byName[name] }

  package func entity(_ number: EntityNumber) -> EntityInfo? {
    let number = Int(number.rawValue)
    return number < byNumber.count ? byNumber[number] : nil
  }

  /// Whether objects of an entity are objects of another: that itself, or one that it inherits from.
  package func isKind(_ entity: EntityNumber, of ancestor: EntityNumber) -> Bool {
    self.entity(ancestor)?.includes(entity) ?? false
  }

  /// What objects of an entity have, by the model.
  package func properties(of entity: EntityNumber) -> [Property] {
    self.entity(entity)?.properties ?? []
  }

  /// The keys of an entity's objects that no save takes.
  func transientKeys(of entity: EntityNumber) -> Set<KeyNumber> {
    traits[entity]?.transient ?? []
  }

  /// The first of some objects that a relationship cannot lead to: one of another store, or none of its destination.
  func stranger(among objects: [ObjectID], to relationship: RelationshipInfo) -> ObjectID? {
    if objects.isEmpty { return nil }
    return objects.first { $0.store != store || !isKind($0.entity, of: relationship.destination) }
  }

  package func entity(of type: ManagedObject.Type) -> EntityInfo? {
    byClass[ObjectIdentifier(type)]
  }
}
