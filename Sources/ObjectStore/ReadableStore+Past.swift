internal import DiskAccess
internal import EventCoding
internal import EventFold
package import Journaling
public import ObjectModel

// What was: commits, and objects as earlier commits left them.
extension ReadableStore {
  /// A commit with what it changed.
  ///
  /// - Throws: where there is none, or compaction has dropped it.
  package func content(of number: CommitNumber) throws(StoreError) -> CommitContent {
    guard number == .none || number >= firstKeptCommit else { throw .commitDropped(number) }
    return try past(number).content()
  }

  /// Where the frame lies that has a commit.
  ///
  /// - Throws: where there is none, or compaction has dropped it.
  package func place(of number: CommitNumber) throws(StoreError) -> FramePlace {
    guard number >= firstKeptCommit else { throw .commitDropped(number) }
    return try pastCommits.place(of: number, head: headNumber)
  }

  /// What a commit says of itself; of what it changed nothing is decoded.
  ///
  /// - Throws: where there is none, or compaction has dropped it.
  package func heading(of number: CommitNumber) throws(StoreError) -> CommitContent {
    guard number == .none || number >= firstKeptCommit else { throw .commitDropped(number) }
    return try past(number).head
  }

  /// A commit that the journal has.
  func past(_ number: CommitNumber) throws(StoreError) -> PastCommit {
    try pastCommits.commit(number, head: head.number, manifest)
  }

  /// An object as it was at a commit; nil where it was not there then, nor deleted before.
  ///
  /// Costs: a step for each commit that has changed the object since.
  package func stored(
    _ object: ObjectID, at number: CommitNumber
  ) throws(StoreError) -> StoredRow? {
    let head = head
    try refuseDropped(number, head)
    return try stored(object, at: number, countedBackFrom: head)
  }

  /// The same, known from a state that is not earlier, where the journal has all commits between them.
  package func stored(
    _ object: ObjectID, at number: CommitNumber, countedBackFrom latest: Snapshot
  ) throws(StoreError) -> StoredRow? {
    let last = try latest.atEnd(ofEraOf: number).stored(object)
    return try stored(object, at: number, countedBackFrom: last, latest)
  }

  /// The same, known from a later commit of the same era.
  package func stored(
    _ object: ObjectID, at number: CommitNumber, countedBackFrom last: StoredRow?,
    _ latest: Snapshot
  ) throws(StoreError) -> StoredRow? {
    var stored = last
    while let later = stored, later.changed > number {
      let commit = try pastCommits.commit(later.changed, head: latest.number, manifest)
      guard let change = try commit.side(.before, of: object) else {
        throw .chainBroken(object, in: later.changed)
      }
      guard change.previous != .none else { return nil }
      do throws(FoldError) {
        stored = StoredRow(try change.before(later.row), changed: change.previous)
      } catch {
        throw .pastMisfit(error, later.changed)
      }
    }
    return stored
  }

  /// An object before the last change of it, and the commit that made this with all it says of it.
  func before(
    _ stored: StoredRow, _ object: ObjectID, _ head: Snapshot
  ) throws(StoreError) -> (stored: StoredRow?, commit: PastCommit, change: ObjectChange) {
    let commit = try pastCommits.commit(stored.changed, head: head.number, manifest)
    guard let change = try commit.change(of: object) else {
      throw .chainBroken(object, in: stored.changed)
    }
    guard change.previous != .none else { return (nil, commit, change) }
    do throws(FoldError) {
      let row = try change.inverse.applied(to: stored.row)
      return (StoredRow(row, changed: change.previous), commit, change)
    } catch {
      throw .pastMisfit(error, stored.changed)
    }
  }

  /// The first commit that compaction has left; the state before it can be read too.
  public var firstKeptCommit: CommitNumber { cataloguing.withLock { catalogue.firstKept } }

  func refuseDropped(_ number: CommitNumber, _ head: Snapshot) throws(StoreError) {
    guard number <= head.number else { throw .commitMissing(number, head: head.number) }
    guard number.next >= firstKeptCommit else { throw .commitDropped(number) }
  }

  /// All objects as they were at a commit.
  ///
  /// Costs: reading the commits that came after it.
  package func snapshot(at number: CommitNumber) throws(StoreError) -> Snapshot {
    try snapshot(at: number, countedBackFrom: head)
  }

