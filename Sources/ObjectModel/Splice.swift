/// What differs in the middle of two strings, data or arrays.
public struct Splice: Hashable, Sendable {
  /// How many bytes of UTF-8, bytes or elements are kept before the middle.
  public let prefixCount: Int
  /// How many are kept behind it.
  public let suffixCount: Int
  /// The middle as it was: of the same kind as the whole.
  public let old: Value
  /// The middle as it became.
  public let new: Value

  package init(prefixCount: Int, suffixCount: Int, old: Value, new: Value) {
    self.prefixCount = prefixCount
    self.suffixCount = suffixCount
    self.old = old
    self.new = new
  }
}
