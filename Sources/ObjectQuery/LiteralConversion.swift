internal import FoundationEssentials
internal import ObjectModel

extension OperandType {
  /// A literal as values of this type have it, so that both are of one kind where that can be done exactly;
  /// nil where no value of this type could ever be compared with it.
  func converted(_ literal: Value) -> Value? {
    // Null and what may be anything stay as they are.
    if literal.isNull { return .some(.null) }
    switch self {
    case .unknown, .attribute(.transformed): return .some(literal)
    case .count, .number: return literal.isNumber ? .some(literal) : .none
    case .reference, .destinations: return Self.typed("object", literal, .reference)
    case .attribute(let type): return Self.converted(literal, to: type)
    }
  }

  private static func converted(_ literal: Value, to type: AttributeType) -> Value? {
    switch type {
    case .boolean:
      switch literal {
      case .boolean: return .some(literal)
      case .integer(0): return .some(.boolean(false))
      case .integer(1): return .some(.boolean(true))
      default: return .none
      }
    case .integer, .counter, .real, .decimal: return number(literal, type)
    case .string: return literal.kind == .string ? .some(literal) : .none
    case .data: return typed("data", literal, .data)
    case .date: return typed("date", literal, .date)
    case .uuid: return typed("uuid", literal, .uuid)
    case .url: return typed("url", literal, .url)
    case .reference: return typed("object", literal, .reference)
    case .dictionary: return literal.kind == .dictionary ? .some(literal) : .none
    case .set:
      if case .array(let values) = literal { return .some(.set(Set(values))) }
      return literal.kind == .set ? .some(literal) : .none
    case .transformed: return .some(literal)
    }
  }

  /// A value that may be written as a text.
  private static func typed(_ name: String, _ literal: Value, _ kind: Value.Kind) -> Value? {
    if literal.kind == kind { return .some(literal) }
    guard case .string(let text) = literal else { return .none }
    return TypedText.value(name, text)
  }

  private static func number(_ literal: Value, _ type: AttributeType) -> Value? {
    if type == .decimal, case .string(let text) = literal {
      return TypedText.decimal(text).map { .decimal($0) }
    }
    guard literal.isNumber else { return .none }
    switch type {
    case .integer: return .some(whole(literal).map { .integer($0) } ?? literal)
    case .counter: return .some(whole(literal).map { .counter($0) } ?? literal)
    case .real:
      guard let whole = literal.wholeNumber, let real = Double(exactly: whole) else { break }
      return .some(.real(real))
    default: return .some(literal.exactDecimal.map { .decimal($0) } ?? literal)
    }
    return .some(literal)
  }

  /// The integer that a number is.
  private static func whole(_ number: Value) -> Int? {
    number.wholeNumber ?? number.real.flatMap { Int(exactly: $0) }
  }
}

extension OperandType {
  /// Whether its values can be numbers.
  var canBeNumber: Bool {
    switch self {
    case .unknown, .count, .number, .attribute(.integer), .attribute(.real), .attribute(.decimal),
      .attribute(.counter), .attribute(.transformed):
      true
    default: false
    }
  }

  /// Whether its values can be smaller and larger than others.
  var canBeOrdered: Bool {
    switch self {
    case .reference, .destinations, .attribute(.set), .attribute(.dictionary),
      .attribute(.reference):
      false
    default: true
    }
  }

  /// Whether its values can be texts to look into.
  var canBeText: Bool {
    switch self {
    case .unknown, .attribute(.string), .attribute(.url), .attribute(.transformed): true
    default: false
    }
  }

  /// Whether its values can have members.
  var canHaveMembers: Bool {
    switch self {
    case .unknown, .destinations, .attribute(.set), .attribute(.transformed): true
    default: false
    }
  }
}

extension OperandType {
  /// Of which kind all its values are; nil where they may be of several, or none is stored.
  var storedKind: Value.Kind? {
    switch self {
    case .reference: .reference
    case .attribute(let type):
      switch type {
      case .boolean: .boolean
      case .integer: .integer
      case .real: .real
      case .decimal: .decimal
      case .string: .string
      case .data: .data
      case .date: .date
      case .uuid: .uuid
      case .url: .url
      case .counter: .counter
      case .reference: .reference
      case .dictionary: .dictionary
      case .set: .set
      case .transformed: nil
      }
    case .destinations, .count, .number, .unknown: nil
    }
  }
}
