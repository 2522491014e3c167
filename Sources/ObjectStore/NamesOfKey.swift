package import ObjectModel

/// What a name of a key stands for under the models of a store, where it is that of an entity's objects: what any model
/// called so, under all its names.
package struct NamesOfKey {
  /// By era.
  private let keys: [Set<KeyNumber>]

  package init(of name: String, in entity: EntityNumber, _ store: ReadableStore) {
    let eras = store.head.eras
    guard let asked = store.existingKey(named: name) else {
      keys = []
      return
    }
    // Of what two properties had in turn each era's own is meant, and none is followed.
    var keys: [Set<KeyNumber>]?
    for (place, era) in eras.enumerated() where era.hasProperty(name, of: entity) {
      if let keys, !keys[place].contains(asked) {
        self.keys = Array(repeating: [asked], count: eras.count)
        return
      }
      if keys == nil { keys = Self.names(of: asked, at: place, in: entity, eras) }
    }
    // Beside what it is called elsewhere there may be dynamic attributes of the name.
    self.keys = (keys ?? Array(repeating: [], count: eras.count)).map { $0.union([asked]) }
  }

  /// The keys that have it in an era; none where no object ever had a value of the name.
  package func keys(inEra era: Int) -> Set<KeyNumber> {
    keys.indices.contains(era) ? keys[era] : []
  }

  /// A key of an era, with what it was before and became.
  private static func names(
    of key: KeyNumber, at place: Int, in entity: EntityNumber, _ eras: [Era]
  ) -> [Set<KeyNumber>] {
    var names = Array(repeating: Set<KeyNumber>(), count: eras.count)
    names[place] = [key]
    for era in stride(from: place, to: 0, by: -1) {
      let newer = Dictionary(names[era].map { ($0, ()) }) { first, _ in first }
      names[era - 1] = Set((eras[era].conversions[entity]?.olderKeys(of: newer) ?? [:]).keys)
    }
    for era in eras.indices.dropFirst(place + 1) {
      let conversion = eras[era].conversions[entity]
      names[era] = Set(names[era - 1].flatMap { conversion?.newerKeys(of: $0) ?? [] })
    }
    return names
  }
}

/// What a name stands for as that of an entity under the models of a store: what any model called so, under all its names.
package struct NamesOfEntity {
  /// By era.
  private let numbers: [EntityNumber?]

  /// - Returns: nil where no model has an entity of the name.
  package init?(of name: String, _ store: ReadableStore) {
    let eras = store.head.eras
    let named = Set(eras.compactMap { $0.number(of: name) })
    guard let one = named.first else { return nil }
    numbers = eras.map { named.count == 1 ? one : $0.number(of: name) }
  }

  /// The entity that has it in an era; nil where two had it, and none does there.
  package func number(inEra era: Int) -> EntityNumber? {
    numbers.indices.contains(era) ? numbers[era] : nil
  }
}

extension ReadableStore {
  /// What a key of an era became in a later one for the objects of an entity; nothing where it was taken away.
  package func laterKeys(
    of key: KeyNumber, in entity: EntityNumber, from era: Int, to last: Int
  ) -> Set<KeyNumber> {
    var keys: Set<KeyNumber> = [key]
    for later in head.eras.prefix(last + 1).dropFirst(era + 1) {
      keys = Set(keys.flatMap { later.conversions[entity]?.newerKeys(of: $0) ?? [] })
    }
    return keys
  }
}

extension Era {
  fileprivate func hasProperty(_ key: String, of entity: EntityNumber) -> Bool {
    name(of: entity).flatMap { model.entity(named: $0) }?.property(key) != nil
  }
}
