internal import ByteCoding
internal import ObjectModel

/// The bytes of an edit of the batch by its position; nil where the batch has none there.
package typealias EditBytes = (Int) -> UnsafeRawBufferPointer?

/// Reads a commit, with the edits of its batch at hand.
struct CommitReader {
  var reader: EventReader
  var edits: EditSteps
  let editBytes: EditBytes

  init(
    _ bytes: UnsafeRawBufferPointer, of store: StoreTag, room: Int, at offset: Int = 0,
    after edits: EditSteps = EditSteps(), _ editBytes: @escaping EditBytes
  ) {
    reader = EventReader(bytes, of: store, at: offset, room: room)
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
        let object = ObjectID(group: group, number: number, store: reader.store)
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
      case CommitForm.spliced: _ = try reader.splice()
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
}
