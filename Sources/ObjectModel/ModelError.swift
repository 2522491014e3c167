/// A model that cannot be: everything that is wrong with it.
public struct ModelError: Error, Hashable, Sendable {
  /// What is wrong, at least one thing.
  public let problems: [ModelProblem]

  package init(problems: [ModelProblem]) { self.problems = problems }
}

extension ModelError: CustomStringConvertible {
  /// A sentence for each problem.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// Something wrong in a model, and where.
public struct ModelProblem: Hashable, Sendable {
  /// The entity it is about.
  public let entity: String
  /// The property it is about; nil where it is the entity itself.
  public let property: String?
  /// What is wrong.
  public let kind: Kind

  /// What can be wrong.
  public enum Kind: Hashable, Sendable {
    /// More entities than object IDs have room for.
    case tooManyEntities(limit: Int)
    /// More entities to inherit from, one from the other, than an entity may have.
    case tooManyAncestors(limit: Int)
    /// More properties than an entity may have with those it inherits, or all entities of a model together.
    case tooManyProperties(limit: Int)
    /// A name that is empty, begins with a digit, or has something else in it than letters, digits and
    /// underscores.
    case badName
    /// A name that every object has for something else.
    case reservedName
    /// A name that stands twice, here or in what is inherited.
    case nameTaken
    /// There is no entity of the parent's name.
    case noParent(String)
    /// The entity inherits from itself.
    case inheritsFromItself
    /// There is no entity of the destination's name.
    case noDestination(String)
    /// The destination has no relationship of the inverse's name.
    case noInverse(String)
    /// The inverse does not lead back here.
    case inverseLeadsElsewhere(String)
    /// The inverse is never saved, and this end is: what the one says the other could not keep up with.
    case inverseIsTransient(String)
    /// An order is for relationships to many.
    case orderedToOne
    /// The limits of how many destinations there may be contradict each other, or the relationship.
    case badCounts
    /// The default is not of the attribute's type.
    case defaultOfOtherType(Value, AttributeType)
    /// The default breaks a rule.
    case defaultBreaksRule(Value, ValidationRule)
    /// The default is of a type of the program's own, and its transformer cannot store it, for this reason.
    case defaultCannotBeStored(String)
    /// The rule says nothing about values of this type.
    case ruleDoesNotApply(ValidationRule, AttributeType)
    /// The pattern is no regular expression, has what is not matched here, or is too large.
    case badPattern(String)
    /// Attributes of this type cannot be indexed.
    case cannotBeIndexed(AttributeType)
    /// A transient attribute has nothing in the store to be found or indexed by.
    case transientIsNotStored
    /// The entity has another identifier already.
    case secondIdentifier(String)
    /// Merging by key is for dictionaries, and by a function for what does not merge by itself.
    case cannotMergeSo(AttributeType)
  }

  package init(_ kind: Kind, _ entity: String, _ property: String? = nil) {
    self.entity = entity
    self.property = property
    self.kind = kind
  }
}

extension ModelProblem: CustomStringConvertible {
  /// Where and what, in a sentence.
  public var description: String {
    let place = property.map { "\(entity).\($0)" } ?? entity
    return "\(place): \(kind.sentence)"
  }
}

extension ModelProblem.Kind {
  fileprivate var sentence: String {
    switch self {
    case .tooManyEntities(let limit): "a model has at most \(limit) entities."
    case .tooManyAncestors(let limit): "an entity inherits from at most \(limit) others."
    case .tooManyProperties(let limit):
      "with what is inherited there are more than \(limit) properties; have fewer, or inherit less."
    case .badName:
      "a name begins with a letter or an underscore and goes on with letters, digits and underscores."
    case .reservedName: "every object has a property of this name; choose another."
    case .nameTaken: "the name stands twice, here or in what is inherited; rename one of them."
    case .noParent(let name): "there is no entity \(name) to inherit from."
    case .inheritsFromItself: "the entity inherits from itself."
    case .noDestination(let name): "there is no entity \(name) to lead to."
    case .noInverse(let name): "the destination has no relationship \(name)."
    case .inverseLeadsElsewhere(let name):
      "its inverse \(name) must lead back and name it as its own inverse."
    case .inverseIsTransient(let name):
      "its inverse \(name) is transient, and so has this one to be; or neither is."
    case .orderedToOne: "only a relationship to many can have an order."
    case .badCounts: "the limits of its count contradict each other, or that it leads to one."
    case .defaultOfOtherType(let value, let type): "its default \(value) is not of type \(type)."
    case .defaultBreaksRule(let value, let rule): "its default \(value) \(rule)."
    case .defaultCannotBeStored(let reason): "its default cannot be stored: \(reason)"
    case .ruleDoesNotApply(let rule, let type):
      "‘\(rule)’ says nothing about values of type \(type)."
    case .badPattern(let pattern): Pattern.refusal(of: pattern)
    case .cannotBeIndexed(let type): "values of type \(type) cannot be indexed."
    case .transientIsNotStored:
      "a transient attribute is not stored, and can be neither indexed nor an identifier."
    case .secondIdentifier(let name): "\(name) is the identifier already; an entity has one."
    case .cannotMergeSo(let type): "values of type \(type) cannot be merged that way."
    }
  }
}

extension ModelProblem.Kind {
  /// Whether stores may have models that have this: it was not always refused.
  var mayBeStored: Bool {
    switch self {
    case .inverseIsTransient, .badPattern: true
    default: false
    }
  }
}
