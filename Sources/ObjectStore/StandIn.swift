internal import ObjectModel

/// Names for entities and keys whose own are lost: those that the journal still tells, and numbers for the others.
struct StandIn {
  private var entities: [EntityNumber: String] = [:]
  private var keys: [KeyNumber: String] = [:]
  private var seenEntities: Set<EntityNumber> = []
  private var keyCount: UInt32 = 0

  /// How many keys a journal may be seen to have; a number that is larger is of no journal that was written.
  private static let largestKeyCount: UInt32 = 1 << 20

  /// Notes that an object has values under keys.
  mutating func note(_ object: ObjectID, _ keys: [KeyNumber]) {
    seenEntities.insert(object.entity)
    for key in keys { note(key) }
  }

  private mutating func note(_ key: KeyNumber) {
    guard key.rawValue < Self.largestKeyCount else { return }
    keyCount = max(keyCount, key.rawValue + 1)
  }

  /// Notes the names that an event tells.
  mutating func note(_ event: Event) {
    switch event {
    case .keyNamed(let number, let name):
      note(number)
      keys[number] = name
    case .modelAdopted(let told):
      for entity in told {
        seenEntities.insert(entity.number)
        entities[entity.number] = entities[entity.number] ?? entity.description.name
      }
    default: break
    }
  }

  /// All keys up to the last that was seen.
  func keyNames() -> KeyNames {
    let own = Set(keys.values)
    var names = KeyNames()
    for number in 0..<keyCount {
      let key = KeyNumber(rawValue: number)
      var name = keys[key] ?? "key\(number)"
      while names[name] != nil || keys[key] == nil && own.contains(name) { name += "_" }
      _ = names.add(name, key)
    }
    return names
  }

  /// A model in which every object may have any key.
  func era(_ names: KeyNames) throws(StoreError) -> Era {
    let own = Set(entities.values)
    var taken: Set<String> = []
    let numbered = seenEntities.sorted { $0.rawValue < $1.rawValue }.map { number in
      var name = entities[number] ?? "entity\(number.rawValue)"
      while entities[number] == nil && own.contains(name) || !taken.insert(name).inserted {
        name += "_"
      }
      return NumberedEntity(number, EntityDescription(name, allowsAnyKey: true))
    }
    do throws(EraProblem) {
      return try Era(since: .none, numbered, names, after: nil)
    } catch {
      throw StoreError(
        .damaged, "the names of entities that the journal tells contradict each other.")
    }
  }
}
