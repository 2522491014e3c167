package import ObjectModel

extension BoundFilter {
  /// Whether an object passes.
  ///
  /// - Throws: where what is asked of the object cannot be read.
  package func admits<Object: QueryObject>(
    _ object: Object
  ) throws(Object.Failure) -> Bool {
    try node.admits(object)
  }
}

extension BoundFilter.Node {
  func admits<Object: QueryObject>(_ object: Object) throws(Object.Failure) -> Bool {
    switch self {
    case .constant(let isTrue): return isTrue
    case .and(let parts):
      for part in parts where try !part.admits(object) { return false }
      return true
    case .or(let parts):
      for part in parts where try part.admits(object) { return true }
      return false
    case .not(let part): return try !part.admits(object)
    case .test(let key, let test): return test.admits(try object.value(of: key))
    case .comparison(let comparison): return try comparison.admits(object)
    case .related(let quantifier, let hops, let filter, _):
      return try quantifier.holds { (check) throws(Object.Failure) in
        try object.forEachEnd(of: hops[...]) { (end) throws(Object.Failure) in
          check(try filter.admits(end))
        }
      }
    }
  }
}

extension Filter.Quantifier {
  /// Whether it holds of several answers.
  ///
  /// - Parameter walk: hands out the answers to a closure, which returns whether to go on.
  func holds<Failure: Error>(
    _ walk: ((Bool) -> Bool) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    // A single answer decides: a true one for any and none, a false one for all.
    let deciding = self != .all
    var isDecided = false
    try walk { answer in
      if answer == deciding { isDecided = true }
      return !isDecided
    }
    return self == .any ? isDecided : !isDecided
  }
}

extension BoundComparison {
  func admits<Object: QueryObject>(_ object: Object) throws(Object.Failure) -> Bool {
    if relation.relation == .isIn || relation.relation == .contains {
      if let isIn = try isAmongDestinations(object) { return isIn }
    }
    let right = try right.value(of: object)
    guard let quantifier, case .path(let path) = left else {
      return relation.holds(try left.value(of: object), right)
    }
    return try quantifier.holds { (check) throws(Object.Failure) in
      try object.forEachValue(of: path) { (value) throws(Object.Failure) in
        check(relation.holds(value, right))
      }
    }
  }

  /// The answer where one side is a relationship to many, whose objects need not be brought together.
  private func isAmongDestinations<Object: QueryObject>(
    _ object: Object
  ) throws(Object.Failure) -> Bool? {
    guard quantifier == nil else { return nil }
    let (many, one) = relation.relation == .contains ? (left, right) : (right, left)
    guard case .path(let path) = many, case .destinations = path.terminal else { return nil }
    let wanted = try one.value(of: object)
    var isFound = false
    try object.forEachValue(of: path) { (value) throws(Object.Failure) in
      isFound = value.isSame(as: wanted)
      return !isFound
    }
    return isFound
  }
}

extension BoundOperand {
  /// What the operand is of an object.
  func value<Object: QueryObject>(of object: Object) throws(Object.Failure) -> Value {
    switch self {
    case .constant(let value): return value
    case .path(let path): return try object.value(of: path)
    case .list(let parts):
      var values: [Value] = []
      for part in parts { values.append(try part.value(of: object)) }
      return .array(values)
    case .arithmetic(let arithmetic, let one, let other):
      return arithmetic.apply(try one.value(of: object), try other.value(of: object))
    case .negative(let operand): return try operand.value(of: object).negated
    case .otherwise(let one, let other):
      let value = try one.value(of: object)
      return value.isNull ? try other.value(of: object) : value
    }
  }
}

extension QueryObject {
  /// What is at the end of a path without relationships to many.
  package func value(of path: BoundPath) throws(Failure) -> Value {
    try value(of: path, path.hops[...])
  }

  private func value(of path: BoundPath, _ hops: ArraySlice<BoundPath.Hop>) throws(Failure) -> Value
  {
    guard let hop = hops.first else { return try end(of: path) }
    guard let next = try related(by: hop.key) else { return .null }
    return try next.value(of: path, hops.dropFirst())
  }

  /// What a path takes of the object that its hops lead to.
  private func end(of path: BoundPath) throws(Failure) -> Value {
    var value: Value
    switch path.terminal {
    case .stored(let key): value = try self.value(of: key)
    case .virtual(let number): value = try virtualValue(number)
    case .identity: value = .reference(objectID)
    case .destinationCount(let key): return .integer(try countOfRelated(by: key))
    case .destinations, .nothing: return .null
    }
    for member in path.members {
      guard case .dictionary(let entries) = value else { return .null }
      value = entries[member] ?? .null
    }
    if path.isCount { return value.memberCount.map { .integer($0) } ?? .null }
    return value
  }

  /// Calls a closure with every value at the ends of a path: those of each destination, and the members of
  /// sets and arrays.
  ///
  /// - Parameter body: returns whether to go on.
  func forEachValue(
    of path: BoundPath, _ body: (Value) throws(Failure) -> Bool
  ) throws(Failure) {
    try forEachEnd(of: path.hops[...]) { (end) throws(Failure) in
      if case .destinations(let key) = path.terminal {
        var goesOn = true
        try end.forEachRelated(by: key) { (object) throws(Failure) in
          goesOn = try body(.reference(object.objectID))
          return goesOn
        }
        return goesOn
      }
      let value = try end.end(of: path)
      switch value {
      case .set(let members):
        for member in members where try !body(member) { return false }
        return true
      case .array(let members):
        for member in members where try !body(member) { return false }
        return true
      // A set that there is none of has no members; of other keys null may be the one value.
      case .null where path.type == .attribute(.set): return true
      default: return try body(value)
      }
    }
  }

  /// Calls a closure with every object that hops lead to.
  ///
  /// - Parameter body: returns whether to go on.
  /// - Returns: whether it was to go on at the end.
  @discardableResult
  func forEachEnd(
    of hops: ArraySlice<BoundPath.Hop>, _ body: (Self) throws(Failure) -> Bool
  ) throws(Failure) -> Bool {
    guard let hop = hops.first else { return try body(self) }
    let rest = hops.dropFirst()
    if !hop.isToMany {
      guard let next = try related(by: hop.key) else { return true }
      return try next.forEachEnd(of: rest, body)
    }
    var goesOn = true
    try forEachRelated(by: hop.key) { (next) throws(Failure) in
      goesOn = try next.forEachEnd(of: rest, body)
      return goesOn
    }
    return goesOn
  }
}
