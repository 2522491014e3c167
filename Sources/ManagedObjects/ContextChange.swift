public import ObjectModel
public import ObjectStore

/// What has changed in a context between two times that it processed pending changes, for any thread.
public struct ContextChange: Hashable, Sendable {
  /// Which it is, from 1 on. Where one is missing, the reader was too slow, and more than were kept have come.
  public let number: Int
  /// The objects that have changed, in the order of their IDs.
  public let objects: [Object]

  /// An object that has changed.
  public struct Object: Hashable, Sendable {
    /// The object.
    public let objectID: ObjectID
    /// The name of its entity.
    public let entityName: String
    /// What became of it.
    public let kind: Kind
    /// The values that differ, by key.
    public let values: [String: Commit.ChangedValue]
  }

  /// What becomes of an object in a context.
  public enum Kind: Hashable, Sendable {
    /// It came to be.
    case inserted
    /// It was there, and still is.
    case updated
    /// It is gone.
    case deleted
    /// It was read anew.
    case refreshed
  }
}
