internal import ObjectModel

extension PathBinder {
  /// An operand with what it can give.
  struct Operand {
    var bound: BoundOperand
    let type: OperandType
    let source: Filter.Operand

    /// The path that is to blame where it does not fit.
    var path: [String] {
      switch source {
      case .key(let path), .count(let path): path
      default: []
      }
    }
  }

  /// Resolves the keys of an operand, and works out what needs no object.
  func bind(_ operand: Filter.Operand) throws(BindProblem) -> Operand {
    switch operand {
    case .literal(let value):
      return Operand(bound: .constant(value), type: .unknown, source: operand)
    case .key(let path):
      let bound = try bind(path)
      return Operand(bound: .path(bound), type: bound.type, source: operand)
    case .count(let path):
      let bound = try bind(path, isCount: true)
      return Operand(bound: .path(bound), type: bound.type, source: operand)
    case .list(let parts):
      var bound: [BoundOperand] = []
      for part in parts { bound.append(try one(part).bound) }
      let constants = bound.compactMap(\.constant)
      return Operand(
        bound: constants.count == bound.count ? .constant(.array(constants)) : .list(bound),
        type: .unknown, source: operand)
    case .negative(let inner):
      let inner = try number(inner)
      return Operand(
        bound: inner.constant.map { .constant($0.negated) } ?? .negative(inner), type: .number,
        source: operand)
    case .arithmetic(let arithmetic, let one, let other):
      let (one, other) = (try number(one), try number(other))
      if let one = one.constant, let other = other.constant {
        return Operand(
          bound: .constant(arithmetic.apply(one, other)), type: .number, source: operand)
      }
      return Operand(bound: .arithmetic(arithmetic, one, other), type: .number, source: operand)
    case .otherwise(let one, let other):
      return try otherwise(try self.one(one), try self.one(other), operand)
    }
  }

  private func otherwise(
    _ one: Operand, _ other: Operand, _ source: Filter.Operand
  ) throws(BindProblem) -> Operand {
    if let value = one.bound.constant {
      return value.isNull ? other : one
    }
    var other = other
    if let literal = other.bound.constant {
      guard let converted = one.type.converted(literal) else {
        throw .never(one, literal)
      }
      other.bound = .constant(converted)
      return Operand(bound: .otherwise(one.bound, other.bound), type: one.type, source: source)
    }
    return Operand(
      bound: .otherwise(one.bound, other.bound),
      type: one.type == other.type ? one.type : .unknown, source: source)
  }

  /// An operand that is one value.
  private func one(_ operand: Filter.Operand) throws(BindProblem) -> Operand {
    let bound = try bind(operand)
    try bound.requireOne()
    return bound
  }

  private func number(_ operand: Filter.Operand) throws(BindProblem) -> BoundOperand {
    let bound = try one(operand)
    let isNumber = bound.bound.constant.map { $0.isNumber || $0.isNull } ?? bound.type.canBeNumber
    guard isNumber else {
      throw BindProblem(
        .cannotCompare, "\(operand) is no number, so nothing can be calculated with it.",
        bound.path,
        max(0, bound.path.count - 1))
    }
    return bound.bound
  }
}

extension PathBinder.Operand {
  /// Makes sure that there are not several values.
  func requireOne() throws(BindProblem) {
    guard case .path(let path) = bound, path.leadsToMany || path.type == .destinations else {
      return
    }
    throw BindProblem(
      .badPath,
      "\(source) leads to many objects; say ANY, ALL or NONE before it, or count them by @count.",
      self.path)
  }
}

extension BindProblem {
  /// An operand can never be what it is compared with.
  static func never(_ operand: PathBinder.Operand, _ literal: Value) -> BindProblem {
    BindProblem(
      .cannotCompare,
      "\(operand.source) is of type \(operand.type) and cannot be compared with \(literal).",
      operand.path, max(0, operand.path.count - 1))
  }

  /// An operand cannot be compared that way.
  static func cannot(_ operand: PathBinder.Operand, _ relation: Filter.Relation) -> BindProblem {
    BindProblem(
      .cannotCompare,
      "\(operand.source) is of type \(operand.type), for which there is no \(relation.rawValue).",
      operand.path, max(0, operand.path.count - 1))
  }
}
