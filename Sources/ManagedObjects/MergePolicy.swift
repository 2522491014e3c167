internal import EventFold
public import ObjectModel

/// What becomes of objects that somebody else has changed since a context has seen them, when it saves.
public enum MergePolicy: Sendable {
  /// The save throws `MergeConflicts`. Objects of which only counters, sets and what has a merge function was
  /// changed here are merged all the same.
  case error
  /// Key by key; where both changed a value, the store's stands.
  case mergeByPropertyStoreTrump
  /// Key by key; where both changed a value, the object's stands.
  case mergeByPropertyObjectTrump
  /// The object takes the place of what the store has.
  case overwrite
  /// What the store has takes the place of the object.
  case rollback
  /// What a function makes of each conflict.
  case custom(@Sendable (MergeConflict) -> MergeResolution)
}

/// What a program's own policy makes of a conflict.
public enum MergeResolution: Sendable {
  /// These values stand, by key; those that are not named are as the store has them. Null removes one. Where the
  /// model does not admit one, nothing is saved, and the conflict says why.
  case values([String: Value])
  /// The object is deleted, by the rules of its relationships.
  case deleted
  /// As this policy does.
  case asUnder(MergePolicy)
}

/// Objects that somebody else has changed since a context has seen them, so that it could not save.
public struct MergeConflicts: Error, Hashable, Sendable {
  /// One for each object.
  public let objects: [MergeConflict]
}

/// An object that two have changed since one state of it.
public struct MergeConflict: Hashable, Sendable {
  /// The object.
  public let objectID: ObjectID
  /// The name of its entity.
  public let entityName: String
  /// What each key that either has changed was, is here, and is in the store.
  public let keys: [String: Sides]
  /// Whether it was deleted here.
  public let isDeletedHere: Bool
  /// Whether it was deleted in the store.
  public let isDeletedInStore: Bool
  /// Why what a policy of the program's own has made of it cannot be saved, in a sentence; nil for other conflicts.
  public let refusal: String?

  /// Three values of a key; nil for none.
  public struct Sides: Hashable, Sendable {
    /// What both have begun with.
    public let base: Value?
    /// What it is here.
    public let ours: Value?
    /// What it is in the store.
    public let theirs: Value?

    /// Whether both have changed it, and differently.
    public var isConflict: Bool { ours != base && theirs != base && ours != theirs }
  }
}

extension MergeConflicts: CustomStringConvertible {
  /// What happened, and what to do.
  public var description: String {
    let lines = objects.map(\.description).joined(separator: "; ")
    return
      "Somebody else has changed what was to be saved: \(lines). Refresh these objects with mergeChanges: true "
      + "and save again, or choose a merge policy."
  }
}

extension MergeConflict: CustomStringConvertible {
  /// The object and its keys.
  public var description: String {
    if let refusal {
      return "\(entityName) \(objectID), of which the policy made what cannot be saved: \(refusal)"
    }
    if isDeletedInStore { return "\(entityName) \(objectID) was deleted" }
    let names = keys.filter(\.value.isConflict).keys.sorted()
    let told = names.isEmpty ? keys.keys.sorted() : names
    return "\(entityName) \(objectID) (\(told.joined(separator: ", ")))"
  }
}

extension MergeConflict {
  init(_ conflict: ObjectConflict, _ schema: Schema, name: (KeyNumber) -> String?) {
    objectID = conflict.object
    entityName = schema.entity(conflict.object.entity)?.name ?? ""
    isDeletedHere = conflict.ours == nil
    isDeletedInStore = conflict.theirs == nil
    refusal =
      if case .notAdmitted(let reason)? = conflict.objection { reason } else { nil }
    var keys: [String: Sides] = [:]
    for key in conflict.changedKeys {
      guard let name = name(key) else { continue }
      keys[name] = Sides(
        base: conflict.base?[key], ours: conflict.ours?[key], theirs: conflict.theirs?[key])
    }
    self.keys = keys
  }
}
