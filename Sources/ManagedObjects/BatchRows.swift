internal import EventFold
internal import ObjectModel
internal import ObjectStore

/// What a batch makes of objects in one commit: their rows, over the snapshot that it is built on. What a context does
/// with objects is done here with rows, and nobody is told of it.
struct BatchRows {
  /// An object that was looked at or changed.
  struct Entry {
    /// What it has in the snapshot.
    let base: Row?
    /// What it is to have; nil where it is to be deleted.
    var row: Row?
  }

  let schema: Schema
  let snapshot: Snapshot
  private(set) var entries: [ObjectID: Entry] = [:]
  /// New objects that nothing else can lead to, and so need not be found again.
  private var unrelated: [CommitRequest.Object] = []
  /// The objects that came to refer to another in this batch, by that one.
  private(set) var arrivals: [ObjectID: Set<ObjectID>] = [:]
  /// What the deleted objects had, which their delete rules go by.
  var rowsWhenDeleted: [ObjectID: Row] = [:]
  /// Identifiers that this batch has given.
  var identifiers: [Identifier: ObjectID] = [:]
  /// Where relationships lead that objects hold themselves, while these are changed for many others; set in the rows
  /// before these are looked at.
  private var gathered: [ObjectID: [KeyNumber: GatheredDestinations]] = [:]
  /// Objects whose other ends of relationships others have changed in this batch.
  var touched: Set<ObjectID> = []
  /// Objects that are known to be there.
  private var known: Set<ObjectID> = []

  private let tag: StoreTag

  init(_ schema: Schema, of store: ReadableStore, on snapshot: Snapshot) {
    self.schema = schema
    tag = store.tag
    self.snapshot = snapshot
  }

  // MARK: Objects

  /// What an object has; nil where it is not there.
  mutating func row(of object: ObjectID) throws(StoreError) -> Row? {
    if gathered[object] != nil { setGathered(of: object) }
    if let entry = entries[object] { return entry.row }
    let row = try snapshot.row(of: object)
    entries[object] = Entry(base: row, row: row)
    return row
  }

  mutating func value(of key: KeyNumber, _ object: ObjectID) throws(StoreError) -> Value? {
    try row(of: object)?[key]
  }

  /// Whether an object is there. Its values are not read for that.
  mutating func hasObject(_ object: ObjectID) throws(StoreError) -> Bool {
    if let entry = entries[object] { return entry.row != nil }
    if known.contains(object) { return true }
    guard object.store == tag, let handle = try snapshot.handle(of: object),
      !handle.isDeleted
    else { return false }
    known.insert(object)
    return true
  }

  /// Sets what one key of an object holds, and nothing else.
  mutating func put(
    _ value: Value?, for key: KeyNumber, of object: ObjectID
  ) throws(StoreError) {
    guard try row(of: object) != nil else { return }
    entries[object]?.row?[key] = value
    if let owner = value?.reference { arrivals[owner, default: []].insert(object) }
  }

  /// Has an object that is there hold another member, or one of them no more.
  mutating func changeMembers(
    of object: ObjectID, _ end: RelationshipInfo.Inverse, inserting inserted: ObjectID? = nil,
    removing removed: ObjectID? = nil
  ) throws(StoreError) {
    guard try hasObject(object) else { return }
    // Taken out, as one that two hold would be copied.
    var members = gathered[object]?.removeValue(forKey: end.key)
    if members == nil {
      members = GatheredDestinations(
        try value(of: end.key, object), isOrdered: end.storage == .array)
    }
    if let removed { members?.remove(removed) }
    if let inserted { members?.append(inserted) }
    gathered[object, default: [:]][end.key] = members
  }

  private mutating func setGathered(of object: ObjectID) {
    for (key, members) in gathered.removeValue(forKey: object) ?? [:] where members.isChanged {
      entries[object]?.row?[key] = members.value
    }
  }

  /// Has all rows have what was changed of them.
  mutating func settle() {
    for object in gathered.keys { setGathered(of: object) }
  }

  /// Takes a new object in.
  ///
  /// - Parameter isRelated: whether relationships of it are still to be set, or others may come to lead to it.
  mutating func insert(_ object: ObjectID, _ row: Row, isRelated: Bool) {
    if isRelated {
      entries[object] = Entry(base: nil, row: row)
    } else {
      unrelated.append(CommitRequest.Object(object, base: .none, nil, to: row))
    }
  }

  /// Takes an object out.
  ///
  /// - Returns: whether it was there.
  mutating func remove(_ object: ObjectID) throws(StoreError) -> Bool {
    guard let row = try row(of: object) else { return false }
    rowsWhenDeleted[object] = row
    entries[object]?.row = nil
    return true
  }

  // MARK: Outcome

  /// Everything that changes.
  mutating func changes() -> [CommitRequest.Object] {
    settle()
    var objects = unrelated
    for (object, entry) in entries where entry.base != entry.row {
      objects.append(
        CommitRequest.Object(
          object, base: entry.base == nil ? .none : snapshot.number, entry.base, to: entry.row))
    }
    if !entries.isEmpty { objects.sort { $0.object < $1.object } }
    return objects
  }

  /// An identifier of an object.
  struct Identifier: Hashable {
    let key: KeyNumber
    let entity: EntityNumber
    let value: Value
  }
}
