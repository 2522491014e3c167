internal import FoundationEssentials

/// A piece of a query's text.
struct Token: Hashable {
  enum Kind: Hashable {
    case word(String)
    /// A word in backquotes: always a key.
    case quotedWord(String)
    case text(String)
    case number(String)
    case date(Date)
    case symbol(String)
    case end
  }

  let kind: Kind
  /// The number of the scalar it begins with.
  let offset: Int
}

/// Cuts a query's text into pieces.
struct Lexer {
  static let largestByteCount = 1 << 16

  let scalars: [Unicode.Scalar]
  private var index = 0

  init(_ text: String) throws(QueryError) {
    guard text.utf8.count <= Self.largestByteCount else {
      throw QueryError(
        .tooLarge,
        "A query has at most \(Self.largestByteCount) bytes; this has \(text.utf8.count).")
    }
    scalars = Array(text.unicodeScalars)
  }

  func error(_ message: String, at offset: Int, code: QueryError.Code = .badText) -> QueryError {
    QueryError(code, message, at: QueryError.Place(offset, in: scalars))
  }

  /// All pieces; the last is the end.
  mutating func tokens() throws(QueryError) -> [Token] {
    var tokens: [Token] = []
    while true {
      while let next = peek(), next.properties.isWhitespace { index += 1 }
      let start = index
      guard let first = peek() else {
        tokens.append(Token(kind: .end, offset: start))
        return tokens
      }
      tokens.append(Token(kind: try kind(first, from: start), offset: start))
    }
  }

  private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
    index + distance < scalars.count ? scalars[index + distance] : nil
  }

  private mutating func kind(
    _ first: Unicode.Scalar, from start: Int
  ) throws(QueryError) -> Token.Kind {
    if first.beginsWord { return .word(take { $0.continuesWord }) }
    if first.isDigit { return try number(from: start) }
    switch first {
    case "'", "\"": return .text(try quoted(first, from: start))
    case "`": return .quotedWord(try backquoted(from: start))
    default: return .symbol(try symbol(first, from: start))
    }
  }

  private mutating func take(_ isPart: (Unicode.Scalar) -> Bool) -> String {
    var text = String.UnicodeScalarView()
    while let next = peek(), isPart(next) {
      text.append(next)
      index += 1
    }
    return String(text)
  }

  private static let symbols: Set<String> = [
    "==", "!=", "<=", ">=", "=<", "=>", "<>", "&&", "||", "??", "=", "<", ">", "!", "(", ")", "{",
    "}", "[", "]", ",", ".", "+", "-", "*", "/", "%", ":", "@",
  ]

  private mutating func symbol(
    _ first: Unicode.Scalar, from start: Int
  ) throws(QueryError) -> String {
    for length in [2, 1] {
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars[start..<min(start + length, scalars.count)])
      guard Self.symbols.contains(String(text)) else { continue }
      index = start + length
      return String(text)
    }
    throw error("‘\(first)’ means nothing here.", at: start)
  }

  // MARK: Numbers and dates

  private mutating func number(from start: Int) throws(QueryError) -> Token.Kind {
    if let date = try isoDate(from: start) { return .date(date) }
    var text = take(\.isDigit)
    if peek() == ".", peek(1)?.isDigit ?? false {
      index += 1
      text += "." + take(\.isDigit)
    }
    if peek() == "e" || peek() == "E" {
      let hasSign = peek(1) == "+" || peek(1) == "-"
      if peek(hasSign ? 2 : 1)?.isDigit ?? false {
        text += peek(1) == "-" ? "e-" : "e"
        index += hasSign ? 2 : 1
        text += take(\.isDigit)
      }
    }
    if let next = peek(), next.beginsWord {
      throw error("A number ends where ‘\(next)’ follows; put a space or an operator.", at: index)
    }
    return .number(text)
  }

  /// The date that begins here; nil where none does.
  private mutating func isoDate(from start: Int) throws(QueryError) -> Date? {
    let shape = scalars[start...].prefix(10).map { $0.isDigit ? "0" : $0 == "-" ? "-" : "x" }
    guard shape.joined() == "0000-00-00", !(peek(10)?.isDigit ?? false) else { return nil }
    var end = start + 10
    if end < scalars.count, scalars[end] == "T" {
      end += 1
      while end < scalars.count,
        scalars[end].isDigit || ":.Z+-".unicodeScalars.contains(scalars[end])
      {
        end += 1
      }
    }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars[start..<end])
    guard let date = ISODate.read(String(text)) else {
      throw error(
        "‘\(String(text))’ is no date; one looks like 2026-11-21 or 2026-11-21T10:30:00Z.",
        at: start)
    }
    index = end
    return date
  }

  // MARK: Quoted

  private mutating func backquoted(from start: Int) throws(QueryError) -> String {
    index += 1
    var text = String.UnicodeScalarView()
    while let next = peek() {
      index += 1
      if next != "`" {
        text.append(next)
      } else if peek() == "`" {
        text.append(next)
        index += 1
      } else {
        return String(text)
      }
    }
    throw error("The backquote that opens a key is never closed.", at: start)
  }

  private mutating func quoted(
    _ mark: Unicode.Scalar, from start: Int
  ) throws(QueryError) -> String {
    index += 1
    var text = String.UnicodeScalarView()
    while let next = peek() {
      index += 1
      if next == mark { return String(text) }
      text.append(next == "\\" ? try escaped() : next)
    }
    throw error("The quotation mark that opens a text is never closed.", at: start)
  }

  private mutating func escaped() throws(QueryError) -> Unicode.Scalar {
    let start = index - 1
    guard let next = peek() else {
      throw error("A backslash at the end escapes nothing.", at: start)
    }
    index += 1
    switch next {
    case "\\", "'", "\"", "/": return next
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u":
      guard peek() == "{" else { break }
      index += 1
      let digits = take { $0 != "}" && $0.properties.isASCIIHexDigit }
      if peek() == "}", digits.utf8.count <= 8, let number = UInt32(digits, radix: 16),
        let scalar = Unicode.Scalar(number)
      {
        index += 1
        return scalar
      }
    default: break
    }
    throw error("A backslash escapes one of \\ ' \" n r t and u{…}, and itself is \\\\.", at: start)
  }
}

extension Unicode.Scalar {
  var isDigit: Bool { ("0"..."9").contains(self) }
  var beginsWord: Bool { self == "_" || properties.isAlphabetic }
  var continuesWord: Bool {
    beginsWord || properties.generalCategory == .decimalNumber
      || properties.generalCategory == .nonspacingMark
  }
}
