extension Filter {
  /// Two operands and how they must stand to each other.
  public struct Comparison: Hashable, Sendable {
    /// Which of the values at the end of a path to many; nil where there is one value.
    public let quantifier: Quantifier?
    /// What stands on the left.
    public let left: Operand
    /// How it must stand to the right.
    public let relation: Relation
    /// What stands on the right.
    public let right: Operand
    /// What is not to be told apart in texts.
    public let options: TextOptions

    /// Makes a comparison.
    public init(
      _ left: Operand, _ relation: Relation, _ right: Operand, options: TextOptions = [],
      quantifier: Quantifier? = nil
    ) {
      self.quantifier = quantifier
      self.left = left
      self.relation = relation
      self.right = right
      self.options = options
    }
  }

  /// How two operands may stand to each other.
  public enum Relation: String, Hashable, Sendable, CaseIterable {
    /// They are the same.
    case equal = "=="
    /// They are not the same.
    case notEqual = "!="
    /// The left is smaller.
    case less = "<"
    /// The left is smaller, or the same.
    case lessOrEqual = "<="
    /// The left is larger.
    case greater = ">"
    /// The left is larger, or the same.
    case greaterOrEqual = ">="
    /// The left lies between the two values of the right, or is one of them.
    case between = "BETWEEN"
    /// The left is among the values of the right.
    case isIn = "IN"
    /// The right is a part of the text on the left, or a member of it.
    case contains = "CONTAINS"
    /// The text on the left begins with the right.
    case beginsWith = "BEGINSWITH"
    /// The text on the left ends with the right.
    case endsWith = "ENDSWITH"
    /// The text on the left is like a pattern: `?` stands for one character, `*` for any number of them.
    case like = "LIKE"
    /// The text on the left as a whole matches a regular expression.
    case matches = "MATCHES"
  }

  /// How many of several values a filter must be true of.
  public enum Quantifier: String, Hashable, Sendable, CaseIterable {
    /// At least one.
    case any = "ANY"
    /// Each; also where there is none.
    case all = "ALL"
    /// Not a single one.
    case none = "NONE"
  }

  /// What is not told apart in texts.
  public struct TextOptions: OptionSet, Hashable, Sendable {
    /// The options as bits.
    public let rawValue: UInt8

    /// Makes options of bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Capital and small letters, `[c]`.
    public static let ignoringCase = TextOptions(rawValue: 1)
    /// Letters with and without marks, `[d]`.
    public static let ignoringDiacritics = TextOptions(rawValue: 2)
  }
}

extension Filter.Relation {
  /// The relation that holds with the sides exchanged; nil where there is none.
  var exchanged: Filter.Relation? {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    default: nil
    }
  }
}
