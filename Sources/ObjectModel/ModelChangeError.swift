/// Two models of which the newer cannot read the older's objects by itself: every difference that stands in
/// the way.
public struct ModelChangeError: Error, Hashable, Sendable {
  /// What stands in the way, at least one thing.
  public let differences: [ModelDifference]

  init(differences: [ModelDifference]) { self.differences = differences }

  /// Nil where there is no difference.
  package init?(_ differences: [ModelDifference]) {
    if differences.isEmpty { return nil }
    self.differences = differences
  }
}

extension ModelChangeError: CustomStringConvertible {
  /// A sentence for each difference.
  public var description: String { differences.map(\.description).joined(separator: "\n") }
}

/// A difference between an older and a newer model that objects cannot be carried over, and where it is.
public struct ModelDifference: Hashable, Sendable {
  /// The entity, and the property if it is about one, in the older model; nil where it has none.
  public let older: Place?
  /// The entity, and the property if it is about one, in the newer model.
  public let newer: Place
  /// What differs.
  public let kind: Kind

  /// An entity, or a property of the entity that declares it.
  public struct Place: Hashable, Sendable, CustomStringConvertible {
    /// The entity's name.
    public let entity: String
    /// The property's name; nil where it is about the entity itself.
    public let property: String?

    init(_ entity: String, _ property: String? = nil) {
      self.entity = entity
      self.property = property
    }

    /// The names, with a dot between them.
    public var description: String { property.map { "\(entity).\($0)" } ?? entity }
  }

  /// What can differ.
  public enum Kind: Hashable, Sendable {
    /// The attribute holds values of another type, not a wider number.
    case typeChanged(from: AttributeType, to: AttributeType)
    /// An attribute has become a relationship, or a relationship an attribute.
    case attributeOrRelationship
    /// Objects that hold nothing would lack an attribute that is required and has no default.
    case requiredWithoutDefault
    /// Objects that lead to nothing, or to an entity that is no more, would lack a relationship that is required.
    case requiredRelationship
    /// A relationship to many leads to one.
    case toManyMadeToOne
    /// The relationship leads to an entity of which some of its destinations are not.
    case destinationChanged(from: String, to: String)
    /// The relationship has an inverse that its destinations have not been kept in step with.
    case inverseChanged(from: String?, to: String?)
    /// Several entities, or several properties of an entity, claim to have been the same one.
    case formerNameDisputed(by: [String])
    /// The entity has become abstract, and has objects of its own.
    case madeAbstract
    /// Objects have a dynamic attribute of the name, whose values the property does not take; one of them is named.
    case dynamicValues(of: String)
  }

  init(_ kind: Kind, from older: Place?, to newer: Place) {
    self.older = older
    self.newer = newer
    self.kind = kind
  }

  /// Dynamic values of a property's name that the property does not take, as those of an object.
  package static func dynamicValuesInTheWay(
    as object: String, ofEntity older: String, to newer: String, property: String
  ) -> ModelDifference {
    ModelDifference(.dynamicValues(of: object), from: Place(older), to: Place(newer, property))
  }
}

extension ModelDifference: CustomStringConvertible {
  /// Where, what, and what to do, in a sentence.
  public var description: String {
    "\(newer) (\(older.map { "in the older model \($0)" } ?? "new")): \(kind.sentence)"
  }
}

extension ModelDifference.Kind {
  fileprivate var sentence: String {
    switch self {
    case .typeChanged(let older, let newer):
      "a value of type \(older) is none of type \(newer); add an attribute of another name and copy what "
        + "the old one holds."
    case .attributeOrRelationship:
      "an attribute cannot become a relationship, nor the reverse; add a property of another name."
    case .requiredWithoutDefault:
      "objects that hold nothing would lack a required attribute; give it a default or make it optional."
    case .requiredRelationship:
      "objects that lead to nothing, or to an entity that is no more, would lack a required relationship; make it "
        + "optional."
    case .toManyMadeToOne:
      "of several destinations none is the one to keep; add a relationship of another name and choose."
    case .destinationChanged(let older, let newer):
      "not every \(older) of the older model is a \(newer) now; add a relationship of another name, or let "
        + "it lead to what they have in common."
    case .inverseChanged(let older, let newer):
      "its inverse was \(older ?? "none") and is \(newer ?? "none"), and the two ends would not agree; "
        + "add a relationship of another name, with that inverse."
    case .formerNameDisputed(let names):
      "\(names.joined(separator: " and ")) claim the same former name; leave the renaming identifier to "
        + "one of them."
    case .madeAbstract:
      "its own objects would have no place in an abstract entity; keep it concrete, or let an entity that "
        + "takes them claim its former name."
    case .dynamicValues(let object):
      "objects have a dynamic attribute of that name, as \(object), with values that would have no place any more; move "
        + "these to another key with the older model, or give the property another name."
    }
  }
}
