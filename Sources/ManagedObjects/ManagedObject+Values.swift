public import ObjectModel
internal import ObjectQuery

extension ManagedObject {
  // MARK: By key

  /// The value of any key: of the model, a computed one, or a dynamic attribute. Setting nil removes it.
  public final subscript(key: String) -> Value? {
    get {
      let info = state.entity
      if info.property(key) != nil || info.virtualAttributes[key] != nil {
        return value(forKey: key)
      }
      if let probe = state.probe {
        probe.note(key)
        return nil
      }
      return state.attached().dynamicValue(of: state, key)
    }
    set {
      let info = state.entity
      if info.property(key) != nil || info.virtualAttributes[key] != nil {
        setValue(newValue, forKey: key)
      } else if state.probe == nil {
        state.attached().setDynamicValue(newValue, of: state, key)
      }
    }
  }

  /// The value of a key of the model, or a computed one; nil where there is none.
  ///
  /// A relationship's value is a reference, or a set or an array of references. An unknown key is a mistake of the
  /// program's and ends it, unless the entity takes any key.
  public final func value(forKey key: String) -> Value? {
    if let virtual = state.entity.virtualAttributes[key] {
      return state.attached().computed(virtual, of: self)
    }
    if let property = state.entity.property(key) {
      return state.value(of: property)
    }
    if state.entity.entity.description.allowsAnyKey { return self[key] }
    return value(forUndefinedKey: key)
  }

  /// Sets the value of a key of the model, or of a computed one that can be set; nil for none.
  ///
  /// A value of a type that the attribute does not take is a mistake of the program's and ends it; values that
  /// come from elsewhere are asked first (`canTake`).
  public final func setValue(_ value: Value?, forKey key: String) {
    if let virtual = state.entity.virtualAttributes[key] {
      guard let write = virtual.write else {
        preconditionFailure("\(state.entity.name).\(key) is computed and cannot be set.")
      }
      // Whatever it is made of, it changes once.
      let context = state.context
      context?.beginTelling()
      write(self, value)
      context?.endTelling()
    } else if let property = state.entity.property(key) {
      state.attached().setValue(value, of: state, property)
    } else if state.entity.entity.description.allowsAnyKey {
      self[key] = value
    } else {
      setValue(value, forUndefinedKey: key)
    }
  }

  /// Whether a key takes a value: whether it is of the attribute's type, or leads to what the relationship can lead to. A
  /// computed key takes what it can be set to, and none where it can only be read. Any other key takes property lists.
  ///
  /// Of a transformed attribute its transformer is not asked: a value that this cannot read is kept, and read as none.
  public final func canTake(_ value: Value?, forKey key: String) -> Bool {
    if let virtual = state.entity.virtualAttributes[key] { return virtual.takes(value) }
    guard let value, !value.isNull else { return true }
    guard let property = state.entity.property(key) else { return value.isPropertyList }
    guard let taken = property.taken(value) else { return false }
    guard let relationship = property.relationship else { return true }
    return state.attached().schema.stranger(among: taken.value.destinations, to: relationship)
      == nil
  }

  /// The value of a key as it is held: nobody is told that it was read.
  public final func primitiveValue(forKey key: String) -> Value? {
    let context = state.attached()
    let property = state.entity.property(key)
    if let probe = state.probe {
      probe.note(key)
      return property.flatMap { probe.value(of: $0) }
    }
    guard let property else { return context.value(of: state, key) }
    return context.primitiveValue(of: state, property)
  }

  /// Sets a value without notification, undo, inverse, or the object having changes by it. It is journaled, so that
  /// a replay sees it, unless nothing is tracked.
  ///
  /// A key that neither the model nor the class has is a dynamic attribute. What is no property list is refused there
  /// as it is by `object[key]`, and so is any value of a key that is computed only.
  public final func setPrimitiveValue(_ value: Value?, forKey key: String) {
    state.attached().setPrimitiveValue(value, of: state, key)
  }

  // MARK: Changes

  /// The values that differ from those that were fetched or saved last; of dynamic attributes, those that were set.
  /// Null stands for none.
  public final func changedValues() -> [String: Value] {
    state.attached().changedValues(of: state)
  }

  /// The values as they were fetched or saved last, null for none; of all keys where none are named. Of a relationship
  /// that is answered from its inverse they are the members that are known, without what was changed here.
  public final func committedValues(forKeys keys: [String]? = nil) -> [String: Value] {
    state.attached().committedValues(of: state, keys)
  }

  /// What the keys had that have changed since pending changes were processed last; null stands for none.
  public final func changedValuesForCurrentEvent() -> [String: Value] {
    state.attached().valuesBeforeCurrentEvent(of: state)
  }

  /// Whether a save would change a value that the store has.
  public final var hasPersistentChangedValues: Bool {
    switch state.standing {
    case .unchanged: false
    case .inserted, .deleted: true
    case .updated:
      state.attached().changedValues(of: state).keys.contains {
        !(state.entity.property($0)?.isTransient ?? false)
      }
    }
  }

  /// No longer counts as changed what is as it was saved.
  public final func reconcileChanges() { state.attached().reconcileChanges(of: state) }

  /// Traps, and names the key that may have been meant.
  func misspelt(_ key: String) -> Value? {
    let known = state.entity.properties.map(\.name) + state.entity.virtualAttributes.keys
    let nearest = Spelling.nearest(to: key, among: known)
    preconditionFailure(
      "\(state.entity.name) has no key ‘\(key)’\(nearest.map { "; did you mean ‘\($0)’?" } ?? ".") A dynamic "
        + "attribute is read and set by object[\"\(key)\"].")
  }
}
