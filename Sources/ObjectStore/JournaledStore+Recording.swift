internal import DiskAccess
internal import EventCoding
package import Journaling
package import ObjectModel
internal import Synchronization

// Events that are no commits: contexts and what they do, names, numbers.
extension JournaledStore {
  /// Events less than this apart have the same time, and those between which the system has not counted the time on.
  private static let momentNanoseconds: Int64 = 1_000_000

  // MARK: Contexts

  /// Begins a context on a commit, within a parent where it has one.
  package func beginContext(
    name: String, on commit: CommitNumber, within parent: LiveContext? = nil
  ) throws(StoreError) -> LiveContext {
    try beginContext(name: name, on: commit, withinNumber: parent?.number)
  }

  func beginContext(
    name: String, on commit: CommitNumber, withinNumber parent: ContextNumber?
  ) throws(StoreError) -> LiveContext {
    endGivenUp()
    try noteTime()
    return try cataloguing.withLock { () throws(StoreError) in
      let number = catalogue.nextContext
      let edit = try record(
        .contextBegan(number, name: name, on: commit, parent: parent))
      let context = LiveContext(
        number, name: name, firstEdit: edit.rawValue, lastEdit: edit.rawValue,
        ContextStanding(on: commit))
      liveContexts[number] = context
      return context
    }
  }

  /// Records what a context did.
  ///
  /// When it returns, the edit survives the end of the process.
  /// - Returns: its number, by which a commit can name the value it set.
  @discardableResult
  package func record(
    _ edit: Edit, by context: LiveContext
  ) throws(StoreError) -> EditNumber {
    if case .set(let object, let key, let value) = edit {
      return try recordSetting(of: key, of: object, to: value, by: context)
    }
    try noteTime()
    context.willRecord(edit)
    guard edit.isNotedAfterwards else { return try append(edit, by: context) }
    // A checkpoint is cut before both the edit and what is noted of it, or after both.
    return try cataloguing.withLock { () throws(StoreError) in try append(edit, by: context) }
  }

  private func append(
    _ edit: Edit, by context: LiveContext
  ) throws(StoreError) -> EditNumber {
    let number = try append(.edited(context.number, edit))
    context.didRecord(edit, number.rawValue)
    return number
  }

  /// Records that a context has set a value: the edit that there are most of, which is not made for it.
  package func recordSetting(
    of key: KeyNumber, of object: ObjectID, to value: Value?, by context: LiveContext
  ) throws(StoreError) -> EditNumber {
    try noteTime()
    context.willRecordWork()
    let number = try append { () throws(EventCodingError) in
      try encoder.byteCount(ofSetting: key, of: object, to: value, in: context.number)
    } _: {
      encoder.writeSetting(of: key, of: object, to: value, in: context.number, into: $0)
    }
    context.didRecord(number.rawValue)
    return number
  }

  /// Ends a context in order; what it has not saved is given up.
  package func endContext(_ context: LiveContext) throws(StoreError) {
    try noteTime()
    try cataloguing.withLock { () throws(StoreError) in
      try record(.contextEnded(context.number))
      liveContexts[context.number] = nil
    }
  }

  /// Ends a context in order, of which nothing is wanted any more. Where the journal cannot take that, it is tried again
  /// when another begins or goes on, with each checkpoint, backup and compaction, and when the store is closed; where the
  /// process ends before, what it has not saved is offered as a draft.
  package func giveUp(_ context: LiveContext) {
    do throws(StoreError) {
      try endContext(context)
    } catch {
      context.letGo()
      cataloguing.withLock { givenUp.append(context) }
    }
  }

  /// Ends what the journal could not end when it was given up. What it still cannot take is tried again next time, and is
  /// told by what is wanted of it meanwhile.
  func endGivenUp() {
    do throws(StoreError) { try tryToEndGivenUp() } catch {}
  }

  /// Ends what the journal could not end when it was given up, until it cannot once more.
  func tryToEndGivenUp() throws(StoreError) {
    // Nobody goes on as if there were nothing to end while another ends it.
    try endingGivenUp.withLock { () throws(StoreError) in
      while let context = cataloguing.withLock({ givenUp.first }) {
        try endContext(context)
        cataloguing.withLock { givenUp.removeAll { $0 === context } }
      }
    }
  }

  // MARK: Names and numbers

  /// The number of a key, which is given one where it has none.
  package func key(named name: String) throws(StoreError) -> KeyNumber {
    try cataloguing.withLock { () throws(StoreError) in
      if let number = catalogue.keys[name] { return number }
      let number = catalogue.keys.next
      try record(.keyNamed(number, name))
      return number
    }
  }

