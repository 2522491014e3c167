/// What differs in the middle of two strings, data or arrays; or in several places, each a middle of its own.
public struct Splice: Hashable, Sendable {
  /// A middle, and what is kept before it.
  public struct Part: Hashable, Sendable {
    /// How many bytes of UTF-8, bytes or elements are kept before the middle, from the one before on.
    public let keptCount: Int
    /// The middle as it was: of the same kind as the whole.
    public let old: Value
    /// The middle as it became.
    public let new: Value

    package init(keptCount: Int, old: Value, new: Value) {
      self.keptCount = keptCount
      self.old = old
      self.new = new
    }

    var inverse: Part { Part(keptCount: keptCount, old: new, new: old) }
  }

  /// How many bytes of UTF-8, bytes or elements are kept before the middle, or the first of them.
  public let prefixCount: Int
  /// How many are kept behind it, or behind the last.
  public let suffixCount: Int
  /// The middle as it was, or the first of them: of the same kind as the whole.
  public let old: Value
  /// The middle as it became.
  public let new: Value
  /// The middles behind the first, in their order; mostly there are none.
  public let further: [Part]

  package init(
    prefixCount: Int, suffixCount: Int, old: Value, new: Value, further: [Part] = []
  ) {
    self.prefixCount = prefixCount
    self.suffixCount = suffixCount
    self.old = old
    self.new = new
    self.further = further
  }

  /// All middles, in their order.
  package var parts: [Part] { [Part(keptCount: prefixCount, old: old, new: new)] + further }

  /// What takes the splice back.
  package var inverse: Splice {
    Splice(
      prefixCount: prefixCount, suffixCount: suffixCount, old: new, new: old,
      further: further.map(\.inverse))
  }
}
