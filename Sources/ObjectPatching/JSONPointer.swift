/// A JSON Pointer (RFC 6901): the way from a document to one of its values.
package struct JSONPointer: Hashable, Sendable {
  /// Keys and indexes, unescaped; none for the whole document.
  package let tokens: [String]

  package init(_ tokens: [String]) { self.tokens = tokens }

  /// Reads a pointer.
  package init(_ text: String) throws(JSONError) {
    if text.isEmpty {
      tokens = []
      return
    }
    guard text.utf8.first == 0x2F else {
      throw JSONError(
        .badSyntax, "is no JSON Pointer: ‘\(JSONError.clipped(text))’ does not begin with a slash")
    }
    var tokens: [String] = []
    for part in text.utf8.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false) {
      guard let token = Self.unescaped(part) else {
        throw JSONError(
          .badSyntax,
          "is no JSON Pointer: behind ~ stands neither 0 nor 1 in "
            + "‘\(JSONError.clipped(text))’")
      }
      if let problem = token.problemAsName {
        throw JSONError(.tooLarge, "has a JSON Pointer that \(problem)")
      }
      tokens.append(token)
    }
    self.tokens = tokens
  }

  /// The pointer of the text that `text` gives.
  package var text: String { tokens.map { Self.token($0) }.joined() }

  /// The pointer to what stands under a token there.
  func appending(_ token: String) -> JSONPointer { JSONPointer(tokens + [token]) }

  /// One step of a pointer, with its slash.
  static func token(_ token: String) -> String {
    var text = "/"
    for scalar in token.unicodeScalars {
      switch scalar {
      case "~": text += "~0"
      case "/": text += "~1"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private static func unescaped(_ part: Substring.UTF8View) -> String? {
    guard part.contains(0x7E) else { return String(Substring(part)) }
    var bytes: [UInt8] = []
    var rest = part
    while let byte = rest.popFirst() {
      if byte != 0x7E {
        bytes.append(byte)
        continue
      }
      switch rest.popFirst() {
      case 0x30: bytes.append(0x7E)
      case 0x31: bytes.append(0x2F)
      default: return nil
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether a value at the other pointer stands within the value at this one.
  func isAbove(_ other: JSONPointer) -> Bool {
    tokens.count < other.tokens.count && other.tokens.starts(with: tokens, by: Self.areSame)
  }

  /// Whether two steps are written with the same bytes.
  static func areSame(_ one: String, _ other: String) -> Bool {
    one.utf8.elementsEqual(other.utf8)
  }

  /// The index that a token is: digits without a leading zero.
  static func index(_ token: String) -> Int? {
    let digits = token.utf8
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }),
      digits.first != 0x30 || digits.count == 1
    else { return nil }
    return Int(token)
  }
}
