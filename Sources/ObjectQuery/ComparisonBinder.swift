internal import ObjectModel

/// Binds one comparison: resolves its operands, converts its literals, and refuses what can never be.
struct ComparisonBinder {
  private let source: Filter.Comparison
  private var relation: Filter.Relation
  private var left: PathBinder.Operand
  private var right: PathBinder.Operand

  init(_ comparison: Filter.Comparison, _ names: PathBinder) throws(BindProblem) {
    source = comparison
    relation = comparison.relation
    left = try names.bind(comparison.left)
    right = try names.bind(comparison.right)
    try checkCounts()
    // A literal goes to the right, a list of members too.
    if left.bound.constant != nil, right.bound.constant == nil {
      if let exchanged = relation.exchanged {
        (relation, left, right) = (exchanged, right, left)
      } else if relation == .contains, left.bound.constant?.memberCount != nil {
        (relation, left, right) = (.isIn, right, left)
      }
    }
  }

  func bound() throws(BindProblem) -> BoundFilter.Node {
    var binder = self
    try binder.check()
    return try binder.node()
  }

  /// Makes sure that each side is one value, or that it is said which of several.
  private func checkCounts() throws(BindProblem) {
    if source.quantifier != nil {
      guard case .path(let path) = left.bound,
        path.leadsToMany || path.type.canHaveMembers
      else {
        throw BindProblem(
          .badPath, "\(left.source) leads to one value, so ANY, ALL and NONE say nothing of it.",
          left.path)
      }
    } else if !(relation == .contains && left.hasOwnDestinations) {
      try left.requireOne()
    }
    if !(relation == .isIn && right.hasOwnDestinations) { try right.requireOne() }
  }

  // MARK: Literals

  private mutating func check() throws(BindProblem) {
    // Of a quantified path the members are compared, whose kinds are not known.
    let isOfMembers = source.quantifier != nil && left.type.canHaveMembers
    let type = isOfMembers && left.type != .destinations ? .unknown : left.type
    switch relation {
    case .equal, .notEqual: try convertRight(type)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      guard type.canBeOrdered else { throw .cannot(left, relation) }
      try convertRight(type)
    case .between:
      guard type.canBeOrdered else { throw .cannot(left, relation) }
      try convertList(type)
      let count = right.bound.constant?.memberCount ?? right.bound.partCount
      guard count == 2 else {
        throw BindProblem(
          .cannotCompare, "BETWEEN needs two values, as in likes BETWEEN {1, 10}.", left.path)
      }
    case .isIn:
      if right.bound.constant == nil, right.bound.partCount == nil {
        guard right.type.canHaveMembers else { throw .cannot(right, relation) }
        if right.type == .destinations { try convertLeft(.reference) }
      } else {
        try convertList(type)
      }
    case .contains: try checkContains(type)
    case .beginsWith, .endsWith, .like, .matches:
      guard type.canBeText else { throw .cannot(left, relation) }
      try requireText()
    }
  }

  private mutating func convertRight(_ type: OperandType) throws(BindProblem) {
    guard let literal = right.bound.constant else { return }
    guard let converted = type.converted(literal) else { throw .never(left, literal) }
    right.bound = .constant(converted)
  }

  private mutating func convertLeft(_ type: OperandType) throws(BindProblem) {
    guard let literal = left.bound.constant else { return }
    guard let converted = type.converted(literal) else { throw .never(right, literal) }
    left.bound = .constant(converted)
  }

  private mutating func convertList(_ type: OperandType) throws(BindProblem) {
    if case .list(let parts) = right.bound {
      var converted: [BoundOperand] = []
      for part in parts {
        guard let literal = part.constant else {
          converted.append(part)
          continue
        }
        guard let value = type.converted(literal) else { throw .never(left, literal) }
        converted.append(.constant(value))
      }
      right.bound = .list(converted)
      return
    }
    let members: [Value]
    switch right.bound.constant {
    case .array(let values)?: members = values
    case .set(let values)?: members = values.inOrder
    case let literal?: throw .never(left, literal)
    case nil: return
    }
    var converted: [Value] = []
    for member in members {
      guard let value = type.converted(member) else { throw .never(left, member) }
      converted.append(value)
    }
    right.bound = .constant(.array(converted))
  }

