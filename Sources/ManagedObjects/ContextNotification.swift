public import ObjectModel
public import ObjectStore

/// The objects that have changed in a context since it has told of changes last.
public struct ObjectsDidChange {
  /// Objects that came to be here, or were brought in from a commit.
  public let inserted: Set<ManagedObject>
  /// Objects whose values or destinations have changed.
  public let updated: Set<ManagedObject>
  /// Objects that were deleted here, or are found to be deleted.
  public let deleted: Set<ManagedObject>
  /// Objects that were read anew.
  public let refreshed: Set<ManagedObject>
}

/// What a context tells of itself, for any thread.
public enum ContextNotification: Hashable, Sendable {
  /// Pending changes have been processed, and these objects have changed. No object is in two of the sets.
  case objectsDidChange(ChangedObjects)
  /// A save begins.
  case willSave
  /// A save has succeeded, with this commit; nil where nothing changed that the store keeps.
  case didSave(Commit?)
}

/// Objects that have changed in a context, by their IDs.
public struct ChangedObjects: Hashable, Sendable {
  /// Objects that came to be here, or were brought in from a commit.
  public internal(set) var inserted: Set<ObjectID> = []
  /// Objects whose values or destinations have changed.
  public internal(set) var updated: Set<ObjectID> = []
  /// Objects that were deleted here, or are found to be deleted.
  public internal(set) var deleted: Set<ObjectID> = []
  /// Objects that were read anew.
  public internal(set) var refreshed: Set<ObjectID> = []

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty }
}
