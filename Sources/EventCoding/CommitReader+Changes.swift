internal import ByteCoding
internal import ObjectModel

// What one change of a commit says.
extension CommitReader {
  mutating func change(
    of object: ObjectID, after previous: CommitNumber
  ) throws(EventCodingError) -> ObjectChange {
    let (kind, count) = try kindAndCount()
    if kind != .updated {
      let (values, _, _) = try values(
        of: object, kind, count, kind == .inserted ? .after : .before)
      return ObjectChange(object, kind, values: values, after: previous)
    }
    var entries: [ObjectChange.Entry] = []
    entries.reserveCapacity(min(count, 16))
    var next: UInt64 = 0
    for _ in 0..<count {
      let place = reader.offset
      let (key, form) = try keyAndForm(&next)
      let change = try located(object, key) { (reader) throws(EventCodingError) in
        try reader.change(in: form, of: object, key)
      }
      if let problem = change.problem(in: kind) { throw reader.error(problem, at: place) }
      entries.append(ObjectChange.Entry(key, change))
    }
    return ObjectChange(object, kind, entries, after: previous)
  }

  mutating func object(
    _ object: ObjectID, after previous: CommitNumber, _ side: CommitSide.Side,
    _ other: ((EntityNumber, KeyNumber) -> Bool)?
  ) throws(EventCodingError) -> CommitSide.Object {
    let (kind, count) = try kindAndCount()
    let (values, others, differences) = try values(of: object, kind, count, side, other)
    return CommitSide.Object(
      object, kind, after: previous, values: values, others: others, differences: differences)
  }

  private mutating func values(
    of object: ObjectID, _ kind: ObjectChange.Kind, _ count: Int, _ side: CommitSide.Side,
    _ other: ((EntityNumber, KeyNumber) -> Bool)? = nil
  ) throws(EventCodingError) -> (
    values: [Row.Entry], others: [Row.Entry], differences: [ObjectChange.Entry]
  ) {
    var (values, differences): ([Row.Entry], [ObjectChange.Entry]) = ([], [])
    var others: [Row.Entry] = []
    values.reserveCapacity(min(count, 16))
    var next: UInt64 = 0
    for _ in 0..<count {
      let place = reader.offset
      let (key, form) = try keyAndForm(&next)
      switch form {
      case CommitForm.spliced, CommitForm.counted, CommitForm.regrouped:
        let change = try located(object, key) { (reader) throws(EventCodingError) in
          try reader.change(in: form, of: object, key)
        }
        if let problem = change.problem(in: kind) { throw reader.error(problem, at: place) }
        differences.append(ObjectChange.Entry(key, change))
      default:
        guard form.isUsed(in: kind) else { throw reader.error(.changeUnfit, at: place) }
        let isAsked = other?(object.entity, key) ?? false
        let (old, new) = try located(object, key) { (reader) throws(EventCodingError) in
          try reader.values(
            in: form, of: object, key, old: isAsked || side == .before,
            new: isAsked || side == .after)
        }
        values.append(Row.Entry(key, side == .before ? old : new))
        if isAsked { others.append(Row.Entry(key, side == .before ? new : old)) }
      }
    }
    return (values, others, differences)
  }

  /// Reads something of a value, and says of which where there is too much of it.
  @inline(__always)
  private mutating func located<Answer>(
    _ object: ObjectID, _ key: KeyNumber,
    _ read: (inout CommitReader) throws(EventCodingError) -> Answer
  ) throws(EventCodingError) -> Answer {
    do throws(EventCodingError) {
      return try read(&self)
    } catch {
      throw error.within(object, key)
    }
  }

  mutating func kindAndCount() throws(EventCodingError) -> (ObjectChange.Kind, Int) {
    let place = reader.offset
    let head = try reader.varint()
    let byte = UInt8(truncatingIfNeeded: head) & (1 << CommitForm.kindBitCount - 1)
    guard let kind = ObjectChange.Kind(rawValue: byte) else {
      throw reader.error(.choiceUnknown(byte), at: place)
    }
    let count = head >> CommitForm.kindBitCount
    guard count <= UInt64(reader.remainingByteCount / 2) else {
      throw reader.error(.bytes(.countTooLarge), at: place)
    }
    return (kind, Int(count))
  }

