internal import EventFold
internal import ObjectModel
internal import ObjectStore

// What objects have, and setting it.
extension ManagedObjectContext {
  // MARK: Reading

  /// The value of a property, as programs see it.
  @inline(__always)
  func value(of state: ObjectState, _ property: Property) -> Value? {
    willRead(state, property.key)
    return primitiveValue(of: state, property)
  }

  func primitiveValue(of state: ObjectState, _ property: Property) -> Value? {
    if property.isAnsweredFromInverse, let relationship = property.relationship {
      return members(of: state, property.key, relationship).value
    }
    if let value = heldValue(of: state, property.key) { return value }
    // A relationship to many leads to none where it was never set.
    guard let relationship = property.relationship, relationship.isToMany, state.presence != .gone
    else { return nil }
    return relationship.storage == .array ? .array([]) : .set([])
  }

  /// The value of a key as the object, the fold or the store has it.
  func heldValue(of state: ObjectState, _ key: KeyNumber) -> Value? {
    fireQuietly(state)
    storePendingQuietly(of: state, key)
    if state.untracked != nil, state.presence == .there,
      let value = valueOverStored(of: state, key)
    {
      return value
    }
    if state.presence == .deleted {
      return state.deletion?.row[key] ?? state.entity.transientDefault(of: key)
    }
    if state.hasDraft, let value = fold.objects.value(of: key, of: state.objectID) { return value }
    if let stored = stored(state, key) { return stored }
    return state.presence == .there ? state.entity.transientDefault(of: key) : Value?.none
  }

  /// The value of a key that the model does not have.
  func dynamicValue(of state: ObjectState, _ name: String) -> Value? {
    if isReadWatched { noteRead(of: state, name) }
    guard let key = existingKey(name) else { return nil }
    return heldValue(of: state, key)
  }

  // MARK: Keys

  /// The number of a key, if anybody has ever set it.
  func existingKey(_ name: String) -> KeyNumber? {
    if let key = keys[name] { return key }
    guard let key = store.existingKey(named: name) else { return nil }
    keys[name] = key
    return key
  }

  /// The number of a key, which is given one where it has none.
  ///
  /// - Returns: nil where the journal could not take its name; that is noted then.
  func key(_ name: String) -> KeyNumber? {
    if let key = keys[name] { return key }
    do throws(StoreError) {
      let key = try writer.writableStore.key(named: name)
      keys[name] = key
      return key
    } catch {
      // Without a number the value cannot be kept in any way, so the save has to say so.
      readFailure = error
      return nil
    }
  }

  // MARK: Setting

  /// Sets a property as programs do.
  func setValue(_ value: Value?, of state: ObjectState, _ property: Property) {
    guard let taken = property.taken(value) else {
      preconditionFailure(
        "\(state.entity.name).\(property.name) cannot be set to \(value ?? .null), which is "
          + "\(value?.kind ?? .null); it takes \(property.takenDescription).")
    }
    if property.type != nil {
      set(taken.value, of: state, property.key)
    } else if let relationship = property.relationship {
      relate(state, property.key, relationship, to: taken.value)
    }
  }

  func setDynamicValue(_ value: Value?, of state: ObjectState, _ name: String) {
    checkDynamic(value, of: state, name)
    guard let key = key(name) else { return }
    set(value.isNone ? nil : value, of: state, key)
  }

  /// Dynamic attributes are stored as one property list: what is none could not be saved, and no save could say
  /// who has set it.
  private func checkDynamic(_ value: Value?, of state: ObjectState, _ name: String) {
    guard let value, !value.isNull, !value.isPropertyList else { return }
    preconditionFailure(
      "\(state.entity.name)[\"\(name)\"] cannot be set to \(value), which is no property list.")
  }

  /// Sets what one key of an object holds.
  ///
  /// - Parameter decoded: what the program has for the value, where it is that of a transformed attribute.
  func set(
    _ value: Value?, of state: ObjectState, _ key: KeyNumber, decoded: DecodedValue? = nil
  ) {
    if isUntracked(state) {
      setUntracked(value, of: state, key, decoded: decoded)
      return
    }
    guard canBeChanged(state) else { return }
    base(state)
    willChange(state, key)
    // Who was told may have saved, and may have deleted it or given it up.
    guard isThereStill(state) else {
      didChange(state, key)
      return
    }
    noteChange(of: state, key)
    performSet(state, key, value)
    replaceDecoded(of: state, key, by: decoded)
    // What is stored later is set as it was until then.
    let isPending = decoded?.isPending ?? false
    if reconcilesChangesAtOnce, state.standing != .inserted, !isPending { reconcile(state, [key]) }
    if !state.hasDraft || state.standing == .unchanged { settle(state) }
    didChange(state, key)
  }

