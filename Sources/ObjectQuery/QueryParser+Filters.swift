internal import ObjectModel

// From OR down to comparisons.
extension QueryParser {
  mutating func filter() throws(QueryError) -> Filter {
    let start = token.offset
    let piece = try alternatives()
    return try filter(piece, at: start)
  }

  /// The filter that a piece is; a key alone is one that is to be true.
  private mutating func filter(_ piece: Piece, at offset: Int) throws(QueryError) -> Filter {
    switch piece {
    case .filter(let filter): return filter
    case .operand(.literal(true)): return .all
    case .operand(.literal(false)): return .none
    case .operand(.key(let path)):
      noteComparison(at: offset)
      return Filter(Filter.Comparison(.key(path), .equal, true))
    case .operand:
      throw error("Here a value stands alone; a comparison is needed, as in likes > 3.", at: offset)
    }
  }

  mutating func alternatives() throws(QueryError) -> Piece {
    try enter()
    defer { leave() }
    return try chain("OR", "||", Filter.or) { (parser) throws(QueryError) in
      try parser.chain("AND", "&&", Filter.and) { (parser) throws(QueryError) in
        try parser.negation()
      }
    }
  }

  private mutating func chain(
    _ word: String, _ symbol: String, _ join: ([Filter]) -> Filter,
    _ part: (inout QueryParser) throws(QueryError) -> Piece
  ) throws(QueryError) -> Piece {
    var start = token.offset
    let first = try part(&self)
    var parts: [Filter] = []
    while skip(word: word) || skip(symbol) {
      if parts.isEmpty { parts.append(try filter(first, at: start)) }
      start = token.offset
      parts.append(try filter(try part(&self), at: start))
    }
    return parts.isEmpty ? first : .filter(join(parts))
  }

  private mutating func negation() throws(QueryError) -> Piece {
    guard skip(word: "NOT") || skip("!") else { return try comparison() }
    try enter()
    defer { leave() }
    let start = token.offset
    return .filter(.not(try filter(try negation(), at: start)))
  }

  // MARK: Comparisons

  private mutating func comparison() throws(QueryError) -> Piece {
    let start = token.offset
    if let quantifier = quantifier() {
      let path = try path()
      if skip("(") {
        guard case .key(let keys) = path else { throw unexpected(wanted: "a relationship") }
        noteComparison(at: start)
        let inner = try filter()
        try expect(")")
        return .filter(.related(quantifier, keys, inner))
      }
      guard let filter = try relation(to: path, quantifier, start) else {
        throw unexpected(wanted: "a comparison, as in ANY comments.likes > 3,")
      }
      return .filter(filter)
    }
    let left = try sums()
    guard case .operand(let operand) = left else { return left }
    if let filter = try relation(to: operand, nil, start) { return .filter(filter) }
    return left
  }

  /// ANY, ALL and NONE are keys where an operator follows them.
  private mutating func quantifier() -> Filter.Quantifier? {
    guard let word = keyword(token) else { return nil }
    switch next.kind {
    case .word(let follower):
      if Self.relations[follower.uppercased()] != nil
        || ["IS", "NOT", "AND", "OR"].contains(follower.uppercased())
      {
        return nil
      }
    case .quotedWord: break
    default: return nil
    }
    guard let quantifier = Filter.Quantifier(rawValue: word == "SOME" ? "ANY" : word) else {
      return nil
    }
    advance()
    return quantifier
  }

  static let relations: [String: Filter.Relation] = [
    "IN": .isIn, "BETWEEN": .between, "CONTAINS": .contains, "BEGINSWITH": .beginsWith,
    "ENDSWITH": .endsWith, "LIKE": .like, "MATCHES": .matches,
  ]

  private static let symbols: [String: Filter.Relation] = [
    "==": .equal, "=": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual,
    "=<": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
  ]

  /// The rest of a comparison; nil where none follows.
  private mutating func relation(
    to left: Filter.Operand, _ quantifier: Filter.Quantifier?, _ start: Int
  ) throws(QueryError) -> Filter? {
    if skip(word: "IS") {
      let isNegated = skip(word: "NOT")
      guard let word = keyword(token), Self.nulls.contains(word) else {
        throw unexpected(wanted: "NULL")
      }
      advance()
      noteComparison(at: start)
      return Filter(
        Filter.Comparison(left, isNegated ? .notEqual : .equal, nil, quantifier: quantifier))
    }
    let isNegated = keyword(token) == "NOT" && keyword(next).flatMap { Self.relations[$0] } != nil
    if isNegated { advance() }
    guard let relation = relation() else { return nil }
    noteComparison(at: start)
    let options = try options()
    let operandStart = token.offset
    guard case .operand(let right) = try sums() else {
      throw error("Here a filter stands where a value is expected.", at: operandStart)
    }
    let filter = Filter(
      Filter.Comparison(left, relation, right, options: options, quantifier: quantifier))
    return isNegated ? .not(filter) : filter
  }

  private mutating func relation() -> Filter.Relation? {
    let found: Filter.Relation? =
      if case .symbol(let symbol) = token.kind {
        Self.symbols[symbol]
      } else {
        keyword(token).flatMap { Self.relations[$0] }
      }
    if found != nil { advance() }
    return found
  }

  /// `[c]`, `[d]` and `[cd]`.
  mutating func options() throws(QueryError) -> Filter.TextOptions {
    guard token.kind == .symbol("["), let letters = keyword(next),
      letters.allSatisfy({ $0 == "C" || $0 == "D" })
    else { return [] }
    advance()
    advance()
    try expect("]")
    var options: Filter.TextOptions = []
    if letters.contains("C") { options.insert(.ignoringCase) }
    if letters.contains("D") { options.insert(.ignoringDiacritics) }
    return options
  }
}
