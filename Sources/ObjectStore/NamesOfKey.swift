internal import ObjectModel

/// The names that a key of an entity's objects had in the eras of a store, as they are walked back.
struct NamesOfKey {
  private let store: ReadableStore
  private let eras: [Era]
  private let entity: EntityNumber
  private let asked: String
  /// The era that the walk has come to.
  private var era: Int
  /// What the key is there; nil where it was nothing yet.
  private var number: KeyNumber?
  /// Whether a model that was passed has a property of the name.
  private var isKnown: Bool

  /// The names of what has a name in the last era.
  init(of name: String, in entity: EntityNumber, _ store: ReadableStore) {
    self.store = store
    self.entity = entity
    asked = name
    eras = store.head.eras
    era = eras.count - 1
    number = store.existingKey(named: name)
    isKnown = false
    isKnown = hasProperty
  }

  /// The name in an era that is not later than one asked for before; nil where there was none.
  mutating func name(inEra wanted: Int) -> String? {
    while era > wanted {
      let conversion = eras[era].conversions[entity]
      let older = number.flatMap { conversion?.olderKeys(of: [$0: ()]).first?.key }
      era -= 1
      number = older ?? sameName(before: conversion)
      isKnown = isKnown || hasProperty
    }
    return number.flatMap { store.name(of: $0) }
  }

  /// What had the name before a change of the model, unless a model that has the name knows it under another.
  private func sameName(before conversion: RowConversion?) -> KeyNumber? {
    guard let key = store.existingKey(named: asked) else { return nil }
    let isOther = isKnown && conversion.map { !$0.newerKeys(of: key).isEmpty } ?? false
    return isOther ? KeyNumber?.none : key
  }

  private var hasProperty: Bool {
    guard eras.indices.contains(era), let name = eras[era].name(of: entity) else { return false }
    return eras[era].model.entity(named: name)?.property(asked) != nil
  }
}
