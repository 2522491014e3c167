/// Looks for everything that is wrong with the entities of a model. What is wrong in one place in one way
/// is told once.
struct ModelCheck {
  private(set) var problems: [ModelProblem] = []
  private var noted: Set<ModelProblem> = []
  private var byName: [String: EntityDescription] = [:]
  private var isOfAllowedSize = true
  /// What entities have that an inverse was looked for in, by their names.
  private var relationships: [String: [String: RelationshipDescription]] = [:]

  /// How many entities an entity may inherit from.
  static let largestAncestorCount = 255
  /// How many properties an entity may have, with those it inherits.
  static let largestPropertyCount = 4096
  /// The same of all entities together.
  static let largestPropertySum = 1 << 18

  static let reservedNames: Set<String> = [
    "objectID", "entity", "context", "isFault", "isInserted", "isUpdated", "isDeleted",
    "hasChanges", "self", "description", "hash", "hashValue",
  ]

  init(_ entities: [EntityDescription]) {
    for entity in entities {
      if !Self.isName(entity.name) { note(.badName, entity.name) }
      if byName.updateValue(entity, forKey: entity.name) != nil { note(.nameTaken, entity.name) }
    }
    checkSize(of: entities)
    // What is too large takes too long to look through.
    guard isOfAllowedSize else { return }
    for entity in entities {
      let line = line(of: entity)
      checkParent(of: entity, line: line)
      checkNames(of: entity, inherited: line.dropFirst().flatMap(\.propertyNames))
      checkAttributes(of: entity, inherited: line.dropFirst().flatMap(\.attributes))
      for relationship in entity.relationships { check(relationship, of: entity, line: line) }
    }
  }

  private mutating func note(_ kind: ModelProblem.Kind, _ entity: String, _ property: String? = nil)
  {
    let problem = ModelProblem(kind, entity, property)
    if noted.insert(problem).inserted { problems.append(problem) }
  }

  /// The relationship of a name that an entity has or inherits.
  private mutating func relationship(
    _ name: String, of entity: EntityDescription
  ) -> RelationshipDescription? {
    if let known = relationships[entity.name] { return known[name] }
    let all = line(of: entity).flatMap(\.relationships)
    let found = Dictionary(firstOf: all.map { ($0.name, $0) })
    relationships[entity.name] = found
    return found[name]
  }

  /// The entity and those it inherits from, the nearest first, each once also where they go round; no more than
  /// tell that they are too many.
  private func line(of entity: EntityDescription) -> [EntityDescription] {
    var line = [entity]
    var names: Set<String> = [entity.name]
    while line.count <= Self.largestAncestorCount + 1,
      let parent = line.last?.parent.flatMap({ byName[$0] }), names.insert(parent.name).inserted
    {
      line.append(parent)
    }
    return line
  }

  /// Finds what is too large. Every entity of a model holds what it inherits, so that otherwise a small description
  /// could take any amount of memory.
  private mutating func checkSize(of entities: [EntityDescription]) {
    let limit = Int(EntityNumber.largest.rawValue)
    if entities.count > limit { return refuse(.tooManyEntities(limit: limit), entities[limit]) }
    var sum = 0
    for entity in entities {
      let line = line(of: entity)
      guard line.count <= Self.largestAncestorCount + 1 else {
        return refuse(.tooManyAncestors(limit: Self.largestAncestorCount), entity)
      }
      let count = line.reduce(0) { $0 + $1.attributes.count + $1.relationships.count }
      guard count <= Self.largestPropertyCount else {
        return refuse(.tooManyProperties(limit: Self.largestPropertyCount), entity)
      }
      sum += count
      guard sum <= Self.largestPropertySum else {
        return refuse(.tooManyProperties(limit: Self.largestPropertySum), entity)
      }
    }
  }

  private mutating func refuse(_ kind: ModelProblem.Kind, _ entity: EntityDescription) {
    note(kind, entity.name)
    isOfAllowedSize = false
  }

  private mutating func checkParent(of entity: EntityDescription, line: [EntityDescription]) {
    guard let parent = entity.parent else { return }
    if byName[parent] == nil { note(.noParent(parent), entity.name) }
    // An entity that inherits from such a round without being in it is not to blame.
    if line.last?.parent == entity.name { note(.inheritsFromItself, entity.name) }
  }

