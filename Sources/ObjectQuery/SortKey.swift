/// By what objects are sorted, and in which direction.
public struct SortKey: Hashable, Sendable {
  /// The key, or a key at the end of relationships to one; or their count.
  public let operand: Filter.Operand
  /// Whether the largest come first.
  public let isDescending: Bool
  /// What is not told apart in texts.
  public let options: Filter.TextOptions

  /// Sorts by a key, or by a key at the end of relationships to one.
  public init(
    _ path: String..., descending: Bool = false, options: Filter.TextOptions = []
  ) {
    self.init(.key(path), descending: descending, options: options)
  }

  /// Sorts by what an operand gives.
  public init(
    _ operand: Filter.Operand, descending: Bool = false, options: Filter.TextOptions = []
  ) {
    self.operand = operand
    isDescending = descending
    self.options = options
  }
}

extension SortKey: ExpressibleByStringLiteral {
  /// Reads a key as query text has it: `"title"`, `"-postDate"`, `"blog.name[c]"`. What cannot be read is
  /// taken for the name of a key.
  public init(stringLiteral text: String) {
    if let key = try? QueryParser.sortKey(text) { self = key } else { self.init(text) }
  }
}
