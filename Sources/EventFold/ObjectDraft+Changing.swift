internal import ObjectModel

extension ObjectDraft {
  mutating func set(_ key: KeyNumber, to value: Value?) {
    delta.updateValue(value, forKey: key)
    isDirty = true
  }

  /// Sets a value, which by itself is nothing to be saved.
  mutating func setPrimitive(_ key: KeyNumber, to value: Value?) {
    if isDirty || value != baseRow?[key] {
      delta.updateValue(value, forKey: key)
    } else {
      delta.removeValue(forKey: key)
    }
  }

  /// Has just these values, or is gone.
  mutating func become(_ row: Row?) {
    isThere = row != nil
    delta = [:]
    guard let row else { return }
    for entry in baseRow?.entries ?? [] where row[entry.key] == nil {
      delta.updateValue(nil, forKey: entry.key)
    }
    for entry in row.entries where baseRow?[entry.key] != entry.value {
      delta[entry.key] = entry.value
    }
  }

  /// Has what undoing or redoing brought back, and tells the recorder what it had. Of an object that is not
  /// there no values come back.
  mutating func restore(_ restoration: Restoration, _ recorder: inout StepRecorder) {
    let object = restoration.object
    switch restoration.kind {
    case .updated:
      guard isThere else { return }
      for entry in restoration.entries {
        recorder.note(object, entry.key, .value(value(of: entry.key)))
        restore(entry.key, entry.value.stored)
      }
    case .inserted:
      noteAll(of: object, in: &recorder)
      become(Row(restoration.entries.reduce(into: [:]) { $0[$1.key] = $1.value }))
    case .deleted:
      noteAll(of: object, in: &recorder)
      become(nil)
    }
    isDirty = !isAsInBase
  }

  private mutating func restore(_ key: KeyNumber, _ value: Value?) {
    if value == baseRow?[key] {
      delta.removeValue(forKey: key)
    } else {
      delta.updateValue(value, forKey: key)
    }
  }

  /// Tells the recorder whether the object is there and all that it has.
  func noteAll(of object: ObjectID, in recorder: inout StepRecorder) {
    if let row { recorder.noteAll(object, row) } else { recorder.noteAbsence(object) }
  }
}

extension ObjectDraft {
  /// Takes destinations out of a relationship to many and puts others in.
  ///
  /// - Returns: what takes it back; nil where the value is no set and no array, and stays as it is.
  mutating func changeMembers(
    of key: KeyNumber, inserted: [ObjectID], removed: [ObjectID]
  ) -> ValueBefore? {
    switch value(of: key)?.kind {
    case nil:
      let members = inserted.isEmpty ? Value?.none : .set(Set(inserted.map(Value.reference)))
      set(key, to: members)
      return .value(nil)
    case .set?: return changeSet(of: key, inserted, removed)
    case .array?: return changeArray(of: key, inserted, removed)
    default: return nil
    }
  }

  private mutating func changeSet(
    of key: KeyNumber, _ inserted: [ObjectID], _ removed: [ObjectID]
  ) -> ValueBefore? {
    var value = take(key)
    guard case .set(var members)? = value else { return nil }
    value = nil
    var change = ValueBefore.Members()
    for member in removed.map(Value.reference) where members.remove(member) != nil {
      change.lose(member)
    }
    for member in inserted.map(Value.reference) where members.insert(member).inserted {
      change.gain(member)
    }
    set(key, to: .set(members))
    return .members(change)
  }

  private mutating func changeArray(
    of key: KeyNumber, _ inserted: [ObjectID], _ removed: [ObjectID]
  ) -> ValueBefore? {
    var value = take(key)
    guard case .array(var elements)? = value else { return nil }
    value = nil
    var before = ValueBefore.count(elements.count)
    let removed = Set(removed.map(Value.reference))
    if !removed.isEmpty, elements.contains(where: removed.contains) {
      before = .value(.array(elements))
      elements.removeAll(where: removed.contains)
    }
    elements += inserted.map(Value.reference)
    set(key, to: .array(elements))
    return before
  }

  /// Takes a value out of the delta, because one that stayed there would be copied when it is changed.
  private mutating func take(_ key: KeyNumber) -> Value? {
    delta.updateValue(nil, forKey: key) ?? baseRow?[key]
  }
}
