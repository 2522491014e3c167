internal import ObjectModel

// From `??` down to keys and literals.
extension QueryParser {
  /// Words that are no keys where an operand is expected.
  static let reserved: Set<String> = [
    "AND", "OR", "NOT", "TRUE", "FALSE", "YES", "NO", "NULL", "NIL", "NONE", "ANY", "SOME", "ALL",
    "IN", "BETWEEN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES", "IS", "SELF",
    "WHERE", "SORT", "BY", "LIMIT", "OFFSET", "ASC", "DESC",
  ]
  static let nulls: Set<String> = ["NULL", "NIL"]

  mutating func sums() throws(QueryError) -> Piece {
    try chain(["??"]) { (parser) throws(QueryError) in
      try parser.chain(["+", "-"]) { (parser) throws(QueryError) in
        try parser.chain(["*", "/", "%"]) { (parser) throws(QueryError) in try parser.signed() }
      }
    }
  }

  private mutating func chain(
    _ symbols: [String], _ part: (inout QueryParser) throws(QueryError) -> Piece
  ) throws(QueryError) -> Piece {
    let start = token.offset
    let first = try part(&self)
    var links = 0
    defer { for _ in 0..<links { leave() } }
    var result = first
    while case .symbol(let symbol) = token.kind, symbols.contains(symbol) {
      guard case .operand(let one) = result else {
        throw error("Here a filter stands where a number is expected.", at: start)
      }
      advance()
      // Each link of a chain makes the tree one deeper.
      try enter()
      links += 1
      let partStart = token.offset
      guard case .operand(let other) = try part(&self) else {
        throw error("Here a filter stands where a number is expected.", at: partStart)
      }
      if let arithmetic = Filter.Arithmetic(rawValue: symbol) {
        result = .operand(.arithmetic(arithmetic, one, other))
      } else {
        result = .operand(.otherwise(one, other))
      }
    }
    return result
  }

  private mutating func signed() throws(QueryError) -> Piece {
    guard skip("-") else {
      _ = skip("+")
      return try primary()
    }
    if case .number = token.kind { return .operand(.literal(try number(isNegative: true))) }
    try enter()
    defer { leave() }
    let start = token.offset
    guard case .operand(let operand) = try signed() else {
      throw error("Here a filter stands where a number is expected.", at: start)
    }
    return .operand(.negative(operand))
  }

  private mutating func primary() throws(QueryError) -> Piece {
    switch token.kind {
    case .symbol("("):
      advance()
      let inner = try alternatives()
      try expect(")")
      return inner
    case .symbol("{"):
      try enter()
      defer { leave() }
      return .operand(
        .list(
          try list("{", "}") { (parser) throws(QueryError) in
            let start = parser.token.offset
            guard case .operand(let operand) = try parser.sums() else {
              throw parser.error("Here a filter stands where a value is expected.", at: start)
            }
            return operand
          }))
    case .word, .quotedWord:
      if let literal = try literalIfAny() { return .operand(.literal(literal)) }
      return .operand(try path())
    default:
      guard let literal = try literalIfAny() else {
        throw unexpected(wanted: "a key, a value or a parenthesis")
      }
      return .operand(.literal(literal))
    }
  }

  /// What stands between two marks, with commas between.
  mutating func list<Element>(
    _ open: String, _ close: String,
    _ element: (inout QueryParser) throws(QueryError) -> Element
  ) throws(QueryError) -> [Element] {
    try expect(open)
    var elements: [Element] = []
    if skip(close) { return elements }
    repeat { elements.append(try element(&self)) } while skip(",")
    try expect(close)
    return elements
  }

  // MARK: Keys

  /// The name of a key or an entity that stands here, if one does.
  func name(_ token: Token) -> String? {
    switch token.kind {
    case .quotedWord(let name): name
    case .word(let name): Self.reserved.contains(name.uppercased()) ? nil : name
    default: nil
    }
  }

  mutating func path() throws(QueryError) -> Filter.Operand {
    var path: [String] = []
    if skip(word: "SELF") {
      guard token.kind == .symbol(".") else { return .key([]) }
    } else {
      guard let first = name(token) else { throw unexpected(wanted: "a key") }
      path.append(first)
      advance()
    }
    while skip(".") {
      if skip("@") {
        guard skip(word: "COUNT") else { throw unexpected(wanted: "count") }
        return .count(path)
      }
      // Behind a dot every word is a key.
      switch token.kind {
      case .word(let name), .quotedWord(let name): path.append(name)
      default: throw unexpected(wanted: "a key")
      }
      advance()
    }
    return .key(path)
  }
}
