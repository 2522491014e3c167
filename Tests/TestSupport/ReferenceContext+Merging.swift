// What the reference makes of two sides' changes to a value, from the plain meaning of each kind.

internal import EventFold
internal import ObjectModel

extension ReferenceContext {
  /// Ours, which was made from base, where theirs is in the place of base.
  static func put(
    _ ours: Value?, madeFrom base: Value?, on theirs: Value?, isByKey: Bool
  ) -> Value? {
    if isByKey { return byKey(ours, base, theirs) }
    let kinds = Set([base, ours, theirs].compactMap { $0?.kind })
    let areReferences = [base, ours, theirs].allSatisfy(isOfReferences)
    guard kinds.count == 1 else { return ours }
    switch kinds.first {
    case .counter?, .set?: break
    case .array? where areReferences: break
    default: return ours
    }
    if ours == base { return theirs }
    if theirs == base { return ours }
    switch kinds.first {
    case .counter?:
      let added = wide(ours) - wide(base)
      guard Int(exactly: added) != nil, let sum = Int(exactly: wide(theirs) + added) else {
        return ours
      }
      return .counter(sum)
    case .set?:
      let (old, mine, others) = (base?.set ?? [], ours?.set ?? [], theirs?.set ?? [])
      let members = others.union(mine.subtracting(old)).subtracting(old.subtracting(mine))
      // What one side has taken away, and no member is left of, is no value.
      return members.isEmpty && (ours == nil || theirs == nil) ? Value?.none : .set(members)
    default: return order(ours, base, theirs)
    }
  }

  /// Where ordered members stand that both sides moved, only the merge itself tells, which has its own tests.
  static func order(_ ours: Value?, _ base: Value?, _ theirs: Value?) -> Value? {
    switch ValueMerge(base: base, ours: ours, theirs: theirs, .orderedSet) {
    case .merged(let value), .conflict(let value, _): value
    }
  }

  /// Ours, made from base, put on theirs key by key; ours where both changed what is under a key.
  ///
  /// - Parameter takesBack: whether ours was there before base: where that was nothing, nothing more goes than base has
  ///   brought.
  static func byKey(
    _ ours: Value?, _ base: Value?, _ theirs: Value?, takesBack: Bool = false
  ) -> Value? {
    if ours == base { return theirs }
    if takesBack, ours == nil, base?.dictionary != nil, theirs?.dictionary != nil {
      let left = byKey(.dictionary([:]), base, theirs, takesBack: true)
      return left == .dictionary([:]) ? Value?.none : left
    }
    guard theirs != base, case .dictionary(let mine)? = ours, case .dictionary(let other)? = theirs
    else { return ours }
    var result = other
    for key in Set(mine.keys).union(other.keys) {
      result[key] = byKey(mine[key], base?.dictionary?[key], other[key], takesBack: takesBack)
    }
    return .dictionary(result)
  }

  static func wide(_ counter: Value?) -> Int128 { Int128(counter?.counter ?? 0) }

  /// Whether a value that is an array has references alone.
  static func isOfReferences(_ value: Value?) -> Bool {
    value?.array?.allSatisfy { $0.kind == .reference } ?? true
  }
}
