internal import FoundationEssentials

extension Value: CustomStringConvertible {
  /// What the value holds, as people read it in a sentence: `"a"`, `3`, `1.5`, `true`, `null`,
  /// `[1, 2]`, `["a": 1]`. Bytes are only counted, and long contents are cut.
  public var description: String { description(depth: 4) }

  private static let largestCharacterCount = 60
  private static let largestMemberCount = 8

  private func description(depth: Int) -> String {
    switch self {
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .integer(let value), .counter(let value): "\(value)"
    case .real(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .string(let value): Self.quoted(value)
    case .data(let value): value.count == 1 ? "1 byte" : "\(value.count) bytes"
    case .date(let value): Self.description(of: value)
    case .uuid(let value): "\(value)"
    case .url(let value): value.absoluteString
    case .array(let values): Self.list(values, depth) { $0.description(depth: depth - 1) }
    case .set(let values):
      "set of "
        + Self.list(values.inOrder, depth) { $0.description(depth: depth - 1) }
    case .dictionary(let values):
      Self.list(values.sortedByKey, depth) { entry in
        Self.quoted(entry.key) + ": " + entry.value.description(depth: depth - 1)
      }
    case .reference(let id): id.uri
    }
  }

  private static func quoted(_ text: String) -> String {
    let start = text.prefix(largestCharacterCount)
    return "\"\(start)\(start.endIndex == text.endIndex ? "" : "…")\""
  }

  /// The system's own text of a date traps for one that is no number or too far away.
  private static func description(of date: Date) -> String {
    let seconds = date.timeIntervalSinceReferenceDate
    let isInFourDigits = abs(seconds) < 60e9
    return isInFourDigits ? date.ISO8601Format() : "\(seconds) seconds after 2001-01-01T00:00:00Z"
  }

  private static func list<Element>(
    _ values: [Element], _ depth: Int, _ text: (Element) -> String
  ) -> String {
    guard depth > 0 else { return "[…]" }
    let texts = values.prefix(largestMemberCount).map(text)
    return "[" + (texts + (values.count > texts.count ? ["…"] : [])).joined(separator: ", ") + "]"
  }
}
