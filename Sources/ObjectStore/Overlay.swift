internal import EventCoding
internal import EventFold
internal import FoundationEssentials
internal import ObjectModel

/// What a layer in memory says of an object.
enum Overlay: Sendable {
  /// All that it has, or that it is deleted.
  case whole(StoredRow)
  /// Some of its values; the others are what the layers below have.
  case partial(PartialRow)

  /// The commit that changed the object.
  var changed: CommitNumber {
    switch self {
    case .whole(let stored): stored.changed
    case .partial(let partial): partial.changed
    }
  }

  /// The values of a partial one.
  var partialValues: [Row.Entry]? {
    if case .partial(let partial) = self { partial.values } else { nil }
  }

  /// What an overlay becomes by a commit that tells whole values.
  static func made(
    by change: CommitSide.Object, _ commit: CommitNumber, of known: Overlay?
  ) -> Result<Overlay, SnapshotProblem> {
    if let known, change.kind != .inserted, known.changed != change.previous {
      return .failure(.chainBroken(change.object, in: commit))
    }
    switch (change.kind, known) {
    case (.updated, nil):
      return .success(
        .partial(PartialRow(values: change.values, changed: commit, base: change.previous)))
    case (.updated, .partial(var partial)?):
      partial.overlay(change.values, commit)
      return .success(.partial(partial))
    case (.updated, .whole(let stored)?):
      guard var row = stored.row else { break }
      for entry in change.values { row[entry.key] = entry.value }
      return .success(.whole(StoredRow(row, changed: commit)))
    case (.deleted, .whole(let stored)?) where stored.row == nil: break
    case (.deleted, _): return .success(.whole(StoredRow(nil, changed: commit)))
    case (.inserted, .partial?): break
    case (.inserted, .whole(let stored)?) where stored.row != nil: break
    case (.inserted, _):
      guard let row = Row(sorted: change.values) else { break }
      return .success(.whole(StoredRow(row, changed: commit)))
    }
    return .failure(.misfit(.objectDoesNotFit(change.object, change.kind)))
  }

  /// Roughly how much memory it takes, with its place in a table.
  var byteCount: Int {
    switch self {
    case .whole(let stored): Self.placeByteCount + (stored.row?.entries.byteCount ?? 0)
    case .partial(let partial): Self.placeByteCount + partial.values.byteCount
    }
  }

  private static let placeByteCount = 48
}

/// Some values of an object, over a row that need not have been read.
struct PartialRow: Sendable {
  /// Sorted by key; null where the object has none.
  var values: [Row.Entry]
  /// The commit that changed the object.
  var changed: CommitNumber
  /// The commit that left the row below.
  let base: CommitNumber

  /// Puts later values over these.
  mutating func overlay(_ later: [Row.Entry], _ changed: CommitNumber) {
    self.changed = changed
    values = values.merged(with: later)
  }

  /// The row that there is with these values over one.
  func applied(to row: Row) -> Row {
    var row = row
    for entry in values { row[entry.key] = entry.value }
    return row
  }
}

extension [Row.Entry] {
  /// Roughly how much memory they take.
  var byteCount: Int {
    reduce(32) { $0 + MemoryLayout<Row.Entry>.stride + $1.value.heapByteCount }
  }

  /// Entries of two lists that are sorted by key; where both have a key, the second's.
  func merged(with others: [Row.Entry]) -> [Row.Entry] {
    if isEmpty { return others }
    var merged: [Row.Entry] = []
    merged.reserveCapacity(count + others.count)
    var index = 0
    for other in others {
      while index < count, self[index].key < other.key {
        merged.append(self[index])
        index += 1
      }
      if index < count, self[index].key == other.key { index += 1 }
      merged.append(other)
    }
    merged += self[index...]
    return merged
  }
}

extension Value {
  /// Roughly how much memory it has besides its own.
  fileprivate var heapByteCount: Int {
    switch self {
    case .null, .boolean, .integer, .real, .date, .uuid, .counter, .reference: 0
    case .decimal: 48
    case .string(let text): text.utf8.count < 16 ? 0 : 32 + text.utf8.count
    case .data(let data): data.count < 15 ? 0 : 64 + data.count
    case .url(let url): 256 + url.absoluteString.utf8.count
    case .array(let values): values.reduce(32) { $0 + 24 + $1.heapByteCount }
    case .set(let values): values.reduce(64) { $0 + 40 + $1.heapByteCount }
    case .dictionary(let values):
      values.reduce(64) { $0 + 64 + $1.key.utf8.count + $1.value.heapByteCount }
    }
  }
}
