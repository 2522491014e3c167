extension Value: ExpressibleByNilLiteral {
  /// Makes `.null`.
  public init(nilLiteral: ()) { self = .null }
}

extension Value: ExpressibleByBooleanLiteral {
  /// Makes `.boolean`.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension Value: ExpressibleByIntegerLiteral {
  /// Makes `.integer`.
  public init(integerLiteral value: Int) { self = .integer(value) }
}

extension Value: ExpressibleByFloatLiteral {
  /// Makes `.real`.
  public init(floatLiteral value: Double) { self = .real(value) }
}

extension Value: ExpressibleByStringInterpolation {
  /// Makes `.string`.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension Value: ExpressibleByArrayLiteral {
  /// Makes `.array`.
  public init(arrayLiteral elements: Value...) { self = .array(elements) }
}

extension Value: ExpressibleByDictionaryLiteral {
  /// Makes `.dictionary`. A key that stands twice is a misuse and traps.
  public init(dictionaryLiteral elements: (String, Value)...) {
    let values = Dictionary(elements) { first, _ in first }
    precondition(values.count == elements.count, "a key stands twice in a dictionary literal")
    self = .dictionary(values)
  }
}
