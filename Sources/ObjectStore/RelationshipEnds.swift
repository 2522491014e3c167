internal import ObjectModel

/// The relationships of a model's entities, as the ends that lead to each other.
struct RelationshipEnds: Sendable {
  /// How an object has its destinations.
  enum Form: Sendable {
    case one
    case set
    case array
    /// Not at all: they refer back by a relationship to one.
    case answered
  }

  /// The end of a relationship that an object has.
  struct End: Sendable {
    let key: KeyNumber
    let form: Form
    /// The end that its destinations have; nil where none leads back.
    let back: Back?
    /// What becomes of its destinations when the object is deleted.
    let deleteRule: DeleteRule
    /// Whether it may lead to none, and to how many it must if it leads to any.
    let isOptional: Bool
    let leastCount: Int
    let largestCount: Int

    /// The end that the destinations have, where they hold it themselves.
    var storedBack: Back? { back.flatMap { $0.form == .answered ? nil : $0 } }

    /// Whether so many destinations are fewer than there must be.
    func isShort(by count: Int) -> Bool { count == 0 ? !isOptional : count < leastCount }

    /// Whether so many destinations are fewer than there must be, or more than there may.
    func isMiscounted(by count: Int) -> Bool { isShort(by: count) || count > largestCount }

    /// Whether there are numbers of destinations that may not be.
    var isDemanding: Bool { !isOptional || leastCount > 0 || largestCount < .max }
  }

  /// The end of a relationship that leads back.
  struct Back: Sendable {
    let key: KeyNumber
    let form: Form
    /// The entity whose objects have it.
    let entity: EntityNumber
    /// Whether it leads to one, and has to.
    let isRequired: Bool
  }

  /// By number of the entity.
  private var ends: [[End]] = []

  /// Those of a model whose entities and keys have numbers. What is never saved has no end.
  init(_ model: ManagedObjectModel, _ keys: KeyNames, _ numbers: [String: EntityNumber]) {
    func form(_ relationship: RelationshipDescription) -> Form {
      if !relationship.isToMany { return .one }
      if relationship.isOrdered { return .array }
      return model.isAnsweredFromInverse(relationship) ? .answered : .set
    }
    for entity in model.entities {
      guard let number = numbers[entity.name] else { continue }
      while ends.count <= Int(number.rawValue) { ends.append([]) }
      for relationship in entity.relationships where !relationship.isTransient {
        guard let key = keys[relationship.name] else { continue }
        var back: Back?
        if let name = relationship.inverse, let backKey = keys[name],
          let destination = numbers[relationship.destination],
          let inverse = model.entity(named: relationship.destination)?.relationship(name),
          !inverse.isTransient
        {
          back = Back(
            key: backKey, form: form(inverse), entity: destination,
            isRequired: !inverse.isToMany && !inverse.isOptional)
        }
        ends[Int(number.rawValue)].append(
          End(
            key: key, form: form(relationship), back: back, deleteRule: relationship.deleteRule,
            isOptional: relationship.isOptional,
            leastCount: relationship.isToMany ? relationship.minCount ?? 0 : 0,
            largestCount: relationship.isToMany ? relationship.maxCount ?? .max : .max))
      }
    }
  }

  /// The ends that objects of an entity have.
  subscript(entity: EntityNumber) -> [End] {
    let number = Int(entity.rawValue)
    return number < ends.count ? ends[number] : []
  }

  /// Whether what becomes of some objects changes where a relationship leads.
  func areChanged(by parts: [EndKeeping.Part]) -> Bool {
    parts.contains { part in
      self[part.object.entity].contains { end in
        if end.form == .answered { return part.new == nil && part.old != nil }
        return part.old?[end.key] != part.new?[end.key]
      }
    }
  }
}