  private mutating func checkNames(of entity: EntityDescription, inherited: [String]) {
    var taken = Set(inherited)
    for name in entity.propertyNames {
      if !Self.isName(name) { note(.badName, entity.name, name) }
      if Self.reservedNames.contains(name) { note(.reservedName, entity.name, name) }
      if !taken.insert(name).inserted { note(.nameTaken, entity.name, name) }
    }
  }

  private mutating func checkAttributes(
    of entity: EntityDescription, inherited: [AttributeDescription]
  ) {
    var identifier = inherited.first { $0.isIdentifier }?.name
    for attribute in entity.attributes {
      for kind in attribute.problems() { note(kind, entity.name, attribute.name) }
      guard attribute.isIdentifier else { continue }
      if let identifier {
        note(.secondIdentifier(identifier), entity.name, attribute.name)
      } else {
        identifier = attribute.name
      }
    }
  }

  private mutating func check(
    _ relationship: RelationshipDescription, of entity: EntityDescription,
    line: [EntityDescription]
  ) {
    if relationship.isOrdered, !relationship.isToMany {
      note(.orderedToOne, entity.name, relationship.name)
    }
    if !relationship.hasPossibleCounts { note(.badCounts, entity.name, relationship.name) }
    guard let destination = byName[relationship.destination] else {
      return note(.noDestination(relationship.destination), entity.name, relationship.name)
    }
    guard let inverse = relationship.inverse else { return }
    guard let back = self.relationship(inverse, of: destination) else {
      return note(.noInverse(inverse), entity.name, relationship.name)
    }
    // Where the inverse leads to an ancestor instead, which lacks this relationship, the inverse is wrong:
    // it is told there.
    if back.inverse != relationship.name || !line.contains(where: { $0.name == back.destination }) {
      note(.inverseLeadsElsewhere(inverse), entity.name, relationship.name)
    }
    if back.isTransient, !relationship.isTransient {
      note(.inverseIsTransient(inverse), entity.name, relationship.name)
    }
  }

  private static func isName(_ name: String) -> Bool {
    guard let first = name.first, first == "_" || first.isLetter else { return false }
    return name.allSatisfy { $0 == "_" || $0.isLetter || $0.isNumber }
  }
}

extension EntityDescription {
  fileprivate var propertyNames: [String] {
    attributes.map(\.name) + relationships.map(\.name)
  }
}

extension RelationshipDescription {
  /// Whether there is a count that the limits allow, and a relationship to one allows it, too.
  fileprivate var hasPossibleCounts: Bool {
    let most = min(maxCount ?? .max, isToMany ? .max : 1)
    let least = minCount ?? 0
    return least >= 0 && most >= max(1, least) && (isToMany || maxCount ?? 1 == 1)
  }
}

extension AttributeDescription {
  fileprivate func problems() -> [ModelProblem.Kind] {
    var problems = validation.compactMap { rule in rule.problem(for: type) }
    if let value = defaultValue {
      if !type.admits(value) {
        problems.append(.defaultOfOtherType(value, type))
      } else if let rule = validation.first(where: {
        $0.problem(for: type) == nil && !$0.admits(value)
      }) {
        problems.append(.defaultBreaksRule(value, rule))
      }
    }
    if isTransient, isIndexed || isIdentifier { problems.append(.transientIsNotStored) }
    if isIndexed || isIdentifier, !type.canBeIndexed { problems.append(.cannotBeIndexed(type)) }
    switch merging {
    case .asWhole: break
    case .byKey: if type != .dictionary { problems.append(.cannotMergeSo(type)) }
    case .custom: if type == .counter || type == .set { problems.append(.cannotMergeSo(type)) }
    }
    return problems
  }
}

extension AttributeType {
  fileprivate var canBeIndexed: Bool {
    switch self {
    case .boolean, .integer, .real, .decimal, .string, .data, .date, .uuid, .url, .counter,
      .reference:
      true
    case .dictionary, .transformed, .set: false
    }
  }
}

extension ValidationRule {
  fileprivate func problem(for type: AttributeType) -> ModelProblem.Kind? {
    switch self {
    case .minLength(let length), .maxLength(let length):
      type.hasLength && length >= 0 ? nil : .ruleDoesNotApply(self, type)
    case .minimum(let limit), .maximum(let limit):
      type.canBeLimited(by: limit) ? nil : .ruleDoesNotApply(self, type)
    case .matches(let pattern):
      type != .string
        ? .ruleDoesNotApply(self, type) : Pattern.read(pattern) == nil ? .badPattern(pattern) : nil
    }
  }
}
