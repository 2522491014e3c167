internal import DiskAccess
internal import JournalInspection
internal import Journaling
internal import ObjectModel
internal import ObjectQuery
internal import ObjectStore

/// Brings into a new journal, which ends before the first damaged place of another, what can still be read behind that
/// place: commit by commit, with their times and authors, under the numbers that are next there.
struct Salvaging {
  private(set) var store: JournaledStore
  private let clock: PastClock
  /// The last commit of the original that has been come to.
  private var last: CommitNumber
  /// What keys and commits of the original are here.
  private var keyNames: [KeyNumber: String]
  private var numbers: [CommitNumber: CommitNumber] = [:]
  /// The last commit that both have.
  private let shared: CommitNumber
  /// What names stand for in the original, where that was said behind the damage; nil for nothing any more.
  private var tags: [String: CommitNumber?] = [:]
  /// The model under which the next commit was made, where that is another.
  private var nextModel: ManagedObjectModel?

  /// What shows the original from a state on that was kept behind the damaged place, and the first commit it can tell;
  /// nil where there is none, or it has been taken over.
  private var later: (reader: StoreReader, first: CommitNumber)?

  /// How many commits have been brought in.
  private(set) var count = 0
  /// What could not be. Commits are named by the numbers that they have in the original.
  private(set) var losses: [String] = []

  /// Commits of the original, one behind the other, that have other numbers here.
  struct Renumbering: Equatable {
    let first: CommitNumber
    fileprivate(set) var last: CommitNumber
    /// The number that the first has here.
    let now: CommitNumber
  }

  /// All of them, in order.
  var renumbered: [Renumbering] {
    var renumbered: [Renumbering] = []
    for (number, now) in numbers.sorted(by: { $0.key < $1.key }) where number != now {
      if let before = renumbered.last, before.last.next == number,
        now.rawValue - before.now.rawValue == number.rawValue - before.first.rawValue
      {
        renumbered[renumbered.count - 1].last = number
      } else {
        renumbered.append(Renumbering(first: number, last: number, now: now))
      }
    }
    return renumbered
  }

  /// - Parameter clock: the disk on which the new journal is open.
  init(into store: JournaledStore, _ clock: PastClock) {
    self.store = store
    self.clock = clock
    last = store.lastCommit
    shared = last
    keyNames = Self.keys(of: store)
  }

  /// Ends the work: tags are set, and the clock goes on.
  mutating func finish() throws(ToolError) {
    try takeOverLater()
    try adoptNextModel()
    clock.set(nil)
    for (name, commit) in tags.sorted(by: { $0.key < $1.key }) {
      let here = commit.flatMap { $0 <= shared ? $0 : numbers[$0] }
      if let here, here < store.firstKeptCommit.previous {
        losses.append("the state that the tag ‘\(name)’ stands for")
        continue
      }
      do throws(StoreError) {
        if let here {
          if store.tags[name] != here { try store.tag(name, here) }
        } else if commit != nil {
          losses.append("the tag ‘\(name)’, as its commit is lost")
        } else if store.tags[name] != nil {
          try store.removeTag(name)
        }
      } catch {
        throw ToolError(error)
      }
    }
  }

  // MARK: From a state that was kept behind the damage

  /// Has everything from the first commit on that a reader can tell be taken over from there, once that is come to: what
  /// it shows begins behind the damaged place, because a state was kept there.
  mutating func expect(from reader: StoreReader) throws(ToolError) {
    guard reader.lastCommit > last else { return }
    // What compaction has dropped is not lost.
    if last == .none { last = reader.firstKeptCommit.previous }
    later = (reader, try earliest(in: reader))
    for (number, name) in Self.keys(of: reader) where keyNames[number] == nil {
      keyNames[number] = name
    }
  }

  /// Has the new journal, where no model of it is left, take over those that a kept state knows up to a commit: one
  /// after the other, so that entities have their numbers.
  private mutating func adoptKeptModels(before number: CommitNumber) throws(ToolError) {
    guard store.model == nil, nextModel == nil, let eras = later?.reader.head.eras else { return }
    for era in eras where era.since < number { try adopt(era.model) }
  }

  /// - Parameter come: the commit that has been come to, which may be the first of them.
  private mutating func takeOverLater(before come: CommitContent? = nil) throws(ToolError) {
    guard let (reader, first) = later else { return }
    later = nil
    nextModel = nil
    let snapshot = try onStore { () throws(StoreError) in try reader.snapshot(at: first) }
    if first > last.next {
      losses.append(
        "\(Self.range(last.next, first.previous)): what they left is in commit \(first), under what that says of itself"
      )
    }
    if let era = snapshot.era { try adopt(era.model) }
    for (number, name) in Self.keys(of: reader) { keyNames[number] = name }
    try bridge(to: snapshot, at: first, in: reader, come)
    var next = first.next
    while next <= reader.lastCommit {
      if let era = reader.head.eras.last(where: { $0.since == next.previous }) {
        try adopt(era.model)
      }
      let content = try onStore { [next] () throws(StoreError) in try reader.content(of: next) }
      try take(content)
      next = next.next
    }
    for name in Set(tags.keys).union(store.tags.keys) { tags.updateValue(nil, forKey: name) }
    for (name, commit) in reader.tags { tags.updateValue(commit, forKey: name) }
  }

