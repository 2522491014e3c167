package import ObjectModel

extension ValueChange {
  /// What leads from one value to another; nil where they are the same to storage.
  ///
  /// Costs: what comparing the two costs.
  package static func difference(from old: Value?, to new: Value?) -> ValueChange? {
    let (old, new) = (old.stored, new.stored)
    if old == new { return nil }
    switch (old, new) {
    case (.counter(let before)?, .counter(let after)?):
      let (amount, overflows) = after.subtractingReportingOverflow(before)
      // The least integer cannot be taken back: there is no positive one of its size.
      return overflows || amount == .min ? .replaced(old: old, new: new) : .counted(amount)
    case (.set(let before)?, .set(let after)?):
      return .regrouped(
        inserted: after.subtracting(before), removed: before.subtracting(after))
    case (let old?, let new?):
      return Splice(from: old, to: new).map { .spliced($0) } ?? .replaced(old: old, new: new)
    default:
      return .replaced(old: old, new: new)
    }
  }

  /// What takes the change back.
  package var inverse: ValueChange {
    switch self {
    case .replaced(let old, let new): .replaced(old: new, new: old)
    case .spliced(let splice): .spliced(splice.inverse)
    case .counted(let amount): .counted(-amount)
    case .regrouped(let inserted, let removed): .regrouped(inserted: removed, removed: inserted)
    }
  }

  /// What a value becomes; nil where it is not what the change was made of.
  package func applied(to value: Value?) -> Applied? {
    switch self {
    case .replaced(let old, let new):
      return value.stored == old.stored ? Applied(value: new.stored) : nil
    case .spliced(let splice):
      return value.flatMap { splice.applied(to: $0) }.map { Applied(value: $0) }
    case .counted(let amount):
      guard case .counter(let before)? = value else { return nil }
      let (after, overflows) = before.addingReportingOverflow(amount)
      return overflows ? nil : Applied(value: .counter(after))
    case .regrouped(let inserted, let removed):
      guard case .set(let before)? = value, before.isSuperset(of: removed),
        before.isDisjoint(with: inserted)
      else { return nil }
      return Applied(value: .set(before.subtracting(removed).union(inserted)))
    }
  }

  /// What a value became, which may be none.
  package struct Applied: Hashable, Sendable {
    package let value: Value?
  }
}

extension Value? {
  /// The value as a row keeps it: null is none.
  package var stored: Value? {
    if case .some(.null) = self { return .none }
    return self
  }
}
