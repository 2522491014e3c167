/// Looks for everything that is wrong with the entities of a model. What is wrong in one place in one way
/// is told once.
struct ModelCheck {
  private(set) var problems: [ModelProblem] = []
  private var noted: Set<ModelProblem> = []
  private var byName: [String: EntityDescription] = [:]

  static let reservedNames: Set<String> = [
    "objectID", "entity", "context", "isFault", "isInserted", "isUpdated", "isDeleted",
    "hasChanges", "self", "description", "hash", "hashValue",
  ]

  init(_ entities: [EntityDescription]) {
    let limit = Int(EntityNumber.largest.rawValue)
    if entities.count > limit { note(.tooManyEntities(limit: limit), entities[limit].name) }
    for entity in entities {
      if !Self.isName(entity.name) { note(.badName, entity.name) }
      if byName.updateValue(entity, forKey: entity.name) != nil { note(.nameTaken, entity.name) }
    }
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

  /// The entity and those it inherits from, the nearest first, each once also where they go round.
  private func line(of entity: EntityDescription) -> [EntityDescription] {
    var line = [entity]
    var names: Set<String> = [entity.name]
    while let parent = line.last?.parent.flatMap({ byName[$0] }), names.insert(parent.name).inserted
    {
      line.append(parent)
    }
    return line
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
    let candidates = self.line(of: destination).flatMap(\.relationships)
    guard let back = candidates.first(where: { $0.name == inverse }) else {
      return note(.noInverse(inverse), entity.name, relationship.name)
    }
    // Where the inverse leads to an ancestor instead, which lacks this relationship, the inverse is wrong:
    // it is told there.
    if back.inverse != relationship.name || !line.contains(where: { $0.name == back.destination }) {
      note(.inverseLeadsElsewhere(inverse), entity.name, relationship.name)
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