  mutating func keyAndForm(
    _ next: inout UInt64
  ) throws(EventCodingError) -> (KeyNumber, form: UInt8) {
    let place = reader.offset
    let head = try reader.varint()
    let number = next + head >> CommitForm.formBitCount
    guard number <= UInt64(UInt32.max) else { throw reader.error(.numberTooLarge, at: place) }
    next = number + 1
    return (
      KeyNumber(rawValue: UInt32(truncatingIfNeeded: number)),
      UInt8(truncatingIfNeeded: head) & (1 << CommitForm.formBitCount - 1)
    )
  }

  /// The values on both sides, null where there is none; one that is not wanted is passed over, and null.
  private mutating func values(
    in form: UInt8, of object: ObjectID, _ key: KeyNumber, old wantsOld: Bool, new wantsNew: Bool
  ) throws(EventCodingError) -> (old: Value, new: Value) {
    var (old, new) = (Value.null, Value.null)
    switch form {
    case CommitForm.removed, CommitForm.replaced, CommitForm.replacedByEdit:
      if wantsOld { old = try reader.value() } else { try reader.skipValue() }
    default: break
    }
    switch form {
    case CommitForm.removed: break
    case CommitForm.addedByEdit, CommitForm.replacedByEdit:
      if wantsNew { new = try valueSet(object, key) } else { _ = try position() }
    default:
      if wantsNew { new = try reader.value() } else { try reader.skipValue() }
    }
    return (old, new)
  }

  mutating func change(
    in form: UInt8, of object: ObjectID, _ key: KeyNumber
  ) throws(EventCodingError) -> ValueChange {
    switch form {
    case CommitForm.added: return .replaced(old: nil, new: try reader.value())
    case CommitForm.addedByEdit: return .replaced(old: nil, new: try valueSet(object, key))
    case CommitForm.removed: return .replaced(old: try reader.value(), new: nil)
    case CommitForm.replaced: return .replaced(old: try reader.value(), new: try reader.value())
    case CommitForm.replacedByEdit:
      let old = try reader.value()
      return .replaced(old: old, new: try valueSet(object, key))
    case CommitForm.spliced: return .spliced(try reader.splice())
    case CommitForm.counted: return .counted(try reader.signed())
    default:
      return .regrouped(inserted: try reader.members(), removed: try reader.members())
    }
  }

  /// The position of the edit that is named next.
  mutating func position() throws(EventCodingError) -> Int {
    let place = reader.offset
    guard let position = edits.position(at: Int64(try reader.signed())) else {
      throw reader.error(.numberTooLarge, at: place)
    }
    return position
  }

  /// The value that the named edit of the batch set.
  private mutating func valueSet(
    _ object: ObjectID, _ key: KeyNumber
  ) throws(EventCodingError) -> Value {
    let place = reader.offset
    let position = try position()
    guard let bytes = editBytes(position) else {
      throw reader.error(.editMissing(position: position), at: place)
    }
    var edit = EventReader(bytes, of: reader.store, room: reader.room)
    do throws(EventCodingError) {
      if let value = try edit.value(setFor: object, key) { return value }
    } catch {
      // Too many values to be held are no damage. Where in the edit its bytes are wrong says nothing about a place in the
      // commit.
      if error.code == .tooMany { throw reader.error(.tooMany, at: place) }
    }
    throw reader.error(.editUnfit(position: position), at: place)
  }
}

extension EventReader {
  /// The value that an edit sets for an object's key; nil where it does something else.
  fileprivate mutating func value(
    setFor object: ObjectID, _ key: KeyNumber
  ) throws(EventCodingError) -> Value? {
    let kind = try byte()
    guard kind == EventKind.set.rawValue || kind == EventKind.setPrimitive.rawValue else {
      return nil
    }
    _ = try context()
    guard try self.object() == object, try self.key() == key else { return nil }
    let value = try optionalValue()
    try expectEnd()
    return value
  }
}

extension UInt8 {
  /// Whether a form that tells values whole is one of changes of which an object becomes this.
  fileprivate func isUsed(in kind: ObjectChange.Kind) -> Bool {
    switch kind {
    case .updated: true
    case .inserted: self == CommitForm.added || self == CommitForm.addedByEdit
    case .deleted: self == CommitForm.removed
    }
  }
}