  /// Whether an object can be changed after somebody was told that it is about to be; then it is said where it stands.
  func isThereStill(_ state: ObjectState) -> Bool {
    guard state.context === self else { return false }
    guard canBeChanged(state) else { return false }
    base(state)
    return true
  }

  func setPrimitiveValue(_ value: Value?, of state: ObjectState, _ name: String) {
    let property = state.entity.property(name)
    if property == nil {
      // Nobody would see it: who asks for the key is given what is computed.
      precondition(
        state.entity.virtualAttributes[name] == nil,
        "\(state.entity.name).\(name) is computed and holds no value; give what it is made of a key of its own."
      )
      checkDynamic(value, of: state, name)
    }
    guard let key = property?.key ?? (value.isNone ? existingKey(name) : key(name)) else { return }
    var held = value
    if let property {
      guard let taken = property.taken(value) else {
        preconditionFailure(
          "\(state.entity.name).\(name) cannot hold \(value ?? .null); it takes "
            + "\(property.takenDescription).")
      }
      held = taken.value
      if let relationship = property.relationship {
        refuseStrangers(held.destinations, of: state, property.key, relationship)
      }
    } else if value.isNone {
      held = nil
    }
    // Where nothing can be changed a getter may keep what it has made all the same.
    let isKeptOnly = writer.refusal != nil && property?.isTransient ?? false
    if isKeptOnly { fireQuietly(state) }
    if isUntracked(state) || isKeptOnly {
      setUntracked(held, of: state, key)
      return
    }
    guard canBeChanged(state) else { return }
    if isChangedByHand(state, name) {
      if let property, let relationship = property.relationship {
        relate(state, key, relationship, to: held)
      } else {
        set(held, of: state, key)
      }
      return
    }
    precondition(
      property?.isAnsweredFromInverse != true,
      "\(state.entity.name).\(name) holds no value, as it is answered from its inverse; set that of its members."
    )
    base(state)
    if state.untracked != nil { state.endUntracked(key) }
    perform(.setPrimitive(state.objectID, key, held))
    if marks.collectsPrimitiveSets { event.noteSet(state.objectID) }
    replaceDecoded(of: state, key)
    settle(state)
  }

  /// Notes for the current event that a value is about to change.
  @inline(__always)
  func noteChange(of state: ObjectState, _ key: KeyNumber) {
    noteChanged(state)
    if marks.collectsSets { event.noteSet(state.objectID) }
    // What the fold notes for undoing says the same, where it does.
    if groupDepth > 0 || undoDisabledDepth > 0 || listeners.hasChangeReaders {
      noteBefore(of: state, key)
    }
  }

  /// Notes for the current event that an object changes.
  @inline(__always)
  func noteChanged(_ state: ObjectState) {
    if state.notedIn != marks.event {
      state.notedIn = marks.event
      event.changed.append(state.objectID)
    }
  }

  func noteBefore(of state: ObjectState, _ key: KeyNumber) {
    if state.insertedIn == marks.event { return }
    if event.valuesBefore[state.objectID]?[key] != nil { return }
    let before = currentValue(of: state, key)
    event.valuesBefore[state.objectID, default: [:]].updateValue(before, forKey: key)
  }
}

extension Value? {
  /// Whether there is no value: null is none.
  var isNone: Bool {
    switch self {
    case nil, .some(.null): true
    default: false
    }
  }
}

extension Property {
  /// What a property takes of a value.
  struct Taken {
    let value: Value?
  }

  /// The value as the property holds it: integers for reals and counters are made such; nil where it is of a type
  /// that the property does not take.
  func taken(_ value: Value?) -> Taken? {
    guard let value, !value.isNull else { return Taken(value: nil) }
    guard let type else {
      guard let relationship, value.isDestination(ofMany: relationship.isToMany) else { return nil }
      switch (relationship.storage, value) {
      case (.array, .set):
        return Taken(value: .array(Value?(value).destinations.map { .reference($0) }))
      case (.set, .array(let members)): return Taken(value: .set(Set(members)))
      default: return Taken(value: value)
      }
    }
    if type.admits(value) { return Taken(value: value) }
    switch (type, value) {
    case (.real, .integer(let number)):
      return Int(exactly: Double(number)) == number ? Taken(value: .real(Double(number))) : nil
    case (.counter, .integer(let number)): return Taken(value: .counter(number))
    case (.integer, .counter(let number)): return Taken(value: .integer(number))
    default: return nil
    }
  }

  /// What the property takes, for a sentence.
  var takenDescription: String {
    switch kind {
    case .attribute(let attribute) where attribute.type == .dictionary:
      "dictionaries of property-list values that are not nested too deep"
    case .attribute(let attribute) where attribute.type == .decimal:
      "decimal numbers, of which NaN is none"
    case .attribute(let attribute): "values of type \(attribute.type)"
    case .relationship(let relationship):
      relationship.isToMany
        ? "references to objects, each of them once" : "a reference to an object"
    }
  }
}
