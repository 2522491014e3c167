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
  package internal(set) var base: CommitNumber
  /// What it was there; nil where it was not.
  package let baseRow: Row?
  /// What keys have of which neither the base nor the delta says anything.
  private let defaults: Row
  /// Whether it is there now.
  package internal(set) var isThere: Bool
  /// Whether it has to be saved. Values that were set without notification do not ask for it.
  package internal(set) var isDirty = false
  /// What was set, also where it is as it was. A key that is absent is unchanged; nil is no value any more.
  package internal(set) var delta = Delta()
  /// Keys of the delta that by themselves do not ask for a save: they were set without notification, or a save
  /// has left them because it does not take them.
  package internal(set) var quietKeys: Set<KeyNumber> = []

  init(base: CommitNumber, baseRow: Row?, defaults: Row) {
    self.base = base
    self.baseRow = baseRow
    self.defaults = defaults
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
    return isThere ? unchangedValue(of: key) : Value?.none
  }

  /// The value of a key where nothing is changed of it.
  package func unchangedValue(of key: KeyNumber) -> Value? {
    if let stored = baseRow?[key] { return stored }
    return defaults.isEmpty ? Value?.none : defaults[key]
  }

  /// All values as they are now; nil where the object is not there.
  ///
  /// Costs: time in proportion to the row, where there is a delta.
  package var row: Row? { row { _ in true } }

  /// The values as they are now, of the delta only those whose keys are wanted.
  func row(where isWanted: (KeyNumber) -> Bool) -> Row? {
    guard isThere else { return nil }
    let base = baseRow ?? Row()
    return delta.isEmpty ? base : delta.applied(to: base, where: isWanted)
  }

  /// Whether something asks for a save that is not as in the base.
  var asksForSave: Bool {
    isThere != (baseRow != nil) || delta.keys.contains { !quietKeys.contains($0) }
  }

  /// Nothing tells the object from its base.
  var isAsInBase: Bool { delta.isEmpty && isThere == (baseRow != nil) }

  /// The same changes just as they are, on another row or commit.
  func standing(on row: Row?, at commit: CommitNumber) -> ObjectDraft {
    var draft = ObjectDraft(base: commit, baseRow: row, defaults: defaults)
    (draft.isThere, draft.isDirty) = (isThere, isDirty)
    (draft.delta, draft.quietKeys) = (delta, quietKeys)
    return draft
  }

  /// The same changes on another base: what was added to counters, and which members came and went, is put on
  /// what the base has; so are, by key, the entries of dictionaries that are merged so. Other values stay as
  /// they were set, and a transient one that was set to what it has by itself is forgotten. So do counters of an object that was not
  /// in the base: nobody has added to anything there.
  ///
  /// - Returns: nil where the object is gone there, and the changes with it, or where nothing was left of them.
  func moved(to base: CommitNumber, row: Row?, _ traits: KeyTraits) -> ObjectDraft? {
    // An object that is new to the base before was never there, and so cannot have gone.
    if baseRow != nil, row == nil { return nil }
    var moved = ObjectDraft(base: base, baseRow: row, defaults: defaults)
    moved.isThere = isThere
    moved.isDirty = isDirty
    for (key, ours) in delta where ours != defaults[key] || !traits.transient.contains(key) {
      let isWhole = baseRow == nil && ours?.counter != nil
      let value =
        isWhole
        ? ours
        : ValueMerge.onto(
          row?[key], from: baseRow?[key], ours, as: traits.mergeKind(of: key))
      moved.delta.updateValue(value, forKey: key)
      if quietKeys.contains(key) { moved.quietKeys.insert(key) }
    }
    return moved.isAsInBase && !isAsInBase ? nil : moved
  }
}
