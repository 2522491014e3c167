internal import DiskAccess
internal import EventFold
public import FoundationEssentials
internal import Journaling
public import ObjectModel

extension ReadableStore {
  /// The last commit; none before the first.
  public var lastCommit: CommitNumber { head.number }

  /// The commits after one, in order, with old and new values.
  ///
  /// A program that remembers the number of the last one it has seen can go on from there; one that is to notice that
  /// the store was brought back from a backup, and has gone on since, remembers its `mark(of:)`.
  /// - Throws: where compaction has dropped some of them, or they cannot be read; and where there is no commit of that
  ///   number yet, as in a store that was brought back from a backup.
  public func commits(since number: CommitNumber) throws(StoreError) -> [Commit] {
    var commits: [Commit] = []
    try forEachCommit(since: number) { (commit) throws(StoreError) in
      commits.append(commit)
      return true
    }
    return commits
  }

  /// Calls a closure with the commits after one, in order, without holding all of them.
  ///
  /// - Parameter body: returns whether to go on.
  public func forEachCommit(
    since number: CommitNumber, _ body: (Commit) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let head = head
    var rows = RowsInPassing()
    guard number >= firstKeptCommit.previous else { throw .commitDropped(number.next) }
    guard number <= head.number else { throw .commitMissing(number, head: head.number) }
    try forEachCommit(after: number, through: head.number, head) { content throws(StoreError) in
      try body(commit(content, head, &rows))
    }
  }

  /// A commit, with old and new values.
  public func commit(_ number: CommitNumber) throws(StoreError) -> Commit {
    var rows = RowsInPassing()
    return try commit(try content(of: number), head, &rows)
  }

  /// A commit that was just made, with old and new values, which are found out when somebody asks for them. Nothing
  /// is read for that.
  ///
  /// - Parameter rows: what the objects have after it.
  package func publicCommit(_ content: CommitContent, _ rows: [ObjectID: Row?]) -> Commit {
    let era = head.eras.last { $0.since < content.number }
    let names = cataloguing.withLock { catalogue.keys }
    return Commit(
      content,
      CommitDetails {
        content.changes.map { change in
          let after = rows[change.object] ?? nil
          return Commit.Change(
            change, before: try? change.inverse.applied(to: after), after: after, era
          ) { names[$0] }
        }
      })
  }

  /// The last commit made at a moment or before; none where there was none yet.
  public func commit(at date: Date) throws(StoreError) -> CommitNumber {
    // Compared as dates, which are coarser: the date of a commit is to lead to it.
    let head = head
    let before = firstKeptCommit.previous
    var (low, high) = (before.rawValue, head.number.rawValue)
    if head.time.date <= date { return head.number }
    // From the last one back in longer and longer strides: it is near, mostly, and what is not has to be looked for in
    // more of the journal.
    high = max(low, high - min(high, 1))
    var stride: UInt64 = 1
    while low < high {
      let next = max(low + 1, high - min(stride - 1, high - low - 1))
      if try past(CommitNumber(rawValue: next)).head.time.date <= date {
        low = next
        break
      }
      high = next - 1
      stride *= 2
    }
    while low < high {
      let middle = CommitNumber(rawValue: low + (high - low + 1) / 2)
      if try past(middle).head.time.date <= date {
        low = middle.rawValue
      } else {
        high = middle.rawValue - 1
      }
    }
    // When the state was made that what is kept begins with, is not known any more.
    if low == before.rawValue, low > 0 { throw .momentDropped(date, firstKept: before.next) }
    return CommitNumber(rawValue: low)
  }

  /// The commit that a tag stands for.
  public func commit(tagged name: String) throws(StoreError) -> CommitNumber {
    guard let number = tags[name] else { throw .tagMissing(name) }
    return number
  }

  /// Every value that a key of an object had, the first first; without a key, those of all keys.
  ///
  /// A key that a change of the model has renamed is followed to the names it had and has got: the values under them are
  /// told with these. A name that two keys had in turn stands for what had it under each model.
  ///
  /// - Throws: where the object never was, or nothing is known of it any more, or its commits cannot be read. Commits
  ///   that compaction has dropped are left out.
  public func history(
    of object: ObjectID, key: String? = nil
  ) throws(StoreError) -> [PastValue] {
    var values: [PastValue] = []
    let names = key.map { NamesOfKey(of: $0, in: object.entity, self) }
    try walkBack(object) { era, changed in
      let wanted = names.map { Set($0.keys(inEra: era).compactMap(name)) }
      values += changed.filter { wanted?.contains($0.key) ?? true }.sorted { $0.key > $1.key }
      return true
    }
    return values.reversed()
  }

  /// For each value that an object has, the commit that set it, by key.
  ///
  /// - Throws: where the object is not there now, which says whether it was deleted, went with its entity or is not
  ///   known; or where its commits cannot be read.
  public func blame(_ object: ObjectID) throws(StoreError) -> [String: PastValue] {
    let head = head
    guard let row = try head.row(of: object) else { throw try absence(of: object, head) }
    // What is still looked for, by the names it has now, under the keys of the era that is walked.
    var missing: [KeyNumber: String] = [:]
    for entry in row.entries { missing[entry.key] = name(of: entry.key) }
    var era = head.eras.count - 1
    var values: [String: PastValue] = [:]
    try walkBack(object) { place, changed in
      while era > place {
        missing = head.eras[era].conversions[object.entity]?.olderKeys(of: missing) ?? [:]
        era -= 1
      }
      for value in changed {
        guard let key = existingKey(named: value.key), let name = missing.removeValue(forKey: key)
        else { continue }
        // What it has now in the place of nothing is the model's default, and no commit's.
        if value.new != nil { values[name] = value }
      }
      return !missing.isEmpty
    }
    return values
  }