  /// Gives a new object its ID.
  ///
  /// Numbers are reserved ahead, in blocks that grow with the demand, so that none is given twice.
  package func newObject(of entity: EntityNumber, origin: UInt16 = 0) throws(StoreError) -> ObjectID
  {
    try cataloguing.withLock { () throws(StoreError) in
      if isClosing { throw StoreError(JournalError.closed) }
      let group = ObjectID.group(origin: origin, entity)
      let number = (lastNumbers[group] ?? 0) + 1
      guard number <= ObjectID.largestNumber else {
        throw StoreError(.tooLarge, "the entity has as many objects as an entity can have.")
      }
      let object = ObjectID(origin: origin, entity: entity, number: number, store: store)
      try reserve(object)
      lastNumbers[group] = number
      return object
    }
  }

  /// Reserves numbers from that of an object on, if it is not reserved. The caller holds `cataloguing`.
  private func reserve(_ object: ObjectID) throws(StoreError) {
    let group = object.group
    guard object.number > catalogue.reserved[group] ?? 0 else { return }
    let count = min((reservedCounts[group] ?? 32) * 2, 4096)
    let through = min(object.number + count - 1, ObjectID.largestNumber)
    try record(.numbersReserved(origin: object.origin, object.entity, through: through))
    reservedCounts[group] = count
  }

  /// Whether an ID may be taken over that a copy of the store has given. One far beyond what was given here would leave
  /// too few for others.
  package func canTakeOver(_ object: ObjectID) -> Bool {
    guard object.store == store, object.number > 0 else { return false }
    return cataloguing.withLock {
      object.number <= (lastNumbers[object.group] ?? 0) + Self.farthestTakenOver
    }
  }

  /// Whether an ID was given here, or taken over, or may have been.
  package func isGiven(_ object: ObjectID) -> Bool {
    cataloguing.withLock { object.number <= lastNumbers[object.group] ?? 0 }
  }

  /// Has IDs, which a copy of the store has given, be given to no other objects.
  ///
  /// - Returns: those of them that were given before.
  package func takeOver(_ objects: some Sequence<ObjectID>) throws(StoreError) -> Set<ObjectID> {
    try cataloguing.withLock { () throws(StoreError) in
      var given: Set<ObjectID> = []
      var farthest: [UInt64: ObjectID] = [:]
      for object in objects {
        let group = object.group
        if object.number <= lastNumbers[group] ?? 0 {
          given.insert(object)
        } else {
          farthest[group] = max(object, farthest[group] ?? object)
        }
      }
      for (group, object) in farthest.sorted(by: { $0.key < $1.key }) {
        lastNumbers[group] = object.number
        try reserve(object)
      }
      return given
    }
  }

  /// An ID for a new object while the journal cannot be written, and so says nothing of it before it is saved.
  package func unreservedObject(of entity: EntityNumber, origin: UInt16 = 0) -> ObjectID {
    cataloguing.withLock {
      let group = ObjectID.group(origin: origin, entity)
      let number = min((lastNumbers[group] ?? 0) + 1, ObjectID.largestNumber)
      lastNumbers[group] = number
      return ObjectID(origin: origin, entity: entity, number: number, store: store)
    }
  }

  // MARK: Below

  /// Appends an event of the catalogue and folds it. Holds `cataloguing`, so that events that build on one
  /// another come in their order.
  @discardableResult
  func record(_ event: Event) throws(StoreError) -> EditNumber {
    let number = try append(event)
    do throws(Catalogue.Contradiction) {
      try catalogue.apply(event, edit: number.rawValue)
    } catch {
      preconditionFailure("an event was made that does not fit its store: \(error.sentence)")
    }
    return number
  }

  /// Has the journal say what time it is, where that is a new moment.
  func noteTime() throws(StoreError) {
    let wall = disk.roughWallClock()
    func isNew() -> Bool {
      wall - Self.momentNanoseconds >= eventTime.load(ordering: .acquiring)
    }
    // Nearly always it is not, and that costs no lock.
    guard isNew() else { return }
    try clock.withLock { () throws(StoreError) in
      guard isNew() else { return }
      try append(.timePassed(RecordedTime(rawValue: wall)))
      eventTime.store(wall, ordering: .releasing)
    }
  }
}

extension StoreError {
  static func commitMissing(_ number: CommitNumber, head: CommitNumber) -> StoreError {
    StoreError(
      .commitMissing, "there is no commit \(number); the last is commit \(head).")
  }
}

extension ReadableStore {
  fileprivate static let farthestTakenOver: UInt64 = 1 << 24

  /// Whether who writes the store could take over an ID that a copy of it has given, as far as is known of what it has
  /// given itself.
  package func couldTakeOver(_ object: ObjectID) -> Bool {
    guard object.store == store, object.number > 0 else { return false }
    return cataloguing.withLock {
      object.number <= (catalogue.reserved[object.group] ?? 0) + Self.farthestTakenOver
    }
  }
}
