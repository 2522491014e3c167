// How tests read arrays of bytes with the readers, look at what the writers wrote, and spoil it.

package import ByteCoding

extension [UInt8] {
  /// Reads the bytes with a reader that begins at their front.
  package func read<Answer>(_ body: (inout ByteReader) throws -> Answer) throws -> Answer {
    try withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      return try body(&reader)
    }
  }

  /// The bytes with one bit flipped; bits count from the lowest of the first byte.
  package func flipping(bit: Int) -> [UInt8] {
    var flipped = self
    flipped[bit / 8] ^= 1 << UInt8(bit % 8)
    return flipped
  }

  /// How many bits there are to flip.
  package var bitCount: Int { count * 8 }

  /// Puts a little-endian integer over the bytes at a position.
  package mutating func put<Integer: FixedWidthInteger>(_ value: Integer, at offset: Int) {
    for index in 0..<MemoryLayout<Integer>.size {
      self[offset + index] = UInt8(truncatingIfNeeded: value >> Integer(index * 8))
    }
  }

  /// Random bytes, which do not compress.
  package init(randomByteCount count: Int, from dice: inout Dice) {
    var words: [UInt64] = []
    for _ in 0..<(count + 7) / 8 { words.append(dice.next()) }
    self = words.withUnsafeBytes { [UInt8]($0[..<count]) }
  }
}

extension ByteWriter {
  /// A copy of what has been written.
  package var array: [UInt8] { withBytes { [UInt8]($0) } }
}
