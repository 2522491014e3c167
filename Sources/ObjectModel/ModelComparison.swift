/// Compares two models entity by entity, and each entity's properties with those it inherits.
struct ModelComparison {
  private(set) var entities: [EntityChange] = []
  private(set) var differences: [ModelDifference] = []
  private let older: ManagedObjectModel
  private let newer: ManagedObjectModel
  private var noted: Set<ModelDifference> = []
  /// The newer entities by the older names of those that were kept.
  private var kept: [String: ModelEntity] = [:]
  /// What the properties of the newer entities were, by the entities' older names.
  private var formers: [String: FormerNames<PropertyDescription>] = [:]

  init(from older: ManagedObjectModel, to newer: ManagedObjectModel) {
    self.older = older
    self.newer = newer
    let names = FormerNames(of: newer.descriptions, in: older.descriptions)
    for (name, former) in names.formers { kept[former.name] = newer.entity(named: name) }
    for (former, claimants) in names.disputes {
      note(.formerNameDisputed(by: claimants), from: .init(former.name), to: .init(claimants[0]))
    }
    for old in older.entities {
      guard let new = kept[old.name] else { continue }
      formers[old.name] = FormerNames(of: new.properties, in: old.properties)
    }
    for old in older.entities {
      let properties = kept[old.name].map { compare(old, $0) }
      entities.append(
        EntityChange(
          older: old.name, newer: kept[old.name]?.name, properties: properties ?? [],
          olderKeys: Set(old.properties.map(\.name))))
    }
  }

  /// A difference of an inherited property is found in every heir, and told once.
  private mutating func note(
    _ kind: ModelDifference.Kind, from older: ModelDifference.Place?,
    to newer: ModelDifference.Place
  ) {
    let difference = ModelDifference(kind, from: older, to: newer)
    if noted.insert(difference).inserted { differences.append(difference) }
  }

  private mutating func compare(_ old: ModelEntity, _ new: ModelEntity) -> [PropertyChange] {
    let names = formers[old.name]
    let changes = new.properties.map { property in
      let former = names?.formers[property.name]
      return (property, former, change(from: former, to: property))
    }
    // No object is of an abstract entity alone: what stands in the way is found in its heirs.
    guard !old.description.isAbstract else { return changes.map(\.2.change) }
    if new.description.isAbstract {
      note(.madeAbstract, from: .init(old.name), to: .init(new.name))
    }
    for (former, claimants) in names?.disputes ?? [] {
      note(
        .formerNameDisputed(by: claimants), from: older.place(of: former.name, in: old),
        to: newer.place(of: claimants[0], in: new))
    }
    for (property, former, judged) in changes {
      guard let kind = judged.difference else { continue }
      note(
        kind, from: former.map { older.place(of: $0.name, in: old) },
        to: newer.place(of: property.name, in: new))
    }
    return changes.map(\.2.change)
  }

  private func change(from old: PropertyDescription?, to new: PropertyDescription) -> JudgedChange {
    switch (old, new) {
    case (nil, .attribute(let new)): JudgedChange(from: nil, to: new)
    case (.attribute(let old)?, .attribute(let new)): JudgedChange(from: old, to: new)
    case (nil, .relationship(let new)): change(from: nil, to: new)
    case (.relationship(let old)?, .relationship(let new)): change(from: old, to: new)
    case (.attribute?, .relationship), (.relationship?, .attribute):
      JudgedChange(PropertyChange(new.name, from: nil), .attributeOrRelationship)
    }
  }
}

// A relationship is compared with what has become of its destinations and of its inverse.
extension ModelComparison {
  private func change(
    from old: RelationshipDescription?, to new: RelationshipDescription
  ) -> JudgedChange {
    let added = PropertyChange(new.name, from: nil)
    if new.isTransient {
      return JudgedChange(transient: new.name, from: old.flatMap { $0.isTransient ? $0.name : nil })
    }
    guard let old, !old.isTransient else {
      return JudgedChange(added, new.isOptional ? nil : .requiredRelationship)
    }
    guard var conversion = ValueConversion(from: old, to: new) else {
      return JudgedChange(added, .toManyMadeToOne)
    }
    let (wasAnswered, isAnswered) = (
      older.isAnsweredFromInverse(old), newer.isAnsweredFromInverse(new)
    )
    if isAnswered, !wasAnswered { conversion = .answeredFromInverse }
    return JudgedChange(
      PropertyChange(
        new.name, from: old.name, conversion: conversion, isGathered: wasAnswered && !isAnswered),
      difference(from: old, to: new))
  }

