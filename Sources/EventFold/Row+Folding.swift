package import ObjectModel

extension ObjectChange {
  /// What leads from one state of an object to another, where no row means no object; nil where they are
  /// the same.
  package static func difference(
    of object: ObjectID, from old: Row?, to new: Row?
  ) -> ObjectChange? {
    guard let old else { return new.map { ObjectChange(inserting: object, $0) } }
    guard let new else { return ObjectChange(deleting: object, old) }
    let (before, after) = (old.entries, new.entries)
    var entries: [Entry] = []
    var (left, right) = (0, 0)
    while left < before.count || right < after.count {
      let isOld =
        right == after.count || left < before.count && before[left].key <= after[right].key
      let isNew =
        left == before.count || right < after.count && after[right].key <= before[left].key
      let key = isOld ? before[left].key : after[right].key
      // Not conditional expressions: there `nil` would be the value null.
      var (oldValue, newValue) = (Value?.none, Value?.none)
      if isOld { oldValue = before[left].value }
      if isNew { newValue = after[right].value }
      if let change = ValueChange.difference(from: oldValue, to: newValue) {
        entries.append(Entry(key, change))
      }
      left += isOld ? 1 : 0
      right += isNew ? 1 : 0
    }
    return entries.isEmpty ? nil : ObjectChange(object, .updated, entries)
  }

  /// What takes the change back.
  package var inverse: ObjectChange {
    if case .row(let row) = content {
      return kind == .inserted
        ? ObjectChange(deleting: object, row) : ObjectChange(inserting: object, row)
    }
    let kind: Kind =
      switch self.kind {
      case .inserted: .deleted
      case .updated: .updated
      case .deleted: .inserted
      }
    return ObjectChange(object, kind, entries.map { Entry($0.key, $0.change.inverse) })
  }

  /// What a state of the object becomes; no row means no object.
  ///
  /// - Throws: `FoldError` where the state is not what the change was made of.
  package func applied(to row: Row?) throws(FoldError) -> Row? {
    guard (row == nil) == (kind == .inserted) else { throw .objectDoesNotFit(object, kind) }
    if case .row(let whole) = content {
      if row == nil { return whole }
      if row == whole { return nil }
    }
    var result = row ?? Row()
    for entry in entries {
      guard let applied = entry.change.applied(to: result[entry.key]) else {
        throw .valueDoesNotFit(object, entry.key)
      }
      result[entry.key] = applied.value
    }
    guard kind == .deleted else { return result }
    // A deletion has all that was there, or going backward would lose what it left out.
    if let left = result.entries.first { throw .valueDoesNotFit(object, left.key) }
    return nil
  }
}

extension Row {
  /// The keys that two rows have different values of, or that one of them has no value of.
  package func keysApart(from other: Row) -> [KeyNumber] {
    Set((entries + other.entries).map(\.key)).filter { self[$0] != other[$0] }.sorted()
  }
}
