internal import FoundationEssentials
internal import ObjectModel

// The expressions that join and compare.

extension PredicateExpressions.Conjunction: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    .filter(.and([try walk.filter(lhs), try walk.filter(rhs)]))
  }
}

extension PredicateExpressions.Disjunction: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    .filter(.or([try walk.filter(lhs), try walk.filter(rhs)]))
  }
}

extension PredicateExpressions.Negation: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    .filter(.not(try walk.filter(wrapped)))
  }
}

extension PredicateExpressions.Conditional: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    let condition = try walk.filter(test)
    guard Output.self == Bool.self else { throw walk.refused(self, " where it chooses a value") }
    let (one, other) = (try walk.filter(trueBranch), try walk.filter(falseBranch))
    return .filter(.or([.and([condition, one]), .and([.not(condition), other])]))
  }
}

extension PredicateExpressions.Equal: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    .filter(try walk.equality(try walk.piece(lhs), try walk.piece(rhs), of: self))
  }
}

extension PredicateExpressions.NotEqual: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    let (one, other) = (try walk.piece(lhs), try walk.piece(rhs))
    if case .operand(let one) = one, case .operand(let other) = other {
      return .filter(Filter(.init(one, .notEqual, other)))
    }
    return .filter(.not(try walk.equality(one, other, of: self)))
  }
}

extension PredicateWalk {
  /// Whether two pieces are equal; a filter is compared with what is known only.
  fileprivate func equality(
    _ one: Piece, _ other: Piece, of expression: Any
  ) throws(QueryError) -> Filter {
    switch (one, other) {
    case (.operand(let one), .operand(let other)): return Filter(.init(one, .equal, other))
    case (.filter(let filter), .operand(.literal(true))),
      (.operand(.literal(true)), .filter(let filter)):
      return filter
    case (.filter(let filter), .operand(.literal(false))),
      (.operand(.literal(false)), .filter(let filter)):
      return .not(filter)
    case (.optional(let isThere, let filter), .operand(.literal(let value))),
      (.operand(.literal(let value)), .optional(let isThere, let filter)):
      switch value {
      case true: return .and([isThere, filter])
      case false: return .and([isThere, .not(filter)])
      case .null: return .not(isThere)
      default: return .none
      }
    default: throw refused(expression, " between two conditions")
    }
  }
}

extension PredicateExpressions.Comparison: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    let relation: Filter.Relation =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      @unknown default: throw walk.refused(self)
      }
    return .filter(Filter(.init(try walk.operand(lhs), relation, try walk.operand(rhs))))
  }
}

extension PredicateExpressions.NilCoalesce: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    switch (try walk.piece(lhs), try walk.piece(rhs)) {
    case (.operand(let one), .operand(let other)): return .operand(.otherwise(one, other))
    case (.optional(let isThere, let filter), .operand(.literal(false))):
      return .filter(.and([isThere, filter]))
    case (.optional(let isThere, let filter), .operand(.literal(true))):
      return .filter(.or([.not(isThere), filter]))
    default: throw walk.refused(self, " between two conditions")
    }
  }
}

extension PredicateExpressions.RangeExpressionContains: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    guard case .range(let lower, let upper, let isClosed) = try walk.piece(range) else {
      throw walk.refused(self, " with this range")
    }
    let element = try walk.operand(self.element)
    if let lower, let upper, isClosed {
      return .filter(Filter(.init(element, .between, .list([lower, upper]))))
    }
    var parts: [Filter] = []
    if let lower { parts.append(Filter(.init(element, .greaterOrEqual, lower))) }
    if let upper { parts.append(Filter(.init(element, isClosed ? .lessOrEqual : .less, upper))) }
    return .filter(.and(parts))
  }
}

extension PredicateExpressions.ClosedRange: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    .range(try walk.operand(lower), try walk.operand(upper), isClosed: true)
  }
}

extension PredicateExpressions.Range: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    .range(try walk.operand(lower), try walk.operand(upper), isClosed: false)
  }
}