  private func difference(
    from old: RelationshipDescription, to new: RelationshipDescription
  ) -> ModelDifference.Kind? {
    let destinations = keptDestinations(of: old)
    let fit = destinations.allSatisfy { kept[$0]?.isKind(of: new.destination) == true }
    if destinations.isEmpty || !fit {
      return .destinationChanged(from: old.destination, to: new.destination)
    }
    if !agreesWithInverse(new, from: old, destinations: destinations) {
      return .inverseChanged(from: old.inverse, to: new.inverse)
    }
    if new.isOptional { return nil }
    return old.isOptional || losesDestinations(old) ? .requiredRelationship : nil
  }

  /// Whether it may lead to objects of an entity that is no more.
  private func losesDestinations(_ old: RelationshipDescription) -> Bool {
    let heirs = older.entity(named: old.destination)?.heirs ?? []
    return ([old.destination] + heirs).contains {
      kept[$0] == nil && older.entity(named: $0)?.description.isAbstract == false
    }
  }

  /// The older names of the kept entities whose objects it may lead to, or without any such, of the abstract
  /// ones.
  private func keptDestinations(of old: RelationshipDescription) -> [String] {
    let heirs = older.entity(named: old.destination)?.heirs ?? []
    let names = ([old.destination] + heirs).filter { kept[$0] != nil }
    let concrete = names.filter { older.entity(named: $0)?.description.isAbstract == false }
    return concrete.isEmpty ? names : concrete
  }

  /// Whether the inverse's destinations are in step with this one's: because they were before, or because
  /// they are found from this one.
  private func agreesWithInverse(
    _ new: RelationshipDescription, from old: RelationshipDescription, destinations: [String]
  ) -> Bool {
    guard let inverse = newer.inverse(of: new), !inverse.isTransient else { return true }
    let former = destinations.map { formers[$0]?.formers[inverse.name]?.storedRelationship?.name }
    if let before = old.inverse, former.allSatisfy({ $0 == before }) { return true }
    return former.allSatisfy { $0 == nil } && newer.isAnsweredFromInverse(inverse)
  }
}

/// What becomes of a property, and what stands in the way of it.
struct JudgedChange {
  let change: PropertyChange
  let difference: ModelDifference.Kind?

  init(_ change: PropertyChange, _ difference: ModelDifference.Kind? = nil) {
    self.change = change
    self.difference = difference
  }

  /// A transient property was nothing in the store and stays so; a persistent one's values are dropped.
  init(transient name: String, from older: String?) {
    self.init(PropertyChange(name, from: older))
  }

  /// Compares two attributes.
  init(from old: AttributeDescription?, to new: AttributeDescription) {
    if new.isTransient {
      self.init(transient: new.name, from: old.flatMap { $0.isTransient ? $0.name : nil })
      return
    }
    guard let old, !old.isTransient else {
      let isAdded = old == nil
      self.init(
        PropertyChange(
          new.name, from: nil, filling: new.filling, adoptedType: isAdded ? new.type : nil),
        new.isOptional || new.filling != nil ? nil : .requiredWithoutDefault)
      return
    }
    guard let conversion = ValueConversion(from: old.type, to: new.type) else {
      self.init(
        PropertyChange(new.name, from: nil), .typeChanged(from: old.type, to: new.type))
      return
    }
    let isNowRequired = old.isOptional && !new.isOptional
    self.init(
      PropertyChange(
        new.name, from: old.name, conversion: conversion,
        filling: isNowRequired ? new.filling : nil),
      isNowRequired && new.filling == nil ? .requiredWithoutDefault : nil)
  }
}
