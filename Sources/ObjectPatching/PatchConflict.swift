public import ObjectModel

/// What a patch does not find as it says it is: an old value that is not what is there.
public struct PatchConflict: Hashable, Sendable {
  /// What does not fit.
  public enum Kind: Hashable, Sendable {
    /// A value, or where a relationship leads.
    case value
    /// An object that is to be changed or deleted is not there.
    case objectMissing
    /// An object that is to come to be is there already, or another has the name that one is to get.
    case objectExists
  }

  /// Where it is in the patch: an object's path, or that of one of its keys.
  public let path: PatchPath
  /// The object, as the patch names it.
  public let identity: PatchIdentity
  /// The object; nil where it is missing.
  public let objectID: ObjectID?
  /// What does not fit.
  public let kind: Kind
  /// The attribute or relationship; nil where it is the object itself.
  public let key: String?
  /// What the patch says there is: a value, or references to the objects of a relationship. Nil for none.
  public let old: Value?
  /// What the patch makes of it. Nil for none.
  public let new: Value?
  /// What is there. Nil for none.
  public let current: Value?
}

/// The conflicts that keep a patch from being applied. Nothing has changed.
public struct PatchConflicts: Error, Hashable, Sendable {
  /// One for each object and key, in the order of the patch.
  public let conflicts: [PatchConflict]
}

/// What becomes of conflicts.
public enum PatchPolicy: Hashable, Sendable, CaseIterable {
  /// The patch is not applied: `PatchConflicts` is thrown, and has all of them.
  case refuse
  /// What the patch says stands. What it changes and is missing comes to be, with what the patch says of it. That one
  /// object cannot get the name of another is an error all the same.
  case force
  /// What is there stays where it is not as the patch says, and what would be deleted with it stays, too; the rest of the
  /// patch is applied.
  case keepOurs
  /// What both changed is merged: counters by amounts, also where both added the same, but not what both made an object
  /// with; sets and the members of
  /// relationships by insertions and removals, dictionaries that ask for it key by key, others by the model's merge
  /// functions; what has gone on both sides is gone. Where that is not possible, `PatchConflicts` is thrown.
  case merge
}

extension PatchConflicts: CustomStringConvertible {
  /// What happened, and what to do.
  public var description: String {
    let shown = conflicts.prefix(10).map(\.description).joined(separator: "; ")
    let others = conflicts.count > 10 ? "; and \(conflicts.count - 10) more" : ""
    return
      "The patch does not fit what is there: \(shown)\(others). Make it anew of what is there, or choose another "
      + "policy."
  }
}

extension PatchConflict: CustomStringConvertible {
  /// The object, the key and what is there.
  public var description: String {
    switch kind {
    case .objectMissing: "\(path.words) \(identity) is not there"
    case .objectExists: "\(path.words) \(identity) is there already"
    case .value: "\(path.words) of \(identity) is \(current ?? .null), not \(old ?? .null)"
    }
  }
}
