internal import ObjectModel
internal import ObjectStore
internal import Observation

// Who watches objects is told here of what is read and what changes. Where nobody watches, each is a branch.
extension ManagedObjectContext {
  // MARK: Reading

  /// Whether somebody wants to know what is read.
  @inline(__always)
  var isReadWatched: Bool { watching.isRecording || probe.isTracking }

  @inline(__always)
  func willRead(_ state: ObjectState, _ key: KeyNumber) {
    if isReadWatched { noteRead(of: state, key) }
  }

  private func noteRead(of state: ObjectState, _ key: KeyNumber) {
    if let name = name(of: key, state) { noteRead(of: state, name) }
  }

  /// Notes for who watches reading that a key is read.
  func noteRead(of state: ObjectState, _ name: String) {
    if state.probe != nil { return }
    if watching.isRecording {
      watching.recordings[watching.recordings.count - 1].note(state, name)
    }
    guard probe.isTracking, let object = state.object else { return }
    watch(of: state).track(name).access(object, keyPath: watching.keyPath(name))
  }

  func name(of key: KeyNumber, _ state: ObjectState) -> String? {
    state.entity.property(key)?.name ?? store.name(of: key)
  }

  // MARK: One change

  @inline(__always)
  func willChange(_ state: ObjectState, _ key: KeyNumber) {
    if watching.objectCount > 0, state.watch != nil, let name = name(of: key, state) {
      willChange(state, name)
    }
  }

  @inline(__always)
  func didChange(_ state: ObjectState, _ key: KeyNumber) {
    if watching.objectCount > 0, state.watch != nil, let name = name(of: key, state) {
      didChange(state, name)
    }
  }

  /// Tells that a key is about to change. Those who say so within that add nothing.
  func willChange(_ state: ObjectState, _ name: String) {
    guard let watch = state.watch, let object = state.object else { return }
    if watch.changes[name] != nil {
      watch.changes[name]?.depth += 1
      return
    }
    guard watch.isWatched(name) else { return }
    let observers = watch.computed[name] == nil ? watch.observers(of: name) : []
    var old: Value?
    if observers.contains(where: { $0.options.contains(.old) }) { old = value(of: state, name) }
    let dependents = watch.dependents(of: name)
    let isTracked = watch.tracked.contains(name)
    watch.changes[name] = ObjectWatch.Change(
      old: old, dependents: dependents, isTracked: isTracked)
    if isTracked, let registrar = watch.registrar {
      // What is being tracked at this moment has yet to ask for it.
      if !probe.isTracking { watch.endTracking(name) }
      registrar.willSet(object, keyPath: watching.keyPath(name))
    }
    for dependent in dependents { willChange(dependent) }
    for observer in observers where observer.options.contains(.prior) {
      observer.tell(object, old: old, new: nil, isPrior: true)
    }
  }

  /// Tells that a key has changed.
  func didChange(_ state: ObjectState, _ name: String) {
    guard let watch = state.watch, let change = watch.changes[name], let object = state.object
    else {
      return
    }
    if change.depth > 1 {
      watch.changes[name]?.depth -= 1
      return
    }
    watch.changes[name] = nil
    if change.isTracked, let registrar = watch.registrar {
      registrar.didSet(object, keyPath: watching.keyPath(name))
    }
    let observers = watch.computed[name] == nil ? watch.observers(of: name) : []
    if !observers.isEmpty {
      var new: Value?
      if observers.contains(where: { $0.options.contains(.new) }) { new = value(of: state, name) }
      // What is answered from elsewhere has to be read before it changes, for it to be told what it was.
      if observers.contains(where: { $0.options.contains(.old) }) { _ = value(of: state, name) }
      watching.untold.append(
        Watching.Untold(object: object, old: change.old, new: new, observers: observers))
    }
    for dependent in change.dependents { didChange(dependent) }
    if watching.depth == 0 { tellObservers() }
    dropWatchIfIdle(of: state)
    letGoTold()
  }

  /// Lets instances go that were made for Observation, once everything that changes together has changed.
  private func letGoTold() {
    if watching.depth > 0 || watching.told.isEmpty { return }
    let told = watching.told
    watching.told = []
    withExtendedLifetime(told) {}
  }

  private func willChange(_ computed: ComputedKey) {
    computed.changeDepth += 1
    guard computed.changeDepth == 1, !computed.isStale, let object = computed.state?.object else {
      return
    }
    for observer in object.state.watch?.observers(of: computed.attribute.name) ?? []
    where observer.options.contains(.prior) {
      observer.tell(object, old: computed.value, new: nil, isPrior: true)
    }
  }

  private func didChange(_ computed: ComputedKey) {
    computed.changeDepth -= 1
    if computed.isStale { return }
    computed.isStale = true
    watching.stale.append(computed)
  }

  // MARK: Several changes

  /// What changes until `endTelling` is told together: a computed key that depends on several of them once.
  @inline(__always)
  func beginTelling() { watching.depth += 1 }

  @inline(__always)
  func endTelling() {
    watching.depth -= 1
    if watching.depth == 0, watching.objectCount > 0 { tellObservers() }
    letGoTold()
  }

  /// Tells observers of what has changed. They may do what they like: set, end, begin, let objects go.
  private func tellObservers() {
    if watching.untold.isEmpty, watching.stale.isEmpty { return }
    // What observers read is not what the computing depends on in which they are told.
    let isComputing = watching.isRecording
    if isComputing { watching.recordings.append(Recording()) }
    defer { if isComputing { watching.recordings.removeLast() } }
    while true {
      let untold = watching.untold
      watching.untold = []
      for change in untold {
        for observer in change.observers where change.object.state.context === self {
          observer.tell(change.object, old: change.old, new: change.new)
        }
      }
      let stale = watching.stale.filter { $0.changeDepth <= 0 }
      watching.stale.removeAll { $0.changeDepth <= 0 }
      for computed in stale { tell(computed) }
      if untold.isEmpty, stale.isEmpty { return }
    }
  }

  private func tell(_ computed: ComputedKey) {
    computed.isStale = false
    guard let object = computed.state?.object, let watch = object.state.watch,
      watch.computed[computed.attribute.name] === computed
    else { return }
    let old = computed.value
    compute(computed)
    for observer in watch.observers(of: computed.attribute.name) {
      observer.tell(object, old: old, new: computed.value)
    }
  }

  // MARK: Changes of many objects

  /// Keys of objects that are told to change.
  struct WatchedKeys {
    fileprivate var keys: [(state: ObjectState, name: String)] = []
  }

  /// Tells that objects are about to be others.
  ///
  /// - Parameter keys: which keys change, by object; every one where nothing is said of an object.
  func willChange(_ states: [ObjectState], _ keys: [ObjectID: [KeyNumber]]) -> WatchedKeys {
    var watched = WatchedKeys()
    if watching.objectCount == 0 { return watched }
    for state in states {
      guard let watch = state.watch else { continue }
      let names = watch.names
      if let keys = keys[state.objectID] {
        for key in keys {
          guard let name = name(of: key, state), names.contains(name) else { continue }
          watched.keys.append((state, name))
        }
      } else {
        let declared = state.entity.properties.map(\.name).filter(names.contains)
        for name in declared + names.subtracting(declared).sorted() {
          watched.keys.append((state, name))
        }
      }
    }
    for key in watched.keys { willChange(key.state, key.name) }
    return watched
  }

  func didChange(_ watched: WatchedKeys) {
    for key in watched.keys { didChange(key.state, key.name) }
  }
}
