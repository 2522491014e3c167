// ByteCoding: bounded readers and writers, variable-length integers, hex dumps. Knows no events and no files.

/// Reads bytes from front to back and never past their end.
///
/// All integers are little-endian. A failed read moves nothing.
@usableFromInline
package struct ByteReader {
  @usableFromInline let bytes: UnsafeRawBufferPointer

  /// Where the next read begins.
  @usableFromInline package var offset = 0

  /// Reads from bytes that must stay where they are while the reader is used.
  @inlinable
  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// How many bytes are left.
  @inlinable
  package var remainingByteCount: Int { bytes.count - offset }

  /// Reads an integer of fixed width.
  @inlinable
  package mutating func readInteger<Integer: FixedWidthInteger>(
    _ type: Integer.Type = Integer.self
  ) throws(ByteCodingError) -> Integer {
    let byteCount = MemoryLayout<Integer>.size
    guard remainingByteCount >= byteCount else { throw error(.endOfBytes) }
    let value = bytes.loadUnaligned(fromByteOffset: offset, as: Integer.self)
    offset += byteCount
    return Integer(littleEndian: value)
  }

  /// Reads a variable-length integer: seven bits a byte, lowest first, in the fewest bytes.
  @inlinable
  package mutating func readVarint() throws(ByteCodingError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    var position = offset
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if shift == 63, byte > 1 { throw error(.integerTooLarge) }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 {
        guard byte != 0 || shift == 0 else { throw error(.integerNotShortest) }
        offset = position
        return value
      }
      shift += 7
    }
    throw error(.endOfBytes)
  }

  /// Reads a variable-length integer that is signed: zigzag, so that small numbers are short.
  @inlinable
  package mutating func readSignedVarint() throws(ByteCodingError) -> Int64 {
    let value = try readVarint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// Reads a count of things of which each takes at least `minimumByteCount` bytes, so that a
  /// hostile count is refused before anything is allocated for it.
  @inlinable
  package mutating func readCount(
    ofAtLeast minimumByteCount: Int
  ) throws(ByteCodingError) -> Int {
    precondition(minimumByteCount > 0, "things of no bytes cannot be counted by their bytes")
    let start = offset
    let count = try readVarint()
    guard count <= UInt64(remainingByteCount / minimumByteCount) else {
      offset = start
      throw error(.countTooLarge)
    }
    return Int(count)
  }

  /// Hands out the next bytes without copying them.
  @inlinable
  package mutating func readBytes(
    _ byteCount: Int
  ) throws(ByteCodingError) -> UnsafeRawBufferPointer {
    precondition(byteCount >= 0, "a count of bytes is never negative")
    guard remainingByteCount >= byteCount else { throw error(.endOfBytes) }
    defer { offset += byteCount }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + byteCount])
  }

  /// Throws where bytes are left.
  @inlinable
  package func expectEnd() throws(ByteCodingError) {
    guard remainingByteCount == 0 else { throw error(.bytesLeftOver) }
  }

  @usableFromInline
  func error(_ code: ByteCodingError.Code) -> ByteCodingError {
    ByteCodingError(code: code, offset: offset)
  }
}

/// Bytes that do not say what they should.
@usableFromInline
package struct ByteCodingError: Error, Hashable, Sendable {
  /// What is wrong.
  @usableFromInline
  package enum Code: Hashable, Sendable {
    case endOfBytes, integerTooLarge, integerNotShortest, countTooLarge, bytesLeftOver
  }

  /// What is wrong.
  package let code: Code
  /// Where in the bytes.
  package let offset: Int

  package init(code: Code, offset: Int) {
    self.code = code
    self.offset = offset
  }
}

extension ByteCodingError: CustomStringConvertible {
  @usableFromInline
  package var description: String {
    let fault =
      switch code {
      case .endOfBytes: "the bytes end too early"
      case .integerTooLarge: "an integer is too large"
      case .integerNotShortest: "an integer is longer than it need be"
      case .countTooLarge: "a count is larger than the bytes can hold"
      case .bytesLeftOver: "there are bytes after the end"
      }
    return "\(fault), at byte \(offset)"
  }
}
