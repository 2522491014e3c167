internal import FoundationEssentials
internal import ObjectModel

// Literals of every kind.
extension QueryParser {
  /// The literal that stands here; nil where there is none.
  mutating func literalIfAny() throws(QueryError) -> Value? {
    switch token.kind {
    case .text(let text):
      advance()
      return .some(.string(text))
    case .date(let date):
      advance()
      return .some(.date(date))
    case .number: return try number(isNegative: false)
    case .symbol("["): return try collection()
    case .word:
      if next.kind == .symbol("(") { return try typed() }
      guard let value = keyword(token).flatMap({ Self.words[$0] }) else { return .none }
      advance()
      return value
    default: return .none
    }
  }

  private static let words: [String: Value] = [
    "TRUE": true, "YES": true, "FALSE": false, "NO": false, "NULL": .null, "NIL": .null,
  ]

  private mutating func literal() throws(QueryError) -> Value {
    if token.kind == .symbol("-"), case .number = next.kind {
      advance()
      return try number(isNegative: true)
    }
    guard let value = try literalIfAny() else { throw unexpected(wanted: "a value") }
    return value
  }

  mutating func number(isNegative: Bool) throws(QueryError) -> Value {
    guard case .number(let digits) = token.kind else { throw unexpected(wanted: "a number") }
    let text = isNegative ? "-" + digits : digits
    let value: Value
    if let integer = Int(text) {
      value = .integer(integer)
    } else if digits.utf8.allSatisfy({ (48...57).contains($0) }) {
      throw error(
        "The number is too large for an integer; write decimal('\(text.prefix(40))').",
        at: token.offset)
    } else if let real = Double(text), real.isFinite {
      value = .real(real)
    } else {
      throw error("The number is too large for a real.", at: token.offset)
    }
    advance()
    return value
  }

  /// `[1, 2]` and `["a": 1]`; `[:]` has no entries.
  private mutating func collection() throws(QueryError) -> Value {
    try enter()
    defer { leave() }
    try expect("[")
    if skip("]") { return .array([]) }
    if skip(":") {
      try expect("]")
      return .dictionary([:])
    }
    let start = token.offset
    let first = try literal()
    if token.kind == .symbol(":") { return try dictionary(first, start) }
    var values = [first]
    while skip(",") { values.append(try literal()) }
    try expect("]")
    return .array(values)
  }

  private mutating func dictionary(_ first: Value, _ start: Int) throws(QueryError) -> Value {
    var entries: [String: Value] = [:]
    var (key, keyStart) = (first, start)
    while true {
      guard case .string(let name) = key, entries[name] == nil else {
        throw error("Keys of a dictionary are texts, each once.", at: keyStart)
      }
      try expect(":")
      entries[name] = try literal()
      guard skip(",") else { break }
      keyStart = token.offset
      key = try literal()
    }
    try expect("]")
    return .dictionary(entries)
  }

  // MARK: Literals that name their kind

  private mutating func typed() throws(QueryError) -> Value {
    let start = token.offset
    guard case .word(let name) = token.kind else { throw unexpected(wanted: "a value") }
    advance()
    try enter()
    defer { leave() }
    let parts = try list("(", ")") { (parser) throws(QueryError) in try parser.literal() }
    if name == "set" { return .set(Set(parts)) }
    guard Self.kinds.contains(name) else {
      throw error(
        "There is no value written ‘\(name.prefix(40))(…)’; there are \(Self.kindList).", at: start)
    }
    guard let first = parts.first, parts.count == 1, let value = Self.typed(name, first) else {
      throw error("This is no \(name); \(Self.example(of: name)) is one.", at: start)
    }
    return value
  }

  private static let kinds = [
    "date", "decimal", "uuid", "url", "data", "counter", "real", "object",
  ]
  private static let kindList = "date, decimal, uuid, url, data, counter, real, object and set"

  private static func typed(_ name: String, _ value: Value) -> Value? {
    switch (name, value) {
    case ("date", .integer(let seconds)):
      .some(.date(Date(timeIntervalSinceReferenceDate: Double(seconds))))
    case ("date", .real(let seconds)):
      .some(.date(Date(timeIntervalSinceReferenceDate: seconds)))
    case ("date", .date): .some(value)
    case ("counter", .integer(let amount)): .some(.counter(amount))
    case ("real", .integer(let number)): .some(.real(Double(number)))
    case ("real", .real): .some(value)
    case ("real", .string(let text)): Double(text).map { .real($0) } ?? bits(text).map { .real($0) }
    case ("decimal", .integer(let number)): .some(.decimal(Decimal(number)))
    default: if case .string(let text) = value { TypedText.value(name, text) } else { .none }
    }
  }

  private static func bits(_ text: String) -> Double? {
    guard text.hasPrefix("bits:") else { return nil }
    return UInt64(text.dropFirst(5), radix: 16).map { Double(bitPattern: $0) }
  }

  private static func example(of name: String) -> String {
    switch name {
    case "date": "date('2026-11-21T10:30:00Z')"
    case "decimal": "decimal('1.50')"
    case "uuid": "uuid('E621E1F8-C36C-495A-93FC-0C247A3E6E5F')"
    case "url": "url('https://example.org')"
    case "data": "data('aGVsbG8=')"
    case "counter": "counter(3)"
    case "real": "real('inf')"
    default: "object('xjournal://0123456789abcdef/0/3/17')"
    }
  }
}
