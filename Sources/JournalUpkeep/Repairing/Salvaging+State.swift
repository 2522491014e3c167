internal import JournalInspection
internal import ObjectModel
internal import ObjectStore

// What is brought in of a state that was kept behind the damage, and of the commits that lead there and on.
extension Salvaging {
  /// Has everything from the first commit on that a reader can tell be taken over from there, once that is come to: what
  /// it shows begins behind the damaged place, because a state was kept there.
  mutating func expect(from reader: StoreReader) throws(ToolError) {
    // What is come to was said behind the state.
    for name in store.tags.keys { tags.updateValue(nil, forKey: name) }
    for (name, commit) in reader.tags { tags.updateValue(commit, forKey: name) }
    guard reader.lastCommit > last else { return }
    // What compaction has dropped is not lost.
    if last == .none { last = reader.firstKeptCommit.previous }
    later = (reader, try earliest(in: reader))
    for (number, name) in Self.keys(of: reader) where keyNames[number] == nil {
      keyNames[number] = name
    }
  }

  /// Has the new journal take over the models that a damaged state knows up to a commit, or where no model of it is left
  /// those that a kept state knows: one after the other, so that entities have their numbers.
  mutating func adoptKeptModels(before number: CommitNumber) throws(ToolError) {
    while let next = keptModels.first, next.since < number {
      keptModels.removeFirst()
      try adopt(next.entities)
    }
    guard store.model == nil, nextModels.isEmpty, let eras = later?.reader.head.eras else { return }
    for era in eras where era.since < number { try adopt(era.entities) }
  }

  /// - Parameter come: the commit that has been come to, which may be the first of them.
  mutating func takeOverLater(before come: CommitContent? = nil) throws(ToolError) {
    guard let (reader, first) = later else { return }
    later = nil
    nextModels = []
    keptModels = []
    let snapshot = try onStore { () throws(StoreError) in try reader.snapshot(at: first) }
    if first > last.next {
      losses.append(
        "\(Self.range(last.next, first.previous)): the outcome is in commit \(first), under what that says of itself"
      )
    }
    let known = snapshot.eras.lastIndex { $0.model == store.model } ?? -1
    for era in snapshot.eras[(known + 1)...] { try adopt(era.entities) }
    for (number, name) in Self.keys(of: reader) { keyNames[number] = name }
    try bridge(to: snapshot, at: first, in: reader, come)
    var next = first.next
    while next <= reader.lastCommit {
      for era in reader.head.eras.dropFirst(snapshot.eras.count)
      where era.since == next.previous { try adopt(era.entities) }
      let content = try onStore { [next] () throws(StoreError) in try reader.content(of: next) }
      try take(content)
      next = next.next
    }
  }

  /// The keys that a store knows.
  static func keys(of store: ReadableStore) -> [KeyNumber: String] {
    Dictionary(
      uniqueKeysWithValues: store.keyNames.enumerated().map {
        (KeyNumber(rawValue: UInt32($0)), $1)
      })
  }

  /// The first commit behind the last one of here whose state can be told from the reader's.
  private func earliest(in reader: StoreReader) throws(ToolError) -> CommitNumber {
    var (low, high) = (last.rawValue + 1, reader.lastCommit.rawValue)
    while low < high {
      let middle = low + (high - low) / 2
      do throws(StoreError) {
        _ = try reader.snapshot(at: CommitNumber(rawValue: middle))
        high = middle
      } catch {
        guard error.code == .damaged || error.code == .commitMissing else { throw ToolError(error) }
        low = middle + 1
      }
    }
    return CommitNumber(rawValue: low)
  }

  /// Makes of the last state here another, in one commit.
  ///
  /// - Parameter come: a commit that was read by itself, that one or one behind it.
  private mutating func bridge(
    to snapshot: Snapshot, at number: CommitNumber, in reader: StoreReader,
    _ come: CommitContent?
  ) throws(ToolError) {
    var target: [ObjectID: Row] = [:]
    for object in try Self.objects(of: snapshot, in: reader) {
      guard let row = try onStore({ () throws(StoreError) in try snapshot.row(of: object) }) else {
        continue
      }
      var renumbered = Row()
      for entry in row.entries {
        renumbered[try self.number(of: entry.key)] = entry.value
      }
      target[object] = renumbered
    }
    for object in try Self.objects(of: store.head, in: store) where target[object] == nil {
      try addChange(of: object, to: nil)
    }
    for (object, row) in target.sorted(by: { $0.key < $1.key }) {
      try addChange(of: object, to: row)
    }
    let content =
      (try? reader.content(of: number)) ?? come.flatMap { $0.number == number ? $0 : nil }
    if let content, number == last.next, !losses.isEmpty, try hasMore(than: content) {
      losses.append(
        "commit \(number): it has what was lost before it as well, under what it says of itself")
    }
    var time = content?.time
    if content == nil {
      let (found, place) = nearestTime(to: number, in: reader, come)
      time = found
      losses.append(
        "commit \(number): when, by whom and why it was made; only what it left is known\(place)")
    }
    clock.set(time)
    try commit(
      number, author: content?.author, message: content?.message,
      userInfo: content?.userInfo ?? [:], contextName: content?.contextName)
    last = number
  }

  /// Whether what is about to be committed is more than a commit says it has changed.
  private mutating func hasMore(than content: CommitContent) throws(ToolError) -> Bool {
    var rows: [ObjectID: Row?] = [:]
    for change in content.changes {
      let current = try onStore { () throws(StoreError) in try store.head.row(of: change.object) }
      let salvaged = try change.salvaged(onto: current) { (key) throws(ToolError) in
        try number(of: key)
      }
      rows[change.object] = .some(salvaged.row)
    }
    return changes.contains { rows[$0.object] != .some($0.row) }
  }

  /// The time of the commit behind one whose own is lost, or before it, so that those behind it can keep theirs.
  private func nearestTime(
    to number: CommitNumber, in reader: StoreReader, _ come: CommitContent?
  ) -> (time: RecordedTime?, place: String) {
    if number < reader.lastCommit, let next = try? reader.content(of: number.next) {
      return (next.time, ", and it has the time of commit \(number.next)")
    }
    if let come { return (come.time, ", and it has the time of commit \(come.number)") }
    if store.lastCommit > .none, let before = try? store.content(of: store.lastCommit) {
      return (before.time, ", and it has the time of the one before it")
    }
    return (nil, "")
  }

  private static func objects(
    of snapshot: Snapshot, in store: ReadableStore
  ) throws(ToolError) -> [ObjectID] {
    var objects: [ObjectID] = []
    for entity in snapshot.rootEntities {
      let query = try store.queryOfAll(entity, in: snapshot)
      objects += try onStore { () throws(StoreError) in try snapshot.objects(of: query) }
    }
    return objects
  }
}
