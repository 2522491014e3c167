internal import ObjectModel
internal import PropertyListCoding

/// A row as a scan has found it: of one that lies in a run nothing is decoded until it is asked for.
enum FoundRow {
  case stored(StoredRow)
  case placed(BlockRows, Int)
  /// Later values over a row of a run, which is the one they stand on, and is not deleted.
  case patched(BlockRows, Int, PartialRow)

  /// The commit that changed it last.
  var changed: CommitNumber {
    switch self {
    case .stored(let stored): stored.changed
    case .placed(let rows, let place): rows.changed(place)
    case .patched(_, _, let partial): partial.changed
    }
  }

  var isDeleted: Bool {
    switch self {
    case .stored(let stored): stored.row == nil
    case .placed(let rows, let place): rows.isDeleted(place)
    case .patched: false
    }
  }

  func stored() throws(RunError) -> StoredRow {
    switch self {
    case .stored(let stored): return stored
    case .placed(let rows, let place): return try rows.stored(place)
    case .patched(let rows, let place, let partial):
      let row = try rows.stored(place).row
      return StoredRow(row.map { partial.applied(to: $0) }, changed: partial.changed)
    }
  }

  /// The rows that it is among, where it lies in a run.
  var rows: BlockRows? {
    switch self {
    case .stored: nil
    case .placed(let rows, _), .patched(let rows, _, _): rows
    }
  }

  /// Adds the keys that have values, in order, and these as they lie there: as long as `rows` are kept.
  func add(to entries: inout [RunEntry]) throws(RunError) {
    switch self {
    case .stored(let stored):
      for entry in stored.row?.entries ?? [] { entries.append(RunEntry(entry)) }
    case .placed(let rows, let place): try rows.add(place, to: &entries)
    case .patched(let rows, let place, let partial):
      var below: [RunEntry] = []
      try rows.add(place, to: &below)
      var next = 0
      for patch in partial.values {
        while next < below.count, below[next].key < patch.key {
          entries.append(below[next])
          next += 1
        }
        if next < below.count, below[next].key == patch.key { next += 1 }
        if !patch.value.isNull { entries.append(RunEntry(patch)) }
      }
      entries += below[next...]
    }
  }
}

/// A value of a row on its way into a run: it need not have been decoded.
struct RunEntry {
  let key: KeyNumber
  let element: ArrayElement

  init(key: KeyNumber, element: ArrayElement) { (self.key, self.element) = (key, element) }

  init(_ entry: Row.Entry) { self.init(key: entry.key, element: .value(entry.value)) }
}
