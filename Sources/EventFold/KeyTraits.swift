package import ObjectModel

/// What a model says of the keys of an entity, as far as what a context holds follows from it.
package struct KeyTraits: Hashable, Sendable {
  /// Those whose values no save takes.
  package var transient: Set<KeyNumber>
  /// What those of them have of which nothing was set, where that is not nothing.
  package var defaults: Row
  /// Those whose dictionaries merge key by key.
  package var byKey: Set<KeyNumber>
  /// Relationships to many without an order.
  package var destinations: Set<KeyNumber>
  /// How many keys there are: for so many values a new object has room.
  package var keyCount: Int

  package init(
    transient: Set<KeyNumber> = [], defaults: Row = Row(), byKey: Set<KeyNumber> = [],
    destinations: Set<KeyNumber> = [], keyCount: Int = 0
  ) {
    self.transient = transient
    self.defaults = defaults
    self.byKey = byKey
    self.destinations = destinations
    self.keyCount = keyCount
  }

  /// How the values of a key merge; nil where they tell it by themselves.
  func mergeKind(of key: KeyNumber) -> MergeKind? {
    if byKey.contains(key) { return .byKey }
    return destinations.contains(key) ? MergeKind?.some(.destinations) : nil
  }
}
