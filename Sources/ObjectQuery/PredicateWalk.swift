package import FoundationEssentials
internal import ObjectModel

extension Filter {
  /// Reads what a `#Predicate` says, once, so that objects need not be evaluated one by one.
  ///
  /// - Parameter name: the name of the key that a key path leads to; nil where it leads to none.
  /// - Throws: `QueryError` with the code `untranslatable`, which names the operator that no filter has.
  package init<Object>(
    _ predicate: Predicate<Object>, name: @escaping (AnyKeyPath) -> String?
  ) throws(QueryError) {
    try self.init(predicate, keys: { path, keys in name(path).map { keys + [$0] } })
  }

  /// Reads what a `#Predicate` says, once, so that objects need not be evaluated one by one.
  ///
  /// - Parameters:
  ///   - keys: the keys that a key path leads to behind others; nil where it leads to none.
  ///   - isComputed: whether a key is of what objects are asked for, so that no row leads on from it.
  ///   - isUnasked: whether it is of that, and there is no such object.
  /// - Throws: `QueryError` with the code `untranslatable`, which names the operator that no filter has.
  package init<Object>(
    _ predicate: Predicate<Object>, keys: @escaping (AnyKeyPath, [String]) -> [String]?,
    isComputed: @escaping (String) -> Bool = { _ in false },
    isUnasked: @escaping (String) -> Bool = { _ in false }
  ) throws(QueryError) {
    var walk = PredicateWalk(keys: keys, isComputed: isComputed, isUnasked: isUnasked)
    walk.variables[predicate.variable.key] = .init(level: 0, operand: .key([]))
    self = try walk.filter(predicate.expression)
  }
}

/// Goes through the expressions of a predicate.
struct PredicateWalk {
  /// What a variable stands for.
  struct Binding {
    let level: Int
    let operand: Filter.Operand
  }

  /// What an expression is.
  enum Piece {
    case operand(Filter.Operand)
    case filter(Filter)
    /// What is true or false only where a value is there.
    case optional(isThere: Filter, Filter)
    /// From one operand up to another.
    case range(Filter.Operand?, Filter.Operand?, isClosed: Bool)
  }

  let keys: (AnyKeyPath, [String]) -> [String]?
  let isComputed: (String) -> Bool
  let isUnasked: (String) -> Bool
  var variables: [PredicateExpressions.VariableID: Binding] = [:]
  /// How many closures over destinations stand around this place.
  var level = 0

  func refused(_ expression: Any, _ reason: String = "") -> QueryError {
    let type = "\(type(of: expression))".prefix { $0 != "<" }
    return QueryError(
      .untranslatable, "A predicate’s \(type) has no counterpart in a filter\(reason).")
  }

  func piece(_ expression: some PredicateExpression) throws(QueryError) -> Piece {
    guard let walked = expression as? any WalkedExpression else { throw refused(expression) }
    return try walked.piece(self)
  }

  func operand(_ expression: some PredicateExpression) throws(QueryError) -> Filter.Operand {
    guard case .operand(let operand) = try piece(expression) else {
      throw refused(expression, " in this place, as it is no value")
    }
    return operand
  }

  func filter(_ expression: any PredicateExpression) throws(QueryError) -> Filter {
    switch try piece(expression) {
    case .filter(let filter): return filter
    case .optional(let isThere, let filter): return .and([isThere, filter])
    case .operand(.literal(true)): return .all
    case .operand(.literal(false)): return .none
    case .operand(let operand): return Filter(.init(operand, .equal, true))
    case .range: throw refused(expression, " in this place")
    }
  }

  /// The filter of a closure over destinations or members.
  func filter(
    _ quantifier: Filter.Quantifier, _ sequence: some PredicateExpression,
    _ variable: PredicateExpressions.VariableID, _ test: some PredicateExpression
  ) throws(QueryError) -> Filter {
    guard case .key(let path) = try operand(sequence), !path.isEmpty else {
      throw refused(sequence, " as what a closure goes over")
    }
    var inner = self
    inner.level += 1
    inner.variables[variable] = Binding(level: inner.level, operand: .key([]))
    let filter = try inner.filter(test)
    // Where there is nobody who has such a property nobody is asked what it leads to.
    if let last = path.last, isUnasked(last) { return quantifier == .any ? .none : .all }
    let isComputed = path.last.map(isComputed) ?? false
    // Of one comparison with a value the quantifier says the same, also of sets of values.
    if case .comparison(let comparison) = filter.node, comparison.quantifier == nil,
      comparison.right.isConstant
    {
      switch comparison.left {
      case .key(let rest) where rest.isEmpty || !isComputed:
        return comparison.with(.key(path + rest), quantifier)
      case .count(let rest) where !rest.isEmpty && !isComputed:
        return comparison.with(.count(path + rest), quantifier)
      default: break
      }
    }
    if isComputed { throw refused(sequence, " over objects that a property computes") }
    return .related(quantifier, path, filter)
  }
}

extension Filter.Comparison {
  fileprivate func with(_ left: Filter.Operand, _ quantifier: Filter.Quantifier) -> Filter {
    Filter(.init(left, relation, right, options: options, quantifier: quantifier))
  }
}

extension Filter.Operand {
  fileprivate var isConstant: Bool {
    switch self {
    case .literal: true
    case .list(let parts): parts.allSatisfy(\.isConstant)
    default: false
    }
  }
}

/// An expression of predicates that has a counterpart in filters.
protocol WalkedExpression {
  func piece(_ walk: PredicateWalk) throws(QueryError) -> PredicateWalk.Piece
}
