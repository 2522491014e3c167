internal import FoundationEssentials
internal import ObjectModel

/// Values of kinds that are written as texts: what a text means where such a value is wanted.
enum TypedText {
  /// The value of a kind that a text says; nil where it says none.
  static func value(_ kind: String, _ text: String) -> Value? {
    switch kind {
    case "date": ISODate.read(text).map { .date($0) }
    case "decimal": decimal(text).map { .decimal($0) }
    case "uuid": UUID(uuidString: text).map { .uuid($0) }
    case "url": text.isEmpty ? .none : URL(string: text).map { .url($0) }
    case "data": Data(base64Encoded: text).map { .data($0) }
    case "object": (try? ObjectID(uri: text)).map { .reference($0) }
    default: .none
    }
  }

  /// A decimal number; the system's own reader takes what only begins as one.
  static func decimal(_ text: String) -> Decimal? {
    if text == "nan" { return Decimal.nan }
    guard text.utf8.count <= 200, isNumber(text), let number = Decimal(string: text),
      !number.isNaN
    else { return nil }
    return number
  }

  private static func isNumber(_ text: String) -> Bool {
    var rest = Substring(text).utf8[...]
    func digits() -> Bool {
      let found = rest.prefix { (48...57).contains($0) }
      rest = rest.dropFirst(found.count)
      return !found.isEmpty
    }
    if rest.first == 45 || rest.first == 43 { rest = rest.dropFirst() }
    guard digits() else { return false }
    if rest.first == 46 {
      rest = rest.dropFirst()
      guard digits() else { return false }
    }
    if rest.first == 69 || rest.first == 101 {
      rest = rest.dropFirst()
      if rest.first == 45 || rest.first == 43 { rest = rest.dropFirst() }
      guard digits() else { return false }
    }
    return rest.isEmpty
  }
}
