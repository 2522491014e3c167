internal import ObjectModel

/// An object's row, put together from partial ones and the whole one below them.
struct RowAssembly {
  private let object: ObjectID
  private var partials: [(row: PartialRow, era: Int)] = []

  init(_ object: ObjectID) { self.object = object }

  /// Takes the next older overlay.
  ///
  /// - Returns: the row and its era, once it is whole.
  mutating func take(
    _ overlay: Overlay, _ era: Int, in snapshot: borrowing Snapshot
  ) throws(StoreError) -> (stored: StoredRow, era: Int)? {
    switch overlay {
    case .partial(let row):
      partials.append((row, era))
      return nil
    case .whole(let stored):
      if partials.isEmpty { return (stored, era) }
      return try assemble(over: stored, era, in: snapshot)
    }
  }

  /// Takes what the next older source of a scan has. What lies in a run is decoded only where it has to be.
  mutating func take(
    _ head: LayeredRows.Head, _ era: Int, in snapshot: borrowing Snapshot
  ) throws(StoreError) -> (row: FoundRow, era: Int)? {
    switch head {
    case .overlay(let overlay):
      return try take(overlay, era, in: snapshot).map { (.stored($0.stored), $0.era) }
    case .placed(let rows, let place):
      guard let last = partials.last else { return (.placed(rows, place), era) }
      if partials.count == 1, last.era == era, !rows.isDeleted(place),
        rows.changed(place) == last.row.base
      {
        return (.patched(rows, place, last.row), era)
      }
      let stored = try onRun { () throws(RunError) in try rows.stored(place) }
      let whole = try assemble(over: stored, era, in: snapshot)
      return (.stored(whole.stored), whole.era)
    }
  }

  /// Whether there are rows that lack the one below them.
  var isWaiting: Bool { !partials.isEmpty }

  private func assemble(
    over stored: StoredRow, _ era: Int, in snapshot: borrowing Snapshot
  ) throws(StoreError) -> (stored: StoredRow, era: Int) {
    var (row, changed, era) = (stored.row, stored.changed, era)
    for partial in partials.reversed() {
      row = snapshot.convert(row, of: object, from: era, to: partial.era)
      guard let below = row, changed == partial.row.base else {
        throw .chainBroken(object, in: partial.row.changed)
      }
      (row, changed, era) = (partial.row.applied(to: below), partial.row.changed, partial.era)
    }
    return (StoredRow(row, changed: changed), era)
  }
}
