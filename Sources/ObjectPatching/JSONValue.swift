internal import ObjectModel

/// A JSON document, or a part of one (RFC 8259). Nothing is lost: numbers stay what was written, and members keep
/// their order.
package enum JSONValue: Sendable {
  case null
  case boolean(Bool)
  /// A whole number of 64 bits, written as one.
  case integer(Int)
  /// Any other number.
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// What a value is, as people call it.
  package var kindName: String {
    switch self {
    case .null: "null"
    case .boolean: "a boolean"
    case .integer, .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

extension JSONValue: Equatable {
  /// Whether both say the same (RFC 6902, 4.6): numbers by their amount, strings by their bytes, objects whatever
  /// the order of their members.
  package static func == (one: JSONValue, other: JSONValue) -> Bool {
    switch (one, other) {
    case (.null, .null): true
    case (.boolean(let one), .boolean(let other)): one == other
    case (.integer(let one), .integer(let other)): one == other
    case (.number(let one), .number(let other)): one == other
    case (.integer(let one), .number(let other)), (.number(let other), .integer(let one)):
      JSONNumber(one) == other
    case (.string(let one), .string(let other)): one.hasSameBytes(as: other)
    case (.array(let one), .array(let other)): one == other
    case (.object(let one), .object(let other)): one == other
    default: false
    }
  }
}

extension JSONValue {
  /// The object that it is to be.
  func asObject() throws(JSONError) -> JSONObject {
    guard case .object(let object) = self else {
      throw JSONError(.wrongType, "is \(kindName) where an object is wanted")
    }
    return object
  }

  /// Whether both are written the same but for the order of members: of two numbers of the same amount one may be
  /// whole and the other not, which are two values to an attribute.
  func isWritten(as other: JSONValue) -> Bool {
    switch (self, other) {
    case (.integer(let one), .integer(let other)): one == other
    case (.number(let one), .number(let other)): one.text == other.text
    case (.integer, .number), (.number, .integer): false
    case (.array(let one), .array(let other)):
      one.count == other.count && zip(one, other).allSatisfy { $0.isWritten(as: $1) }
    case (.object(let one), .object(let other)):
      one.count == other.count
        && one.members.allSatisfy { key, value in other[key]?.isWritten(as: value) ?? false }
    default: self == other
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int) { self = .integer(value) }
  package init(booleanLiteral value: Bool) { self = .boolean(value) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements))
  }
}

extension JSONValue {
  /// The string, where it is one.
  package var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The elements, where it is an array.
  package var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

  /// The object, where it is one.
  package var object: JSONObject? { if case .object(let object) = self { object } else { nil } }

  /// How many values it is, itself among them, and how deep they stand within each other.
  ///
  /// Costs: time in proportion to the values.
  package var extent: (count: Int, depth: Int) {
    switch self {
    case .array(let elements): return Self.extent(of: elements)
    case .object(let object):
      let inner = Self.extent(of: object.members.lazy.map(\.value))
      let keys = object.members.reduce(0) { $0 + Self.extraCount(of: $1.key) }
      return (inner.count + keys, inner.depth)
    case .string(let text): return (1 + Self.extraCount(of: text), 0)
    default: return (1, 0)
    }
  }

  /// How many values a long text counts for besides itself.
  private static func extraCount(of text: String) -> Int { text.utf8.count / 64 }

  private static func extent(of parts: some Sequence<JSONValue>) -> (count: Int, depth: Int) {
    var (count, depth) = (1, 0)
    for part in parts {
      let extent = part.extent
      count += extent.count
      depth = max(depth, extent.depth)
    }
    return (count, depth + 1)
  }
}
