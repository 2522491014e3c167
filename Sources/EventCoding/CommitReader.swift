internal import ByteCoding
internal import ObjectModel

/// The bytes of an edit of the batch by its position; nil where the batch has none there.
package typealias EditBytes = (Int) -> UnsafeRawBufferPointer?

/// Reads a commit, with the edits of its batch at hand.
struct CommitReader {
  private var reader: EventReader
  private var edits = EditSteps()
  private let editBytes: EditBytes

  init(_ bytes: UnsafeRawBufferPointer, of store: StoreTag, _ editBytes: @escaping EditBytes) {
    reader = EventReader(bytes, of: store)
    self.editBytes = editBytes
  }

  /// What comes first: the format and the commit's number.
  mutating func number() throws(EventCodingError) -> CommitNumber {
    let format = try reader.byte()
    guard format == CommitForm.format else { throw reader.error(.formatUnknown(format), at: 0) }
    return try reader.commit()
  }

  /// All the bytes as one commit.
  mutating func commit() throws(EventCodingError) -> DecodedCommit {
    let number = try number()
    let content = CommitContent(
      number: number, time: try reader.time(), context: try reader.context(),
      contextName: try reader.optionalText(),
      precedingEditCount: Int(try reader.varint(through: UInt64(Int.max))),
      author: try reader.optionalText(), message: try reader.optionalText(),
      userInfo: try reader.userInfo(), changes: try changes(of: number))
    let fields = try fields()
    try reader.expectEnd()
    return DecodedCommit(content: content, fields: fields)
  }

  private mutating func fields() throws(EventCodingError) -> [CommitField] {
    var last: UInt8 = 0
    return try reader.list(ofAtLeast: 2) { reader throws(EventCodingError) in
      let place = reader.offset
      let kind = try reader.byte()
      guard kind > last else { throw reader.error(.fieldsNotInOrder, at: place) }
      guard CommitField.mayBePassedOver(kind) else {
        throw reader.error(.fieldUnknown(kind: kind), at: place)
      }
      last = kind
      return CommitField(kind: kind, bytes: Array(try reader.raw(reader.count())))
    }
  }

  private mutating func changes(
    of commit: CommitNumber
  ) throws(EventCodingError) -> [ObjectChange] {
    var changes: [ObjectChange] = []
    var least: UInt64 = 0
    for _ in 0..<(try reader.count(ofAtLeast: 5)) {
      let place = reader.offset
      let group = try reader.group()
      guard group >= least else { throw reader.error(.keysNotInOrder, at: place) }
      least = group + 1
      let countPlace = reader.offset
      let count = try reader.count(ofAtLeast: 3)
      guard count > 0 else { throw reader.error(.changeOfNothing, at: countPlace) }
      var next: UInt64 = 0
      for _ in 0..<count {
        let number = next + (try reader.varint(through: ObjectID.largestNumber))
        guard number <= ObjectID.largestNumber else { throw reader.error(.numberTooLarge) }
        next = number + 1
        let previous = try previous(of: commit)
        let object = ObjectID(rawValue: group << 36 | number, store: reader.store)
        changes.append(try change(of: object, after: previous))
      }
    }
    return changes
  }

  /// The commit that changed an object before.
  private mutating func previous(
    of commit: CommitNumber
  ) throws(EventCodingError) -> CommitNumber {
    let place = reader.offset
    let distance = try reader.varint()
    if distance == 0 { return .none }
    guard distance < commit.rawValue else { throw reader.error(.previousNotBefore, at: place) }
    return CommitNumber(rawValue: commit.rawValue - distance)
  }

  private mutating func change(
    of object: ObjectID, after previous: CommitNumber
  ) throws(EventCodingError) -> ObjectChange {
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
    var entries: [ObjectChange.Entry] = []
    entries.reserveCapacity(min(Int(count), 16))
    var next: UInt64 = 0
    for _ in 0..<count {
      let place = reader.offset
      let head = try reader.varint()
      let (step, form) = (
        head >> CommitForm.formBitCount,
        UInt8(truncatingIfNeeded: head) & (1 << CommitForm.formBitCount - 1)
      )
      let number = next + step
      guard number <= UInt64(UInt32.max) else { throw reader.error(.numberTooLarge, at: place) }
      next = number + 1
      let key = KeyNumber(rawValue: UInt32(truncatingIfNeeded: number))
      let change = try change(in: form, of: object, key)
      if let problem = change.problem(in: kind) { throw reader.error(problem, at: place) }
      entries.append(ObjectChange.Entry(key, change))
    }
    return ObjectChange(object, kind, entries, after: previous)
  }

  private mutating func change(
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
    case CommitForm.spliced: return .spliced(try splice())
    case CommitForm.counted: return .counted(try reader.signed())
    default:
      return .regrouped(inserted: try reader.members(), removed: try reader.members())
    }
  }

  private mutating func splice() throws(EventCodingError) -> Splice {
    let largest = UInt64(Int.max)
    let prefixCount = Int(try reader.varint(through: largest))
    let suffixCount = Int(try reader.varint(through: largest))
    return Splice(
      prefixCount: prefixCount, suffixCount: suffixCount, old: try reader.value(),
      new: try reader.value())
  }

  /// The value that the named edit of the batch set.
  private mutating func valueSet(
    _ object: ObjectID, _ key: KeyNumber
  ) throws(EventCodingError) -> Value {
    let place = reader.offset
    guard let position = edits.position(at: Int64(try reader.signed())) else {
      throw reader.error(.numberTooLarge, at: place)
    }
    guard let bytes = editBytes(position) else {
      throw reader.error(.editMissing(position: position), at: place)
    }
    var edit = EventReader(bytes, of: reader.store)
    do throws(EventCodingError) {
      if let value = try edit.value(setFor: object, key) { return value }
    } catch {
      // Where in the edit its bytes are wrong says nothing about a place in the commit.
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
