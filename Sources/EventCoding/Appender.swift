internal import ByteCoding
internal import ObjectModel

/// Appends to a writer, in one pass.
struct Appender: EventSink {
  let store: StoreTag
  private let writer: UnsafeMutablePointer<ByteWriter>
  private let start: Int

  private init(store: StoreTag, _ writer: UnsafeMutablePointer<ByteWriter>) {
    self.store = store
    self.writer = writer
    start = writer.pointee.byteCount
  }

  /// Has a closure append something; where that is refused, the writer is as it was.
  static func append(
    to writer: inout ByteWriter, of store: StoreTag,
    _ body: (inout Appender) throws(EventCodingError) -> Void
  ) throws(EventCodingError) {
    try withUnsafeMutablePointer(to: &writer) { pointer throws(EventCodingError) in
      var sink = Appender(store: store, pointer)
      do throws(EventCodingError) {
        try body(&sink)
      } catch {
        pointer.pointee.removeAll(after: sink.start)
        throw error
      }
    }
  }

  var byteCount: Int { writer.pointee.byteCount - start }

  mutating func put(byte: UInt8) { writer.pointee.write(byte) }

  mutating func put(varint: UInt64) { writer.pointee.writeVarint(varint) }

  mutating func put(fixed: UInt64) { writer.pointee.write(fixed) }

  mutating func put(raw bytes: UnsafeRawBufferPointer) { writer.pointee.write(bytes) }

  mutating func put(utf8 bytes: String.UTF8View) {
    let count = bytes.count
    UnsafeMutableRawBufferPointer(start: writer.pointee.reserve(count), count: count)
      .copyBytes(from: bytes)
    writer.pointee.advance(by: count)
  }

  mutating func sortMembers(from start: Int, ends: [Int]) {
    let (first, count, store) = (self.start + start, byteCount - start, store)
    writer.pointee.overwrite { base in
      let region = UnsafeMutableRawBufferPointer(start: base + first, count: count)
      EncodedOrder.sort(region, ends: ends.map { $0 - start }, store: store)
    }
  }

  func refusal(_ code: EventCodingError.Code) -> EventCodingError {
    EventCodingError(code, at: byteCount)
  }
}
