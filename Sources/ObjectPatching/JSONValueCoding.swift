internal import FoundationEssentials
package import ObjectModel
internal import ObjectQuery

// How values are written as JSON. Strings, booleans, whole numbers, reals, arrays and dictionaries are what they are in
// JSON; of the other kinds an attribute's own value is a plain text, number or array, as the model knows what it is;
// within arrays and dictionaries, and where nobody knows, the kind stands beside it: {"$date": "2026-11-21T10:30:00Z"}.
extension Value {
  /// The value without its kind; nil where nothing plain would read back as the same.
  package var plainJSON: JSONValue? {
    switch self {
    case .null: .some(.null)
    case .boolean(let value): .boolean(value)
    case .integer(let value), .counter(let value): .integer(value)
    case .real(let value): Self.json(value)
    case .decimal(let value): .string(value.isNaN ? "nan" : "\(value)")
    case .string(let value): .string(value)
    case .data(let value): .string(value.base64EncodedString())
    case .date(let value): ISODate.exactText(value).map { .string($0) }
    case .uuid(let value): .string(value.uuidString)
    case .url(let value): .string(value.absoluteString)
    case .reference(let object): .string(object.uri)
    case .array(let values): .array(values.map(\.markedJSON))
    case .set(let values): .array(values.inOrder.map(\.markedJSON))
    case .dictionary(let values):
      values.keys.contains { $0.utf8.first == JSONMark.sign } ? nil : Self.json(values)
    }
  }

  /// The value with its kind, where JSON has none of that kind.
  package var markedJSON: JSONValue {
    switch self {
    case .dictionary(let values):
      plainJSON ?? .object(JSONObject([(JSONMark.dictionary.key, Self.json(values))]))
    case .date(let value):
      .object(
        JSONObject([
          (JSONMark.date.key, plainJSON ?? Self.json(value.timeIntervalSinceReferenceDate))
        ]))
    default:
      if let mark = JSONMark(self) {
        .object(JSONObject([(mark.key, plainJSON ?? .null)]))
      } else {
        plainJSON ?? .null
      }
    }
  }

  private static func json(_ values: [String: Value]) -> JSONValue {
    .object(JSONObject(values.sortedByKey.lazy.map { ($0.key, $0.value.markedJSON) }))
  }

  /// Numbers that JSON has none for are texts; those that are none at all keep their bits.
  private static func json(_ real: Double) -> JSONValue {
    if let number = JSONNumber(real) { return .number(number) }
    if real.isInfinite { return .string(real < 0 ? "-inf" : "inf") }
    return .string(
      real.bitPattern == Double.nan.bitPattern
        ? "nan" : "nan:" + String(real.bitPattern, radix: 16))
  }
}

/// The kinds of values that JSON has not, and how they are marked.
enum JSONMark: String {
  case integer, real, decimal, data, date, uuid, url, counter, set, reference, dictionary

  /// `$`, with which the keys of marks begin.
  static let sign: UInt8 = 0x24

  /// The key that a marked value stands under.
  var key: String { "$" + rawValue }

  /// The kind that a marked value's key says; nil where it says none.
  init?(key: String) {
    guard key.utf8.first == Self.sign else { return nil }
    self.init(rawValue: String(decoding: key.utf8.dropFirst(), as: UTF8.self))
  }

  /// What a value must be marked with to be known again; nil where it need not be.
  init?(_ value: Value) {
    switch value {
    case .null, .boolean, .integer, .string, .array: return nil
    case .real(let value):
      if value.isFinite { return nil }
      self = .real
    case .dictionary(let values):
      guard values.keys.contains(where: { $0.utf8.first == Self.sign }) else { return nil }
      self = .dictionary
    case .decimal: self = .decimal
    case .data: self = .data
    case .date: self = .date
    case .uuid: self = .uuid
    case .url: self = .url
    case .counter: self = .counter
    case .set: self = .set
    case .reference: self = .reference
    }
  }

  /// What attributes of the kind are of.
  var type: AttributeType {
    switch self {
    case .integer: .integer
    case .real: .real
    case .decimal: .decimal
    case .data: .data
    case .date: .date
    case .uuid: .uuid
    case .url: .url
    case .counter: .counter
    case .set: .set
    case .reference: .reference
    case .dictionary: .dictionary
    }
  }
}
