/// Looks for everything that is wrong with the entities of a model.
struct ModelCheck {
  private(set) var problems: [ModelProblem] = []
  private let entities: [EntityDescription]
  private var byName: [String: EntityDescription] = [:]

  static let reservedNames: Set<String> = [
    "objectID", "entity", "context", "isFault", "isInserted", "isUpdated", "isDeleted",
    "hasChanges", "self", "description", "hash", "hashValue",
  ]

  init(_ entities: [EntityDescription]) {
    self.entities = entities
    let limit = Int(EntityNumber.largest.rawValue)
    if entities.count > limit {
      problems.append(ModelProblem(.tooManyEntities(limit: limit), entities[limit].name))
    }
    for entity in entities {
      if !Self.isName(entity.name) { problems.append(ModelProblem(.badName, entity.name)) }
      if byName.updateValue(entity, forKey: entity.name) != nil {
        problems.append(ModelProblem(.nameTaken, entity.name))
      }
    }
    for entity in entities { check(entity) }
  }

  private mutating func check(_ entity: EntityDescription) {
    if let parent = entity.parent, byName[parent] == nil {
      problems.append(ModelProblem(.noParent(parent), entity.name))
    }
    guard let line = line(of: entity) else {
      problems.append(ModelProblem(.inheritsFromItself, entity.name))
      return
    }
    var taken = Set(line.dropFirst().flatMap(\.propertyNames))
    var identifier = line.dropFirst().flatMap(\.attributes).first { $0.isIdentifier }?.name
    for name in entity.propertyNames {
      if !Self.isName(name) { problems.append(ModelProblem(.badName, entity.name, name)) }
      if Self.reservedNames.contains(name) {
        problems.append(ModelProblem(.reservedName, entity.name, name))
      }
      if !taken.insert(name).inserted {
        problems.append(ModelProblem(.nameTaken, entity.name, name))
      }
    }
    for attribute in entity.attributes {
      let kinds = attribute.problems()
      problems += kinds.map { ModelProblem($0, entity.name, attribute.name) }
      if attribute.isIdentifier {
        if let identifier {
          problems.append(
            ModelProblem(.secondIdentifier(identifier), entity.name, attribute.name))
        }
        identifier = identifier ?? attribute.name
      }
    }
    for relationship in entity.relationships { check(relationship, of: entity) }
  }

  /// The entity and those it inherits from; nil where they go round.
  private func line(of entity: EntityDescription) -> [EntityDescription]? {
    var line = [entity]
    while let parent = line.last?.parent.flatMap({ byName[$0] }) {
      if line.contains(where: { $0.name == parent.name }) { return nil }
      line.append(parent)
    }
    return line
  }

  private mutating func check(
    _ relationship: RelationshipDescription, of entity: EntityDescription
  ) {
    func note(_ kind: ModelProblem.Kind) {
      problems.append(ModelProblem(kind, entity.name, relationship.name))
    }
    if relationship.isOrdered, !relationship.isToMany { note(.orderedToOne) }
    let (least, most) = (relationship.minCount ?? 0, relationship.maxCount ?? .max)
    let most1 = relationship.isToMany || (least <= 1 && relationship.maxCount ?? 1 == 1)
    if least < 0 || most < max(1, least) || !most1 { note(.badCounts) }
    guard let destination = byName[relationship.destination] else {
      return note(.noDestination(relationship.destination))
    }
    guard let inverse = relationship.inverse else { return }
    guard
      let back = line(of: destination)?.flatMap(\.relationships).first(where: {
        $0.name == inverse
      })
    else { return note(.noInverse(inverse)) }
    // The inverse may be declared where it leads to an ancestor of this entity.
    let names = line(of: entity)?.map(\.name) ?? []
    if back.inverse != relationship.name || !names.contains(back.destination) {
      note(.inverseLeadsElsewhere(inverse))
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

extension AttributeDescription {
  fileprivate func problems() -> [ModelProblem.Kind] {
    var problems = validation.compactMap { rule in rule.problem(for: type) }
    if let value = defaultValue {
      if !type.admits(value) {
        problems.append(.defaultOfOtherType(value, type))
      } else if let rule = validation.first(where: { !$0.admits(value) }) {
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
      type.isOrdered && !limit.isNull && type.admits(limit) ? nil : .ruleDoesNotApply(self, type)
    case .matches(let pattern):
      type != .string
        ? .ruleDoesNotApply(self, type) : (try? Regex(pattern)) == nil ? .badPattern(pattern) : nil
    }
  }
}
