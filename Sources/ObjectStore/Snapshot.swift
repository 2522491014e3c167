internal import EventCoding
internal import EventFold
internal import Journaling
package import ObjectModel

/// An object as a commit left it.
package struct StoredRow: Hashable, Sendable {
  /// What it has; nil where it was deleted.
  package let row: Row?
  /// The commit that did so.
  package let changed: CommitNumber

  package init(_ row: Row?, changed: CommitNumber) {
    self.row = row
    self.changed = changed
  }
}

/// All objects as a commit left them. It stays as it is, whatever is committed later, and any thread may read
/// it.
package struct Snapshot: Sendable {
  /// The commit; none before the first.
  package internal(set) var number: CommitNumber
  /// When it was made.
  package internal(set) var time: RecordedTime
  /// The eras up to its own.
  package private(set) var eras: [Era]
  let store: StoreTag
  /// The newest first; where there is an era, the first is of the last one, and has no runs.
  var layers: [Layer]
  var index = SnapshotIndex()

  /// Before the first commit of a store.
  init(emptyOf store: StoreTag) {
    (number, time, eras, layers) = (.none, RecordedTime(rawValue: .min), [], [])
    self.store = store
  }

  /// A state whose rows are in layers.
  init(
    of number: CommitNumber, _ time: RecordedTime, eras: [Era], store: StoreTag,
    layersBelow: [Layer], _ index: SnapshotIndex
  ) {
    self.number = number
    self.time = time
    self.eras = eras
    self.store = store
    self.index = index
    layers = (eras.isEmpty ? [] : [Layer(era: eras.count - 1)]) + layersBelow
  }

  /// Makes the snapshot one of another era, in which nothing has been committed yet.
  mutating func begin(_ era: Era) {
    let known = Set(eras.flatMap(\.entities).map(\.number))
    index.begin(era, knowing: known, isEmpty: number == .none)
    layers.insert(Layer(era: eras.count), at: 0)
    eras.append(era)
  }

  /// The same state as it would be read if the models of later eras had been adopted then; nil where one of them had
  /// something stored when it was, as where relationships lead.
  func under(_ later: [Era]) -> Snapshot? {
    var snapshot = self
    for era in later.dropFirst(eras.count) {
      guard era.conversions.values.allSatisfy(\.gathered.isEmpty) else { return nil }
      snapshot.begin(era)
    }
    return snapshot
  }

  /// The last state in the era of a commit that is not later: what the past is counted back from.
  func atEnd(ofEraOf commit: CommitNumber) -> Snapshot {
    var snapshot = self
    while snapshot.eras.count > 1, let era = snapshot.eras.last, era.since >= commit {
      snapshot.eras.removeLast()
      snapshot.layers.removeAll { $0.era >= snapshot.eras.count }
      snapshot.number = era.since
      snapshot.index = SnapshotIndex(unkept: snapshot.era?.indexing ?? Indexing())
    }
    return snapshot
  }

  /// How many eras there had been at a commit that is not later.
  package func eraCount(at commit: CommitNumber) -> Int {
    max(1, eras.count { $0.since < commit })
  }

  /// An earlier state: as this one, but for some objects.
  ///
  /// - Parameter index: what its indexes were; nil for some that are not kept.
  func earlier(
    _ number: CommitNumber, _ time: RecordedTime, _ changes: Layer, _ index: IndexTakenBack?
  ) throws(StoreError) -> Snapshot {
    var snapshot = self
    snapshot.number = number
    snapshot.time = time
    snapshot.layers.insert(changes, at: 0)
    snapshot.index = try index?.finished(from: self, to: snapshot) ?? self.index.unkept
    return snapshot
  }

  /// Puts a layer on top, so that what is below it does not change any more.
  mutating func cover() {
    index.cover()
    guard !eras.isEmpty, !layers[0].changes.isEmpty else { return }
    layers.insert(Layer(era: eras.count - 1), at: 0)
  }

  /// Puts other layers, which say the same, in the place of those below the first.
  mutating func replaceLayers(belowTop layers: [Layer], _ indexRuns: [IndexRun]) {
    index.replaceAll(belowTop: indexRuns)
    // Before the first model there are none, and no rows.
    if !eras.isEmpty { self.layers.replaceSubrange(1..., with: layers) }
  }

  /// Roughly how much memory the changes take that are in no run.
  package var changesByteCount: Int {
    layers.reduce(index.changesByteCount) { $0 + $1.changesByteCount }
  }

  /// The names of all runs.
  var runNames: [String] { layers.flatMap(\.runs).map(\.name) + index.runs.map(\.name) }

  /// How many layers there are to look through.
  package var layerCount: Int { layers.count }

  mutating func advance(to commit: CommitContent) {
    number = commit.number
    time = commit.time
  }

  /// The model of the snapshot's time.
  package var era: Era? { eras.last }

  /// The model of the time of an earlier commit, or of the snapshot's.
  package func era(of commit: CommitNumber) -> Era? {
    commit == number ? era : eras.last { $0.since < commit } ?? eras.first
  }

  /// What an object has; nil where there is none.
  ///
  /// - Throws: where the object is another store's, or what is on the disk cannot be read.
  package func row(of object: ObjectID) throws(StoreError) -> Row? { try stored(object)?.row }

  /// An object with the commit that changed it last; nil where none ever has.
  package func stored(_ object: ObjectID) throws(StoreError) -> StoredRow? {
    guard object.store == store else { throw .objectOfAnotherStore(object) }
    guard let (stored, era) = try assembled(object, through: eras.count - 1) else { return nil }
    return StoredRow(converted(stored.row, of: object, fromEra: era), changed: stored.changed)
  }

  /// Whether an object has just this row, as far as it can be read.
  func has(_ row: Row?, as object: ObjectID) -> Bool {
    do throws(StoreError) {
      return try self.row(of: object) == row
    } catch {
      return true
    }
  }

  /// The commit that changed an object last; nil where none ever has.
  func changed(_ object: ObjectID) throws(StoreError) -> CommitNumber? {
    guard object.store == store else { throw .objectOfAnotherStore(object) }
    // In place: a copy of a layer costs more than a look into it.
    for index in layers.indices {
      if let changed = try layers[index].changed(object) { return changed }
    }
    return nil
  }

  /// What the layers of an era, and of those before, say of an object, in the newest era that says something;
  /// nil where none does.
  func assembled(
    _ object: ObjectID, through era: Int
  ) throws(StoreError) -> (stored: StoredRow, era: Int)? {
    var assembly = RowAssembly(object)
    for layer in layers where layer.era <= era {
      guard let overlay = try layer.overlay(object) else { continue }
      if let whole = try assembly.take(overlay, layer.era, in: self) { return whole }
      // What the layer's own runs have lies below its changes.
      for run in layer.runs {
        guard let stored = try onRun({ () throws(RunError) in try run.stored(object) }) else {
          continue
        }
        if let whole = try assembly.take(.whole(stored), layer.era, in: self) { return whole }
      }
    }
    if assembly.isWaiting { throw .chainBroken(object, in: number) }
    return nil
  }

  /// The IDs of all objects that there are, in order.
  package func allObjects() throws(StoreError) -> [ObjectID] {
    var rows = LayeredRows(of: self)
    var objects: [ObjectID] = []
    while let next = try rows.nextFound() {
      if !next.row.isDeleted { objects.append(next.object) }
    }
    return objects
  }

  /// Calls a closure with each object of an entity, in order.
  ///
  /// - Parameter body: returns whether to go on.
  package func forEach(
    _ entity: EntityNumber, origin: UInt16 = 0, _ body: (ObjectID, Row) throws(StoreError) -> Bool
  ) throws(StoreError) {
    guard era?.name(of: entity) != nil else { return }
    var rows = LayeredRows(of: self)
    rows.move(
      from: ObjectID(origin: origin, entity: entity, number: 0, store: store),
      through: ObjectID(
        origin: origin, entity: entity, number: ObjectID.largestNumber, store: store))
    while let next = try rows.next() {
      guard let row = converted(next.stored.row, of: next.object, fromEra: next.era) else {
        continue
      }
      guard try body(next.object, row) else { return }
    }
  }

  /// The last commit before the model that has an object's entity no more, where the object was there until then and
  /// would be for all that commits have done.
  package func lastCommitWithEntity(
    of object: ObjectID
  ) throws(StoreError) -> CommitNumber? {
    guard let last = eras.lastIndex(where: { $0.name(of: object.entity) != nil }),
      last < eras.count - 1, try assembled(object, through: last)?.stored.row != nil
    else { return nil }
    return eras[last + 1].since
  }

  /// The entities that this state has, and the model of a later one has no more.
  package func entities(goneIn later: Snapshot) -> Set<EntityNumber> {
    Set((era?.entities ?? []).map(\.number).filter { later.era?.name(of: $0) == nil })
  }

  /// What an earlier snapshot of the store has of an object, as this one has it.
  package func converted(_ row: Row?, of object: ObjectID, from earlier: Snapshot) -> Row? {
    converted(row, of: object, fromEra: max(0, earlier.eras.count - 1))
  }

  /// A row of an older era as the snapshot's era has it; nil where that has no such entity any more.
  package func converted(_ row: Row?, of object: ObjectID, fromEra index: Int) -> Row? {
    convert(row, of: object, from: index, to: eras.count - 1)
  }

  /// A row of an era as a later one has it.
  func convert(_ row: Row?, of object: ObjectID, from index: Int, to last: Int) -> Row? {
    guard index < last, var row else { return row }
    for era in eras[(index + 1)...last] {
      guard let conversion = era.conversions[object.entity] else { return nil }
      conversion.apply(to: &row, in: store)
    }
    return row
  }
}

/// A snapshot that is handed from one to another, and looked into, without being copied.
package final class SharedSnapshot: Sendable {
  package let snapshot: Snapshot

  package init(_ snapshot: consuming Snapshot) { self.snapshot = snapshot }

  /// Another one, which a closure has changed.
  func changed(_ body: (inout Snapshot) -> Void) -> SharedSnapshot {
    var snapshot = snapshot
    body(&snapshot)
    return SharedSnapshot(snapshot)
  }

  package var number: CommitNumber { snapshot.number }

  package func handle(of object: ObjectID) throws(StoreError) -> RowHandle? {
    try snapshot.handle(of: object)
  }
}

extension StoreError {
  static func objectOfAnotherStore(_ object: ObjectID) -> StoreError {
    StoreError(
      .objectOfAnotherStore,
      "\(object) is an object of another store; ask that store for it, or keep a reference to it.")
  }
}
