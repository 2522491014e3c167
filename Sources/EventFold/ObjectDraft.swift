package import ObjectModel

/// What a context has of one object: the row it stands on, and what the context has changed in it.
///
/// Costs: the row is shared with whoever gave it; beyond it there is what was changed.
package struct ObjectDraft: Hashable, Sendable {
  /// What a save would make of the object.
  package enum Kind: Hashable, Sendable {
    case unchanged, inserted, updated, deleted
  }

  /// The commit the object stands on.
  package let base: CommitNumber
  /// What it was there; nil where it was not.
  package let baseRow: Row?
  /// Whether it is there now.
  package internal(set) var isThere: Bool
  /// Whether it has to be saved. Values that were set without notification do not ask for it.
  package internal(set) var isDirty = false
  /// What was set, also where it is as it was. A key that is absent is unchanged; nil is no value any more.
  package internal(set) var delta: [KeyNumber: Value?] = [:]

  init(base: CommitNumber, baseRow: Row?) {
    self.base = base
    self.baseRow = baseRow
    isThere = baseRow != nil
  }

  /// What a save would make of the object.
  package var kind: Kind {
    switch (isDirty, baseRow != nil, isThere) {
    case (false, _, _), (true, false, false): .unchanged
    case (true, false, true): .inserted
    case (true, true, true): .updated
    case (true, true, false): .deleted
    }
  }

  /// The value of a key as it is now.
  package func value(of key: KeyNumber) -> Value? {
    if let changed = delta[key] { return changed }
    return isThere ? baseRow?[key] : Value?.none
  }

  /// All values as they are now; nil where the object is not there.
  ///
  /// Costs: time in proportion to the row, where there is a delta.
  package var row: Row? { row { _ in true } }

  /// The values as they are now, of the delta only those whose keys are wanted.
  func row(where isWanted: (KeyNumber) -> Bool) -> Row? {
    guard isThere else { return nil }
    let base = baseRow ?? Row()
    if delta.isEmpty { return base }
    var values: [KeyNumber: Value] = [:]
    values.reserveCapacity(base.entries.count + delta.count)
    for entry in base.entries { values[entry.key] = entry.value }
    for (key, value) in delta where isWanted(key) { values[key] = value }
    return Row(values)
  }

  /// Nothing tells the object from its base.
  var isAsInBase: Bool { delta.isEmpty && isThere == (baseRow != nil) }

  /// The same changes on another base; nil where the object is gone there, and the changes with it.
  func moved(to base: CommitNumber, row: Row?) -> ObjectDraft? {
    // An object that is new to the base before was never there, and so cannot have gone.
    if baseRow != nil, row == nil { return nil }
    var moved = ObjectDraft(base: base, baseRow: row)
    moved.isThere = isThere
    moved.isDirty = isDirty
    moved.delta = delta
    return moved
  }
}