  /// Calls a closure with what each commit changed of an object, the last first, and the era it was made in.
  func walkBack(
    _ object: ObjectID, _ body: (_ era: Int, [PastValue]) -> Bool
  ) throws(StoreError) {
    let (head, firstKept) = (head, firstKeptCommit)
    guard try head.stored(object) != nil else { throw try absence(of: object, head) }
    for era in head.eras.indices.reversed() {
      let last = era + 1 < head.eras.count ? head.eras[era + 1].since : head.number
      let first = head.eras[era].since
      guard last > first else { continue }
      var stored = try head.atEnd(ofEraOf: last).stored(object)
      while let after = stored, after.changed > first {
        guard after.changed >= firstKept else { return }
        let before: StoredRow?
        let past: PastCommit
        let change: ObjectChange
        do throws(StoreError) {
          (before, past, change) = try self.before(after, object, head)
        } catch {
          // What compaction drops meanwhile is left out, as what it had dropped before.
          guard error.code == .commitMissing, try isDropped(after.changed, head) else {
            throw error
          }
          return
        }
        let commit = past.head
        let values = change.entries.map { entry in
          PastValue(
            commit: commit.number, date: commit.time.date, author: commit.author,
            message: commit.message, contextName: commit.contextName,
            key: nameTold(of: entry.key), old: before?.row?[entry.key],
            new: after.row?[entry.key])
        }
        guard body(era, values) else { return }
        stored = before
      }
    }
  }

  /// Whether the journal does not have a commit any more, also where that is not noted yet.
  private func isDropped(_ commit: CommitNumber, _ head: Snapshot) throws(StoreError) -> Bool {
    let first = try journalReader().manifest.segments[0].firstFrame
    guard let kept = try pastCommits.firstCommit(from: first, head: head.number) else {
      return true
    }
    return commit < kept
  }

  /// Why an object is not there.
  private func absence(
    of object: ObjectID, _ head: Snapshot
  ) throws(StoreError) -> StoreError {
    guard let (last, era) = try head.assembled(object, through: head.eras.count - 1) else {
      return .objectUnknown(object, isAllKept: firstKeptCommit == CommitNumber.none.next)
    }
    guard last.row != nil else { return .objectDeleted(object, in: last.changed) }
    return .objectWithoutEntity(object, head.eras[era].name(of: object.entity) ?? "")
  }

  /// A commit with names for numbers, and whole values for what it says of them in short.
  func commit(
    _ content: CommitContent, _ head: Snapshot, _ rows: inout RowsInPassing
  ) throws(StoreError) -> Commit {
    var changes: [Commit.Change] = []
    try forEachChange(of: content, head, &rows) { changes.append($0) }
    return Commit(content, CommitDetails(changes))
  }

  /// Calls a closure with what a commit changed, object by object, of which no more than one is held.
  func forEachChange(
    of content: CommitContent, _ head: Snapshot, _ rows: inout RowsInPassing,
    _ body: (Commit.Change) -> Void
  ) throws(StoreError) {
    let era = head.eras.last { $0.since < content.number }
    rows.enter(era)
    for change in content.changes {
      let (before, after) = try rows.pass(change, content.number, of: self)
      body(Commit.Change(change, before: before, after: after, era) { name(of: $0) })
    }
  }
}

extension Commit.Change {
  /// A change with names for numbers, and whole values for what it says of them in short.
  fileprivate init(
    _ change: ObjectChange, before: Row?, after: Row?, _ era: Era?, name: (KeyNumber) -> String?
  ) {
    var values: [String: Commit.ChangedValue] = [:]
    for entry in change.entries {
      let value: Commit.ChangedValue =
        if case .replaced(let old, let new) = entry.change {
          .init(old: old, new: new)
        } else {
          .init(old: before?[entry.key], new: after?[entry.key])
        }
      values[name(entry.key) ?? ""] = value
    }
    self.values = values
    objectID = change.object
    entityName = era?.name(of: change.object.entity) ?? ""
    kind = Commit.Kind(change.kind)
  }
}

extension Commit.Kind {
  init(_ kind: ObjectChange.Kind) {
    self =
      switch kind {
      case .inserted: .inserted
      case .updated: .updated
      case .deleted: .deleted
      }
  }
}

extension StoreError {
  fileprivate static func momentDropped(_ date: Date, firstKept: CommitNumber) -> StoreError {
    StoreError(
      .commitMissing,
      "what the store was at \(Value.date(date)) is not in the journal any more; compaction has kept commit "
        + "\(firstKept) and those after it.")
  }

  fileprivate static func objectUnknown(_ object: ObjectID, isAllKept: Bool) -> StoreError {
    StoreError(
      .objectMissing,
      isAllKept
        ? "there is no object \(object), nor was there ever one of that number."
        : "there is no object \(object); if there was one, compaction has dropped what it was.")
  }

  fileprivate static func objectDeleted(
    _ object: ObjectID, in commit: CommitNumber
  ) -> StoreError {
    StoreError(
      .objectMissing,
      "the object \(object) was deleted by commit \(commit); ask for its history to see what it was."
    )
  }

  fileprivate static func objectWithoutEntity(_ object: ObjectID, _ entity: String) -> StoreError {
    StoreError(
      .objectMissing,
      "the object \(object) is not there any more, as the model has no “\(entity)” now; ask for its history to "
        + "see what it was.")
  }
}
