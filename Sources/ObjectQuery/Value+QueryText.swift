internal import FoundationEssentials
package import ObjectModel

extension Value {
  /// The value as a literal of a query, all of it.
  package var queryText: String {
    switch self {
    case .null: "null"
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): "\(value)"
    case .counter(let value): "counter(\(value))"
    case .real(let value): Self.text(value)
    case .decimal(let value): "decimal('\(value.isNaN ? "nan" : "\(value)")')"
    case .string(let value): Self.quoted(value)
    case .data(let value): "data('\(value.base64EncodedString())')"
    case .date(let value):
      ISODate.text(value) ?? "date(\(Self.text(value.timeIntervalSinceReferenceDate)))"
    case .uuid(let value): "uuid('\(value)')"
    case .url(let value): "url(\(Self.quoted(value.absoluteString)))"
    case .reference(let object): "object('\(object.uri)')"
    case .array(let values): "[\(Self.list(values))]"
    case .set(let values): "set(\(Self.list(values.inOrder)))"
    case .dictionary(let values):
      values.isEmpty
        ? "[:]"
        : "["
          + values.sortedByKey.map { "\(Self.quoted($0.key)): \($0.value.queryText)" }
          .joined(separator: ", ") + "]"
    }
  }

  private static func list(_ values: [Value]) -> String {
    values.map(\.queryText).joined(separator: ", ")
  }

  private static func text(_ real: Double) -> String {
    if real.isFinite { return "\(real)" }
    let named = real.isInfinite ? "\(real)" : "bits:" + String(real.bitPattern, radix: 16)
    return "real('\(named)')"
  }

  private static func quoted(_ text: String) -> String {
    var quoted = String.UnicodeScalarView("\"".unicodeScalars)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", "\"":
        quoted.append("\\")
        quoted.append(scalar)
      case "\n": quoted.append(contentsOf: "\\n".unicodeScalars)
      case "\t": quoted.append(contentsOf: "\\t".unicodeScalars)
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        quoted.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      default: quoted.append(scalar)
      }
    }
    quoted.append("\"")
    return String(quoted)
  }
}
