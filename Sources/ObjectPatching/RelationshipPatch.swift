/// What becomes of one relationship of an object, and of the objects that it leads to.
///
/// A connection that is held at one end only, as that of a post to its blog is held by the post, is changed there and
/// not at the other end: `blog` of the post's patch says where the post goes, and `posts` of the blog's patch has
/// nothing but the patches of posts nested in it. (A patch from elsewhere may say it at either end; applying it
/// finds that out.)
public struct RelationshipPatch: Hashable, Sendable {
  /// How many objects a relationship leads to, and whether they have an order.
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// To one object or none.
    case toOne
    /// To any number of objects.
    case toMany
    /// To any number of objects in an order.
    case ordered
  }

  /// An object that comes or goes.
  public struct Member: Hashable, Sendable {
    /// The object.
    public var identity: PatchIdentity
    /// Its place: of one that goes, among all there were before; of one that comes, among all there are then. Nil where
    /// the relationship has no order.
    public var position: Int?

    /// Names a member.
    public init(_ identity: PatchIdentity, position: Int? = nil) {
      self.identity = identity
      self.position = position
    }
  }

  /// What the relationship is.
  public var kind: Kind

  /// The objects that it leads to no more, named as they are before the patch: one at most where it leads to one; in
  /// the order of their positions where they have any. One that moves goes and comes.
  public var removed: [Member]

  /// The objects that it leads to now and did not before, named as they are after the patch, in the same order.
  public var added: [Member]

  /// Patches of objects that the relationship leads to, or led to. What these create comes to it, also where `added` does
  /// not say so.
  public var patches: [ObjectPatch]

  /// Makes a patch of a relationship.
  public init(
    _ kind: Kind, removed: [Member] = [], added: [Member] = [], patches: [ObjectPatch] = []
  ) {
    self.kind = kind
    self.removed = removed
    self.added = added
    self.patches = patches
  }

  /// Whether nothing is changed by it, nor by what is nested in it.
  public var isEmpty: Bool {
    removed.isEmpty && added.isEmpty && patches.allSatisfy(\.isEmpty)
  }
}
