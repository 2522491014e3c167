package import ObjectModel

/// A binary property list as it lies in memory: nothing but its trailer is looked at until it is asked for.
///
/// The bytes must stay where they are, and as they are, while the reader and its nodes are used. Nothing
/// that they hold leads out of them.
package struct PropertyListReader {
  typealias Format = PropertyListFormat

  let bytes: UnsafeRawBufferPointer
  /// Where the offsets begin, and the objects end.
  let tableOffset: Int
  let offsetByteCount: Int
  let referenceByteCount: Int
  let objectCount: Int
  let rootIndex: Int

  /// Reads header and trailer.
  ///
  /// - Throws: `notAPropertyList`, `trailerMalformed` or `tooLarge`. Costs the same for every length.
  package init(_ bytes: UnsafeRawBufferPointer) throws(PropertyListError) {
    guard bytes.count >= Format.smallestByteCount,
      UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) == Format.header
    else { throw PropertyListError(.notAPropertyList, at: 0) }
    self.bytes = bytes
    let trailer = bytes.count - Format.trailerByteCount
    offsetByteCount = Int(bytes[trailer + 6])
    referenceByteCount = Int(bytes[trailer + 7])
    let objectCount = Self.integer(bytes, at: trailer + 8, byteCount: 8)
    let rootIndex = Self.integer(bytes, at: trailer + 16, byteCount: 8)
    let tableOffset = Self.integer(bytes, at: trailer + 24, byteCount: 8)
    guard bytes[trailer..<trailer + 6].allSatisfy({ $0 == 0 }),
      (1...8).contains(offsetByteCount), (1...8).contains(referenceByteCount),
      tableOffset > UInt64(Format.headerByteCount), tableOffset < UInt64(trailer)
    else { throw PropertyListError(.trailerMalformed, at: trailer) }
    // The offsets fill what is between the objects and the trailer.
    let (tableByteCount, overflow) = objectCount.multipliedReportingOverflow(
      by: UInt64(offsetByteCount))
    guard !overflow, tableByteCount == UInt64(trailer) - tableOffset, rootIndex < objectCount else {
      throw PropertyListError(.trailerMalformed, at: trailer)
    }
    guard objectCount < UInt64(UInt32.max) else { throw PropertyListError(.tooLarge, at: trailer) }
    self.objectCount = Int(objectCount)
    self.rootIndex = Int(rootIndex)
    self.tableOffset = Int(tableOffset)
  }

  /// Reads a list that is held by a closure.
  package static func read<Answer>(
    _ bytes: [UInt8], _ body: (PropertyListNode) throws(PropertyListError) -> Answer
  ) throws(PropertyListError) -> Answer {
    // A result, because arrays hand out their bytes with untyped errors only.
    let result = bytes.withUnsafeBytes { bytes -> Result<Answer, PropertyListError> in
      Result { () throws(PropertyListError) in try body(PropertyListReader(bytes).root()) }
    }
    return try result.get()
  }

  /// The value of a list.
  ///
  /// - Throws: what `PropertyListNode.value` does.
  package static func decode(_ bytes: [UInt8]) throws(PropertyListError) -> Value {
    try read(bytes) { node throws(PropertyListError) in try node.value() }
  }

  /// The object that holds all others.
  package func root() throws(PropertyListError) -> PropertyListNode {
    try PropertyListNode(reader: self, index: rootIndex)
  }

  /// An integer of some bytes that are known to be there; of more than eight, the last eight.
  @inline(__always)
  func integer(at offset: Int, byteCount: Int) -> UInt64 {
    Self.integer(bytes, at: offset, byteCount: byteCount)
  }

  @inline(__always)
  private static func integer(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, byteCount: Int
  ) -> UInt64 {
    switch byteCount {
    case 1: return UInt64(bytes[offset])
    case 2:
      return UInt64(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    case 4:
      return UInt64(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    case 8:
      return UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    default:
      var value: UInt64 = 0
      for byte in bytes[offset..<offset + byteCount] { value = value << 8 | UInt64(byte) }
      return value
    }
  }

  func error(_ code: PropertyListError.Code, _ offset: Int) -> PropertyListError {
    PropertyListError(code, at: offset)
  }
}
