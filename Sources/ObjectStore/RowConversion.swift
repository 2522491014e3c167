internal import ObjectModel

/// How the rows of an entity are read after the model has changed, by numbers of keys.
struct RowConversion: Sendable {
  private let change: EntityChange
  private let properties: [(key: KeyNumber, older: KeyNumber?, change: PropertyChange)]
  private let olderKeys: Set<KeyNumber>
  /// The relationships, by their keys in the older model, whose destinations were stored for the newer one when it
  /// was adopted, and not before.
  let gathered: [KeyNumber]
  /// Entities that are no more, whose objects nothing can refer to.
  private let removed: Set<EntityNumber>

  /// The conversions of all entities that were not removed.
  static func all(
    of change: ModelChange?, from older: [NumberedEntity], to newer: [EntityNumber: String],
    _ keys: KeyNames
  ) throws(EraProblem) -> [EntityNumber: RowConversion] {
    var conversions: [EntityNumber: RowConversion] = [:]
    let removed = Set(older.map(\.number)).subtracting(newer.keys)
    for entity in older where !removed.contains(entity.number) {
      guard let change = change?.entity(entity.description.name) else { continue }
      conversions[entity.number] = try RowConversion(change, keys, removed)
    }
    return conversions
  }

  private init(
    _ change: EntityChange, _ keys: KeyNames, _ removed: Set<EntityNumber>
  ) throws(EraProblem) {
    func number(_ name: String) throws(EraProblem) -> KeyNumber {
      guard let number = keys[name] else { throw .keyWithoutNumber(name) }
      return number
    }
    self.change = change
    self.removed = removed
    var properties: [(key: KeyNumber, older: KeyNumber?, change: PropertyChange)] = []
    var gathered: [KeyNumber] = []
    for property in change.properties {
      var older: KeyNumber?
      if let name = property.older { older = try number(name) }
      if let older, property.isGathered { gathered.append(older) }
      properties.append((try number(property.newer), older, property))
    }
    self.properties = properties
    self.gathered = gathered
    var olderKeys: Set<KeyNumber> = []
    for name in change.olderKeys { olderKeys.insert(try number(name)) }
    self.olderKeys = olderKeys
  }

  /// The keys whose values became those of newer keys, with what is noted by these.
  func olderKeys<Note>(of newer: [KeyNumber: Note]) -> [KeyNumber: Note] {
    if change.isIdentity { return newer }
    var older: [KeyNumber: Note] = [:]
    for (key, note) in newer {
      let former = properties.first { $0.key == key }?.older
      // A dynamic attribute keeps its key, and an attribute that is new may have been one.
      if let key = former ?? (olderKeys.contains(key) ? nil : key) { older[key] = note }
    }
    return older
  }

  /// The keys that take the values of an older one; a dynamic attribute keeps its key.
  func newerKeys(of older: KeyNumber) -> [KeyNumber] {
    if change.isIdentity || !olderKeys.contains(older) { return [older] }
    return properties.filter { $0.older == older && $0.change.conversion != .answeredFromInverse }
      .map(\.key)
  }

  /// Whether every object has for a key what it had.
  func keeps(_ key: KeyNumber) -> Bool {
    guard removed.isEmpty else { return false }
    return change.isIdentity
      || properties.contains { $0.key == key && $0.older == key && $0.change.isIdentity }
  }

  /// Makes a row of the older era one of the newer.
  func apply(to row: inout Row, in store: StoreTag) {
    if !change.isIdentity {
      let old = row
      for key in olderKeys { row[key] = nil }
      for (key, older, change) in properties {
        let dynamic: Value? = olderKeys.contains(key) ? nil : old[key]
        row[key] = change.value(from: older.flatMap { old[$0] }, dynamic: dynamic)
      }
    }
    if removed.isEmpty { return }
    for entry in row.entries where entry.value.refers(to: removed, in: store) {
      row[entry.key] = entry.value.withoutReferences(to: removed, in: store)
    }
  }
}

extension Value {
  /// Whether it is, or has as a member, an object of one of these entities.
  fileprivate func refers(to entities: Set<EntityNumber>, in store: StoreTag) -> Bool {
    switch self {
    case .reference(let object): object.store == store && entities.contains(object.entity)
    case .set(let members): members.contains { $0.refers(to: entities, in: store) }
    case .array(let members): members.contains { $0.refers(to: entities, in: store) }
    default: false
    }
  }

  /// What is left without the objects of these entities; nil for nothing.
  fileprivate func withoutReferences(
    to entities: Set<EntityNumber>, in store: StoreTag
  ) -> Value? {
    switch self {
    case .reference: return nil
    case .set(let members):
      let left = members.filter { !$0.refers(to: entities, in: store) }
      if left.isEmpty { return nil }
      return .set(left)
    case .array(let members):
      let left = members.filter { !$0.refers(to: entities, in: store) }
      if left.isEmpty { return nil }
      return .array(left)
    default: return self
    }
  }
}
