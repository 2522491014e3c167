package import ObjectModel

/// What is to become of an object that was changed by a rival since it was read.
package enum ConflictPolicy: Sendable {
  /// Nothing: the conflict is told, also where rivals have changed the object there and back.
  case tell
  /// Key by key; where both changed a value, the store's stands.
  case storeWins
  /// Key by key; where both changed a value, the object's stands.
  case objectWins
  /// The object as it is takes the place of the store's.
  case overwrite
  /// The store's state takes the place of the object's.
  case rollBack
  /// What a function makes of it, or that it is a conflict.
  case custom(@Sendable (ObjectConflict) -> ObjectMerge)
}

/// An object that two sides have changed since one state of it; no row means no object.
package struct ObjectConflict: Hashable, Sendable {
  package let object: ObjectID
  package let base: Row?
  package let ours: Row?
  package let theirs: Row?
  /// Why what a policy has made of it is not done as it is; nil where none was asked, or had nothing to say.
  package var objection: Objection?

  /// What there is against what a policy has made of a conflict.
  package enum Objection: Hashable, Sendable {
    /// The model does not admit it, in a sentence.
    case notAdmitted(String)
    /// It deletes the object, which has rules that whoever asked has to follow.
    case deletes
  }

  package init(_ object: ObjectID, base: Row?, ours: Row?, theirs: Row?) {
    self.object = object
    self.base = base
    self.ours = ours
    self.theirs = theirs
  }

  /// The keys whose values either side has changed.
  package var changedKeys: Set<KeyNumber> { ourKeys.union(theirKeys) }

  /// The keys whose values we have changed.
  package var ourKeys: Set<KeyNumber> { Self.keys(base, ours) }

  /// The keys whose values they have changed.
  package var theirKeys: Set<KeyNumber> { Self.keys(base, theirs) }

  private static func keys(_ one: Row?, _ other: Row?) -> Set<KeyNumber> {
    Set((one ?? Row()).keysApart(from: other ?? Row()))
  }
}

/// What became of an object that two sides have changed.
package enum ObjectMerge: Hashable, Sendable {
  /// The state it is to have, which has what both did as far as the policy lets it.
  case merged(Row?)
  /// It cannot be told without asking.
  case conflict(ObjectConflict)

  /// Merges what two sides did to an object, of which the other side has committed something.
  ///
  /// - Parameter kindOf: how the values of a key merge.
  package init(
    _ sides: ObjectConflict, _ policy: ConflictPolicy, kindOf: (KeyNumber) -> MergeKind
  ) {
    let (base, ours, theirs) = (sides.base, sides.ours, sides.theirs)
    if ours == base || ours == nil && theirs == nil {
      self = .merged(theirs)
      return
    }
    switch policy {
    // Told also where a rival's change was taken back: whoever asks to be told counts on what was seen to have stayed.
    case .tell: self = Self.byItself(sides, kindOf) ?? .conflict(sides)
    case _ where theirs == base: self = .merged(ours)
    case .overwrite: self = .merged(ours)
    case .rollBack: self = .merged(theirs)
    case .custom(let merge): self = merge(sides)
    case .storeWins: self = Self.keyByKey(sides, kindOf, .theirs)
    case .objectWins: self = Self.keyByKey(sides, kindOf, .ours)
    }
  }

  /// What both did, where nobody has to decide; nil where somebody has to.
  private static func byItself(
    _ sides: ObjectConflict, _ kindOf: (KeyNumber) -> MergeKind
  ) -> ObjectMerge? {
    guard sides.ours != nil, var result = sides.theirs else { return nil }
    let keys = sides.ourKeys
    // Who has brought an object back without values has not seen those that it would get.
    if keys.isEmpty, !sides.theirKeys.allSatisfy({ kindOf($0).mergesByItself }) { return nil }
    for key in keys {
      let kind = kindOf(key)
      guard kind.mergesByItself, case .merged(let value) = ValueMerge(sides, key, kind) else {
        return nil
      }
      result[key] = value
    }
    return .merged(result)
  }

  /// What both did; one of them stands where they do not go together.
  private static func keyByKey(
    _ sides: ObjectConflict, _ kindOf: (KeyNumber) -> MergeKind, _ winner: Side
  ) -> ObjectMerge {
    guard sides.ours != nil, var result = sides.theirs else {
      // One has deleted what the other has changed.
      return .merged(winner == .ours ? sides.ours : sides.theirs)
    }
    for key in sides.ourKeys {
      switch ValueMerge(sides, key, kindOf(key)) {
      case .merged(let value): result[key] = value
      case .conflict(let ours, let theirs): result[key] = winner == .ours ? ours : theirs
      }
    }
    return .merged(result)
  }

  private enum Side {
    case ours
    case theirs
  }
}

extension ValueMerge {
  /// Merges what two sides did to a key of an object that both have.
  fileprivate init(_ sides: ObjectConflict, _ key: KeyNumber, _ kind: MergeKind) {
    self.init(
      base: sides.base?[key], ours: sides.ours?[key], theirs: sides.theirs?[key],
      sides.base == nil ? kind.ofNewObject : kind)
  }
}
