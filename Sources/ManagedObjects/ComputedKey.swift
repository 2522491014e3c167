internal import ObjectModel

/// A computed key of an object that has observers: its value, and what that was computed of.
final class ComputedKey {
  /// A key of an object.
  struct Source: Hashable {
    let object: ObjectID
    let key: String
  }

  /// Nil when the object has come to its end.
  private(set) weak var state: ObjectState?
  let attribute: VirtualAttribute
  var value: Value?
  /// What it was computed of.
  var sources: Set<Source> = []
  /// The other objects it was computed of. They are kept while the key has observers, as they would be read
  /// anew otherwise, and nobody would tell of their changes.
  var objects: [ObjectID: ManagedObject] = [:]
  /// How many of what it depends on are being changed.
  var changeDepth = 0
  /// Whether something it depends on has changed, and the observers have not been told.
  var isStale = false

  init(_ attribute: VirtualAttribute, of state: ObjectState) {
    self.attribute = attribute
    self.state = state
  }
}

/// What is read while something is computed.
struct Recording {
  private(set) var sources: Set<ComputedKey.Source> = []
  private(set) var objects: [ObjectID: ManagedObject] = [:]

  mutating func note(_ state: ObjectState, _ key: String) {
    guard let object = state.object else { return }
    sources.insert(ComputedKey.Source(object: state.objectID, key: key))
    objects[state.objectID] = object
  }
}
