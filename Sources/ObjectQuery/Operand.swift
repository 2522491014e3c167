public import ObjectModel

extension Filter {
  /// What a comparison compares: a value, or where one is found.
  public indirect enum Operand: Hashable, Sendable {
    /// What is found by a key, or by a key at the end of relationships. With no key at all the object itself.
    case key([String])
    /// How many destinations or members there are at the end of a path.
    case count([String])
    /// A value.
    case literal(Value)
    /// Several operands, for `between` and `isIn`.
    case list([Operand])
    /// Two numbers made one.
    case arithmetic(Arithmetic, Operand, Operand)
    /// A number with its sign changed.
    case negative(Operand)
    /// The first, or the second where the first is null.
    case otherwise(Operand, Operand)

    /// What a key finds, or a key at the end of relationships.
    public static func key(_ path: String...) -> Operand { .key(path) }
  }

  /// How two numbers are made one.
  public enum Arithmetic: String, Hashable, Sendable, CaseIterable {
    /// Their sum.
    case add = "+"
    /// Their difference.
    case subtract = "-"
    /// Their product.
    case multiply = "*"
    /// Their quotient; of two whole numbers a whole one, rounded towards zero.
    case divide = "/"
    /// What their division leaves; of whole numbers only.
    case remainder = "%"
  }
}

extension Filter.Operand {
  var depth: Int {
    switch self {
    case .key, .count: 1
    case .literal(let value): 1 + value.depth
    case .list(let parts): 1 + parts.reduce(0) { max($0, $1.depth) }
    case .arithmetic(_, let one, let other), .otherwise(let one, let other):
      1 + max(one.depth, other.depth)
    case .negative(let operand): 1 + operand.depth
    }
  }
}

extension Value {
  /// How many collections stand within each other.
  fileprivate var depth: Int {
    switch self {
    case .array(let values): 1 + values.reduce(0) { max($0, $1.depth) }
    case .set(let values): 1 + values.reduce(0) { max($0, $1.depth) }
    case .dictionary(let values): 1 + values.values.reduce(0) { max($0, $1.depth) }
    default: 0
    }
  }
}

extension Filter.Operand: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  /// Makes a text to compare with; a key is written `.key("title")`.
  public init(stringLiteral value: String) { self = .literal(.string(value)) }
  /// Makes an integer to compare with.
  public init(integerLiteral value: Int) { self = .literal(.integer(value)) }
  /// Makes a real to compare with.
  public init(floatLiteral value: Double) { self = .literal(.real(value)) }
  /// Makes a boolean to compare with.
  public init(booleanLiteral value: Bool) { self = .literal(.boolean(value)) }
  /// Makes null to compare with.
  public init(nilLiteral: ()) { self = .literal(.null) }
}
