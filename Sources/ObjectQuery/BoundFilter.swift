package import ObjectModel

/// A filter whose names and literals have been resolved for an entity of a model, ready to be tested.
package struct BoundFilter: Sendable {
  indirect enum Node: Sendable {
    case constant(Bool)
    case and([Node])
    case or([Node])
    case not(Node)
    /// A value of the object itself, by a test that needs nothing else.
    case test(KeyNumber, ValueTest)
    case comparison(BoundComparison)
    case related(Filter.Quantifier, [BoundPath.Hop], Node, source: Filter)
  }

  let node: Node
  /// The filter it was made of.
  package let filter: Filter

  init(_ node: Node, _ filter: Filter) {
    self.node = node
    self.filter = filter
  }

  /// Whether it is known without an object; nil where it is not.
  package var constant: Bool? { if case .constant(let isTrue) = node { isTrue } else { nil } }

  /// Parts that must all pass and need one stored value each: for whoever has columns of values.
  package var columnTests: [(key: KeyNumber, test: ValueTest)] {
    conjuncts.compactMap { if case .test(let key, let test) = $0 { (key, test) } else { nil } }
  }

  /// What is left to be tested where `columnTests` have passed; nil where nothing is.
  package var besideColumnTests: BoundFilter? {
    let rest = conjuncts.filter { if case .test = $0 { false } else { true } }
    if rest.isEmpty { return nil }
    let node = rest.count == 1 ? rest[0] : .and(rest)
    return BoundFilter(node, node.filter)
  }

  /// Parts that must all pass.
  var conjuncts: [Node] { node.conjuncts }
}

/// A comparison whose operands have been resolved.
struct BoundComparison: Sendable {
  let quantifier: Filter.Quantifier?
  let left: BoundOperand
  let relation: ValueRelation
  let right: BoundOperand
  let source: Filter.Comparison
}

/// An operand that has been resolved.
indirect enum BoundOperand: Hashable, Sendable {
  case constant(Value)
  case path(BoundPath)
  case list([BoundOperand])
  case arithmetic(Filter.Arithmetic, BoundOperand, BoundOperand)
  case negative(BoundOperand)
  case otherwise(BoundOperand, BoundOperand)

  var constant: Value? { if case .constant(let value) = self { .some(value) } else { .none } }
}

extension BoundFilter.Node {
  var conjuncts: [BoundFilter.Node] {
    switch self {
    case .and(let parts): parts
    case .constant(true): []
    default: [self]
    }
  }

  /// The filter that this part was made of.
  var filter: Filter {
    switch self {
    case .constant(let isTrue): isTrue ? .all : .none
    case .and(let parts): .and(parts.map(\.filter))
    case .or(let parts): .or(parts.map(\.filter))
    case .not(let part): .not(part.filter)
    case .test(_, let test): Filter(test.source)
    case .comparison(let comparison): Filter(comparison.source)
    case .related(_, _, _, let source): source
    }
  }
}
