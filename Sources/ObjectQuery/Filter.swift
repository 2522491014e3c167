/// Which objects are wanted, as a tree: comparisons, joined by and, or and not.
///
/// It is made of text (`try Filter("score > 10 AND mood == 'sunny'")`), of its parts, or of a `#Predicate`.
/// Two filters are equal where they say the same in the same order. docs/query.md says what each comparison
/// does with every kind of value.
public struct Filter: Hashable, Sendable {
  package indirect enum Node: Hashable, Sendable {
    case constant(Bool)
    case comparison(Comparison)
    case and([Filter])
    case or([Filter])
    case not(Filter)
    case related(Quantifier, [String], Filter)
  }

  package let node: Node
  /// How many parts stand within each other, at most.
  package let depth: Int

  private init(_ node: Node, depth: Int) {
    self.node = node
    self.depth = depth
  }

  /// The largest depth a filter may have to be used.
  package static let largestDepth = 50

  /// Every object.
  public static let all = Filter(.constant(true), depth: 1)

  /// No object.
  public static let none = Filter(.constant(false), depth: 1)

  /// The objects that a comparison is true of.
  public init(_ comparison: Comparison) {
    let depth = 1 + max(comparison.left.depth, comparison.right.depth)
    self.init(.comparison(comparison), depth: depth)
  }

  /// The objects that all filters let pass; every object where there are none.
  public static func and(_ filters: [Filter]) -> Filter {
    let parts = filters.flatMap { filter in
      if case .and(let parts) = filter.node { parts } else { [filter] }
    }
    if parts.count < 2 { return parts.first ?? .all }
    return Filter(.and(parts), depth: deepest(parts))
  }

  /// The objects that at least one filter lets pass; no object where there are none.
  public static func or(_ filters: [Filter]) -> Filter {
    let parts = filters.flatMap { filter in
      if case .or(let parts) = filter.node { parts } else { [filter] }
    }
    if parts.count < 2 { return parts.first ?? .none }
    return Filter(.or(parts), depth: deepest(parts))
  }

  /// The objects that a filter does not let pass.
  public static func not(_ filter: Filter) -> Filter {
    if case .not(let inner) = filter.node { return inner }
    return Filter(.not(filter), depth: 1 + filter.depth)
  }

  /// The objects of whose destinations any, all or none pass a filter.
  ///
  /// - Parameter path: a relationship to many, after relationships to one if need be.
  public static func related(
    _ quantifier: Quantifier, _ path: [String], _ filter: Filter
  ) -> Filter {
    Filter(.related(quantifier, path, filter), depth: 1 + filter.depth)
  }

  private static func deepest(_ parts: [Filter]) -> Int {
    parts.reduce(0) { max($0, $1.depth) } + 1
  }
}

extension Filter {
  /// The objects that both filters let pass.
  public static func && (one: Filter, other: Filter) -> Filter { and([one, other]) }

  /// The objects that one of the filters lets pass.
  public static func || (one: Filter, other: Filter) -> Filter { or([one, other]) }

  /// The objects that the filter does not let pass.
  public static prefix func ! (filter: Filter) -> Filter { not(filter) }
}
