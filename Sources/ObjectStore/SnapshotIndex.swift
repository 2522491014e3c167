internal import EventCoding
internal import EventFold
internal import ObjectModel

/// The indexes of a snapshot: which there are, and their entries in changes and runs.
///
/// An index that is not kept, because a newer model declares it or its runs are lost, is made of the rows
/// when it is asked for, until the store has made it anew.
struct SnapshotIndex: Sendable {
  private(set) var indexing = Indexing()
  /// The numbers of the indexes, by place; nil for those that are not kept.
  private(set) var numbers: [IndexNumber?] = []
  /// The number that the next index gets.
  private(set) var next: IndexNumber = IndexNumber(rawValue: 1)
  /// What has changed since the runs were written, the newest first.
  private(set) var changes = [IndexTree()]
  /// The newest first.
  private(set) var runs: [IndexRun] = []
  /// Beyond it, there may be no numbers left for the indexes of the models that follow.
  private static let largestNext = IndexNumber(rawValue: 1 << 31)
  /// Why the runs that a checkpoint names are not there.
  private(set) var loss: StoreError?
  /// The entries of the indexes that are not kept.
  private(set) var scan = UnkeptIndexes()

  init() {}

  /// Indexes that are all not kept.
  init(unkept indexing: Indexing) {
    self.indexing = indexing
    numbers = Array(repeating: nil, count: indexing.indexes.count)
  }

  /// The same indexes, none of them kept.
  var unkept: SnapshotIndex { SnapshotIndex(unkept: indexing) }

  /// Indexes as a checkpoint has them. Where it has given nearly all numbers away, they begin anew.
  init(_ kept: CheckpointIndexes, _ indexing: Indexing, runs: [IndexRun]) {
    guard kept.next <= Self.largestNext else {
      self.init(lost: .indexNumbersGiven(kept.next), indexing)
      return
    }
    self.init(unkept: indexing)
    for (place, index) in indexing.indexes.enumerated() {
      numbers[place] = kept.number(of: index.key, index.entity)
    }
    next = kept.next
    self.runs = runs
  }

  /// Indexes of which nothing is kept, because its runs are lost, or are not those that were named. As nothing has
  /// their numbers any more, these begin anew.
  init(lost error: StoreError, _ indexing: Indexing) {
    self.init(unkept: indexing)
    loss = error
  }

  /// Roughly how much memory the changes take that are in no run.
  var changesByteCount: Int { changes.reduce(0) { $0 + $1.byteCount } }

  /// Keeps nothing any more.
  mutating func lose(because error: StoreError) {
    numbers = Array(repeating: nil, count: numbers.count)
    (changes, runs, loss, scan) = ([IndexTree()], [], error, UnkeptIndexes())
  }

  /// Whether every index is kept.
  var isComplete: Bool { !numbers.contains(nil) }

  /// Takes the indexes of another era.
  ///
  /// - Parameters:
  ///   - known: the entities of the eras before.
  ///   - isEmpty: whether there is no object yet.
  mutating func begin(_ era: Era, knowing known: Set<EntityNumber>, isEmpty: Bool) {
    var numbers: [IndexNumber?] = []
    for index in era.indexing.indexes {
      let isNew = isEmpty || index.entities.allSatisfy { !known.contains($0) }
      numbers.append(isNew ? takeNumber() : numberKept(index, in: era, knowing: known))
    }
    (indexing, self.numbers) = (era.indexing, numbers)
    scan = UnkeptIndexes()
  }

  /// The number of an index that says the same in another era.
  private func numberKept(
    _ index: Indexing.Index, in era: Era, knowing known: Set<EntityNumber>
  ) -> IndexNumber? {
    guard let place = indexing.place(of: index.key, index.entity), let number = numbers[place]
    else { return nil }
    let older = indexing.indexes[place]
    let isSame = index.entities.allSatisfy { entity in
      older.entities.contains(entity)
        ? era.conversions[entity]?.keeps(index.key) ?? false : !known.contains(entity)
    }
    let isWhole = older.entity == index.entity && older.entities.allSatisfy(index.entities.contains)
    return isSame && isWhole ? number : nil
  }

  private mutating func takeNumber() -> IndexNumber {
    defer { next = IndexNumber(rawValue: next.rawValue + 1) }
    return next
  }

  // MARK: Changing

