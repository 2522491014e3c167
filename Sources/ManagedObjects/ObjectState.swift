internal import ObjectModel
internal import ObjectStore

/// What a context knows of one object. The object itself, which programs hold, and the wrappers of its properties
/// share it. What every edit asks of it and is a number or a flag is not checked for overlapping accesses, as in its
/// context.
package final class ObjectState {
  /// Whether the object is there, for its context.
  enum Presence {
    /// As the store has it, or as it is to be.
    case there
    /// Deleted here, and not saved yet.
    case deleted
    /// Deleted by a save, or elsewhere, or never there.
    case gone
  }

  let objectID: ObjectID
  let entity: EntityInfo
  /// Nil when the context has ended or forgotten the object.
  @exclusivity(unchecked) unowned(unsafe) var context: ManagedObjectContext?
  /// The object, which holds this state; nil only while it is made.
  @exclusivity(unchecked) unowned(unsafe) var object: ManagedObject?

  /// Whether nothing of it has been read yet, or it has been given up.
  @exclusivity(unchecked) var isFault = true
  /// Whether it is told at this moment that it has become a fault: it is not read meanwhile.
  @exclusivity(unchecked) var isTurningIntoFault = false
  /// Whether it came to be while nothing was tracked.
  @exclusivity(unchecked) var isMadeUntracked = false
  /// Whether it is told at this moment that it is about to be deleted.
  @exclusivity(unchecked) var isBeingDeleted = false
  /// Whether the context was reset.
  @exclusivity(unchecked) var isForgotten = false
  @exclusivity(unchecked) var presence = Presence.there
  /// The commit that the object stands on; what is not committed stands on none.
  @exclusivity(unchecked) var base = CommitNumber.none
  /// What the object had there; nil for a fault, and for what is not committed.
  @exclusivity(unchecked) var handle: RowHandle?
  /// Whether the context's fold has something of the object: its values come before those of `handle`.
  @exclusivity(unchecked) var hasDraft = false
  /// What the object would be saved as.
  @exclusivity(unchecked) var standing = Standing.unchanged
  /// The stretch of unsaved work in which the journal has been told last where the object stands.
  @exclusivity(unchecked) var basedIn: UInt32 = 0
  /// The edits that have set its values.
  var setEdits = SetEdits()
  /// The event in which the object was noted as changed.
  @exclusivity(unchecked) var notedIn: UInt32 = 0
  /// The event in which the object came to be: it had nothing before.
  @exclusivity(unchecked) var insertedIn: UInt32 = 0

  /// What few objects have; nil where there never was any of it, or it was given up with all that was read.
  @exclusivity(unchecked) var seldom: Seldom?

  /// An object's being deleted.
  struct Deletion {
    /// What the object had.
    let row: Row
    /// Objects that others have had lead to it since, by relationship of its own.
    var lateMembers: [KeyNumber: Set<ObjectID>] = [:]
  }

  /// What a save would make of the object.
  enum Standing {
    case unchanged, inserted, updated, deleted
  }

  init(_ objectID: ObjectID, _ entity: EntityInfo, in context: ManagedObjectContext?) {
    self.objectID = objectID
    self.entity = entity
    self.context = context
  }

  /// Whether there is something of it where the context reads.
  var isShownBelow: Bool { handle != nil || base != .none }

  /// The context, which must be there: to use an object whose context is gone is a mistake of the program's.
  @inline(__always)
  func attached() -> ManagedObjectContext {
    guard let context else { trapForgotten() }
    return context
  }

  /// Has the object be what was saved, and nothing besides.
  func stand(on commit: CommitNumber, with handle: RowHandle?) {
    base = commit
    self.handle = handle
    presence = handle == nil ? .gone : .there
    deletion = nil
  }

  /// Notes that a key is set over what is untracked, in the step that so many came before; nil where it is in none.
  func noteSetOver(_ key: KeyNumber, stepCount: Int?) {
    if let seldom, seldom.untracked?[key] != nil {
      seldom.setOverIn.updateValue(stepCount, forKey: key)
    }
  }

  /// Has a key show no more what is untracked, whatever is undone.
  func endUntracked(_ key: KeyNumber) {
    seldom?.untracked?.removeValue(forKey: key)
    seldom?.covered.removeValue(forKey: key)
  }

  /// Whether it is noted in which step a key was set over what is untracked, or that it was in none.
  func isNotedSetOver(_ key: KeyNumber) -> Bool { seldom?.setOverIn[key] != nil }

  /// Has a key of which the fold has nothing after undoing or redoing show what is untracked, or what the store has:
  /// that, where it was set so.
  ///
  /// - Parameter stepCount: how many steps can be undone, and were forgotten before these.
  func cover(_ key: KeyNumber, stepCount: Int) {
    guard let seldom else { return }
    let isSet = seldom.setOverIn[key].map { count in count.map { stepCount > $0 } ?? true } ?? false
    if !isSet {
      if let value = seldom.covered.removeValue(forKey: key) {
        seldom.untracked?.updateValue(value, forKey: key)
      }
    } else if let value = seldom.untracked?[key] {
      seldom.covered.updateValue(value, forKey: key)
      seldom.untracked?.removeValue(forKey: key)
    }
  }

  /// Has no key but these and the covered ones be noted as set over what is untracked: where that was taken back of
  /// others, it is not made again once the object is deleted.
  func keepSetOver(of keys: Set<KeyNumber>) {
    guard let seldom, !seldom.setOverIn.isEmpty else { return }
    seldom.setOverIn = seldom.setOverIn.filter {
      keys.contains($0.key) || seldom.covered.keys.contains($0.key)
    }
  }

  /// What was set of a key while nothing was tracked, shown or not.
  func untrackedValue(_ key: KeyNumber) -> Value?? {
    guard let seldom else { return .none }
    if let value = seldom.untracked?[key] { return .some(value) }
    return seldom.covered[key]
  }

  /// The keys that were set while nothing was tracked, shown or not.
  var untrackedKeys: Set<KeyNumber> { coveredKeys.union(untracked?.keys.map(\.self) ?? []) }

  /// Whether there are keys that do not show what is untracked, though the fold has no value of them; and these.
  var isCovering: Bool { seldom.map { !$0.covered.isEmpty } ?? false }
  var coveredKeys: Set<KeyNumber> { Set(seldom?.covered.keys.map(\.self) ?? []) }

  /// Has all keys show what is untracked: nothing of what was done over it is left.
  func uncover() {
    guard let seldom else { return }
    for (key, value) in seldom.covered { seldom.untracked?.updateValue(value, forKey: key) }
    (seldom.covered, seldom.setOverIn) = ([:], [:])
  }

  /// The value of a property, as programs see it.
  @inline(__always)
  func value(of property: Property) -> Value? {
    if let probe { return probe.value(of: property) }
    guard let context else { return valueWithoutContext(property.key) }
    return context.value(of: self, property)
  }

  /// The value of the property of a wrapper. An object of the past may lack what its class has today.
  @inline(__always)
  func storedValue(ofWrapper ordinal: Int) -> Value? {
    // Nothing is counted on this way, which most values are read by.
    if let key = entity.heldKeys[ordinal], let context, probe == nil {
      context.willRead(self, key)
      return context.heldValue(of: self, key)
    }
    return entity.wrapped[ordinal].flatMap { value(of: $0) }
  }

  /// Sets the value of the property of a wrapper, if the object has it.
  @inline(__always)
  func setStoredValue(_ value: Value?, ofWrapper ordinal: Int) {
    guard let property = entity.wrapped[ordinal] else { return }
    attached().setValue(value, of: self, property)
  }

  /// A value of an object whose context has ended: what was read of it still is there.
  private func valueWithoutContext(_ key: KeyNumber) -> Value? {
    guard !isForgotten, !isFault, !hasDraft, presence == .there else { trapForgotten() }
    do throws(StoreError) {
      return try handle?.value(key) ?? entity.transientDefault(of: key)
    } catch {
      // There is nobody left who could be told.
      preconditionFailure(
        "\(entity.name) \(objectID) belongs to no context any more, and cannot be read: \(error) Keep the context as "
          + "long as its objects.")
    }
  }

  private func trapForgotten() -> Never {
    preconditionFailure(
      "\(entity.name) \(objectID) belongs to no context any more: the context was reset, or has ended; keep "
        + "the context as long as its objects, or fetch the object again.")
  }
}
