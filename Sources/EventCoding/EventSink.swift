internal import ByteCoding
internal import ObjectModel

/// Takes the bytes of an event or a commit, one field after another.
///
/// The fields are said once, for all sinks: one counts bytes, one fills memory of that size, one appends.
/// A sink that may be given what cannot be written throws; one that comes after the count never does.
protocol EventSink {
  associatedtype Refusal: Error

  /// The store whose objects are written without its tag.
  var store: StoreTag { get }
  /// How many bytes there are up to here.
  var byteCount: Int { get }

  mutating func put(byte: UInt8)
  mutating func put(varint: UInt64)
  mutating func put(fixed: UInt64)
  mutating func put(raw bytes: UnsafeRawBufferPointer)
  mutating func put(utf8 bytes: String.UTF8View)
  /// Puts values that were written between a position and each of some ends into their order.
  mutating func sortMembers(from start: Int, ends: [Int])
  /// Says that this cannot be written.
  func refusal(_ code: EventCodingError.Code) -> Refusal
}

extension EventSink {
  @inline(__always)
  mutating func put(signed value: Int64) {
    put(varint: UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  @inline(__always)
  mutating func put(count: Int) { put(varint: UInt64(count)) }

  mutating func put(raw bytes: [UInt8]) { bytes.withUnsafeBytes { put(raw: $0) } }

  /// A length and so many bytes.
  mutating func put(text: String) {
    put(count: text.utf8.count)
    put(utf8: text.utf8)
  }

  mutating func put(optionalText text: String?) {
    put(byte: text == nil ? 0 : 1)
    if let text { put(text: text) }
  }

  @inline(__always)
  mutating func put(_ context: ContextNumber) throws(Refusal) {
    guard context <= .largest else { throw refusal(.numberTooLarge) }
    put(varint: context.rawValue)
  }

  mutating func put(_ commit: CommitNumber) throws(Refusal) {
    guard commit <= .largest else { throw refusal(.numberTooLarge) }
    put(varint: commit.rawValue)
  }

  /// An object of this store: origin and entity in one number, small for the first origin, and its own.
  @inline(__always)
  mutating func put(_ object: ObjectID) throws(Refusal) {
    guard object.store.rawValue == store.rawValue else { throw refusal(.objectOfAnotherStore) }
    put(parts: object)
  }

  @inline(__always)
  mutating func put(parts object: ObjectID) {
    put(varint: object.group)
    put(varint: object.number)
  }

  mutating func put(_ objects: [ObjectID]) throws(Refusal) {
    put(count: objects.count)
    for object in objects { try put(object) }
  }
}
