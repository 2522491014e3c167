// Filters, queries and sort keys as text that reads back as an equal one.

extension Filter: CustomStringConvertible {
  /// The filter as text, which `init(_:)` reads back as an equal filter.
  public var description: String {
    switch node {
    case .constant(let isTrue): isTrue ? "true" : "false"
    case .comparison(let comparison): comparison.description
    case .and(let parts): parts.map { $0.text(in: "AND") }.joined(separator: " AND ")
    case .or(let parts): parts.map { $0.text(in: "OR") }.joined(separator: " OR ")
    case .not(let filter): "NOT (\(filter))"
    case .related(let quantifier, let path, let filter):
      "\(quantifier.rawValue) \(Filter.Operand.key(path)) (\(filter))"
    }
  }

  private func text(in word: String) -> String {
    if case .or = node, word == "AND" { return "(\(self))" }
    return description
  }
}

extension Filter.Comparison: CustomStringConvertible {
  /// The comparison as text.
  public var description: String {
    let prefix = quantifier.map { $0.rawValue + " " } ?? ""
    return "\(prefix)\(left) \(relation.rawValue)\(options) \(right)"
  }
}

extension Filter.TextOptions: CustomStringConvertible {
  /// The options in brackets, or nothing.
  public var description: String {
    let letters =
      (contains(.ignoringCase) ? "c" : "") + (contains(.ignoringDiacritics) ? "d" : "")
    return letters.isEmpty ? "" : "[\(letters)]"
  }
}

extension Filter.Operand: CustomStringConvertible {
  /// The operand as text.
  public var description: String {
    switch self {
    case .key(let path): Self.text(path)
    case .count(let path): Self.text(path) + ".@count"
    case .literal(let value): value.queryText
    case .list(let parts): "{\(parts.map(\.description).joined(separator: ", "))}"
    case .arithmetic(let arithmetic, let one, let other):
      "\(one.part) \(arithmetic.rawValue) \(other.part)"
    case .negative(let operand): "-(\(operand))"
    case .otherwise(let one, let other): "\(one.part) ?? \(other.part)"
    }
  }

  /// The operand as a part of another.
  private var part: String {
    switch self {
    case .arithmetic, .otherwise: "(\(self))"
    default: description
    }
  }

  private static func text(_ path: [String]) -> String {
    guard let first = path.first else { return "SELF" }
    let isReserved = QueryParser.reserved.contains(first.uppercased())
    let names = path.dropFirst().map { name(of: $0, isReserved: false) }
    return ([name(of: first, isReserved: isReserved)] + names).joined(separator: ".")
  }

  private static func name(of key: String, isReserved: Bool) -> String {
    let scalars = key.unicodeScalars
    let isWord = scalars.first?.beginsWord ?? false && scalars.allSatisfy(\.continuesWord)
    if isWord, !isReserved { return key }
    var text = String.UnicodeScalarView()
    for scalar in scalars {
      if scalar == "`" { text.append(scalar) }
      text.append(scalar)
    }
    return "`\(String(text))`"
  }
}

extension SortKey: CustomStringConvertible {
  /// The sort key as text.
  public var description: String { (isDescending ? "-" : "") + "\(operand)\(options)" }
}

extension Query: CustomStringConvertible {
  /// The query as text, which `init(_:)` reads back as an equal one.
  public var description: String {
    var text = "\(Filter.Operand.key([entity]))"
    if filter != .all { text += " where \(filter)" }
    if !sort.isEmpty { text += " sort " + sort.map(\.description).joined(separator: ", ") }
    if let limit { text += " limit \(limit)" }
    if offset != 0 { text += " offset \(offset)" }
    return text
  }
}
