/// Writes bytes from front to back into memory of its own, which grows as needed and is kept.
///
/// All integers are little-endian.
@usableFromInline
package struct ByteWriter: ~Copyable {
  @usableFromInline var base: UnsafeMutableRawPointer
  @usableFromInline var capacity: Int

  /// How many bytes have been written.
  @usableFromInline package var byteCount = 0

  /// Makes an empty writer with room for some bytes.
  package init(capacity: Int = 256) {
    precondition(capacity > 0, "a writer needs room for something")
    base = .allocate(byteCount: capacity, alignment: 16)
    self.capacity = capacity
  }

  deinit { base.deallocate() }

  /// Hands what has been written to a closure.
  @inlinable
  package func withBytes<Answer, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    try body(UnsafeRawBufferPointer(start: base, count: byteCount))
  }

  /// What has been written; valid until the next write or the writer's end, whichever comes first.
  /// A writer that is a local variable may end with its last use: use `withBytes` there.
  @inlinable
  package var unsafeBytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base, count: byteCount)
  }

  /// Forgets what has been written, and keeps the memory.
  @inlinable
  package mutating func removeAll() { byteCount = 0 }

  /// Forgets what has been written after a position, and keeps the memory.
  package mutating func removeAll(after byteCount: Int) {
    precondition(
      (0...self.byteCount).contains(byteCount), "only what has been written can be forgotten")
    self.byteCount = byteCount
  }

  /// Makes room for more bytes.
  ///
  /// - Returns: where the next byte goes; at least `count` bytes may be written there, and
  ///   `advance(by:)` then says how many were.
  @inlinable
  package mutating func reserve(_ count: Int) -> UnsafeMutableRawPointer {
    if capacity - byteCount < count { grow(by: count) }
    return base + byteCount
  }

  /// Counts bytes as written that were put where `reserve` said.
  @inlinable
  package mutating func advance(by count: Int) {
    precondition(count >= 0 && count <= capacity - byteCount, "advanced past what was reserved")
    byteCount += count
  }

  /// Writes an integer of fixed width.
  @inlinable
  package mutating func write<Integer: FixedWidthInteger>(_ value: Integer) {
    reserve(MemoryLayout<Integer>.size).storeBytes(of: value.littleEndian, as: Integer.self)
    byteCount += MemoryLayout<Integer>.size
  }

  /// Writes a variable-length integer: seven bits a byte, lowest first, in the fewest bytes.
  @inlinable
  package mutating func writeVarint(_ value: UInt64) {
    byteCount += Varint.write(value, to: reserve(Varint.maximumByteCount))
  }

  /// Writes what another writer has written.
  @inlinable
  package mutating func write(_ other: borrowing ByteWriter) { write(other.unsafeBytes) }

  /// Writes bytes as they are.
  @inlinable
  package mutating func write(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress else { return }
    reserve(bytes.count).copyMemory(from: source, byteCount: bytes.count)
    byteCount += bytes.count
  }

  /// Writes bytes as they are.
  package mutating func write(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { write($0) }
  }

  /// Changes bytes that have been written already.
  package mutating func overwrite(_ body: (UnsafeMutableRawPointer) -> Void) { body(base) }

  @usableFromInline
  mutating func grow(by count: Int) {
    let grown = max(capacity * 2, byteCount + count)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: grown, alignment: 16)
    larger.copyMemory(from: base, byteCount: byteCount)
    base.deallocate()
    base = larger
    capacity = grown
  }
}

/// Variable-length integers: seven bits a byte, lowest first.
@usableFromInline
package enum Varint {
  /// No integer of 64 bits is longer.
  @inlinable package static var maximumByteCount: Int { 10 }

  /// How many bytes an integer takes.
  @inlinable
  package static func byteCount(of value: UInt64) -> Int {
    (UInt64.bitWidth - (value | 1).leadingZeroBitCount + 6) / 7
  }

  /// Writes an integer where there is room for `maximumByteCount` bytes, or for as many as it takes.
  ///
  /// - Returns: how many bytes it took.
  @inlinable
  package static func write(_ value: UInt64, to target: UnsafeMutableRawPointer) -> Int {
    var rest = value
    var count = 0
    while rest >= 0x80 {
      target.storeBytes(
        of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: count, as: UInt8.self)
      rest >>= 7
      count += 1
    }
    target.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: count, as: UInt8.self)
    return count + 1
  }
}
