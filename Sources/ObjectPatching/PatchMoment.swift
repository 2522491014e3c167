internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

/// A store at one end of some commits. Of objects it tells what these commits say, and reads the others one by one: no
/// state is made, which would cost what came after it.
struct PatchMoment {
  let store: ReadableStore
  private let commits: PatchCommits
  /// Whether the commits come after the moment, and not before it.
  private let isFirst: Bool

  init(_ commits: PatchCommits, isFirst: Bool) {
    store = commits.history.store
    self.commits = commits
    self.isFirst = isFirst
  }

  private var number: CommitNumber { isFirst ? commits.first : commits.last }

  /// What an object has; nil where it is not there.
  func row(of object: ObjectID) throws(StoreError) -> Row? {
    switch commits.changes[object].flatMap(side) {
    case .absent?: nil
    case .whole(let row)?: row
    case .partial?, nil: try read(object)
    }
  }

  /// What an object has of the changed keys, and of one that it is named by; all where the commits do not tell. Nil
  /// where it is not there.
  func row(
    of object: ObjectID, changedBy change: NetChange, namedBy key: KeyNumber?
  ) throws(StoreError) -> Row? {
    switch side(change) {
    case .absent?: return nil
    case .whole(let row)?: return row
    case .partial(var row)?:
      if let key, !change.entries.contains(where: { $0.key == key }) {
        row[key] = try unchangedValue(of: object, key)
      }
      return row
    case nil: return try read(object)
    }
  }

  /// What an object has of a key, and maybe of others; nil where it is not there.
  func row(of object: ObjectID, withKey key: KeyNumber?) throws(StoreError) -> Row? {
    if let change = commits.changes[object] {
      return try row(of: object, changedBy: change, namedBy: key)
    }
    guard commits.endAtHead else { return try read(object) }
    guard let handle = try commits.history.head.handle(of: object), !handle.isDeleted else {
      return nil
    }
    var row = Row()
    if let key { row[key] = try handle.value(key) }
    return row
  }

  /// Whether the store has an object here, or had it before.
  func hasKnown(_ object: ObjectID) throws(StoreError) -> Bool {
    try commits.history.stored(object, at: number).map { $0.changed != .none } ?? false
  }

  /// Whether another object has a value that one is named by. One that has got another since the commits is not known.
  func hasNamesake(
    of object: ObjectID, _ key: KeyNumber, _ value: Value
  ) throws(StoreError) -> Bool {
    var namesakes: [ObjectID] = []
    try commits.history.head.forEachObject(
      of: [object.entity], indexedBy: key, .equal(to: value)
    ) { (hit) throws(StoreError) in
      if hit.object != object { namesakes.append(hit.object) }
      return true
    }
    for namesake in namesakes {
      if try commits.history.stored(namesake, at: number)?.row?[key] == value { return true }
    }
    return false
  }

  /// A context that shows the whole moment.
  func context() throws(StoreError) -> ManagedObjectContext {
    try store.objects(at: number, countedBackFrom: commits.history.head)
  }

  /// What the commits tell of an object here; nil where they do not.
  private func side(_ change: NetChange) -> NetChange.Side? {
    guard change.isWhole else { return nil }
    return isFirst ? change.before : change.after
  }

  private func read(_ object: ObjectID) throws(StoreError) -> Row? {
    // What the commits have left as it was is read where they end, which is nearer to what the store has now.
    let number = commits.changes[object] == nil ? commits.last : number
    return try commits.history.stored(object, at: number)?.row
  }

  /// The value of a key that the commits have not changed.
  private func unchangedValue(
    of object: ObjectID, _ key: KeyNumber
  ) throws(StoreError) -> Value? {
    if commits.endAtHead { return try commits.history.head.handle(of: object)?.value(key) }
    return try commits.history.stored(object, at: commits.last)?.row?[key]
  }
}

/// The commits between two moments of a store, with what they have done to each object.
struct PatchCommits {
  let history: PatchHistory
  let first: CommitNumber
  let last: CommitNumber
  let changes: [ObjectID: NetChange]

  /// - Returns: nil where the commits cannot be told, or the model has changed since the first of them.
  init?(
    of history: PatchHistory, after first: CommitNumber, through last: CommitNumber
  ) throws(StoreError) {
    let head = history.head
    guard head.number >= last, head.eraCount(at: first) == head.eras.count,
      let changes = try history.store.netChanges(after: first, through: last)
    else { return nil }
    (self.history, self.first, self.last, self.changes) = (history, first, last, changes)
  }

  var endAtHead: Bool { last == history.head.number }
}
