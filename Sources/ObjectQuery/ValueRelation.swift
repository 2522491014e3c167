package import ObjectModel

/// How a value must stand to others: what of a comparison is left when its operands are values. What texts
/// are compared with has been folded once.
package struct ValueRelation: Sendable {
  let relation: Filter.Relation
  let options: Filter.TextOptions
  private let pattern: Pattern?

  /// Makes a relation.
  ///
  /// - Parameter pattern: the regular expression, where it is known.
  init(_ relation: Filter.Relation, _ options: Filter.TextOptions, pattern: Pattern? = nil) {
    self.relation = relation
    self.options = options
    self.pattern = pattern
  }

  /// Whether a value stands so to another. Neither has been folded.
  func holds(_ one: Value, _ other: Value) -> Bool {
    if options.isEmpty { return holdsFolded(one, other) }
    return holdsFolded(
      one.folded(textOptions), relation == .matches ? other : other.folded(options))
  }

  /// How the left side is folded. An expression ignores case by itself.
  var textOptions: Filter.TextOptions {
    relation == .matches ? options.subtracting(.ignoringCase) : options
  }

  /// Whether a value stands so to another, both folded.
  func holdsFolded(_ one: Value, _ other: Value) -> Bool {
    switch relation {
    case .equal: return one.isSame(as: other)
    case .notEqual: return !one.isSame(as: other)
    case .less: return one.order(other).map { $0 < 0 } ?? false
    case .lessOrEqual: return one.order(other).map { $0 <= 0 } ?? false
    case .greater: return one.order(other).map { $0 > 0 } ?? false
    case .greaterOrEqual: return one.order(other).map { $0 >= 0 } ?? false
    case .between:
      guard case .array(let bounds) = other, bounds.count == 2 else { return false }
      return (one.order(bounds[0]).map { $0 >= 0 } ?? false)
        && (one.order(bounds[1]).map { $0 <= 0 } ?? false)
    case .isIn: return other.hasMember(one)
    case .contains:
      if let text = one.searchedText {
        return other.string.map { text.hasPart($0) } ?? false
      }
      return one.hasMember(other)
    case .beginsWith:
      guard let text = one.searchedText, let start = other.string else { return false }
      return text.utf8.starts(with: start.utf8)
    case .endsWith:
      guard let text = one.searchedText, let end = other.string else { return false }
      return text.utf8.reversed().starts(with: end.utf8.reversed())
    case .like:
      guard let text = one.searchedText, let pattern = other.string else { return false }
      return text.isLike(pattern)
    case .matches:
      guard let text = one.searchedText else { return false }
      return (pattern ?? other.string.flatMap { Pattern.read($0, options) })?.matches(text) ?? false
    }
  }
}

extension Pattern {
  /// The expression of a pattern; nil where it is none.
  static func read(_ pattern: String, _ options: Filter.TextOptions) -> Pattern? {
    read(options.contains(.ignoringCase) ? "(?i)" + pattern : pattern)
  }
}

/// What a value of an object must be like, against values that are known.
package struct ValueTest: Sendable {
  enum Kind: Sendable {
    /// An integer or a counter between two bounds.
    case integers(Int, Int)
    /// One of several values that are equal only where they are the same.
    case among(Set<Value>)
    case relation(ValueRelation, Value)
  }

  let kind: Kind
  /// Of which kind all values of the key are, where that is known.
  let storedKind: Value.Kind?
  let source: Filter.Comparison

  /// Whether a value passes.
  package func admits(_ value: Value) -> Bool {
    switch kind {
    case .integers(let lower, let upper):
      switch value {
      case .integer(let number), .counter(let number): return number >= lower && number <= upper
      default: return false
      }
    case .among(let values): return values.contains(value)
    case .relation(let relation, let constant):
      let options = relation.textOptions
      return relation.holdsFolded(options.isEmpty ? value : value.folded(options), constant)
    }
  }
}
