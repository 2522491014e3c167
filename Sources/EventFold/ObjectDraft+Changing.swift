internal import ObjectModel

extension ObjectDraft {
  mutating func set(_ key: KeyNumber, to value: Value?) { _ = exchange(key, for: value) }

  /// Sets a value, and gives the one before; nil where the object is not there, and nothing is changed.
  mutating func exchange(_ key: KeyNumber, for value: Value?) -> Value?? {
    guard isThere else { return nil }
    if !quietKeys.isEmpty { quietKeys.remove(key) }
    isDirty = true
    if let before = delta.updateValue(value, forKey: key) { return .some(before) }
    return .some(unchangedValue(of: key))
  }

  /// Sets a value, which by itself is nothing to be saved.
  mutating func setPrimitive(_ key: KeyNumber, to value: Value?) {
    if isDirty || value != unchangedValue(of: key) {
      if delta.updateValue(value, forKey: key) == nil { quietKeys.insert(key) }
    } else {
      delta.removeValue(forKey: key)
      quietKeys.remove(key)
    }
  }

  /// No longer has in the delta what is as in the base.
  mutating func reconcile(_ keys: [KeyNumber]) {
    for key in keys {
      if let value = delta[key], value == unchangedValue(of: key) { forget(key) }
    }
    isDirty = isDirty && asksForSave
  }

  /// Comes to be without values, and with room for some.
  mutating func comeToBe(withRoomFor keyCount: Int) {
    become(Row())
    isDirty = true
    delta.reserveCapacity(keyCount)
  }

  /// Has just these values, or is gone.
  mutating func become(_ row: Row?) {
    isThere = row != nil
    delta = Delta()
    quietKeys = []
    guard let row else { return }
    for entry in baseRow?.entries ?? [] where row[entry.key] == nil {
      delta.updateValue(nil, forKey: entry.key)
    }
    for entry in row.entries where baseRow?[entry.key] != entry.value {
      delta.updateValue(entry.value, forKey: entry.key)
    }
  }

  /// Has what undoing or redoing brought back, and tells the recorder what it had. Of an object that is not
  /// there no values come back.
  mutating func restore(
    _ restored: RestoredObject, _ traits: KeyTraits, _ recorder: inout StepRecorder
  ) {
    let object = restored.object
    switch restored.kind {
    case .updated:
      guard isThere else { return }
      for (key, value) in restored.values {
        recorder.note(
          object, key, from: self.value(of: key), to: value, isByKey: traits.byKey.contains(key))
        restore(key, value)
      }
    case .inserted:
      noteAll(of: object, in: &recorder)
      become(Row(restored.values.reduce(into: [:]) { $0[$1.key] = $1.value }))
    case .deleted:
      noteAll(of: object, in: &recorder)
      become(nil)
    }
    isDirty = asksForSave
  }

  private mutating func restore(_ key: KeyNumber, _ value: Value?) {
    forget(key)
    if value != unchangedValue(of: key) { delta.updateValue(value, forKey: key) }
  }

  private mutating func forget(_ key: KeyNumber) {
    delta.removeValue(forKey: key)
    quietKeys.remove(key)
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
      var change = ValueBefore.Members(wereNothing: true)
      for member in inserted.map(Value.reference) { change.gain(member) }
      return .members(change)
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
    let gone = Set(removed.map(Value.reference))
    guard let old = value(of: key)?.array, !removed.isEmpty, old.contains(where: gone.contains)
    else {
      changeOrder(of: key, inserted: inserted, removed: [])
      return .appended(inserted.map(Value.reference))
    }
    changeOrder(of: key, inserted: inserted, removed: removed)
    return ValueBefore(from: .array(old), to: value(of: key), isByKey: false)
  }

  /// Takes ordered members out and puts others behind those that stay.
  mutating func changeOrder(of key: KeyNumber, inserted: [ObjectID], removed: [ObjectID]) {
    var value = take(key)
    guard case .array(var elements)? = value else { return }
    value = nil
    switch removed.count {
    case 0: break
    // Members often go one by one: to look where one lies costs less than to hash all.
    case 1: for place in Self.places(of: removed[0], in: elements) { elements.remove(at: place) }
    default: elements.removeAll(where: Set(removed.map(Value.reference)).contains)
    }
    elements += inserted.map(Value.reference)
    set(key, to: .array(elements))
  }

  /// Where an object is among ordered members, the last place first.
  private static func places(of object: ObjectID, in members: [Value]) -> [Int] {
    members.withUnsafeBufferPointer { members in
      var places: [Int] = []
      var place = members.count
      while place > 0 {
        place -= 1
        if case .reference(let member) = members[place], member == object { places.append(place) }
      }
      return places
    }
  }

  /// Takes a value out of the delta, because one that stayed there would be copied when it is changed.
  private mutating func take(_ key: KeyNumber) -> Value? {
    delta.updateValue(nil, forKey: key) ?? unchangedValue(of: key)
  }
}
