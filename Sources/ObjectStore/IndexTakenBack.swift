internal import EventCoding
internal import ObjectModel

/// What indexes were before some commits, put together while these are read in their order.
///
/// The first commit that has to do with a value of an object tells whether the object had it before: it did
/// where it is an old value, and did not where it is a new one.
struct IndexTakenBack {
  private let latest: SnapshotIndex
  private var changes = IndexTree()
  /// The keys of objects of which a commit tells only how their values differ.
  private var differing: [ObjectID: Set<KeyNumber>] = [:]

  /// - Parameter latest: the indexes after the commits.
  init(_ latest: SnapshotIndex) { self.latest = latest }

  /// Whether both sides of a value must be known.
  var asked: ((EntityNumber, KeyNumber) -> Bool)? { latest.indexing.asked }

  /// Takes the side before the next commit.
  mutating func take(_ side: CommitSide) {
    if latest.indexing.indexes.isEmpty { return }
    for change in side.objects {
      let object = change.object
      for entry in change.differences where latest.indexing.isIndexed(object.entity, entry.key) {
        differing[object, default: []].insert(entry.key)
      }
      for other in change.others where differing[object]?.contains(other.key) != true {
        let old = change.values.first { $0.key == other.key }?.value
        replace(other.value, by: old, of: object, other.key, isFirst: true)
      }
    }
  }

  /// The indexes before the commits.
  func finished(
    from last: Snapshot, to earlier: Snapshot
  ) throws(StoreError) -> SnapshotIndex {
    var whole = self
    for (object, keys) in differing.sorted(by: { $0.key < $1.key }) {
      let (new, old) = (try last.row(of: object), try earlier.row(of: object))
      for key in keys { whole.replace(new?[key], by: old?[key], of: object, key, isFirst: false) }
    }
    return latest.earlier(whole.changes)
  }

  private mutating func replace(
    _ new: Value?, by old: Value?, of object: ObjectID, _ key: KeyNumber, isFirst: Bool
  ) {
    guard let place = latest.indexing.place(of: key, object.entity),
      let number = latest.numbers[place]
    else { return }
    for entry in SnapshotIndex.entries(number, new, old, of: object) {
      changes.set(entry, unlessThere: isFirst)
    }
  }
}
