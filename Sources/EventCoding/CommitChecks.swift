internal import ObjectModel

// What must hold of a change, read or to be written.

extension Splice {
  /// What is wrong with it, wherever it stands: an edit may set what was there.
  var problem: EventCodingError.Code? {
    if prefixCount < 0 || suffixCount < 0 { return .negativeCount }
    // What nothing is kept between is one place.
    if further.contains(where: { $0.keptCount < 1 }) { return .changeUnfit }
    guard [.string, .data, .array].contains(old.kind) else { return .changeUnfit }
    return parts.allSatisfy { $0.old.kind == old.kind && $0.new.kind == old.kind }
      ? nil : .changeUnfit
  }
}

extension ValueChange {
  /// What is wrong with a change to an object of which this becomes.
  func problem(in kind: ObjectChange.Kind) -> EventCodingError.Code? {
    switch self {
    case .replaced(let old, let new): Self.problem(replacing: old, by: new, in: kind)
    case _ where kind != .updated: .changeUnfit
    case .spliced(let splice):
      splice.problem
        ?? (splice.parts.allSatisfy { $0.old == $0.new } ? .changeOfNothing : nil)
    case .counted(let amount): amount == 0 || amount == .min ? .changeOfNothing : nil
    case .regrouped(let inserted, let removed):
      inserted.isEmpty && removed.isEmpty
        ? .changeOfNothing : inserted.isDisjoint(with: removed) ? nil : .changeUnfit
    }
  }

  /// The same for a replacement that need not be made for it.
  @inline(__always)
  static func problem(
    replacing old: Value?, by new: Value?, in kind: ObjectChange.Kind
  ) -> EventCodingError.Code? {
    switch (old, new) {
    case (nil, .some): kind == .deleted ? .changeUnfit : nil
    case (.some, nil): kind == .inserted ? .changeUnfit : nil
    default: old == new ? .changeOfNothing : kind == .updated ? nil : .changeUnfit
    }
  }
}
