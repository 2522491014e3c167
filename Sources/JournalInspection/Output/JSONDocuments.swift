package import ObjectPatching

// What all JSON of the tool has in common. Every document, and every line where there are many, is an object that
// begins with the version of its format and its kind.
extension JSONValue {
  /// The version of what the tool writes: it grows where a member changes its meaning or goes, not where one comes.
  package static let formatVersion = 1

  /// The largest integer that every reader of JSON keeps.
  private static let largestInteger = 1 << 53

  /// A document of a kind.
  package static func document(_ kind: String, _ members: [(String, JSONValue?)]) -> JSONValue {
    .members([("version", .integer(formatVersion)), ("kind", .string(kind))] + members)
  }

  /// An object; members that are nil are left out. Keys that look the same as another are told apart by a mark.
  package static func members(_ members: [(String, JSONValue?)]) -> JSONValue {
    var object = JSONObject()
    for case (var key, let value?) in members {
      while !object.append(key, value) { key += "′" }
    }
    return .object(object)
  }

  /// A whole number that may be large: as a text where a reader that knows only reals would round it.
  package static func count(_ number: some BinaryInteger) -> JSONValue {
    guard let integer = Int(exactly: number) else { return .string(String(number)) }
    return .integer(integer)
  }

  package static func text(_ text: String?) -> JSONValue? { text.map { .string($0) } }

  /// The same, with whole numbers as texts that would be rounded.
  package var safeText: String { withTextForLargeIntegers.escapedText }

  /// The document as a text with nothing in it that a terminal would obey.
  var escapedText: String {
    let text = description
    guard text.unicodeScalars.contains(where: \.isHidden) else { return text }
    return text.unicodeScalars.reduce(into: "") { safe, scalar in
      guard scalar.isHidden else {
        safe.unicodeScalars.append(scalar)
        return
      }
      for unit in Character(scalar).utf16 {
        let digits = String(unit, radix: 16)
        safe += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
  }

  /// The document with the longest texts and lists among the values in it cut, which say then how long they were.
  func withValuesCut(_ longest: Int) -> JSONValue {
    switch self {
    case .array(let elements): .array(elements.map { $0.withValuesCut(longest) })
    case .object(let object):
      .object(
        JSONObject(
          object.members.map { (key, value) in
            let isValue = ["values", "userInfo", "message"].contains(key)
            return (key, isValue ? value.cut(longest) : value.withValuesCut(longest))
          }))
    default: self
    }
  }

  private func cut(_ longest: Int) -> JSONValue {
    switch self {
    case .string(let text) where text.utf8.count > longest && text.count > longest:
      .string("\(text.prefix(longest))… (\(Wording.count(text.count, "character")))")
    case .array(let elements) where elements.count > longest:
      .array(
        elements.prefix(longest).map { $0.cut(longest) }
          + [.string("… (\(Wording.count(elements.count)) in all)")])
    case .array(let elements): .array(elements.map { $0.cut(longest) })
    case .object(let object):
      .object(JSONObject(object.members.map { ($0.key, $0.value.cut(longest)) }))
    default: self
    }
  }

  /// A value whose kind nobody knows who reads it, with large whole numbers marked: a text alone would be one.
  var withMarkedIntegers: JSONValue {
    switch self {
    case .integer(let number) where number.magnitude > UInt(Self.largestInteger):
      return .members([("$integer", .string(String(number)))])
    case .array(let elements): return .array(elements.map(\.withMarkedIntegers))
    case .object(let object):
      if object.count == 1, case .integer? = object["$counter"] { return self }
      // Within this mark every key is data.
      if object.count == 1, let inner = object["$dictionary"]?.object {
        return .object(JSONObject([("$dictionary", Self.marked(inner))]))
      }
      return Self.marked(object)
    default: return self
    }
  }

  private static func marked(_ object: JSONObject) -> JSONValue {
    .object(JSONObject(object.members.map { ($0.key, $0.value.withMarkedIntegers) }))
  }

  private var withTextForLargeIntegers: JSONValue {
    switch self {
    case .integer(let number):
      number.magnitude > UInt(Self.largestInteger) ? .string(String(number)) : self
    case .array(let elements): .array(elements.map(\.withTextForLargeIntegers))
    case .object(let object):
      .object(JSONObject(object.members.map { ($0.key, $0.value.withTextForLargeIntegers) }))
    default: self
    }
  }
}
