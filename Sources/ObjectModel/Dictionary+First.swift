// Dictionaries of pairs whose keys are known to be different, or of which the first counts.

extension Dictionary {
  /// The pairs; of those with the same key the first.
  @inlinable package init(firstOf pairs: some Sequence<(Key, Value)>) {
    self.init(pairs) { first, _ in first }
  }
}
