internal import EventFold
internal import ObjectModel

// Undoing something other than the last step: by a new step, so that what came later stays.
extension ManagedObjectContext {
  /// Takes back what the last step that changed an object did to it, and leaves what the step did to others. What
  /// was deleted comes back; what came to be goes.
  ///
  /// It is a step of its own, which can be undone. A relationship to many that is answered from its inverse is
  /// changed by undoing its members.
  ///
  /// - Parameter count: how many of the steps that changed it, the last ones, are taken back.
  /// - Throws: where no step has changed it, or none is to be taken back; where it came to be by that and others lead to
  ///   it now; and where somebody has changed the same keys since, without its being a step, as another context whose
  ///   changes were brought in: the error names them.
  public func undo(_ object: ManagedObject, steps count: Int = 1) throws {
    settleSave()
    let state = object.state
    guard state.attached() === self else {
      preconditionFailure("\(object) is an object of another context; undo it there.")
    }
    if let refusal = writer.refusal { throw refusal }
    try refuseInPatch()
    processPendingChanges()
    let parts = lastParts(of: state.objectID, count)
    guard !parts.isEmpty else { throw ContextError.nothingToUndo }
    var row = currentRow(of: state)
    var later: [ContextError.ChangedKey] = []
    for part in parts {
      later += keysOverwritten(by: part, of: row)
      row = part.taken(back: row)
    }
    let targets = [state.objectID: row]
    if row == nil { later += keysLeading(to: state, outside: targets) }
    try refuseLater(later)
    bring(targets, named: nil)
  }

  /// What the last steps that changed an object did to it, the last first. What hooks of a save have made of a step
  /// counts with it.
  private func lastParts(of object: ObjectID, _ count: Int) -> [UndoStep.Object] {
    var (parts, stepCount, isCounted): ([UndoStep.Object], Int, Bool) = ([], 0, false)
    for step in stepsDone.reversed() {
      if let part = step.objects.first(where: { $0.object == object }) {
        if !isCounted {
          if stepCount >= count { break }
          (stepCount, isCounted) = (stepCount + 1, true)
        }
        parts.append(part)
      }
      if !step.isOfHooks { isCounted = false }
    }
    return parts
  }

  /// Takes back one step, of whatever age, and leaves what came later. It is a step of its own, of the same name.
  ///
  /// - Parameter index: its place among `undoSteps`.
  /// - Throws: where later steps have changed the same keys, or somebody has without its being a step, as another context
  ///   whose changes were brought in; the error names them.
  public func undo(step index: Int) throws {
    settleSave()
    if let refusal = writer.refusal { throw refusal }
    try refuseInPatch()
    processPendingChanges()
    let steps = stepsDone
    guard steps.indices.contains(index) else { throw ContextError.nothingToUndo }
    var later: [ContextError.ChangedKey] = []
    for step in steps[(index + 1)...] {
      later += steps[index].keys(changedBy: step).map { .init(objectID: $0, key: name(of: $1, $0)) }
    }
    for part in steps[index].objects {
      guard let state = instance(of: part.object)?.state else { continue }
      later += keysOverwritten(by: part, of: currentRow(of: state))
    }
    let targets = rowsBefore(steps[index])
    for (object, row) in targets where row == nil {
      if let state = state(of: object) { later += keysLeading(to: state, outside: targets) }
    }
    try refuseLater(later)
    bring(targets, named: steps.name(of: index))
  }

  /// Takes back the last step of a name, as `undo(step:)` does, and leaves what hooks of a save have made of it.
  public func undo(stepNamed name: String) throws {
    guard let index = stepsDone.lastIndex(where: { $0.name == name && !$0.isOfHooks }) else {
      throw ContextError.nothingToUndo
    }
    try undo(step: index)
  }

  /// What the objects that a step has changed are without it.
  func rowsBefore(_ step: UndoStep) -> [ObjectID: Row?] {
    var rows: [ObjectID: Row?] = [:]
    for part in step.objects {
      guard let state = instance(of: part.object)?.state else { continue }
      rows[part.object] = .some(part.taken(back: currentRow(of: state)))
    }
    return rows
  }

  /// The keys in which taking back what a step did to an object would take back what somebody else has done since.
  private func keysOverwritten(
    by part: UndoStep.Object, of row: Row?
  ) -> [ContextError.ChangedKey] {
    part.keysOverwritten(in: row).map {
      .init(objectID: part.object, key: name(of: $0, part.object))
    }
  }

  func refuseLater(_ keys: [ContextError.ChangedKey]) throws {
    if keys.isEmpty { return }
    let keys = Set(keys).sorted { ($0.objectID, $0.key) < ($1.objectID, $1.key) }
    throw ContextError.laterChanges(keys)
  }
}

extension UndoStep.Object {
  /// What the object is without the step, where this is what it is with it.
  fileprivate func taken(back row: Row?) -> Row? {
    switch kind {
    case .deleted: return nil
    case .inserted:
      var row = Row()
      for entry in entries { row[entry.key] = entry.before.restored(from: nil) }
      return row
    case .updated:
      guard var row else { return nil }
      for entry in entries { row[entry.key] = entry.before.restored(from: row[entry.key]) }
      return row
    }
  }
}

extension UndoStep.Object {
  /// The keys that somebody else has changed since, where this is what the object is now.
  fileprivate func keysOverwritten(in row: Row?) -> [KeyNumber] {
    switch kind {
    // It goes with all that it has.
    case .deleted: return []
    case .inserted:
      guard let row else { return [] }
      let before = Dictionary(firstOf: entries.map { ($0.key, $0.before) })
      return Set(before.keys).union(row.entries.map(\.key))
        .filter { before[$0]?.restored(from: nil) != row[$0] }
    case .updated:
      guard let row else { return entries.map(\.key) }
      return entries.filter { $0.overwrites(row[$0.key]) }.map(\.key)
    }
  }
}

extension UndoStep {
  /// What this step has changed and a later one has changed as well.
  fileprivate func keys(changedBy later: UndoStep) -> [(ObjectID, KeyNumber)] {
    var keys: [(ObjectID, KeyNumber)] = []
    let others = Dictionary(firstOf: later.objects.map { ($0.object, $0) })
    for part in objects {
      guard let other = others[part.object] else { continue }
      if part.kind == .updated, other.kind == .updated {
        for entry in part.entries {
          guard let after = other.entries.first(where: { $0.key == entry.key }),
            !entry.before.isApart(from: after.before)
          else { continue }
          keys.append((part.object, entry.key))
        }
      } else {
        let entries = other.kind == .updated ? other.entries : part.entries + other.entries
        keys += entries.map { (part.object, $0.key) }
        // Of an object that had no values there is no key to name but the first.
        if entries.isEmpty { keys.append((part.object, KeyNumber(rawValue: 0))) }
      }
    }
    return keys
  }
}

extension ValueBefore {
  /// Whether one of two changes can be taken back and leave the other: amounts, and different members of a set.
  fileprivate func isApart(from later: ValueBefore) -> Bool {
    switch (self, later) {
    case (.amount, .amount): true
    case (.members(let one), .members(let other)):
      one.gained.union(one.lost).isDisjoint(with: other.gained.union(other.lost))
    default: false
    }
  }
}
