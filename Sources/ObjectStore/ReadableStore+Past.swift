internal import DiskAccess
internal import EventCoding
internal import EventFold
internal import Journaling
public import ObjectModel

// What was: commits, and objects as earlier commits left them.
extension ReadableStore {
  /// A commit with what it changed.
  ///
  /// - Throws: where there is none, or compaction has dropped it.
  package func content(of number: CommitNumber) throws(StoreError) -> CommitContent {
    guard number == .none || number >= firstKeptCommit else { throw .commitDropped(number) }
    return try pastCommits.commit(number, head: head.number, manifest)
  }

  /// An object as it was at a commit; nil where it was not there then, nor deleted before.
  ///
  /// Costs: a step for each commit that has changed the object since.
  package func stored(
    _ object: ObjectID, at number: CommitNumber
  ) throws(StoreError) -> StoredRow? {
    let head = head
    try refuseDropped(number, head)
    var stored = try head.atEnd(ofEraOf: number).stored(object)
    while let later = stored, later.changed > number {
      stored = try before(later, object, head).stored
    }
    return stored
  }

  /// An object before the last change of it, and the commit that made this.
  func before(
    _ stored: StoredRow, _ object: ObjectID, _ head: Snapshot
  ) throws(StoreError) -> (stored: StoredRow?, commit: CommitContent, change: ObjectChange) {
    let commit = try pastCommits.commit(stored.changed, head: head.number, manifest)
    guard let change = commit.change(of: object) else {
      throw .chainBroken(object, in: commit.number)
    }
    guard change.previous != .none else { return (nil, commit, change) }
    do throws(FoldError) {
      let row = try change.inverse.applied(to: stored.row)
      return (StoredRow(row, changed: change.previous), commit, change)
    } catch {
      throw .pastMisfit(error, commit.number)
    }
  }

  /// The first commit that compaction has left; the state before it can be read too.
  public var firstKeptCommit: CommitNumber { cataloguing.withLock { catalogue.firstKept } }

  private func refuseDropped(_ number: CommitNumber, _ head: Snapshot) throws(StoreError) {
    guard number <= head.number else { throw .commitMissing(number, head: head.number) }
    guard number.next >= firstKeptCommit else { throw .commitDropped(number) }
  }

  /// All objects as they were at a commit.
  ///
  /// Costs: reading the commits that came after it.
  package func snapshot(at number: CommitNumber) throws(StoreError) -> Snapshot {
    let head = head
    try refuseDropped(number, head)
    let latest = head.atEnd(ofEraOf: number)
    if latest.number == number { return latest }
    var later: [ObjectID: [ObjectChange]] = [:]
    try forEachCommit(after: number, through: latest.number, head) { commit in
      for change in commit.changes { later[change.object, default: []].append(change) }
    }
    var rows = ObjectTable<StoredRow>()
    // In the order of the objects, so that each block of a run is read once.
    for (object, changes) in later.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      var row = try latest.row(of: object)
      for change in changes.reversed() {
        do throws(FoldError) {
          row = try change.inverse.applied(to: row)
        } catch {
          throw .pastMisfit(error, number.next)
        }
      }
      rows[object] = StoredRow(row, changed: changes[0].previous)
    }
    let time =
      number < firstKeptCommit ? RecordedTime(rawValue: .min) : try content(of: number).time
    return latest.earlier(number, time, rows)
  }

  /// Calls a closure with the commits after one and up to another, in order.
  func forEachCommit(
    after number: CommitNumber, through last: CommitNumber, _ head: Snapshot,
    _ body: (CommitContent) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard number < last else { return }
    let place = try pastCommits.place(of: number.next, head: head.number)
    let reader = try onJournal { () throws(JournalError) in
      try JournalReader(at: path, on: readableDisk)
    }
    var expected = number.next
    let ending = try reader.forEachEntry(from: place.number, decoder) {
      (_, entry) throws(StoreError) in
      guard case .commit(let commit) = entry, commit.content.number >= expected else {
        return true
      }
      guard commit.content.number == expected else { throw .commitDropped(expected) }
      try body(commit.content)
      expected = expected.next
      return expected <= last
    }
    guard expected > last else {
      if let finding = ending.finding { throw StoreError(JournalError.damaged(finding)) }
      throw .commitDropped(expected)
    }
  }
}

extension CommitContent {
  /// The change of an object.
  func change(of object: ObjectID) -> ObjectChange? {
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].object < object { low = middle + 1 } else { high = middle }
    }
    return low < changes.count && changes[low].object == object ? changes[low] : nil
  }
}

extension StoreError {
  static func chainBroken(_ object: ObjectID, in commit: CommitNumber) -> StoreError {
    StoreError(
      .damaged,
      "the history of \(object) is broken: commit \(commit) does not have the change it is said to "
        + "have; run a deep verification to see what else is.")
  }

  static func pastMisfit(_ error: FoldError, _ commit: CommitNumber) -> StoreError {
    StoreError(
      .damaged,
      "the commits from \(commit) on cannot be taken back: \(error) Run a deep verification to see "
        + "what else is wrong.")
  }
}
