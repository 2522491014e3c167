package import ObjectModel

// What of a context's edits is written as the middles of long values. Who folds them begins, at the latest, with the
// first edit since everything unsaved was saved or given up, and so knows what was set since, and what the store has.

extension ContextFold {
  /// What a value differs in from the one that a key has; nil where the value is to be written whole.
  ///
  /// - Throws: what `row` throws.
  package func splice<RowError>(
    of key: KeyNumber, of object: ObjectID, to value: Value,
    row: (ObjectID, CommitNumber) throws(RowError) -> Row?
  ) throws(RowError) -> Splice? {
    guard !isTransient(key, of: object) else { return nil }
    // What a child has read is in no commit, and members that its parents have changed may be others later.
    let isChild = parent != nil
    if isChild, value.kind == .array { return nil }
    guard let draft = objects[object] else {
      if isChild { return nil }
      return try row(object, base(of: object))?[key].flatMap { Splice(from: $0, to: value) }
    }
    if isChild, draft.delta[key] == nil { return nil }
    // What was set without notification may be from before the last save.
    guard draft.isThere, !draft.quietKeys.contains(key) else { return nil }
    return draft.value(of: key).flatMap { Splice(from: $0, to: value) }
  }

  /// The same restorations, with the middles of long values in the place of those that come back to objects.
  ///
  /// - Throws: what `row` throws.
  package func shortened<RowError>(
    _ restorations: [Restoration], row: (ObjectID, CommitNumber) throws(RowError) -> Row?
  ) throws(RowError) -> [Restoration] {
    var shortened: [Restoration] = []
    for restoration in restorations {
      guard restoration.kind == .updated else {
        shortened.append(restoration)
        continue
      }
      var entries: [Restoration.Entry] = []
      for entry in restoration.entries {
        guard case .value(let value?) = entry.content, value.isLong,
          let splice = try splice(of: entry.key, of: restoration.object, to: value, row: row)
        else {
          entries.append(entry)
          continue
        }
        entries.append(.init(entry.key, .splice(splice)))
      }
      shortened.append(Restoration(restoration.object, restoration.kind, entries))
    }
    return shortened
  }

  /// What values come back, each whole.
  func whole(
    _ restorations: [Restoration], _ drafts: [ObjectID: ObjectDraft]
  ) throws(FoldError) -> [RestoredObject] {
    var whole: [RestoredObject] = []
    for restoration in restorations {
      var values: [(key: KeyNumber, value: Value?)] = []
      for entry in restoration.entries {
        switch entry.content {
        case .value(let value): values.append((entry.key, value.stored))
        case .splice(let splice):
          let draft = objects[restoration.object] ?? drafts[restoration.object]
          // No values come back to what is gone.
          guard let draft, draft.isThere else { continue }
          guard let value = draft.value(of: entry.key).flatMap(splice.applied) else {
            throw .valueDoesNotFit(restoration.object, entry.key)
          }
          values.append((entry.key, value))
        }
      }
      whole.append(
        RestoredObject(object: restoration.object, kind: restoration.kind, values: values))
    }
    return whole
  }
}

/// What undoing or redoing brings back to one object, every value of it whole.
struct RestoredObject {
  let object: ObjectID
  let kind: Restoration.Kind
  let values: [(key: KeyNumber, value: Value?)]
}
