internal import FoundationEssentials
internal import ObjectModel

// The expressions that are values: keys, literals, arithmetic.

extension PredicateExpressions.Variable: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    guard let binding = walk.variables[key] else { throw walk.refused(self) }
    guard binding.level == walk.level else {
      throw walk.refused(self, " where a closure looks at the object around it")
    }
    return .operand(binding.operand)
  }
}

extension PredicateExpressions.KeyPath: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    guard case .key(let path) = try walk.operand(root) else {
      throw walk.refused(self, " behind anything but a key")
    }
    // A name that the program has comes first: an object may have a count of its own.
    if let keys = walk.keys(keyPath, path) { return .operand(.key(keys)) }
    switch kind {
    case .collectionIsEmpty? where Root.Output.self is String.Type:
      return .filter(Filter(.init(.key(path), .equal, "")))
    // The data's own, which are none of those that all collections have.
    case _ where keyPath == \Data.isEmpty:
      return .filter(Filter(.init(.key(path), .equal, .literal(.data(Data())))))
    case .collectionCount? where Root.Output.self is String.Type, _ where keyPath == \Data.count:
      throw walk.refused(self, " that counts what is in a \(Root.Output.self)")
    case .collectionCount?: return .operand(.count(path))
    case .collectionIsEmpty?: return .filter(Filter(.init(.count(path), .equal, 0)))
    default:
      throw QueryError(
        .untranslatable, "A predicate uses the key path \(keyPath), which leads to no key.")
    }
  }
}

extension PredicateExpressions.Value: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    if let range = value as? any PredicateRange {
      let bounds = range.predicateBounds
      return .range(
        try bound(bounds.lower, walk), try bound(bounds.upper, walk), isClosed: bounds.isClosed)
    }
    guard let literal = Value(any: value) else {
      throw walk.refused(self, " where it is a \(Output.self)")
    }
    return .operand(.literal(literal))
  }

  private func bound(
    _ bound: Any?, _ walk: PredicateWalk
  ) throws(QueryError) -> Filter.Operand? {
    guard let bound else { return .none }
    guard let value = Value(any: bound) else { throw walk.refused(self, " with such bounds") }
    return .some(.literal(value))
  }
}

extension PredicateExpressions.NilLiteral: WalkedExpression {
  func piece(_ walk: PredicateWalk) -> PredicateWalk.Piece { .operand(nil) }
}

extension PredicateExpressions.ForcedUnwrap: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    try walk.piece(inner)
  }
}

extension PredicateExpressions.OptionalFlatMap: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    let wrapped = try walk.operand(self.wrapped)
    var inner = walk
    inner.variables[variable.key] = .init(level: walk.level, operand: wrapped)
    let isThere = Filter(.init(wrapped, .notEqual, nil))
    switch try inner.piece(transform) {
    case .operand(.literal(true)): return .optional(isThere: isThere, .all)
    case .operand(.literal(false)): return .optional(isThere: isThere, .none)
    case .operand(let operand):
      guard operand.isNull(with: wrapped, walk) else {
        throw walk.refused(self, " whose result need not be nil where what it is over is")
      }
      return .operand(operand)
    case .filter(let filter): return .optional(isThere: isThere, filter)
    case .optional(let isThereToo, let filter):
      return .optional(isThere: .and([isThere, isThereToo]), filter)
    case .range: throw walk.refused(self, " over a range")
    }
  }
}

extension PredicateExpressions.Arithmetic: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    let arithmetic: Filter.Arithmetic =
      switch op {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      @unknown default: throw walk.refused(self)
      }
    return .operand(.arithmetic(arithmetic, try walk.operand(lhs), try walk.operand(rhs)))
  }
}

extension PredicateExpressions.IntDivision: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    .operand(.arithmetic(.divide, try walk.operand(lhs), try walk.operand(rhs)))
  }
}

extension PredicateExpressions.FloatDivision: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    .operand(.arithmetic(.divide, try walk.operand(lhs), try walk.operand(rhs)))
  }
}

extension PredicateExpressions.IntRemainder: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    .operand(.arithmetic(.remainder, try walk.operand(lhs), try walk.operand(rhs)))
  }
}

extension PredicateExpressions.UnaryMinus: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    .operand(.negative(try walk.operand(wrapped)))
  }
}

extension PredicateExpressions.DictionaryKeySubscript: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    guard case .key(let path) = try walk.operand(wrapped),
      case .literal(.string(let name)) = try walk.operand(key)
    else { throw walk.refused(self, " unless the key is a text that is known") }
    return .operand(.key(path + [name]))
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    guard case .key(let path) = try walk.operand(wrapped),
      case .literal(.string(let name)) = try walk.operand(key)
    else { throw walk.refused(self, " unless the key is a text that is known") }
    return .operand(.otherwise(.key(path + [name]), try walk.operand(self.default)))
  }
}

extension Filter.Operand {
  /// Whether it is null wherever another is.
  fileprivate func isNull(with other: Filter.Operand, _ walk: PredicateWalk) -> Bool {
    if self == other || self == .literal(.null) { return true }
    switch (self, other) {
    case (.key(let path), .key(let start)), (.count(let path), .key(let start)):
      if path.starts(with: start) { return true }
      // What a computed object has is computed, too, under a name of its own.
      guard let last = start.last, path.count >= start.count else { return false }
      return path.starts(with: start.dropLast()) && walk.isComputed(last)
        && walk.isComputed(path[start.count - 1])
    case (.arithmetic(_, let one, let two), _):
      return one.isNull(with: other, walk) || two.isNull(with: other, walk)
    case (.negative(let operand), _): return operand.isNull(with: other, walk)
    case (.otherwise(let one, let two), _):
      return one.isNull(with: other, walk) && two.isNull(with: other, walk)
    default: return false
    }
  }
}
