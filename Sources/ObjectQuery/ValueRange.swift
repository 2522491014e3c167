package import ObjectModel

/// Values of one kind between two bounds, in the order of `Value.precedes`.
package struct ValueRange: Hashable, Sendable {
  /// An end of a range.
  package struct Bound: Hashable, Sendable {
    package let value: Value
    package let isIncluded: Bool

    package init(_ value: Value, isIncluded: Bool) {
      self.value = value
      self.isIncluded = isIncluded
    }
  }

  /// Nil where the kind has no smaller value than the others of the range.
  package let lower: Bound?
  package let upper: Bound?

  package init(from lower: Bound?, to upper: Bound?) {
    (self.lower, self.upper) = (lower, upper)
  }

  /// The range of a single value; nil where it has several.
  package var single: Value? {
    guard let lower, let upper, lower.isIncluded, upper.isIncluded, lower.value == upper.value
    else {
      return .none
    }
    return .some(lower.value)
  }

  /// Whether no value can lie in it.
  var isEmpty: Bool {
    guard let lower, let upper else { return false }
    if lower.value == upper.value { return !(lower.isIncluded && upper.isIncluded) }
    return Value.precedes(upper.value, lower.value)
  }

  /// Whether a value lies in it.
  package func contains(_ value: Value) -> Bool {
    guard let kind = (lower ?? upper)?.value.kind else { return true }
    guard value.kind == kind else { return false }
    let isAbove = lower.map {
      Value.precedes($0.value, value) || $0.isIncluded && $0.value == value
    }
    let isBelow = upper.map {
      Value.precedes(value, $0.value) || $0.isIncluded && $0.value == value
    }
    return isAbove ?? true && isBelow ?? true
  }

  /// What lies in both.
  func intersection(_ other: ValueRange) -> ValueRange {
    ValueRange(
      from: Self.later(lower, other.lower), to: Self.earlier(upper, other.upper))
  }

  private static func later(_ one: Bound?, _ other: Bound?) -> Bound? {
    guard let one, let other else { return one ?? other }
    if one.value == other.value { return one.isIncluded ? other : one }
    return Value.precedes(one.value, other.value) ? other : one
  }

  private static func earlier(_ one: Bound?, _ other: Bound?) -> Bound? {
    guard let one, let other else { return one ?? other }
    if one.value == other.value { return one.isIncluded ? other : one }
    return Value.precedes(one.value, other.value) ? one : other
  }

  /// Whether it begins before another, both not empty.
  static func begins(_ one: ValueRange, before other: ValueRange) -> Bool {
    guard let first = one.lower else { return other.lower != nil }
    guard let second = other.lower else { return false }
    if first.value == second.value { return first.isIncluded && !second.isIncluded }
    return Value.precedes(first.value, second.value)
  }

  /// Whether another that does not begin before this one has values in common with it, or begins where it
  /// ends.
  private func meets(_ later: ValueRange) -> Bool {
    guard let upper, let lower = later.lower else { return true }
    if upper.value == lower.value { return upper.isIncluded || lower.isIncluded }
    return Value.precedes(lower.value, upper.value)
  }

  /// The same values as ranges that have nothing in common, in order.
  static func joined(_ ranges: [ValueRange]) -> [ValueRange] {
    var joined: [ValueRange] = []
    for range in ranges.filter({ !$0.isEmpty }).sorted(by: begins) {
      guard let last = joined.last, last.meets(range) else {
        joined.append(range)
        continue
      }
      let isOpen = last.upper == nil || range.upper == nil
      let isWithin = earlier(last.upper, range.upper) == range.upper
      let upper = isOpen ? nil : isWithin ? last.upper : range.upper
      joined[joined.count - 1] = ValueRange(from: last.lower, to: upper)
    }
    return joined
  }

  /// What lies in one range of each of two lists.
  static func common(_ ones: [ValueRange], _ others: [ValueRange]) -> [ValueRange] {
    joined(ones.flatMap { one in others.map { one.intersection($0) } })
  }
}
