internal import FoundationEssentials
internal import ObjectModel

extension Filter.Arithmetic {
  /// What two numbers make; null where one is no number, or the result is none that can be held.
  func apply(_ one: Value, _ other: Value) -> Value {
    if let one = one.wholeNumber, let other = other.wholeNumber { return apply(one, other) }
    guard one.isNumber, other.isNumber else { return .null }
    if one.kind != .decimal, other.kind != .decimal {
      guard let one = one.asReal, let other = other.asReal else { return .null }
      return apply(one, other)
    }
    guard let one = one.exactDecimal, let other = other.exactDecimal else { return .null }
    return apply(one, other)
  }

  private func apply(_ one: Int, _ other: Int) -> Value {
    let (result, isOverflow) =
      switch self {
      case .add: one.addingReportingOverflow(other)
      case .subtract: one.subtractingReportingOverflow(other)
      case .multiply: one.multipliedReportingOverflow(by: other)
      case .divide: one.dividedReportingOverflow(by: other)
      case .remainder: one.remainderReportingOverflow(dividingBy: other)
      }
    return isOverflow ? .null : .integer(result)
  }

  private func apply(_ one: Double, _ other: Double) -> Value {
    let result =
      switch self {
      case .add: one + other
      case .subtract: one - other
      case .multiply: one * other
      case .divide: one / other
      case .remainder: Double.nan
      }
    return result.isFinite ? .real(result) : .null
  }

  private func apply(_ one: Decimal, _ other: Decimal) -> Value {
    // Its division by zero gives no number only by chance.
    if self == .remainder || self == .divide && other == 0 { return .null }
    let result =
      switch self {
      case .add: one + other
      case .subtract: one - other
      case .multiply: one * other
      case .divide, .remainder: one / other
      }
    return result.isNaN ? .null : .decimal(result)
  }
}

extension Value {
  /// The number as a real; nil where it is a decimal or no number.
  fileprivate var asReal: Double? { real ?? wholeNumber.map { Double($0) } }

  /// The number with its sign changed; null where it is none.
  var negated: Value {
    switch self {
    case .integer(let value), .counter(let value):
      value == .min ? .null : .integer(-value)
    case .real(let value): .real(-value)
    case .decimal(let value): value.isNaN ? .null : .decimal(-value)
    default: .null
    }
  }
}
