internal import ObjectModel
internal import Observation

/// Who watches an object. Only objects that are watched have one.
///
/// Keys go by their names here: those of the model, computed ones, and dynamic ones that nobody has set yet.
final class ObjectWatch {
  /// A value that is being changed.
  struct Change {
    /// How many have said so and not yet that it is done.
    var depth = 1
    let old: Value?
    /// The computed keys that depend on it.
    let dependents: [ComputedKey]
    /// Whether Observation is told.
    let isTracked: Bool
  }

  /// By key. The tokens own the observers, so that what these capture is no part of the object.
  private var observers: [String: WatcherList<Unmanaged<Observer>>] = [:]
  /// The computed keys of this object that have observers.
  var computed: [String: ComputedKey] = [:]
  /// The computed keys, of any object, that depend on a key of this one.
  private var dependents: [String: WatcherList<ComputedKey>] = [:]
  /// The keys that were read while Observation was tracking, and have not changed since.
  private(set) var tracked: Set<String> = []
  private(set) var registrar: ObservationRegistrar?
  /// The commit that the object stood on when the first instance came to its end of which Observation waits for
  /// something; nil where none has.
  private(set) var leftAt: CommitNumber?
  /// What is being changed.
  var changes: [String: Change] = [:]

  var isIdle: Bool {
    observers.isEmpty && computed.isEmpty && dependents.isEmpty && tracked.isEmpty
      && changes.isEmpty
  }

  /// The keys that somebody watches.
  var names: Set<String> {
    tracked.union(observers.keys).union(dependents.keys)
  }

  func isWatched(_ name: String) -> Bool {
    observers[name] != nil || dependents[name] != nil || tracked.contains(name)
  }

  // MARK: Observers

  func observers(of name: String) -> [Observer] {
    observers[name]?.all.map { $0.takeUnretainedValue() } ?? []
  }

  func add(_ observer: Observer) {
    observers[observer.key, default: WatcherList()]
      .add(Unmanaged.passUnretained(observer), ObjectIdentifier(observer))
  }

  /// - Returns: whether the key has no observer any more.
  func remove(_ observer: Observer) -> Bool {
    observers[observer.key]?.remove(ObjectIdentifier(observer))
    guard observers[observer.key]?.isEmpty ?? true else { return false }
    observers[observer.key] = nil
    return true
  }

  // MARK: Computed keys

  /// The computed keys that depend on a key.
  func dependents(of name: String) -> [ComputedKey] { dependents[name]?.all ?? [] }

  func add(_ dependent: ComputedKey, to name: String) {
    dependents[name, default: WatcherList()].add(dependent, ObjectIdentifier(dependent))
  }

  func remove(_ dependent: ComputedKey, from name: String) {
    dependents[name]?.remove(ObjectIdentifier(dependent))
    if dependents[name]?.isEmpty ?? false { dependents[name] = nil }
  }

  // MARK: Tracking

  /// Notes that a key was read while Observation was tracking.
  func track(_ name: String) -> ObservationRegistrar {
    tracked.insert(name)
    if let registrar { return registrar }
    let made = ObservationRegistrar()
    registrar = made
    return made
  }

  /// Observation is told of a key's changing once, and asks again if it wants to hear more.
  func endTracking(_ name: String) {
    tracked.remove(name)
    if tracked.isEmpty { leftAt = nil }
  }

  /// What of this outlasts the object's instance: what Observation waits for; nil where that is nothing.
  ///
  /// - Parameter base: the commit that the instance stands on.
  func left(at base: CommitNumber) -> ObjectWatch? {
    if tracked.isEmpty { return nil }
    let left = ObjectWatch()
    (left.tracked, left.registrar, left.leftAt) = (tracked, registrar, leftAt ?? base)
    return left
  }
}
