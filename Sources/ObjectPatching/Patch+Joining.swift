public import ObjectModel

extension Patch {
  /// One patch that does what this one and then another do. It is not nested.
  ///
  /// - Parameter model: says which relationships lead back: the one patch may say a connection at its one end, and the
  ///   other at its other.
  /// - Throws: `PatchError` where the other does not begin where this one ends, or one says a place in an order that
  ///   depends on what the other says no place of.
  public func followed(
    by other: Patch, model: ManagedObjectModel
  ) throws(PatchError) -> Patch {
    var ends = JoinedEnds(
      PatchJoining(try FlatPatch(self, model), try FlatPatch(other, model), model))
    return try ends.joining().patch()
  }
}
