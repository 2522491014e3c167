internal import ObjectModel
internal import Observation

/// What a context knows of those who watch its objects.
struct Watching {
  /// How many objects are watched.
  var objectCount = 0
  /// What is read for the computed keys that are being computed, the innermost last.
  var recordings: [Recording] = []
  /// How many changes are being made that are told together.
  var depth = 0
  /// What observers are to be told.
  var untold: [Untold] = []
  /// Computed keys whose observers are to be told.
  var stale: [ComputedKey] = []
  /// How often it was said of a key that it is being changed, by accessors of the program's own.
  var changesByHand: [ComputedKey.Source: Int] = [:]
  /// The declared dependencies that are being read.
  var declared: Set<ComputedKey.Source> = []
  /// The objects of which keys were read while Observation was tracking, until they have changed. They are kept, as
  /// they would be read anew otherwise, and nobody would tell of their changes.
  var tracked: [ObjectID: ManagedObject] = [:]
  /// Those that have been told of and are kept until the change is made.
  var told: [ManagedObject] = []
  private var keyPaths: [String: KeyPath<ManagedObject, Value?>] = [:]

  /// A change that observers are to be told of.
  struct Untold {
    let object: ManagedObject
    let old: Value?
    let new: Value?
    let observers: [Observer]
  }

  /// The context has no objects any more.
  mutating func forgetObjects() {
    objectCount = 0
    untold = []
    stale = []
    changesByHand = [:]
    tracked = [:]
    told = []
  }

  /// What Observation knows a key by.
  mutating func keyPath(_ name: String) -> KeyPath<ManagedObject, Value?> {
    if let path = keyPaths[name] { return path }
    let path: KeyPath<ManagedObject, Value?> = \ManagedObject.[name]
    keyPaths[name] = path
    return path
  }
}
