package import ObjectModel

/// What a model says of the keys of an entity, as far as what a context holds follows from it.
package struct KeyTraits: Hashable, Sendable {
  /// Those whose values no save takes.
  package var transient: Set<KeyNumber>
  /// Those whose dictionaries merge key by key.
  package var byKey: Set<KeyNumber>

  package init(transient: Set<KeyNumber> = [], byKey: Set<KeyNumber> = []) {
    self.transient = transient
    self.byKey = byKey
  }
}
