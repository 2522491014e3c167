package import ObjectModel

extension Filter {
  /// Resolves the names and literals of the filter for an entity.
  ///
  /// - Parameter text: what the filter was read from, so that an error can point into it.
  /// - Throws: `QueryError` where a key is unknown, or compared with what it can never hold.
  package func bound(
    to entity: ModelEntity, of model: ManagedObjectModel, _ resolver: any KeyResolver,
    text: String? = nil
  ) throws(QueryError) -> BoundFilter {
    var binder = FilterBinder()
    let names = PathBinder(model: model, entity: entity, resolver: resolver)
    do throws(BindProblem) {
      guard depth <= Self.largestDepth else {
        throw BindProblem(
          .tooLarge,
          "Parts stand within each other \(depth) deep; at most \(Self.largestDepth) may.")
      }
      return BoundFilter(try binder.bind(self, names), self)
    } catch {
      throw QueryError(error, comparison: binder.comparisonCount - 1, in: text)
    }
  }
}

/// Binds a filter part by part, in the order in which its text has them.
private struct FilterBinder {
  /// How many comparisons have been begun, to find the place of what is wrong.
  var comparisonCount = 0

  mutating func bind(_ filter: Filter, _ names: PathBinder) throws(BindProblem) -> BoundFilter.Node
  {
    switch filter.node {
    case .constant(let isTrue): return .constant(isTrue)
    case .and(let parts):
      var bound: [BoundFilter.Node] = []
      for part in parts { bound.append(try bind(part, names)) }
      return .joined(bound, isAnd: true)
    case .or(let parts):
      var bound: [BoundFilter.Node] = []
      for part in parts { bound.append(try bind(part, names)) }
      return .joined(bound, isAnd: false)
    case .not(let part):
      let bound = try bind(part, names)
      if case .constant(let isTrue) = bound { return .constant(!isTrue) }
      return .not(bound)
    case .related(let quantifier, let path, let inner):
      comparisonCount += 1
      let (hops, destination) = try names.bindDestinations(path)
      return .related(quantifier, hops, try bind(inner, destination), source: filter)
    case .comparison(let comparison):
      comparisonCount += 1
      return try ComparisonBinder(comparison, names).bound()
    }
  }
}

extension BoundFilter.Node {
  /// Parts joined, without those that change nothing.
  fileprivate static func joined(_ parts: [Self], isAnd: Bool) -> Self {
    var kept: [Self] = []
    for part in parts {
      guard case .constant(let isTrue) = part else {
        kept.append(part)
        continue
      }
      if isTrue != isAnd { return .constant(isTrue) }
    }
    if kept.isEmpty { return .constant(isAnd) }
    if kept.count == 1 { return kept[0] }
    return isAnd ? .and(kept) : .or(kept)
  }
}

extension QueryError {
  /// An error that points at the key of the comparison that is to blame, where there is a text.
  fileprivate init(_ problem: BindProblem, comparison: Int, in text: String?) {
    let place = text.flatMap {
      QueryParser.place(of: problem.path, problem.index, inComparison: comparison, $0)
    }
    self.init(problem.code, problem.message, at: place)
  }
}