  /// The same, known from a state that is not earlier. Its indexes are made when they are first asked for, where they
  /// are not taken back with the rows.
  ///
  /// Costs: reading the commits between the two; half of it for the indexes.
  package func snapshot(
    at number: CommitNumber, countedBackFrom later: Snapshot, isIndexed: Bool = true
  ) throws(StoreError) -> Snapshot {
    try refuseDropped(number, later)
    var latest = later.atEnd(ofEraOf: number)
    if number == later.number { return latest }
    let time =
      number < firstKeptCommit ? RecordedTime(rawValue: .min) : try past(number).head.time
    if latest.number == number {
      latest.time = time
      return latest
    }
    var before = ChangesTakenBack(era: latest.eras.count - 1)
    var index = isIndexed ? IndexTakenBack(latest.index) : nil
    try forEachCommit(after: number, through: latest.number, later) {
      (batch, place) throws(StoreError) in
      let side = try batch.side(.before, place, other: index?.asked)
      try before.take(side)
      index?.take(side)
      return true
    }
    return try latest.earlier(number, time, try before.finished(over: latest), index)
  }

  /// What the commits after one and up to another have done to each object that they changed; nil where compaction has
  /// dropped some of the commits.
  ///
  /// Costs: reading these commits.
  package func netChanges(
    after number: CommitNumber, through last: CommitNumber
  ) throws(StoreError) -> [ObjectID: NetChange]? {
    guard number >= last || number.next >= firstKeptCommit else { return nil }
    var changes: [ObjectID: NetChange] = [:]
    try forEachCommit(after: number, through: last, head) {
      (commit: CommitContent) throws(StoreError) in
      for change in commit.changes { changes[change.object, default: NetChange()].add(change) }
      return true
    }
    return changes
  }

  /// Calls a closure with the commits after one and up to another, in order.
  ///
  /// - Parameter body: returns whether to go on.
  func forEachCommit(
    after number: CommitNumber, through last: CommitNumber, _ head: Snapshot,
    _ body: (CommitContent) throws(StoreError) -> Bool
  ) throws(StoreError) {
    guard number < last else { return }
    if last.rawValue - number.rawValue <= Self.fewCommits {
      // To walk to them would cost what comes before them.
      for each in number.next.rawValue...last.rawValue {
        let commit = try pastCommits.commit(
          CommitNumber(rawValue: each), head: head.number, manifest)
        guard try body(commit.content()) else { return }
      }
      return
    }
    try forEachCommit(after: number, through: last, head) { (batch, place) throws(StoreError) in
      try body(try batch.commit(place).content)
    }
  }

  /// How many commits are read one by one, and not by walking over their segments.
  private static var fewCommits: UInt64 { 16 }

  /// The same, with commits that the closure decodes as far as it wants: the batch each is in, and its place
  /// there.
  private func forEachCommit(
    after number: CommitNumber, through last: CommitNumber, _ head: Snapshot,
    _ body: (BatchContent, Int) throws(StoreError) -> Bool
  ) throws(StoreError) {
    guard number < last else { return }
    let place = try pastCommits.place(of: number.next, head: head.number)
    let reader = try journalReader()
    var expected = number.next
    var goesOn = true
    let ending = try reader.forEachEntry(from: place.number, decoder) {
      (_, batch, entry) throws(StoreError) in
      guard case .commit(let place) = entry else { return true }
      let found = try batch.head(place).number
      guard found >= expected else { return true }
      guard found == expected else { throw .commitDropped(expected) }
      goesOn = try body(batch, place)
      expected = expected.next
      return goesOn && expected <= last
    }
    guard expected > last || !goesOn else {
      if let finding = ending.finding { throw StoreError(refusing: finding) }
      throw .commitDropped(expected)
    }
  }
}

extension CommitSide.Object {
  /// What the object was before the change, where this is the side before it.
  ///
  /// - Parameter row: what it became by the change.
  fileprivate func before(_ row: Row?) throws(FoldError) -> Row? {
    guard (row == nil) == (kind == .deleted) else { throw .objectDoesNotFit(object, kind) }
    if kind == .inserted { return nil }
    var before = row ?? Row()
    for entry in values { before[entry.key] = entry.value }
    for entry in differences {
      guard let applied = entry.change.inverse.applied(to: before[entry.key]) else {
        throw .valueDoesNotFit(object, entry.key)
      }
      before[entry.key] = applied.value
    }
    return before
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
