// Where in a text something stands that has been found wrong later.
extension QueryParser {
  /// Where a key of a path stands in a comparison of a text; nil where the text has none.
  static func place(
    of path: [String], _ index: Int, inComparison comparison: Int, _ text: String
  ) -> QueryError.Place? {
    guard var parser = try? QueryParser(text) else { return nil }
    // The text is a filter or a query; what it is not is noticed at once.
    if (try? parser.wholeFilter()) == nil || parser.token.kind != .end {
      guard let another = try? QueryParser(text) else { return nil }
      parser = another
      guard (try? parser.query()) != nil else { return nil }
    }
    let offsets = parser.comparisonOffsets.sorted()
    guard offsets.indices.contains(comparison) else {
      return parser.place(of: path, index, from: 0)
    }
    return parser.place(of: path, index, from: offsets[comparison])
  }

  /// Where a key of a path stands in a text, behind the last of a keyword if one is given.
  static func place(
    of path: [String], _ index: Int, behind word: String? = nil, in text: String
  ) -> QueryError.Place? {
    guard let parser = try? QueryParser(text) else { return nil }
    let start = word.flatMap { word in parser.tokens.last { parser.keyword($0) == word }?.offset }
    return parser.place(of: path, index, from: start ?? 0)
  }

  private func place(of path: [String], _ index: Int, from offset: Int) -> QueryError.Place? {
    let tokens = tokens.filter { $0.offset >= offset }
    for start in tokens.indices {
      let places = path.indices.map { start + 2 * $0 }
      guard let last = places.last, last < tokens.count,
        zip(path, places).allSatisfy({ tokens[$1].isName($0) })
      else { continue }
      return place(places[min(index, places.count - 1)], tokens)
    }
    return tokens.isEmpty ? nil : place(0, tokens)
  }

  private func place(_ index: Int, _ tokens: [Token]) -> QueryError.Place {
    QueryError.Place(tokens[index].offset, in: lexer.scalars)
  }
}

extension Token {
  fileprivate func isName(_ name: String) -> Bool {
    switch kind {
    case .word(let word), .quotedWord(let word): word == name
    default: false
    }
  }
}
