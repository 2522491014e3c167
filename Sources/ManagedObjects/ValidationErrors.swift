public import ObjectModel

/// Everything that keeps objects from being saved.
public struct ValidationErrors: Error, Hashable, Sendable {
  /// At least one.
  public let failures: [ValidationFailure]
}

/// Something that keeps an object from being saved.
public struct ValidationFailure: Hashable, Sendable {
  /// The object.
  public let objectID: ObjectID
  /// The name of its entity.
  public let entityName: String
  /// The key it is about; nil where it is the object as a whole.
  public let key: String?
  /// What is wrong.
  public let kind: Kind

  /// What can be wrong.
  public enum Kind: Hashable, Sendable {
    /// There must be a value.
    case missing
    /// The value breaks a rule.
    case breaksRule(Value, ValidationRule)
    /// There are fewer destinations than there must be.
    case tooFew(Int, minimum: Int)
    /// There are more destinations than there may be.
    case tooMany(Int, maximum: Int)
    /// It cannot be deleted while these are there.
    case denied([ObjectID])
    /// What the program itself has against it.
    case refused(String)
  }
}

extension ValidationErrors: CustomStringConvertible {
  /// A sentence for each.
  public var description: String { failures.map(\.description).joined(separator: "\n") }
}

extension ValidationFailure: CustomStringConvertible {
  /// Where and what, in a sentence.
  public var description: String {
    kind.sentence(of: "\(entityName)\(key.map { ".\($0)" } ?? "") of \(objectID)")
  }
}

extension ValidationFailure.Kind {
  /// What is wrong with a relationship that leads to so many; nil where nothing is.
  package init?(of relationship: RelationshipDescription, leadingTo count: Int) {
    if count == 0 {
      if relationship.isOptional { return nil }
      self = .missing
    } else if !relationship.isToMany {
      return nil
    } else if let minimum = relationship.minCount, count < minimum {
      self = .tooFew(count, minimum: minimum)
    } else if let maximum = relationship.maxCount, count > maximum {
      self = .tooMany(count, maximum: maximum)
    } else {
      return nil
    }
  }

  /// What is wrong, in a sentence.
  ///
  /// - Parameter place: where.
  package func sentence(of place: String) -> String {
    switch self {
    case .missing: "\(place) must have a value; set one, or make it optional."
    case .breaksRule(let value, let rule): "\(place) is \(value) and \(rule)."
    case .tooFew(let count, let minimum):
      "\(place) leads to \(count) objects and must to \(minimum)."
    case .tooMany(let count, let maximum):
      "\(place) leads to \(count) objects and may only to \(maximum)."
    case .denied(let objects):
      "\(place) cannot be deleted while there is \(objects.map(\.description).joined(separator: ", "))."
    case .refused(let reason): "\(place): \(reason)"
    }
  }
}
