package import ObjectModel

/// The time in which a store has one model.
package struct Era: Sendable {
  /// The last commit before it.
  package let since: CommitNumber
  package let model: ManagedObjectModel
  /// The entities with their numbers, in the order of the model.
  package let entities: [NumberedEntity]
  /// How the rows of each entity of the era before are read as rows of this one; none where it was removed.
  let conversions: [EntityNumber: RowConversion]
  /// Which values are indexed.
  let indexing: Indexing
  /// How relationships to many are answered that are not stored.
  let inverses: Inverses
  /// Where relationships lead and what leads back.
  let ends: RelationshipEnds
  /// How values merge.
  let mergeKinds: MergeKinds
  private let names: [EntityNumber: String]
  private let numbers: [String: EntityNumber]

  init(
    since: CommitNumber, _ entities: [NumberedEntity], _ keys: KeyNames, after previous: Era?
  ) throws(EraProblem) {
    self.since = since
    self.entities = entities
    let model: ManagedObjectModel
    do throws(ModelError) {
      model = try ManagedObjectModel(stored: entities.map(\.description))
    } catch {
      throw .model(error)
    }
    self.model = model
    names = Dictionary(firstOf: entities.map { ($0.number, $0.description.name) })
    numbers = Dictionary(firstOf: entities.map { ($0.description.name, $0.number) })
    guard names.count == entities.count, numbers.count == entities.count else {
      throw .numberGivenTwice
    }
    // They were given before the model was adopted.
    for entity in model.entities {
      let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
      if let name = names.first(where: { keys[$0] == nil }) { throw .keyWithoutNumber(name) }
    }
    let change: ModelChange?
    do throws(ModelChangeError) {
      change = try previous.map { (previous) throws(ModelChangeError) in
        try ModelChange(from: previous.model, to: model)
      }
    } catch {
      throw .change(error)
    }
    let numbers = numbers
    indexing = Indexing(model, keys) { numbers[$0] }
    inverses = Inverses(model, keys, numbers)
    ends = RelationshipEnds(model, keys, numbers)
    mergeKinds = MergeKinds(model, keys, numbers)
    conversions = try RowConversion.all(of: change, from: previous?.entities ?? [], to: names, keys)
  }

  /// The entities as the model has them, with their numbers.
  package var entitiesOfModel: [(number: EntityNumber, entity: ModelEntity)] {
    entities.compactMap { numbered in
      model.entity(named: numbered.description.name).map { (numbered.number, $0) }
    }
  }

  package func name(of number: EntityNumber) -> String? { names[number] }
  package func number(of name: String) -> EntityNumber? { numbers[name] }

  /// An entity and those that inherit from it.
  func kinds(of entity: EntityNumber) -> [EntityNumber] {
    guard let name = names[entity], let known = model.entity(named: name) else { return [] }
    return [entity] + known.heirs.compactMap { numbers[$0] }
  }

  /// The entity of an object.
  package func entity(of object: ObjectID) -> ModelEntity? {
    names[object.entity].flatMap { model.entity(named: $0) }
  }
}

/// Why a model cannot be a store's next.
enum EraProblem: Error {
  case model(ModelError)
  case change(ModelChangeError)
  case numberGivenTwice
  case keyWithoutNumber(String)
}

extension Era {
  /// The entities of a newer model with numbers: those that were there keep theirs, under whatever name, and
  /// new ones get numbers that none ever had.
  ///
  /// - Parameter wanted: the numbers that new ones are to get, by their names, where that is known of another store.
  static func number(
    _ model: ManagedObjectModel, after eras: [Era], wanted: [String: EntityNumber] = [:]
  ) throws(StoreError) -> [NumberedEntity] {
    var given: [String: EntityNumber] = [:]
    if let last = eras.last {
      do throws(ModelChangeError) {
        let change = try ModelChange(from: last.model, to: model)
        for entity in last.entities {
          if let name = change.newerName(ofEntity: entity.description.name) {
            given[name] = entity.number
          }
        }
      } catch {
        throw .modelDoesNotFit(error)
      }
    }
    for (name, number) in wanted where given[name] == nil && !given.values.contains(number) {
      given[name] = number
    }
    let known = eras.flatMap(\.entities).map(\.number) + given.values
    var next = known.map(\.rawValue).max().map { $0 + 1 } ?? 0
    var entities: [NumberedEntity] = []
    for description in model.descriptions {
      if let number = given[description.name] {
        entities.append(NumberedEntity(number, description))
      } else {
        guard next <= EntityNumber.largest.rawValue else {
          throw StoreError(
            .modelDoesNotFit,
            "a store can have \(EntityNumber.largest.rawValue + 1) entities over its life, and the "
              + "model brings more; export the objects into a new store.")
        }
        entities.append(NumberedEntity(EntityNumber(rawValue: next), description))
        next += 1
      }
    }
    return entities
  }
}

extension ReadableStore {
  /// What keys of an entity's objects were in an earlier era, from what they are in the store's last one. What was
  /// not there then is left out, unless its name may have been that of a dynamic attribute.
  ///
  /// - Parameter count: how many eras there were then.
  package func formerKeys(
    of keys: [KeyNumber], in entity: EntityNumber, atEra count: Int
  ) -> [KeyNumber: KeyNumber] {
    var latest = Dictionary(firstOf: keys.map { ($0, $0) })
    for era in head.eras.dropFirst(count).reversed() {
      latest = era.conversions[entity]?.olderKeys(of: latest) ?? [:]
    }
    return Dictionary(firstOf: latest.map { ($0.value, $0.key) })
  }
}

extension StoreError {
  static func modelDoesNotFit(_ error: ModelChangeError) -> StoreError {
    StoreError(
      .modelDoesNotFit, "the model does not fit the store: \(error)", modelDifferences: error)
  }
}
