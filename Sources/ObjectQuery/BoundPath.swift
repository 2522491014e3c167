package import ObjectModel

/// A path whose keys have been resolved.
package struct BoundPath: Hashable, Sendable {
  /// A step to another object.
  package struct Hop: Hashable, Sendable {
    package let key: KeyNumber
    package let isToMany: Bool
  }

  /// What is taken of the object that the hops lead to.
  package enum Terminal: Hashable, Sendable {
    /// The value of a key; of a relationship to one a reference.
    case stored(KeyNumber)
    case virtual(Int)
    /// The object itself, as a reference.
    case identity
    /// All destinations of a relationship to many.
    case destinations(KeyNumber)
    /// How many those are.
    case destinationCount(KeyNumber)
    /// Null: a key that no object has.
    case nothing
  }

  package var hops: [Hop] = []
  package var terminal = Terminal.identity
  /// Keys of dictionaries within the value.
  package var members: [String] = []
  /// Whether the members of the value are counted.
  package var isCount = false
  /// What can be found.
  var type = OperandType.reference

  /// The key of the object itself whose values are meant, with nothing around it.
  package var ownKey: KeyNumber? {
    guard hops.isEmpty, members.isEmpty, !isCount, case .stored(let key) = terminal else {
      return nil
    }
    return key
  }

  var leadsToMany: Bool { hops.contains(where: \.isToMany) }
}

/// What an operand can give.
enum OperandType: Hashable, Sendable {
  case attribute(AttributeType)
  case reference
  case destinations
  case count
  /// What arithmetic makes.
  case number
  /// Anything: dynamic and virtual keys, and what is within dictionaries.
  case unknown
}
