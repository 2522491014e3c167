internal import FoundationEssentials

// The expressions over several values and within texts.

extension PredicateExpressions.SequenceContains: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    let (many, one) = (try walk.operand(sequence), try walk.operand(element))
    if case .literal = many { return .filter(Filter(.init(one, .isIn, many))) }
    return .filter(Filter(.init(many, .contains, one)))
  }
}

extension PredicateExpressions.SequenceContainsWhere: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    .filter(try walk.filter(.any, sequence, variable.key, test))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    .filter(try walk.filter(.all, sequence, variable.key, test))
  }
}

extension PredicateExpressions.CollectionContainsCollection: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    guard Base.Output.self is any StringProtocol.Type else {
      throw walk.refused(self, " but for texts")
    }
    return .filter(Filter(.init(try walk.operand(base), .contains, try walk.operand(other))))
  }
}

extension PredicateExpressions.SequenceStartsWith: WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece {
    guard Base.Output.self is any StringProtocol.Type else {
      throw walk.refused(self, " but for texts")
    }
    return .filter(Filter(.init(try walk.operand(base), .beginsWith, try walk.operand(prefix))))
  }
}