  /// Follows a commit's change of an object.
  ///
  /// - Parameter oldValue: gives what the object had for a key; asked only where the change does not tell.
  mutating func apply<Failure>(
    _ change: ObjectChange, oldValue: (KeyNumber) throws(Failure) -> Value?
  ) throws(Failure) {
    let indexed = indexing.places(of: change.object.entity)
    if indexed.isEmpty { return }
    for entry in change.entries {
      guard let place = indexed.first(where: { $0.key == entry.key })?.place else { continue }
      if case .replaced(let old, let new) = entry.change {
        replace(old, by: new, of: change.object, place)
      } else {
        let old = try oldValue(entry.key)
        replace(old, by: entry.change.applied(to: old)?.value, of: change.object, place)
      }
    }
  }

  /// Follows a change of an object that tells all its values, and the other side's of indexed keys.
  mutating func apply(_ change: CommitSide.Object) {
    for other in change.others {
      guard let place = indexing.place(of: other.key, change.object.entity) else { continue }
      let value = change.values.first { $0.key == other.key }?.value
      replace(other.value, by: value, of: change.object, place)
    }
  }

  /// Follows whatever has changed an object.
  mutating func replace(_ old: Row?, by new: Row?, of object: ObjectID) {
    for (key, place) in indexing.places(of: object.entity) {
      replace(old?[key], by: new?[key], of: object, place)
    }
  }

  private mutating func replace(
    _ old: Value?, by new: Value?, of object: ObjectID, _ place: Int
  ) {
    guard let number = numbers[place] else {
      // Another snapshot may still be making what this one shares with it.
      if !isKnownUniquelyReferenced(&scan) || scan.isMade { scan = UnkeptIndexes() }
      return
    }
    for entry in Self.entries(number, old, new, of: object) { changes[0].set(entry) }
  }

  /// What an index has of a change: that the old value is removed and the new one added.
  static func entries(
    _ number: IndexNumber, _ old: Value?, _ new: Value?, of object: ObjectID
  ) -> [IndexEntry] {
    let added = new.flatMap { IndexEntry(number, $0, of: object) }
    var removed = old.flatMap { IndexEntry(number, $0, of: object) }
    if removed == added { return [] }
    removed?.remove()
    return [removed, added].compactMap(\.self)
  }

  /// The indexes of an earlier state.
  ///
  /// - Parameter changes: what was different then.
  func earlier(_ changes: IndexTree) -> SnapshotIndex {
    var index = self
    index.changes.insert(changes, at: 0)
    index.scan = UnkeptIndexes()
    return index
  }

  // MARK: Checkpoints

  /// Puts a tree on top, so that those below it do not change any more.
  mutating func cover() {
    if !changes[0].isEmpty { changes.insert(IndexTree(), at: 0) }
  }

  /// Puts runs that say the same in the place of everything below the first tree.
  mutating func replaceAll(belowTop runs: [IndexRun]) {
    changes.removeSubrange(1...)
    self.runs = runs
  }

  /// Gives numbers to the indexes that are not kept.
  ///
  /// - Returns: their places.
  mutating func keepAll() -> [Int] {
    let places = numbers.indices.filter { numbers[$0] == nil }
    for place in places { numbers[place] = takeNumber() }
    (loss, scan) = (nil, UnkeptIndexes())
    return places
  }

  /// Adds what an index has been made of, in entries or in a run.
  mutating func add(_ entries: some Sequence<IndexEntry>, runs: [IndexRun]) {
    for entry in entries { changes[0].set(entry) }
    self.runs += runs
  }

  /// The entries of indexes, kept or made of the rows.
  func sources(
    of place: Int, in snapshot: Snapshot
  ) throws(StoreError) -> (number: IndexNumber, sources: [IndexSource.Origin]) {
    if let number = numbers[place] { return (number, keptSources) }
    let entries = try scan.entries { () throws(StoreError) in
      try snapshot.scanned(places: numbers.indices.filter { numbers[$0] == nil })
    }
    guard let entries else { return (.ofScan(place), [.rows(IndexedRows(snapshot, place: place))]) }
    return (.ofScan(place), [.sorted(entries)])
  }

  /// All that is kept, the newest first.
  var keptSources: [IndexSource.Origin] {
    changes.filter { !$0.isEmpty }.map { .tree($0) } + runs.map { .run($0) }
  }
}

extension StoreError {
  fileprivate static func indexNumbersGiven(_ next: IndexNumber) -> StoreError {
    StoreError(
      .damaged,
      "the checkpoint says that \(next.rawValue - 1) indexes were given numbers, of which few are left."
    )
  }
}

extension IndexNumber {
  /// The number that an index's entries have in a scan, where it has none of its own.
  static func ofScan(_ place: Int) -> IndexNumber { IndexNumber(rawValue: UInt32(place)) }
}
