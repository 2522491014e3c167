package import ObjectModel

/// An object as a commit left it, whose values are read when they are asked for: what a fault that is fired
/// goes by.
///
/// It stays right, whatever is committed later. It keeps no values of runs in memory, but the run that they are
/// in open.
///
/// Costs: nothing is allocated but where later values lie over a row. Each value is a look into the cache, and reads a
/// column where that has none.
package struct RowHandle: Sendable {
  private enum Source {
    case row(StoredRow)
    case place(Place)
    case over(Overlaid)
  }

  /// Later values over a row, which few objects have: by itself, so that handles to the others take no room for it.
  private final class Overlaid: Sendable {
    let place: Place
    let partial: PartialRow

    init(_ place: Place, _ partial: PartialRow) { (self.place, self.partial) = (place, partial) }
  }

  /// Where the row is in a run.
  private struct Place {
    let run: Run
    private let blockIndex: UInt32
    private let placeInBlock: UInt32

    private var block: Int { Int(blockIndex) }
    private var place: Int { Int(placeInBlock) }

    init(_ run: Run, block: Int, _ place: Int) {
      self.run = run
      // A run has no more blocks than fit a frame, and a block no more rows.
      (blockIndex, placeInBlock) = (UInt32(block), UInt32(place))
    }

    func value(_ key: KeyNumber) throws(StoreError) -> Value? {
      do throws(RunError) {
        return try run.value(key, place, try run.block(block))
      } catch {
        throw StoreError(error)
      }
    }

    func stored() throws(StoreError) -> StoredRow {
      try onRun { () throws(RunError) in try run.stored(place, try run.block(block)) }
    }

    func changed() throws(StoreError) -> CommitNumber {
      try onRun { () throws(RunError) in try run.changed(place, try run.block(block)) }
    }
  }

  private let source: Source
  /// Whether the object has been deleted; then it has no values.
  package let isDeleted: Bool

  private init(_ source: Source, isDeleted: Bool) {
    self.source = source
    self.isDeleted = isDeleted
  }

  /// Whether all values are in memory.
  package var isWhole: Bool { if case .row = source { true } else { false } }

  package init(_ stored: StoredRow) { self.init(.row(stored), isDeleted: stored.row == nil) }

  fileprivate init(_ run: Run, block: Int, _ place: Int, isDeleted: Bool) {
    self.init(.place(Place(run, block: block, place)), isDeleted: isDeleted)
  }

  /// The same row with later values over it; nil where it is no row of a run that they fit.
  func under(_ partial: PartialRow) throws(StoreError) -> RowHandle? {
    guard case .place(let place) = source, !isDeleted, try place.changed() == partial.base else {
      return nil
    }
    return RowHandle(.over(Overlaid(place, partial)), isDeleted: false)
  }

  /// The value of a key; nil where the object has none.
  ///
  /// - Throws: where what is on the disk cannot be read.
  package func value(_ key: KeyNumber) throws(StoreError) -> Value? {
    switch source {
    case .row(let stored): return stored.row?[key]
    case .place(let place): return isDeleted ? .none : try place.value(key)
    case .over(let overlaid):
      for entry in overlaid.partial.values where entry.key == key { return entry.value.unlessNull }
      return try overlaid.place.value(key)
    }
  }

  /// All values, and the commit that left them so.
  ///
  /// - Throws: where what is on the disk cannot be read.
  package func stored() throws(StoreError) -> StoredRow {
    switch source {
    case .row(let stored): return stored
    case .place(let place): return try place.stored()
    case .over(let overlaid):
      let row = try overlaid.place.stored().row.map { overlaid.partial.applied(to: $0) }
      return StoredRow(row, changed: overlaid.partial.changed)
    }
  }
}

extension Run {
  /// A handle to the row of an object; nil where the run says nothing of it.
  ///
  /// Costs: the block's directory is read, unless the cache has it.
  package func handle(of object: ObjectID) throws(RunError) -> RowHandle? {
    guard let place = try place(of: object) else { return nil }
    return RowHandle(self, block: place.block, place.inBlock, isDeleted: place.isDeleted)
  }
}

extension Snapshot {
  /// A handle to an object, by which its values are read one by one; nil where no commit ever had it.
  ///
  /// Costs: a row of an older era, or one that has been changed in several steps, is read as a whole.
  ///
  /// - Throws: as `stored(_:)`.
  package func handle(of object: ObjectID) throws(StoreError) -> RowHandle? {
    guard object.store == store else { throw .objectOfAnotherStore(object) }
    var partial: PartialRow?
    for index in layers.indices {
      guard layers[index].era == eras.count - 1 else { break }
      if !layers[index].changes.isEmpty, let overlay = layers[index].changes[object] {
        switch overlay {
        case .whole(let stored) where partial == nil: return RowHandle(stored)
        case .partial(let row) where partial == nil: partial = row
        default: return try stored(object).map(RowHandle.init)
        }
      }
      guard let handle = try handle(of: object, inRunsOf: index) else { continue }
      guard let partial else { return handle }
      if let overlaid = try handle.under(partial) { return overlaid }
      break
    }
    // What is of an older era is converted as a whole, and what does not fit is told where that is done.
    return try stored(object).map(RowHandle.init)
  }

  private func handle(
    of object: ObjectID, inRunsOf layer: Int
  ) throws(StoreError) -> RowHandle? {
    do throws(RunError) {
      for index in layers[layer].runs.indices {
        if let handle = try layers[layer].runs[index].handle(of: object) { return handle }
      }
      return nil
    } catch {
      throw StoreError(error)
    }
  }
}
