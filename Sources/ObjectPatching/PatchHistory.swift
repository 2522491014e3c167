internal import ObjectModel
internal import ObjectStore

/// Reads objects at moments of a store. What has been read at a later moment is counted back from there, so that going
/// from later moments to earlier ones costs what was done between them.
final class PatchHistory {
  let store: ReadableStore
  let head: Snapshot
  private var rows: [ObjectID: EarliestMoments<StoredRow?>] = [:]
  /// How many objects were read one by one at a moment, and the states that were made since.
  private var readCounts: [CommitNumber: Int] = [:]
  private var states = EarliestMoments<Snapshot>()

  init(_ store: ReadableStore) {
    self.store = store
    head = store.head
  }

  /// What an object had at a commit; nil where it was not there, nor deleted before.
  ///
  /// Costs: a step for each later commit that has changed it, up to one where it was read already; where many are read
  /// at one moment, a state is made of it once.
  func stored(_ object: ObjectID, at number: CommitNumber) throws(StoreError) -> StoredRow? {
    // What is there now is read where it lies.
    if number == head.number { return try head.stored(object) }
    if let state = try state(at: number) { return try state.stored(object) }
    var moments = rows[object] ?? EarliestMoments()
    let stored =
      if let later = moments.nearest(notBefore: number) {
        try store.stored(object, at: number, countedBackFrom: later, head)
      } else {
        try store.stored(object, at: number, countedBackFrom: head)
      }
    moments.insert(stored, at: number)
    rows[object] = moments
    return stored
  }

  /// The state at a moment, once enough objects of it were read to be worth making it. Nil before.
  private func state(at number: CommitNumber) throws(StoreError) -> Snapshot? {
    let nearest = states.nearest(notBefore: number) ?? head
    if nearest.number == number { return nearest }
    readCounts[number, default: 0] += 1
    let distance = nearest.number.rawValue - number.rawValue
    if UInt64(readCounts[number, default: 0]) <= max(100, distance) { return nil }
    let state = try store.snapshot(at: number, countedBackFrom: nearest, isIndexed: false)
    states.insert(state, at: number)
    return state
  }
}

/// What is known of the two earliest of the moments that were asked for: the two ends of some commits.
private struct EarliestMoments<Element> {
  private var entries: [(number: CommitNumber, element: Element)] = []

  /// What is known of the nearest moment that is not earlier.
  func nearest(notBefore number: CommitNumber) -> Element? {
    entries.first { $0.number >= number }?.element
  }

  mutating func insert(_ element: Element, at number: CommitNumber) {
    let place = entries.firstIndex { $0.number >= number } ?? entries.count
    if place < entries.count, entries[place].number == number { return }
    entries.insert((number, element), at: place)
    if entries.count > 2 { entries.removeLast() }
  }
}
