internal import FoundationEssentials

extension Value {
  /// A total order over all values, which agrees with their equality: first by kind, then by what they hold.
  /// It makes the order of members and keys on disk the same for the same contents.
  package static func precedes(_ one: Value, _ other: Value) -> Bool {
    one.isComposed || other.isComposed
      ? OrderedValue(one).order(OrderedValue(other)) < 0 : OrderedValue.order(one, other) < 0
  }

  /// Whether there may be sets within it.
  fileprivate var isComposed: Bool {
    switch self {
    case .array, .set, .dictionary: true
    default: false
    }
  }
}

extension Set<Value> {
  /// The members in the order of `Value.precedes`.
  ///
  /// Costs: as sorting does, times the size of a member; sets within members are put in order once.
  package var inOrder: [Value] {
    guard contains(where: \.isComposed) else { return sorted(by: Value.precedes) }
    return map { (value: $0, ordered: OrderedValue($0)) }
      .sorted { $0.ordered.order($1.ordered) < 0 }.map(\.value)
  }
}

/// A value to be compared: sets within it are in order, as putting them in order in each comparison would take time
/// that grows with the power of their depth.
private enum OrderedValue {
  case plain(Value)
  case list(Value.Kind, [OrderedValue])
  case dictionary([(key: String, value: OrderedValue)])

  init(_ value: Value) {
    self =
      switch value {
      case .array(let elements): .list(value.kind, elements.map(OrderedValue.init))
      case .set(let members):
        .list(value.kind, members.map(OrderedValue.init).sorted { $0.order($1) < 0 })
      case .dictionary(let entries):
        .dictionary(entries.sortedByKey.map { ($0.key, OrderedValue($0.value)) })
      default: .plain(value)
      }
  }

  private var kind: Value.Kind {
    switch self {
    case .plain(let value): value.kind
    case .list(let kind, _): kind
    case .dictionary: .dictionary
    }
  }

  /// - Returns: less than, equal to or greater than zero.
  func order(_ other: OrderedValue) -> Int {
    switch (self, other) {
    case (.plain(let one), .plain(let other)): Self.order(one, other)
    case (.list(let kind, let one), .list(let otherKind, let other)) where kind == otherKind:
      Self.order(one, other)
    case (.dictionary(let one), .dictionary(let other)): Self.order(one, other)
    default: Self.order(kind.rawValue, other.kind.rawValue)
    }
  }

  fileprivate static func order(_ one: Value, _ other: Value) -> Int {
    switch (one, other) {
    case (.boolean(let one), .boolean(let other)): order(one ? 1 : 0, other ? 1 : 0)
    case (.integer(let one), .integer(let other)): order(one, other)
    case (.counter(let one), .counter(let other)): order(one, other)
    case (.real(let one), .real(let other)): order(one, other)
    case (.decimal(let one), .decimal(let other)): order(one, other)
    case (.string(let one), .string(let other)): one.orderOfBytes(other)
    case (.data(let one), .data(let other)):
      one.lexicographicallyPrecedes(other) ? -1 : other.lexicographicallyPrecedes(one) ? 1 : 0
    case (.date(let one), .date(let other)):
      order(one.timeIntervalSinceReferenceDate, other.timeIntervalSinceReferenceDate)
    case (.uuid(let one), .uuid(let other)): order(one, other)
    case (.url(let one), .url(let other)):
      one.absoluteString.orderOfBytes(other.absoluteString)
    case (.reference(let one), .reference(let other)): order(one, other)
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

  private static func order(_ one: [OrderedValue], _ other: [OrderedValue]) -> Int {
    for (one, other) in zip(one, other) {
      let result = one.order(other)
      if result != 0 { return result }
    }
    return order(one.count, other.count)
  }

  private static func order(
    _ one: [(key: String, value: OrderedValue)], _ other: [(key: String, value: OrderedValue)]
  ) -> Int {
    for (one, other) in zip(one, other) {
      let keys = one.key.orderOfBytes(other.key)
      if keys != 0 { return keys }
      let values = one.value.order(other.value)
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