  /// The keys that a store knows.
  private static func keys(of store: ReadableStore) -> [KeyNumber: String] {
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
        guard let key = try self.number(of: entry.key) else { continue }
        renumbered[key] = entry.value
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
      var numbers: [KeyNumber: KeyNumber] = [:]
      for entry in change.entries { numbers[entry.key] = try number(of: entry.key) }
      rows[change.object] = .some(change.salvaged(onto: current) { numbers[$0] }.row)
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
    for entity in snapshot.era?.model.descriptions ?? [] where entity.parent == nil {
      let query: SnapshotQuery
      do throws(QueryError) {
        query = try store.prepare(Query(entity: entity.name), in: snapshot)
      } catch {
        throw ToolError(error)
      }
      objects += try onStore { () throws(StoreError) in try snapshot.objects(of: query) }
    }
    return objects
  }

  // MARK: From frames

  /// Takes what a frame says, where it comes after what has been come to.
  mutating func take(_ entries: [SalvagedEntry]) throws(ToolError) {
    for entry in entries {
      switch entry {
      case .commit(let content): try take(content)
      case .event(.keyNamed(let number, let name)): keyNames[number] = name
      case .event(.tagged(let name, let commit)): tags.updateValue(commit, forKey: name)
      case .event(.modelAdopted(let entities)):
        do throws(ModelError) {
          nextModel = try ManagedObjectModel(stored: entities.map(\.description))
        } catch {
          losses.append("a model that cannot be: \(error)")
        }
      case .event: break
      }
    }
  }

  /// Notes that something of a frame cannot be told.
  mutating func lose(_ frame: FrameNumber, _ error: StoreError) {
    losses.append("frame \(frame.rawValue): \(error)")
  }

  /// Notes which commits are lost at the end, where it is known that there were some.
  mutating func expect(through number: CommitNumber) {
    if number > last { losses.append(Self.range(last.next, number)) }
  }

  private mutating func take(_ content: CommitContent) throws(ToolError) {
    if let later, content.number >= later.first { try takeOverLater(before: content) }
    guard content.number > last else {
      // What was adopted before it has been come to as well.
      nextModel = nil
      return
    }
    try adoptKeptModels(before: content.number)
    try adoptNextModel()
    if content.number > last.next {
      losses.append(Self.range(last.next, content.number.previous))
    }
    last = content.number
    clock.set(content.time)
    let name = Wording(store).name
    for change in content.changes {
      guard store.head.era?.name(of: change.object.entity) != nil else {
        losses.append(
          "commit \(content.number): \(change.object.uri), of an entity that is not known any more")
        continue
      }
      let current = try onStore { () throws(StoreError) in try store.head.row(of: change.object) }
      if change.kind == .updated, current == nil {
        losses.append(
          "commit \(content.number): what \(name(change.object)) had before it; there is only what it changed"
        )
      }
      var numbers: [KeyNumber: KeyNumber] = [:]
      for entry in change.entries { numbers[entry.key] = try number(of: entry.key) }
      let (row, lost) = change.salvaged(onto: current) { numbers[$0] }
      for key in lost {
        losses.append(
          "commit \(content.number): \(keyNames[key] ?? "key \(key.rawValue)") of \(name(change.object))"
        )
      }
      try addChange(of: change.object, to: row)
    }
    try commit(
      content.number, author: content.author, message: content.message,
      userInfo: content.userInfo, contextName: content.contextName)
  }

  /// The number that a key of the original has here; nil where its name is lost.
  private func number(of key: KeyNumber) throws(ToolError) -> KeyNumber? {
    guard let name = keyNames[key] else { return nil }
    return try onStore { () throws(StoreError) in try store.key(named: name) }
  }

  // MARK: Into the new journal

  private var changes: [CommitRequest.Object] = []

  private mutating func addChange(of object: ObjectID, to row: Row?) throws(ToolError) {
    let current = try onStore { () throws(StoreError) in try store.head.row(of: object) }
    guard row != current else { return }
    changes.append(CommitRequest.Object(object, base: store.lastCommit, current, to: row))
  }

  private mutating func commit(
    _ number: CommitNumber, author: String?, message: String?, userInfo: [String: Value],
    contextName: String?
  ) throws(ToolError) {
    defer { changes = [] }
    guard !changes.isEmpty else {
      return losses.append("commit \(number): nothing of what it did is left to be done")
    }
    var request = CommitRequest(changes)
    (request.author, request.message, request.userInfo) = (author, message, userInfo)
    // What an object leads to may be lost: both ends are brought in step again.
    request.keepsEnds = true
    do throws(StoreError) {
      _ = try store.takeOver(changes.map(\.object))
      let context = try store.beginContext(name: contextName ?? "", on: store.lastCommit)
      do throws(CommitError) {
        if let made = try store.commit(request, by: context) {
          numbers[number] = made.number
          count += 1
        }
      } catch {
        if case .store(let cause) = error { throw cause }
        losses.append("commit \(number): what it did does not fit what is left of the others")
      }
      try store.endContext(context)
    } catch {
      throw ToolError(error)
    }
  }

  private mutating func adoptNextModel() throws(ToolError) {
    guard let model = nextModel else { return }
    nextModel = nil
    try adopt(model)
  }

  /// Has the new journal go on under a model.
  private mutating func adopt(_ model: ManagedObjectModel) throws(ToolError) {
    guard store.model != model else { return }
    let path = store.path
    try onStore { () throws(StoreError) in try store.close() }
    store = try onStore { () throws(StoreError) in
      try JournaledStore(on: clock, at: path, model: model, options: .ofCopies)
    }
  }

  static func range(_ first: CommitNumber, _ last: CommitNumber) -> String {
    first == last ? "commit \(first)" : "commits \(first) to \(last)"
  }
}
