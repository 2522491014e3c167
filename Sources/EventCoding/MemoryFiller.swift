internal import ByteCoding
internal import ObjectModel

/// Fills memory of just the size that was counted.
struct MemoryFiller: EventSink {
  let store: StoreTag
  private let memory: UnsafeMutableRawBufferPointer
  private(set) var byteCount = 0

  @inline(__always)
  init(store: StoreTag, _ memory: UnsafeMutableRawBufferPointer) {
    self.store = store
    self.memory = memory
  }

  /// Where the next bytes go.
  @inline(__always)
  private mutating func take(_ count: Int) -> UnsafeMutableRawPointer {
    guard let base = memory.baseAddress, count <= memory.count - byteCount else {
      preconditionFailure("the memory is smaller than byteCount(of:) said")
    }
    defer { byteCount += count }
    return base + byteCount
  }

  @inline(__always)
  mutating func put(byte: UInt8) { take(1).storeBytes(of: byte, as: UInt8.self) }

  @inline(__always)
  mutating func put(varint: UInt64) {
    if varint < 0x80 { return put(byte: UInt8(truncatingIfNeeded: varint)) }
    _ = Varint.write(varint, to: take(Varint.byteCount(of: varint)))
  }

  @inline(__always)
  mutating func put(fixed: UInt64) {
    take(8).storeBytes(of: fixed.littleEndian, as: UInt64.self)
  }

  mutating func put(raw bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress else { return }
    take(bytes.count).copyMemory(from: source, byteCount: bytes.count)
  }

  @inline(__always)
  mutating func put(utf8 bytes: String.UTF8View) {
    if bytes.isEmpty { return }
    let count = bytes.count
    UnsafeMutableRawBufferPointer(start: take(count), count: count).copyBytes(from: bytes)
  }

  mutating func sortMembers(from start: Int, ends: [Int]) {
    let region = UnsafeMutableRawBufferPointer(rebasing: memory[start..<byteCount])
    EncodedOrder.sort(region, ends: ends.map { $0 - start }, store: store)
  }

  func refusal(_ code: EventCodingError.Code) -> Never {
    preconditionFailure("byteCount(of:) did not let this be written: \(code.sentence)")
  }

  /// Checks that the memory is full.
  @inline(__always)
  func finish() {
    precondition(byteCount == memory.count, "the memory is larger than byteCount(of:) said")
  }
}
