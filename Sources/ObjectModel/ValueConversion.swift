internal import FoundationEssentials

/// How what a property holds is read as what a property of the newer model holds.
package enum ValueConversion: Hashable, Sendable {
  /// As it is.
  case same
  /// A boolean, integer or counter as a number of a wider type: false as 0 and true as 1, integers and
  /// decimals exactly. A real holds every integer up to 2^53 exactly, and a larger one rounded.
  case widened(to: AttributeType)
  /// The destination of a relationship to one as the only one of a relationship to many.
  case oneToMany(isOrdered: Bool)
  /// Members without an order in the order of their IDs, or members with an order without it.
  case reordered(isOrdered: Bool)
  /// Not at all: the newer model finds a relationship's destinations from what leads back, which may change while
  /// what is stored would not.
  case answeredFromInverse
}

extension ValueConversion {
  /// How values of a type are read as values of another; nil where they cannot be.
  init?(from older: AttributeType, to newer: AttributeType) {
    switch (older, newer) {
    case (older, older): self = .same
    case (.boolean, .integer), (.boolean, .counter), (.boolean, .real), (.boolean, .decimal),
      (.integer, .counter), (.integer, .real), (.integer, .decimal),
      (.counter, .integer), (.counter, .real), (.counter, .decimal):
      self = .widened(to: newer)
    default: return nil
    }
  }

  /// How a relationship's destinations are read as those of another; nil where they cannot be.
  init?(from older: RelationshipDescription, to newer: RelationshipDescription) {
    switch (older.isToMany, newer.isToMany) {
    case (false, false): self = .same
    case (false, true): self = .oneToMany(isOrdered: newer.isOrdered)
    case (true, true):
      self = older.isOrdered == newer.isOrdered ? .same : .reordered(isOrdered: newer.isOrdered)
    case (true, false): return nil
    }
  }

  /// The value as the newer model has it; nil where there is nothing to hold. A value of another kind than
  /// the older model gives is left as it is.
  package func apply(to value: Value) -> Value? {
    switch (self, value) {
    case (.widened(let type), .boolean(let value)): Self.widened(value ? 1 : 0, to: type)
    case (.widened(let type), .integer(let value)): Self.widened(value, to: type)
    case (.widened(let type), .counter(let value)): Self.widened(value, to: type)
    case (.answeredFromInverse, _), (.oneToMany, .null): nil
    case (.oneToMany(let isOrdered), .reference): isOrdered ? .array([value]) : .set([value])
    case (.reordered(true), .set(let members)): .array(members.inOrder)
    case (.reordered(false), .array(let members)): .set(Set(members))
    default: value
    }
  }

  private static func widened(_ value: Int, to type: AttributeType) -> Value {
    switch type {
    case .counter: .counter(value)
    case .real: .real(Double(value))
    case .decimal: .decimal(Decimal(value))
    default: .integer(value)
    }
  }
}
