package import ObjectModel

/// What is to become of an object that was changed by a rival since it was read.
package enum ConflictPolicy: Hashable, Sendable {
  /// Nothing: the conflict is told.
  case tell
  /// Key by key; where both changed a value, the store's stands.
  case storeWins
  /// Key by key; where both changed a value, the object's stands.
  case objectWins
  /// The object as it is takes the place of the store's.
  case overwrite
  /// The store's state takes the place of the object's.
  case rollBack
}

/// An object that two sides have changed since one state of it; no row means no object.
package struct ObjectConflict: Hashable, Sendable {
  package let object: ObjectID
  package let base: Row?
  package let ours: Row?
  package let theirs: Row?

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
    let (one, other) = (one ?? Row(), other ?? Row())
    return Set((one.entries + other.entries).map(\.key).filter { one[$0] != other[$0] })
  }
}

/// What became of an object that two sides have changed.
package enum ObjectMerge: Hashable, Sendable {
  /// The state it is to have, which has what both did as far as the policy lets it.
  case merged(Row?)
  /// It cannot be told without asking.
  case conflict(ObjectConflict)

  /// Merges what two sides did to an object.
  ///
  /// - Parameter kindOf: how the values of a key merge.
  package init(
    _ sides: ObjectConflict, _ policy: ConflictPolicy, kindOf: (KeyNumber) -> MergeKind
  ) {
    let (base, ours, theirs) = (sides.base, sides.ours, sides.theirs)
    if theirs == base {
      self = .merged(ours)
    } else if ours == base || policy == .rollBack {
      self = .merged(theirs)
    } else if policy == .overwrite {
      self = .merged(ours)
    } else if let ours, let theirs {
      self = Self.both(sides, ours, theirs, policy, kindOf)
    } else if ours == nil, theirs == nil {
      self = .merged(nil)
    } else {
      // One side has deleted what the other has changed.
      self = policy == .tell ? .conflict(sides) : .merged(policy == .storeWins ? theirs : ours)
    }
  }

  /// Merges what both have changed and neither has deleted.
  private static func both(
    _ sides: ObjectConflict, _ ours: Row, _ theirs: Row, _ policy: ConflictPolicy,
    _ kindOf: (KeyNumber) -> MergeKind
  ) -> ObjectMerge {
    if policy == .tell, !sides.ourKeys.allSatisfy({ kindOf($0).mergesByItself }) {
      return .conflict(sides)
    }
    var result = theirs
    for key in sides.ourKeys {
      switch ValueMerge(base: sides.base?[key], ours: ours[key], theirs: theirs[key], kindOf(key)) {
      case .merged(let value):
        result[key] = value
      case .conflict(let ours, let theirs):
        if policy == .tell { return .conflict(sides) }
        result[key] = policy == .objectWins ? ours : theirs
      }
    }
    return .merged(result)
  }
}
