internal import FoundationEssentials
internal import ObjectModel

/// The order of `Value.precedes`, found in encoded values. As the sets within them are in order already,
/// comparing takes no longer than reading, however deep they are.
enum EncodedOrder {
  /// - Returns: less than, equal to or greater than zero.
  static func compare(_ one: EventReader, _ other: EventReader) throws(EventCodingError) -> Int {
    var (one, other) = (one, other)
    return try compare(&one, &other)
  }

  private static func compare(
    _ one: inout EventReader, _ other: inout EventReader
  ) throws(EventCodingError) -> Int {
    let (token, otherToken) = (try one.token(), try other.token())
    switch (token, otherToken) {
    case (.boolean(let one), .boolean(let other)): return order(one ? 1 : 0, other ? 1 : 0)
    case (.integer(let one), .integer(let other)), (.counter(let one), .counter(let other)):
      return order(one, other)
    case (.real(let one), .real(let other)), (.date(let one), .date(let other)):
      return order(reals: one, other)
    case (.decimal(let one), .decimal(let other)): return order(one, other)
    case (.string(let one), .string(let other)), (.data(let one), .data(let other)),
      (.uuid(let one), .uuid(let other)), (.url(let one), .url(let other)):
      return order(bytes: one, other)
    case (.reference(let one), .reference(let other)): return order(one, other)
    case (.array(let count), .array(let otherCount)), (.set(let count), .set(let otherCount)):
      for _ in 0..<min(count, otherCount) {
        let result = try compare(&one, &other)
        if result != 0 { return result }
      }
      return order(count, otherCount)
    case (.dictionary(let count), .dictionary(let otherCount)):
      for _ in 0..<min(count, otherCount) {
        let keys = order(bytes: try one.raw(one.count()), try other.raw(other.count()))
        let result = keys != 0 ? keys : try compare(&one, &other)
        if result != 0 { return result }
      }
      return order(count, otherCount)
    default: return order(token.rank, otherToken.rank)
    }
  }

  private static func order<Element: Comparable>(_ one: Element, _ other: Element) -> Int {
    one < other ? -1 : one > other ? 1 : 0
  }

  private static func order(reals one: Double, _ other: Double) -> Int {
    if one.bitPattern == other.bitPattern { return 0 }
    return one.isTotallyOrdered(belowOrEqualTo: other) ? -1 : 1
  }

  private static func order(
    bytes one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer
  ) -> Int {
    one.lexicographicallyPrecedes(other) ? -1 : other.lexicographicallyPrecedes(one) ? 1 : 0
  }

  /// Puts encoded values that lie one after another into their order.
  ///
  /// - Parameter ends: where each of them ends.
  static func sort(_ region: UnsafeMutableRawBufferPointer, ends: [Int], store: StoreTag) {
    if ends.count < 2 { return }
    let reader = EventReader(UnsafeRawBufferPointer(region), of: store)
    var parts: [Range<Int>] = []
    var start = 0
    for end in ends {
      parts.append(start..<end)
      start = end
    }
    parts.sort { one, other in
      // What was just written can be read.
      ((try? compare(reader.part(one), reader.part(other))) ?? 0) < 0
    }
    var sorted: [UInt8] = []
    sorted.reserveCapacity(region.count)
    for part in parts { sorted.append(contentsOf: region[part]) }
    region.copyBytes(from: sorted)
  }
}

extension ValueToken {
  /// Where values of its kind stand among those of others.
  fileprivate var rank: UInt8 {
    let kind: Value.Kind =
      switch self {
      case .absent, .null: .null
      case .boolean: .boolean
      case .integer: .integer
      case .real: .real
      case .decimal: .decimal
      case .string: .string
      case .data: .data
      case .date: .date
      case .uuid: .uuid
      case .url: .url
      case .array: .array
      case .dictionary: .dictionary
      case .counter: .counter
      case .set: .set
      case .reference: .reference
      }
    return kind.rawValue
  }
}
