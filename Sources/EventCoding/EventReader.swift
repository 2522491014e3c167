internal import ByteCoding
internal import ObjectModel

/// Reads the fields of an event or a commit, one after another, and nothing that no writer writes.
struct EventReader {
  let store: StoreTag
  let bytes: UnsafeRawBufferPointer
  private var reader: ByteReader
  /// How many values, and other things of which there may be any number, are taken yet.
  private(set) var room: Int

  init(
    _ bytes: UnsafeRawBufferPointer, of store: StoreTag, at offset: Int = 0, room: Int = .max
  ) {
    self.store = store
    self.bytes = bytes
    self.room = room
    reader = ByteReader(bytes)
    reader.offset = offset
  }

  /// Reads a part of the bytes again.
  func part(_ range: Range<Int>) -> EventReader {
    EventReader(UnsafeRawBufferPointer(rebasing: bytes[range]), of: store)
  }

  var offset: Int { reader.offset }

  /// Reads again from a place on that has been read.
  mutating func goBack(to offset: Int) { reader.offset = offset }

  var remainingByteCount: Int { reader.remainingByteCount }

  /// What is wrong with what was read last, or a place.
  func error(_ code: EventCodingError.Code, at offset: Int? = nil) -> EventCodingError {
    EventCodingError(code, at: offset ?? self.offset)
  }

  /// The byte that is read next; nil where there is none.
  var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  @inline(__always)
  mutating func byte() throws(EventCodingError) -> UInt8 {
    guard reader.offset < bytes.count else { throw error(.bytes(.endOfBytes)) }
    defer { reader.offset += 1 }
    return bytes[reader.offset]
  }

  mutating func fixed() throws(EventCodingError) -> UInt64 {
    UInt64(littleEndian: try raw(8).loadUnaligned(as: UInt64.self))
  }

  @inline(__always)
  mutating func varint() throws(EventCodingError) -> UInt64 {
    // Most numbers of an event have one byte.
    if reader.offset < bytes.count, bytes[reader.offset] < 0x80 {
      defer { reader.offset += 1 }
      return UInt64(bytes[reader.offset])
    }
    do { return try reader.readVarint() } catch { throw EventCodingError(error) }
  }

  /// A varint of at most some value.
  @inline(__always)
  mutating func varint(through largest: UInt64) throws(EventCodingError) -> UInt64 {
    let start = offset
    let value = try varint()
    guard value <= largest else { throw error(.numberTooLarge, at: start) }
    return value
  }

  mutating func signed() throws(EventCodingError) -> Int {
    do { return Int(try reader.readSignedVarint()) } catch { throw EventCodingError(error) }
  }

  /// A count of things, of which each takes some bytes at least.
  mutating func count(ofAtLeast byteCount: Int = 1) throws(EventCodingError) -> Int {
    do {
      return try reader.readCount(ofAtLeast: byteCount)
    } catch { throw EventCodingError(error) }
  }

  mutating func raw(_ count: Int) throws(EventCodingError) -> UnsafeRawBufferPointer {
    do { return try reader.readBytes(count) } catch { throw EventCodingError(error) }
  }

  mutating func rest() throws(EventCodingError) -> [UInt8] { Array(try raw(remainingByteCount)) }

  func expectEnd() throws(EventCodingError) {
    do { try reader.expectEnd() } catch { throw EventCodingError(error) }
  }

  /// A byte that must be one of the first few.
  mutating func choice(below count: UInt8) throws(EventCodingError) -> UInt8 {
    let start = offset
    let byte = try byte()
    guard byte < count else { throw error(.choiceUnknown(byte), at: start) }
    return byte
  }

  mutating func boolean() throws(EventCodingError) -> Bool { try choice(below: 2) == 1 }

  /// A text of these bytes, which were read last.
  func text(of bytes: UnsafeRawBufferPointer) throws(EventCodingError) -> String {
    let characters = bytes.bindMemory(to: UInt8.self)
    guard let text = try? UTF8Span(validating: characters.span) else {
      throw error(.textNotUnicode, at: offset - bytes.count)
    }
    return String(copying: text)
  }

  mutating func text() throws(EventCodingError) -> String {
    let bytes = try raw(count())
    return try text(of: bytes)
  }

  mutating func optionalText() throws(EventCodingError) -> String? {
    try boolean() ? try text() : nil
  }

  mutating func context() throws(EventCodingError) -> ContextNumber {
    ContextNumber(rawValue: try varint(through: ContextNumber.largest.rawValue))
  }

  mutating func commit() throws(EventCodingError) -> CommitNumber {
    CommitNumber(rawValue: try varint(through: CommitNumber.largest.rawValue))
  }

  mutating func key() throws(EventCodingError) -> KeyNumber {
    KeyNumber(rawValue: UInt32(truncatingIfNeeded: try varint(through: UInt64(UInt32.max))))
  }

  @inline(__always)
  mutating func group() throws(EventCodingError) -> UInt64 {
    try varint(through: ObjectID.largestGroup)
  }

  /// An object of this store, or of another.
  @inline(__always)
  mutating func object(of store: StoreTag? = nil) throws(EventCodingError) -> ObjectID {
    let group = try group()
    let number = try varint(through: ObjectID.largestNumber)
    return ObjectID(group: group, number: number, store: store ?? self.store)
  }

  mutating func objects() throws(EventCodingError) -> [ObjectID] {
    try list(ofAtLeast: 2) { reader throws(EventCodingError) in try reader.object() }
  }

  /// Notes that so many things are taken, of which each takes more memory than its bytes.
  mutating func take(_ count: Int) throws(EventCodingError) {
    guard count <= room else { throw error(.tooMany) }
    room -= count
  }

  /// A count, and so many things. Room is made as they come, so that no count can claim it.
  mutating func list<Element>(
    ofAtLeast byteCount: Int, _ read: (inout EventReader) throws(EventCodingError) -> Element
  ) throws(EventCodingError) -> [Element] {
    let count = try count(ofAtLeast: byteCount)
    try take(count)
    var elements: [Element] = []
    elements.reserveCapacity(min(count, 16))
    for _ in 0..<count { elements.append(try read(&self)) }
    return elements
  }
}
