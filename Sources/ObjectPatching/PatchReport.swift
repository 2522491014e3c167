public import ObjectModel

/// What applying a patch has done, or would do.
public struct PatchReport: Hashable, Sendable {
  /// What became of an object.
  public struct Object: Hashable, Sendable {
    /// Where it is in the patch.
    public let path: PatchPath
    /// The object, as the patch names it.
    public let identity: PatchIdentity
    /// The object; nil where it would be made.
    public let objectID: ObjectID?
    /// Whether it came to be, was changed, or was deleted.
    public let kind: ObjectPatch.Kind
    /// The keys that were set, in their order. Those of a relationship that only follows from another end are not
    /// among them, nor is what a delegate does by hand.
    public let keys: [String]
  }

  /// The objects that something became of, in the order of the patch. What delete rules do besides is not among them.
  public let objects: [Object]
  /// The objects that go with those that are deleted, by cascades, and that the patch does not delete itself; in the order
  /// of their IDs.
  public let deletedAlong: [ObjectID]
  /// The conflicts that the policy has decided.
  public let conflicts: [PatchConflict]
  /// Of a report on what would be done: what cannot be saved as it would be. These are values, how many objects
  /// relationships lead to, and deletions that are denied. There may be more that a save would find, as by hooks.
  public let findings: [PatchFinding]
}
