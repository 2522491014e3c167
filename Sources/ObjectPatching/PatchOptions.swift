/// What a comparison takes in.
public struct PatchOptions: Hashable, Sendable {
  /// The names of entities of whose objects all old attributes are given when anything of one differs, so that who
  /// patches can keep a value and its unit together.
  public var wholeEntities: Set<String>
  /// How many relationships away from two compared objects others are compared, too; nil for all that can be reached. What
  /// a deletion takes along is compared however far it is.
  public var depth: Int?

  /// Says what is taken in.
  public init(wholeEntities: Set<String> = [], depth: Int? = nil) {
    self.wholeEntities = wholeEntities
    self.depth = depth
  }
}
