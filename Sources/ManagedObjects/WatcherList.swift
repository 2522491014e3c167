/// Those who watch one key, in the order in which they began: each can end without the others being looked at.
struct WatcherList<Watcher> {
  private var watchers: [Watcher?] = []
  private var places: [ObjectIdentifier: Int] = [:]

  var isEmpty: Bool { places.isEmpty }

  /// Those who have not ended.
  var all: [Watcher] { watchers.compactMap(\.self) }

  mutating func add(_ watcher: Watcher, _ identity: ObjectIdentifier) {
    places[identity] = watchers.count
    watchers.append(watcher)
  }

  mutating func remove(_ identity: ObjectIdentifier) {
    guard let place = places.removeValue(forKey: identity) else { return }
    watchers[place] = nil
    if watchers.count > 2 * places.count + 8 { closeGaps() }
  }

  private mutating func closeGaps() {
    var kept: [Watcher?] = []
    kept.reserveCapacity(places.count)
    var newPlaces = [Int](repeating: 0, count: watchers.count)
    for (place, watcher) in watchers.enumerated() where watcher != nil {
      newPlaces[place] = kept.count
      kept.append(watcher)
    }
    places = places.mapValues { newPlaces[$0] }
    watchers = kept
  }
}
