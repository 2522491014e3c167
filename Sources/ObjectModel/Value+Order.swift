internal import FoundationEssentials

extension Value {
  /// A total order over all values, which agrees with their equality: first by kind, then by what they hold.
  /// It makes the order of members and keys on disk the same for the same contents.
  package static func precedes(_ one: Value, _ other: Value) -> Bool {
    compare(one, other) < 0
  }

  /// - Returns: less than, equal to or greater than zero.
  private static func compare(_ one: Value, _ other: Value) -> Int {
    switch (one, other) {
    case (.boolean(let one), .boolean(let other)): order(one ? 1 : 0, other ? 1 : 0)
    case (.integer(let one), .integer(let other)): order(one, other)
    case (.counter(let one), .counter(let other)): order(one, other)
    case (.real(let one), .real(let other)): order(one, other)
    case (.decimal(let one), .decimal(let other)): order(one, other)
    case (.string(let one), .string(let other)): one.orderOfBytes(other)
    case (.data(let one), .data(let other)): order(one, other)
    case (.date(let one), .date(let other)):
      order(one.timeIntervalSinceReferenceDate, other.timeIntervalSinceReferenceDate)
    case (.uuid(let one), .uuid(let other)): order(one, other)
    case (.url(let one), .url(let other)):
      one.absoluteString.orderOfBytes(other.absoluteString)
    case (.reference(let one), .reference(let other)): order(one, other)
    case (.array(let one), .array(let other)): order(one, other)
    case (.set(let one), .set(let other)):
      order(one.sorted(by: precedes), other.sorted(by: precedes))
    case (.dictionary(let one), .dictionary(let other)): order(one, other)
    default: order(one.kind.rawValue, other.kind.rawValue)
    }
  }

  private static func order<Element: Comparable>(_ one: Element, _ other: Element) -> Int {
    one < other ? -1 : one > other ? 1 : 0
  }

  private static func order(_ one: Double, _ other: Double) -> Int {
    if one.bitPattern == other.bitPattern { return 0 }
    return one.isTotallyOrdered(belowOrEqualTo: other) ? -1 : 1
  }

  private static func order(
    _ one: some Sequence<UInt8>, _ other: some Sequence<UInt8>
  ) -> Int {
    one.lexicographicallyPrecedes(other) ? -1 : other.lexicographicallyPrecedes(one) ? 1 : 0
  }

  private static func order(_ one: [Value], _ other: [Value]) -> Int {
    for (one, other) in zip(one, other) {
      let result = compare(one, other)
      if result != 0 { return result }
    }
    return order(one.count, other.count)
  }

  private static func order(_ one: [String: Value], _ other: [String: Value]) -> Int {
    let (one, other) = (one.sortedByKey, other.sortedByKey)
    for (one, other) in zip(one, other) {
      let keys = one.key.orderOfBytes(other.key)
      if keys != 0 { return keys }
      let values = compare(one.value, other.value)
      if values != 0 { return values }
    }
    return order(one.count, other.count)
  }
}

extension Dictionary where Key == String {
  /// The entries, in the order of their keys' bytes.
  package var sortedByKey: [(key: String, value: Value)] {
    sorted { $0.key.orderOfBytes($1.key) < 0 }
  }
}
