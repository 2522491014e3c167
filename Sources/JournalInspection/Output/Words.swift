/// What a part of a line is, which says how it looks on a terminal.
package enum Style: Sendable {
  case plain, heading, strong, faint, key, added, removed, warning

  var escape: String? {
    switch self {
    case .plain: nil
    case .heading: "\u{1B}[33m"
    case .strong: "\u{1B}[1m"
    case .faint: "\u{1B}[2m"
    case .key: "\u{1B}[36m"
    case .added: "\u{1B}[32m"
    case .removed: "\u{1B}[31m"
    case .warning: "\u{1B}[35m"
    }
  }
}

/// A line of text in parts that may be coloured. Whatever comes from a journal is shown, and never sent: a
/// control character in it is written in digits, and only colours that were asked for reach the terminal.
package struct Words: ExpressibleByStringInterpolation, Sendable {
  private var parts: [(text: String, style: Style)] = []

  package init(_ text: String, _ style: Style = .plain) { parts = [(text, style)] }

  package init(stringLiteral text: String) { self.init(text) }

  package init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [(text: String, style: Style)] = []

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ literal: String) { parts.append((literal, .plain)) }

    package mutating func appendInterpolation(
      _ value: some CustomStringConvertible, _ style: Style = .plain
    ) {
      parts.append((value.description, style))
    }

    package mutating func appendInterpolation(_ words: Words) { parts += words.parts }
  }

  /// Whether nothing is in it.
  package var isEmpty: Bool { parts.allSatisfy(\.text.isEmpty) }

  package static func + (one: Words, other: Words) -> Words {
    var words = one
    words.parts += other.parts
    return words
  }

  /// The line as it is sent.
  func sent(coloured: Bool) -> String {
    parts.reduce(into: "") { line, part in
      let text = part.text.shown
      guard coloured, !text.isEmpty, let escape = part.style.escape else {
        line += text
        return
      }
      line += escape + text + "\u{1B}[0m"
    }
  }
}

extension String {
  /// The text with everything in digits that a terminal would obey, or that would show it in another order.
  var shown: String {
    guard unicodeScalars.contains(where: \.isHidden) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isHidden {
        text += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Unicode.Scalar {
  /// Whether it controls a terminal, turns the direction of text, or cannot be seen.
  var isHidden: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0xAD, 0x61C, 0x180E, 0x200B...0x200F, 0x2028...0x202E,
      0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE0FFF:
      true
    default: false
    }
  }
}
