internal import ByteCoding
internal import ObjectModel

/// The bytes of an edit of the batch by its position; nil where the batch has none there.
package typealias EditBytes = (Int) -> UnsafeRawBufferPointer?

/// Reads a commit, with the edits of its batch at hand.
struct CommitReader {
  private var reader: EventReader
  private(set) var edits: EditSteps
  private let editBytes: EditBytes

  init(
    _ bytes: UnsafeRawBufferPointer, of store: StoreTag, at offset: Int = 0,
    after edits: EditSteps = EditSteps(), _ editBytes: @escaping EditBytes
  ) {
    reader = EventReader(bytes, of: store, at: offset)
    self.edits = edits
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
    var content = try head()
    var changes: [ObjectChange] = []
    try forEachChange(of: content.number) {
      (reader, _, object, previous) throws(EventCodingError) in
      changes.append(try reader.change(of: object, after: previous))
    }
    content.changes = changes
    let fields = try fields()
    try reader.expectEnd()
    return DecodedCommit(content: content, fields: fields)
  }

  /// All the bytes as one side of a commit, with the other side of those keys that are asked for.
  mutating func side(
    _ side: CommitSide.Side, other: ((EntityNumber, KeyNumber) -> Bool)?
  ) throws(EventCodingError) -> CommitSide {
    let head = try head()
    var objects: [CommitSide.Object] = []
    try forEachChange(of: head.number) {
      (reader, _, object, previous) throws(EventCodingError) in
      objects.append(try reader.object(object, after: previous, side, other))
    }
    _ = try fields()
    try reader.expectEnd()
    return CommitSide(head: head, objects: objects)
  }

  /// What a commit says before its changes.
  mutating func head() throws(EventCodingError) -> CommitContent {
    CommitContent(
      number: try number(), time: try reader.time(), context: try reader.context(),
      contextName: try reader.optionalText(),
      precedingEditCount: Int(try reader.varint(through: UInt64(Int.max))),
      author: try reader.optionalText(), message: try reader.optionalText(),
      userInfo: try reader.userInfo(), changes: [])
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

  /// Where a change begins.
  struct Place {
    let offset: Int
    /// Whether it is the first of its group.
    let isFirst: Bool
    /// The least number that its object can have.
    let next: UInt64
    /// How many changes of its group are still to come.
    let count: Int
  }

  /// Calls a closure at each change, with the object and the commit that changed it before.
  mutating func forEachChange(
    of commit: CommitNumber,
    _ body: (inout CommitReader, Place, ObjectID, CommitNumber) throws(EventCodingError) -> Void
  ) throws(EventCodingError) {
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
      for index in 0..<count {
        let place = Place(
          offset: reader.offset, isFirst: index == 0, next: next, count: count - index)
        let number = try number(&next)
        let previous = try previous(of: commit)
        let object = ObjectID(rawValue: group << 36 | number, store: reader.store)
        try body(&self, place, object, previous)
      }
    }
  }

  /// The number of an object that is not less than another.
  mutating func number(_ next: inout UInt64) throws(EventCodingError) -> UInt64 {
    let number = next + (try reader.varint(through: ObjectID.largestNumber))
    guard number <= ObjectID.largestNumber else { throw reader.error(.numberTooLarge) }
    next = number + 1
    return number
  }

  /// Passes a change over.
  mutating func skipChange() throws(EventCodingError) {
    let (_, count) = try kindAndCount()
    var next: UInt64 = 0
    for _ in 0..<count {
      switch try keyAndForm(&next).form {
      case CommitForm.addedByEdit: _ = try position()
      case CommitForm.added, CommitForm.removed: try reader.skipValue()
      case CommitForm.replaced:
        try reader.skipValue()
        try reader.skipValue()
      case CommitForm.replacedByEdit:
        try reader.skipValue()
        _ = try position()
      case CommitForm.spliced: _ = try splice()
      case CommitForm.counted: _ = try reader.signed()
      default:
        _ = try reader.members()
        _ = try reader.members()
      }
    }
  }

  /// The commit that changed an object before.
  mutating func previous(
    of commit: CommitNumber
  ) throws(EventCodingError) -> CommitNumber {
    let place = reader.offset
    let distance = try reader.varint()
    if distance == 0 { return .none }
    guard distance < commit.rawValue else { throw reader.error(.previousNotBefore, at: place) }
    return CommitNumber(rawValue: commit.rawValue - distance)
  }

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
      let change = try change(in: form, of: object, key)
      if let problem = change.problem(in: kind) { throw reader.error(problem, at: place) }
      entries.append(ObjectChange.Entry(key, change))
    }
    return ObjectChange(object, kind, entries, after: previous)
  }

  private mutating func object(
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
        let change = try change(in: form, of: object, key)
        if let problem = change.problem(in: kind) { throw reader.error(problem, at: place) }
        differences.append(ObjectChange.Entry(key, change))
      default:
        guard form.isUsed(in: kind) else { throw reader.error(.changeUnfit, at: place) }
        let isAsked = other?(object.entity, key) ?? false
        let (old, new) = try self.values(
          in: form, of: object, key, old: isAsked || side == .before,
          new: isAsked || side == .after)
        values.append(Row.Entry(key, side == .before ? old : new))
        if isAsked { others.append(Row.Entry(key, side == .before ? new : old)) }
      }
    }
    return (values, others, differences)
  }

  private mutating func kindAndCount() throws(EventCodingError) -> (ObjectChange.Kind, Int) {
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

  private mutating func keyAndForm(
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

  /// The position of the edit that is named next.
  private mutating func position() throws(EventCodingError) -> Int {
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
