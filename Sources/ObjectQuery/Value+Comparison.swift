internal import FoundationEssentials
internal import ObjectModel

// How filters compare values: numbers of all kinds by what they amount to, all else within its kind.
extension Value {
  /// Whether both are null, or the same number, or the same of one kind.
  func isSame(as other: Value) -> Bool {
    switch (self, other) {
    case (.string, .string), (.reference, .reference), (.uuid, .uuid), (.boolean, .boolean),
      (.null, .null), (.data, .data), (.url, .url), (.array, .array), (.set, .set),
      (.dictionary, .dictionary):
      self == other
    default: order(other) == 0
    }
  }

  /// Less than, equal to or greater than zero, as this is smaller than, equal to or larger than another; nil
  /// where they have no order.
  func order(_ other: Value) -> Int? {
    switch (self, other) {
    case (.integer(let one), .integer(let other)), (.counter(let one), .counter(let other)),
      (.integer(let one), .counter(let other)), (.counter(let one), .integer(let other)):
      return one < other ? -1 : one > other ? 1 : 0
    case (.real(let one), .real(let other)): return Self.order(one, other)
    case (.date(let one), .date(let other)):
      return Self.order(one.timeIntervalSinceReferenceDate, other.timeIntervalSinceReferenceDate)
    case (.string(let one), .string(let other)): return one.orderOfBytes(other).signum()
    case (.boolean, .boolean), (.data, .data), (.uuid, .uuid), (.url, .url):
      return self == other ? 0 : Value.precedes(self, other) ? -1 : 1
    default: break
    }
    guard isNumber, other.isNumber else { return nil }
    return orderOfNumbers(other)
  }

  var isNumber: Bool {
    switch self {
    case .integer, .counter, .real, .decimal: true
    default: false
    }
  }

  /// The integer or the amount.
  var wholeNumber: Int? {
    switch self {
    case .integer(let value), .counter(let value): value
    default: nil
    }
  }

  private func orderOfNumbers(_ other: Value) -> Int? {
    if let one = wholeNumber, let other = other.real { return Self.order(one, other) }
    if let one = real, let other = other.wholeNumber { return Self.order(other, one).map { -$0 } }
    if let one = exactDecimal, let other = other.exactDecimal {
      if one.isNaN || other.isNaN { return nil }
      return one < other ? -1 : one > other ? 1 : 0
    }
    // One is a real that no decimal holds.
    guard let one = approximateReal, let other = other.approximateReal else { return nil }
    return Self.order(one, other)
  }

  private static func order(_ one: Double, _ other: Double) -> Int? {
    one < other ? -1 : one > other ? 1 : one == other ? 0 : nil
  }

  /// An integer and a real, compared without rounding.
  private static func order(_ one: Int, _ other: Double) -> Int? {
    if other.isNaN { return nil }
    if other >= 0x1p63 { return -1 }
    if other < -0x1p63 { return 1 }
    let whole = Int(other)
    if one != whole { return one < whole ? -1 : 1 }
    let fraction = other - Double(whole)
    return fraction > 0 ? -1 : fraction < 0 ? 1 : 0
  }

  /// The number as a decimal: a real that is not whole as the shortest text that reads back as it; nil where
  /// it is too large or too small.
  var exactDecimal: Decimal? {
    switch self {
    case .integer(let value), .counter(let value): return Decimal(value)
    case .decimal(let value): return value
    case .real(let value):
      if abs(value) < 0x1p63, value == value.rounded() { return Decimal(Int(value)) }
      guard value.isFinite, abs(value) < 1e100, abs(value) > 1e-100 else { return nil }
      return Decimal(string: "\(value)")
    default: return nil
    }
  }

  private var approximateReal: Double? {
    switch self {
    case .integer(let value), .counter(let value): Double(value)
    case .decimal(let value): value.isNaN ? nil : Double("\(value)")
    case .real(let value): value
    default: nil
    }
  }
}

extension Value {
  /// The text that text comparisons look at.
  var searchedText: String? {
    switch self {
    case .string(let text): text
    case .url(let url): url.absoluteString
    default: nil
    }
  }

  /// Whether a value is among the members.
  func hasMember(_ value: Value) -> Bool {
    switch self {
    case .set(let values): values.contains(value) || values.contains { $0.isSame(as: value) }
    case .array(let values): values.contains { $0.isSame(as: value) }
    default: false
    }
  }

  /// The value with its texts folded, and those of its members.
  func folded(_ options: Filter.TextOptions) -> Value {
    if options.isEmpty { return self }
    return switch self {
    case .string(let text): .string(text.folded(options))
    case .url(let url): .string(url.absoluteString.folded(options))
    case .array(let values): .array(values.map { $0.folded(options) })
    case .set(let values): .set(Set(values.map { $0.folded(options) }))
    default: self
    }
  }

  /// How many members there are; nil where it has none and could have none.
  var memberCount: Int? {
    switch self {
    case .array(let values): values.count
    case .set(let values): values.count
    case .dictionary(let values): values.count
    default: nil
    }
  }
}
