internal import ByteCoding
internal import ObjectModel

/// Counts the bytes, and finds whatever cannot be written.
struct ByteCounter: EventSink {
  let store: StoreTag
  private(set) var byteCount = 0

  @inline(__always)
  init(store: StoreTag) { self.store = store }

  @inline(__always)
  mutating func put(byte _: UInt8) { byteCount += 1 }

  @inline(__always)
  mutating func put(varint: UInt64) {
    byteCount += varint < 0x80 ? 1 : Varint.byteCount(of: varint)
  }

  @inline(__always)
  mutating func put(fixed _: UInt64) { byteCount += 8 }

  @inline(__always)
  mutating func put(raw bytes: UnsafeRawBufferPointer) { byteCount += bytes.count }

  @inline(__always)
  mutating func put(utf8 bytes: String.UTF8View) { byteCount += bytes.count }

  mutating func sortMembers(from _: Int, ends _: [Int]) {}

  func refusal(_ code: EventCodingError.Code) -> EventCodingError {
    EventCodingError(code, at: byteCount)
  }
}
