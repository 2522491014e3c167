internal import ObjectModel
internal import Observation

/// What a context knows of those who watch its objects.
final class Watching {
  /// How many objects are watched.
  @exclusivity(unchecked) var objectCount = 0
  /// What is read for the computed keys that are being computed, the innermost last.
  var recordings: [Recording] = [] {
    didSet { isRecording = !recordings.isEmpty }
  }
  /// Whether a key is being computed.
  @exclusivity(unchecked) private(set) var isRecording = false
  /// How many changes are being made that are told together.
  @exclusivity(unchecked) var depth = 0
  /// What observers are to be told.
  var untold: [Untold] = []
  /// Computed keys whose observers are to be told.
  var stale: [ComputedKey] = []
  /// How often it was said of a key that it is being changed, by accessors of the program's own.
  var changesByHand: [ComputedKey.Source: Int] = [:]
  /// The declared dependencies that are being read.
  var declared: Set<ComputedKey.Source> = []
  /// What Observation waits for of objects that nobody holds: the next instance of such an object has it. Of the
  /// objects themselves nothing is kept.
  var left: [ObjectID: ObjectWatch] = [:]
  /// Instances that were made for Observation to be told of them, kept until the change is made.
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
  func forgetObjects() {
    objectCount = 0
    untold = []
    stale = []
    changesByHand = [:]
    left = [:]
    told = []
  }

  /// What Observation knows a key by.
  func keyPath(_ name: String) -> KeyPath<ManagedObject, Value?> {
    if let path = keyPaths[name] { return path }
    let path: KeyPath<ManagedObject, Value?> = \ManagedObject.[name]
    keyPaths[name] = path
    return path
  }
}
