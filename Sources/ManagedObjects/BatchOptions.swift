public import ObjectModel
public import ObjectStore

/// How a batch commits.
public struct BatchOptions: Sendable {
  /// What else the commits are to remember.
  public var userInfo: [String: Value]
  /// How far a commit has gone when it is called made; no less than the store's.
  public var durability: Durability?
  /// How many objects one commit inserts, changes or deletes at most, beside those that change with them. Nil for
  /// one commit, however many they are: the batch then is all or nothing, and is held in memory. Otherwise each commit
  /// is all or nothing by itself, and no more than one of them is in memory.
  public var objectsPerCommit: Int?
  /// Whether keys that the model does not know are dynamic attributes. They are refused otherwise, as a misspelt key
  /// would become data, except where the entity allows any key.
  public var allowsDynamicKeys: Bool

  /// Says how a batch commits.
  public init(
    userInfo: [String: Value] = [:], durability: Durability? = nil, objectsPerCommit: Int? = nil,
    allowsDynamicKeys: Bool = false
  ) {
    self.userInfo = userInfo
    self.durability = durability
    self.objectsPerCommit = objectsPerCommit
    self.allowsDynamicKeys = allowsDynamicKeys
  }
}

/// What a batch has done.
public struct BatchResult: Hashable, Sendable {
  /// Its commits, in order; none where there was nothing to change.
  public internal(set) var commits: [CommitNumber] = []
  /// The objects that were inserted, in the order of their rows, or that were found and changed or deleted. What
  /// changed with them, as their relationships have it, is in the commits alone.
  public internal(set) var objectIDs: [ObjectID] = []

  /// How many objects were inserted, changed or deleted.
  public var count: Int { objectIDs.count }
}