  private mutating func checkContains(_ type: OperandType) throws(BindProblem) {
    switch type {
    case .destinations: try convertRight(.reference)
    case .attribute(.string), .attribute(.url): try requireText()
    case _ where type.canHaveMembers: break
    default: throw .cannot(left, relation)
    }
  }

  private func requireText() throws(BindProblem) {
    guard let literal = right.bound.constant else { return }
    guard literal.kind == .string || literal.isNull else { throw .never(left, literal) }
  }

  // MARK: The result

  private func node() throws(BindProblem) -> BoundFilter.Node {
    var pattern: Pattern?
    if relation == .matches, let text = right.bound.constant?.string {
      pattern = Pattern.read(text, source.options)
      if pattern == nil {
        throw BindProblem(.badPattern, Pattern.refusal(of: text), left.path)
      }
    }
    let known = ValueRelation(relation, source.options, pattern: pattern)
    if source.quantifier == nil, let constant = right.bound.constant {
      if let value = left.bound.constant { return .constant(known.holds(value, constant)) }
      if case .path(let path) = left.bound, let key = path.ownKey {
        let kind = ValueTest.Kind(known, constant, left.type)
        return .test(key, ValueTest(kind: kind, storedKind: left.type.storedKind, source: source))
      }
    }
    return .comparison(
      BoundComparison(
        quantifier: source.quantifier, left: left.bound, relation: known, right: right.bound,
        source: source))
  }
}

extension PathBinder.Operand {
  /// Whether it is the destinations of one object.
  fileprivate var hasOwnDestinations: Bool {
    guard case .path(let path) = bound else { return false }
    return path.type == .destinations && !path.leadsToMany
  }
}

extension BoundOperand {
  /// How many operands a list has.
  fileprivate var partCount: Int? { if case .list(let parts) = self { parts.count } else { nil } }
}

extension ValueTest.Kind {
  /// The quickest test that does the same.
  fileprivate init(_ relation: ValueRelation, _ constant: Value, _ type: OperandType) {
    self = .relation(
      relation, relation.relation == .matches ? constant : constant.folded(relation.options))
    guard relation.options.isEmpty, case .attribute(let attribute) = type else { return }
    if attribute == .integer || attribute == .counter {
      if let bounds = Self.bounds(relation.relation, constant) {
        self = .integers(bounds.lower, bounds.upper)
        return
      }
    }
    let kind = type.storedKind.flatMap { Self.comparedAsStored.contains($0) ? $0 : nil }
    if relation.relation == .isIn, let kind, case .array(let members) = constant,
      members.allSatisfy({ $0.kind == kind })
    {
      self = .among(Set(members))
    }
  }

  /// Kinds whose values are the same only where they are stored the same.
  private static let comparedAsStored: Set<Value.Kind> = [
    .boolean, .integer, .counter, .string, .uuid,
  ]

  /// The integers that a relation lets pass.
  private static func bounds(
    _ relation: Filter.Relation, _ constant: Value
  ) -> (lower: Int, upper: Int)? {
    if relation == .between, case .array(let bounds) = constant, let lower = bounds[0].wholeNumber,
      let upper = bounds[1].wholeNumber
    {
      return (lower, upper)
    }
    guard let number = constant.wholeNumber else { return nil }
    switch relation {
    case .equal: return (number, number)
    case .less: return number == .min ? nil : (.min, number - 1)
    case .lessOrEqual: return (.min, number)
    case .greater: return number == .max ? nil : (number + 1, .max)
    case .greaterOrEqual: return (number, .max)
    default: return nil
    }
  }
}
