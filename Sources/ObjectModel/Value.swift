public import FoundationEssentials

/// A value that an object can store: one of a closed set of kinds.
///
/// Literals make values (`"a"`, `3`, `1.5`, `true`, `nil`, `[1, 2]`, `["a": 1]`), and getters named like
/// the kinds take them apart (`value.string`).
///
/// Two values are equal where storing one in place of the other would change nothing: strings by their
/// bytes and not by what they look like, reals and dates by their bits. An integer never equals a real.
///
/// Costs: only decimals, and the contents of strings, data, URLs and collections, are allocated.
public enum Value: Sendable {
  /// Nothing, on purpose; apart from absence, which is no value at all.
  case null
  /// Yes or no.
  case boolean(Bool)
  /// A whole number of 64 bits.
  case integer(Int)
  /// A floating-point number of 64 bits.
  case real(Double)
  /// A decimal number.
  indirect case decimal(Decimal)
  /// A text.
  case string(String)
  /// Bytes.
  case data(Data)
  /// A moment.
  case date(Date)
  /// A UUID.
  case uuid(UUID)
  /// A URL; a relative one is kept as its absolute form.
  case url(URL)
  /// Values in an order.
  case array([Value])
  /// Values by keys.
  case dictionary([String: Value])
  /// An amount that merges by what was added to it.
  case counter(Int)
  /// Values without an order, each once, that merge by insertion and removal.
  case set(Set<Value>)
  /// An object, of the same store or of another.
  case reference(ObjectID)

  /// What a value is, without what it holds.
  public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    case null, boolean, integer, real, decimal, string, data, date, uuid, url, array, dictionary
    case counter, set, reference
  }

  /// The value's kind.
  public var kind: Kind {
    switch self {
    case .null: .null
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
  }
}

extension Value: Hashable {
  /// Whether the two are the same to storage.
  public static func == (one: Value, other: Value) -> Bool {
    switch (one, other) {
    case (.null, .null): true
    case (.boolean(let one), .boolean(let other)): one == other
    case (.integer(let one), .integer(let other)): one == other
    case (.real(let one), .real(let other)): one.bitPattern == other.bitPattern
    case (.decimal(let one), .decimal(let other)): one == other
    case (.string(let one), .string(let other)): one.hasSameBytes(as: other)
    case (.data(let one), .data(let other)): one == other
    case (.date(let one), .date(let other)): one.bits == other.bits
    case (.uuid(let one), .uuid(let other)): one == other
    case (.url(let one), .url(let other)): one.absoluteString.hasSameBytes(as: other.absoluteString)
    case (.array(let one), .array(let other)): one == other
    case (.dictionary(let one), .dictionary(let other)): hasSameEntries(one, other)
    case (.counter(let one), .counter(let other)): one == other
    case (.set(let one), .set(let other)): one == other
    case (.reference(let one), .reference(let other)): one == other
    default: false
    }
  }

  /// Dictionaries find keys that look the same; these must also be written with the same bytes.
  private static func hasSameEntries(_ one: [String: Value], _ other: [String: Value]) -> Bool {
    guard one.count == other.count else { return false }
    return one.allSatisfy { key, value in
      guard let index = other.index(forKey: key) else { return false }
      return key.hasSameBytes(as: other[index].key) && value == other[index].value
    }
  }

  /// Hashes what `==` compares, to the last byte: what is different and made to look alike would be found in a set only
  /// by comparing it with all others.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind.rawValue)
    switch self {
    case .null: break
    case .boolean(let value): hasher.combine(value)
    case .integer(let value), .counter(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value.bitPattern)
    case .decimal(let value): hasher.combineDigits(of: value)
    case .string(let value): hasher.combineBytes(of: value)
    case .data(let value): value.withUnsafeBytes { hasher.combine(bytes: $0) }
    case .date(let value): hasher.combine(value.bits)
    case .uuid(let value): hasher.combine(value)
    case .url(let value): hasher.combineBytes(of: value.absoluteString)
    case .array(let values): hasher.combine(values)
    case .dictionary(let values):
      // The entries have no order.
      var entries = 0
      for (key, value) in values {
        var entry = hasher
        entry.combineBytes(of: key)
        entry.combine(value)
        entries ^= entry.finalize()
      }
      hasher.combine(entries)
    case .set(let values): hasher.combine(values)
    case .reference(let value): hasher.combine(value)
    }
  }

  /// Hashes what `==` compares, for dictionaries and sets: a relationship to many has as many references as it leads to.
  public func _rawHashValue(seed: Int) -> Int {
    if case .reference(let value) = self { return value._rawHashValue(seed: seed) }
    var hasher = Hasher()
    hasher.combine(seed)
    hash(into: &hasher)
    return hasher.finalize()
  }
}

extension String {
  /// Whether two strings are written with the same bytes; equality of strings lets different ones pass
  /// that look the same.
  package func hasSameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count && orderOfBytes(other) == 0
  }
}

extension Hasher {
  fileprivate mutating func combineDigits(of decimal: Decimal) {
    // By itself it goes by the nearest real number; which of those that have the same it is, its digits say.
    combine(decimal)
    let digits = decimal.description.utf8.filter { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    let zero = UInt8(ascii: "0")
    let first = digits.firstIndex { $0 != zero } ?? digits.endIndex
    let end = digits.lastIndex { $0 != zero }.map { $0 + 1 } ?? first
    digits[first..<end].withUnsafeBytes { combine(bytes: $0) }
  }

  fileprivate mutating func combineBytes(of string: String) {
    var string = string
    string.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
    // No text is the beginning of another.
    combine(UInt8.max)
  }
}

extension Date {
  fileprivate var bits: UInt64 { timeIntervalSinceReferenceDate.bitPattern }
}
