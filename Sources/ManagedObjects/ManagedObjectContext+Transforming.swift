internal import EventFold
internal import ObjectModel

// Transformed attributes: the program's values beside those that are stored.
extension ManagedObjectContext {
  // MARK: Reading

  /// The program's value of a transformed attribute; nil where there is none, or it cannot be read.
  func decoded(of state: ObjectState, _ property: Property) -> DecodedValue? {
    willRead(state, property.key)
    return try? decode(state, property)
  }

  /// The program's value of a transformed attribute, made of the stored one if that has not been done.
  ///
  /// - Throws: what the transformer does.
  func decode(_ state: ObjectState, _ property: Property) throws -> DecodedValue? {
    fireQuietly(state)
    // What is not stored yet of an object that is gone waits for it to come back.
    if state.presence == .gone { return nil }
    if let decoded = state.decoded?[property.key] { return decoded }
    guard let transformation = property.transformation,
      let value = heldValue(of: state, property.key)
    else { return nil }
    let decoded = try transformation.decode(value)
    keep(decoded, of: state, property.key)
    return decoded
  }

  /// Makes the program's values that are to be there when an object has been read.
  @inline(__always)
  func decodeFetched(_ state: ObjectState) {
    if state.entity.decodedAtFetch.isEmpty { return }
    // What cannot be read is nil here as it is when it is asked for.
    for property in state.entity.decodedAtFetch { _ = try? decode(state, property) }
  }

  private func keep(_ decoded: DecodedValue, of state: ObjectState, _ key: KeyNumber) {
    if state.decoded == nil { state.decoded = [:] }
    state.decoded?[key] = decoded
  }

  // MARK: Setting

  /// Sets the program's value of a transformed attribute; nil for none.
  ///
  /// Where the transformer cannot store it, it is kept as it is, and the save says why.
  func setDecoded(_ decoded: DecodedValue?, of state: ObjectState, _ property: Property) {
    guard let decoded else { return setValue(nil, of: state, property) }
    guard let transformation = property.transformation else { return }
    if transformation.writing == .atOnce || untrackedDepth > 0 {
      do {
        let value = try transformation.encode(decoded)
        return set(value, of: state, property.key, decoded: decoded)
      } catch {
        // Nobody would store later what is set while nothing is tracked.
        if untrackedDepth > 0 { return }
      }
    }
    setPending(decoded, of: state, property.key)
  }

  /// Sets a value that is stored later. Until then the object has changes by the value being set as it is stored.
  private func setPending(_ decoded: DecodedValue, of state: ObjectState, _ key: KeyNumber) {
    guard canBeChanged(state) else { return }
    decoded.isPending = true
    if state.decoded?[key]?.isPending ?? false {
      willChange(state, key)
      if isThereStill(state) {
        noteChange(of: state, key)
        keep(decoded, of: state, key)
      }
      didChange(state, key)
    } else {
      set(heldValue(of: state, key), of: state, key, decoded: decoded)
      unstored.insert(state.objectID)
    }
  }

  /// Forgets what was made of a stored value that is another now.
  @inline(__always)
  func replaceDecoded(of state: ObjectState, _ key: KeyNumber, by decoded: DecodedValue? = nil) {
    if let decoded {
      keep(decoded, of: state, key)
    } else if state.decoded != nil {
      state.decoded?[key] = nil
    }
  }

  // MARK: Storing

  /// Makes the stored values that are missing yet, of all objects.
  ///
  /// - Throws: `ContextError`, which names a key that a transformer cannot store; the others are stored.
  func storePending() throws {
    if unstored.isEmpty { return }
    var failure: (any Error)?
    for object in unstored.sorted() {
      guard let state = state(of: object) else {
        unstored.remove(object)
        continue
      }
      do { try storePending(of: state) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  /// Makes the stored values of an object that are missing yet.
  ///
  /// - Parameter wanted: the key that is asked for; nil for all.
  private func storePending(of state: ObjectState, _ wanted: KeyNumber? = nil) throws {
    unstored.remove(state.objectID)
    var failure: (any Error)?
    for (key, decoded) in state.decoded ?? [:] where decoded.isPending {
      // It may come back, and has a value then that is not stored.
      if state.presence != .there {
        unstored.insert(state.objectID)
        continue
      }
      if let wanted, key != wanted {
        unstored.insert(state.objectID)
        continue
      }
      guard let property = state.entity.property(key), let transformation = property.transformation
      else { continue }
      do {
        let value = try transformation.encode(decoded)
        decoded.isPending = false
        // Who watches was told when it was set.
        base(state)
        perform(.set(state.objectID, key, value))
        settle(state)
      } catch {
        unstored.insert(state.objectID)
        failure = ContextError.transformFailed(
          state.objectID, key: property.name, reason: "\(error)")
      }
    }
    if let failure { throw failure }
  }

  /// Makes the stored values of an object before somebody looks at them. What a transformer cannot store is told
  /// by the save.
  @inline(__always)
  func storePendingQuietly(of state: ObjectState) {
    if !unstored.isEmpty, unstored.contains(state.objectID) { try? storePending(of: state) }
  }

  /// Makes the stored value of one key before somebody looks at it.
  @inline(__always)
  func storePendingQuietly(of state: ObjectState, _ key: KeyNumber) {
    if !unstored.isEmpty, state.decoded?[key]?.isPending ?? false {
      try? storePending(of: state, key)
    }
  }

  /// Forgets values of an object that is about to be deleted which were set in the same step: what is undone leads
  /// back to before they were set.
  func forgetPendingOfOpenStep(of state: ObjectState) {
    guard unstored.contains(state.objectID) else { return }
    let keys = fold.keysOfOpenStep(of: state.objectID)
    if keys.isEmpty { return }
    state.decoded = state.decoded?.filter { !$0.value.isPending || !keys.contains($0.key) }
  }

  /// Has values that are not stored yet be changes again of an object that undoing or redoing has brought back: the
  /// store's values, which that has brought back, are not what it has.
  func setPendingAgain(of state: ObjectState) {
    guard unstored.contains(state.objectID), state.presence == .there else { return }
    let draft = fold.objects[state.objectID]
    let keys = (state.decoded ?? [:]).filter { $0.value.isPending && draft?.delta[$0.key] == nil }
      .keys.sorted()
    if keys.isEmpty { return }
    // It is no step: what has been undone can be made again.
    let registersUndo = fold.registersUndo
    if registersUndo { perform(.undoSwitched(isOn: false)) }
    base(state)
    for key in keys {
      perform(.set(state.objectID, key, draft?.value(of: key) ?? stored(state, key)))
    }
    if registersUndo { perform(.undoSwitched(isOn: true)) }
    settle(state)
  }

  /// Gives up values that are not stored yet.
  func discardPending() {
    for object in unstored { state(of: object)?.decoded = nil }
    unstored = []
  }
}

extension ObjectState {
  /// The program's value of a transformed attribute; nil where there is none, or it cannot be read.
  func decoded(of property: Property) -> DecodedValue? {
    guard let context, probe == nil else {
      return value(of: property).flatMap { try? property.transformation?.decode($0) }
    }
    return context.decoded(of: self, property)
  }

  /// Whether a key has a value that is not stored yet. It counts as changed, though it is set as it is stored until then.
  func isPending(_ key: KeyNumber) -> Bool { decoded?[key]?.isPending ?? false }

  /// Forgets what was made of stored values that may be others now. What is not stored yet is a change, and stays.
  func forgetDecoded() {
    if decoded != nil { decoded = decoded?.filter(\.value.isPending) }
  }
}
