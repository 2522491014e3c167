/// Reads queries, filters and sort keys.
///
/// From the loosest to the tightest: OR, AND, NOT, comparisons, `??`, `+ -`, `* / %`, signs.
struct QueryParser {
  let lexer: Lexer
  let tokens: [Token]
  private var index = 0
  private var depth = 0
  /// Where the comparisons begin, in the order of the text.
  private(set) var comparisonOffsets: [Int] = []

  init(_ text: String) throws(QueryError) {
    var lexer = try Lexer(text)
    tokens = try lexer.tokens()
    self.lexer = lexer
  }

  /// What stands in parentheses may be either.
  enum Piece {
    case operand(Filter.Operand)
    case filter(Filter)
  }

  static func filter(_ text: String) throws(QueryError) -> Filter {
    var parser = try QueryParser(text)
    let filter = try parser.wholeFilter()
    try parser.expectEnd("AND, OR or the end")
    return filter
  }

  static func query(_ text: String) throws(QueryError) -> Query {
    var parser = try QueryParser(text)
    let query = try parser.query()
    try parser.expectEnd("where, sort, limit, offset or the end")
    return query
  }

  static func sortKey(_ text: String) throws(QueryError) -> SortKey {
    var parser = try QueryParser(text)
    let key = try parser.sortKey()
    try parser.expectEnd("the end of the sort key")
    return key
  }

  // MARK: Tokens

  var token: Token { tokens[index] }
  var next: Token { tokens[min(index + 1, tokens.count - 1)] }

  mutating func advance() { index = min(index + 1, tokens.count - 1) }

  /// The word that stands here, in capitals; words are keywords in either case.
  func keyword(_ token: Token) -> String? {
    if case .word(let word) = token.kind { word.uppercased() } else { nil }
  }

  mutating func skip(word: String) -> Bool {
    guard keyword(token) == word else { return false }
    advance()
    return true
  }

  mutating func skip(_ symbol: String) -> Bool {
    guard token.kind == .symbol(symbol) else { return false }
    advance()
    return true
  }

  mutating func expect(_ symbol: String) throws(QueryError) {
    if !skip(symbol) { throw unexpected(wanted: "‘\(symbol)’") }
  }

  private mutating func expectEnd(_ wanted: String) throws(QueryError) {
    if token.kind != .end { throw unexpected(wanted: wanted) }
  }

  func unexpected(wanted: String) -> QueryError {
    let found =
      switch token.kind {
      case .end: "the text ends"
      case .word(let word), .quotedWord(let word): "there is ‘\(word.prefix(40))’"
      case .number(let text), .symbol(let text): "there is ‘\(text.prefix(40))’"
      case .text: "there is a text"
      case .date: "there is a date"
      }
    return error("Here \(found), where \(wanted) is expected.", at: token.offset)
  }

  func error(
    _ message: String, at offset: Int, code: QueryError.Code = .badText
  ) -> QueryError {
    lexer.error(message, at: offset, code: code)
  }

  /// Notes that a part stands within another.
  mutating func enter() throws(QueryError) {
    depth += 1
    if depth > Self.largestNesting { throw tooDeep(at: token.offset) }
  }

  /// Every part that is printed stands in two others at most that the tree does not have.
  private static let largestNesting = 2 * Filter.largestDepth + 10

  private func tooDeep(at offset: Int) -> QueryError {
    error(
      "Parts stand within each other too deeply; at most \(Filter.largestDepth) may.", at: offset,
      code: .tooLarge)
  }

  mutating func leave() { depth -= 1 }

  mutating func noteComparison(at offset: Int) { comparisonOffsets.append(offset) }

  // MARK: Queries

  mutating func wholeFilter() throws(QueryError) -> Filter {
    let start = token.offset
    let filter = try filter()
    if filter.depth > Filter.largestDepth { throw tooDeep(at: start) }
    return filter
  }

  mutating func query() throws(QueryError) -> Query {
    guard let entity = name(token) else { throw unexpected(wanted: "the name of an entity") }
    advance()
    var query = Query(entity: entity)
    if skip(word: "WHERE") { query.filter = try wholeFilter() }
    if skip(word: "SORT") {
      _ = skip(word: "BY")
      repeat {
        let key = try sortKey()
        query.sort.append(key)
      } while skip(",")
    }
    if skip(word: "LIMIT") { query.limit = try count() }
    if skip(word: "OFFSET") { query.offset = try count() }
    return query
  }

  private mutating func sortKey() throws(QueryError) -> SortKey {
    var isDescending = skip("-")
    if !isDescending { _ = skip("+") }
    let operand = try path()
    let options = try options()
    if skip(word: "DESC") { isDescending = true } else { _ = skip(word: "ASC") }
    return SortKey(operand, descending: isDescending, options: options)
  }

  private mutating func count() throws(QueryError) -> Int {
    guard case .number(let text) = token.kind, let count = Int(text) else {
      throw unexpected(wanted: "a whole number")
    }
    advance()
    return count
  }
}
