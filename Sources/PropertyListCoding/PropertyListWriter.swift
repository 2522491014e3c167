// PropertyListCoding: binary property lists: a strict, bounded, lazy reader, and a writer. Knows no files.

package import ByteCoding
package import ObjectModel

/// Writes values as binary property lists: the same bytes for the same value.
///
/// Kinds that property lists do not have are written as arrays that begin with a UID (see docs/format.md,
/// “Property lists”).
package enum PropertyListWriter {
  /// Writes a list behind what the writer has already; nothing is written where it throws.
  ///
  /// - Throws: `tooDeep`, `tooLarge`, `decimalNotANumber` or `urlNotReadable`.
  package static func write(
    _ value: Value, to writer: inout ByteWriter
  ) throws(PropertyListError) {
    try writeList(to: &writer) { (assembly, writer) throws(PropertyListError) in
      try assembly.add(value, depth: 0, to: &writer)
    }
  }

  /// Writes a list whose value is an array, which does not count in the depth of its elements: so an array
  /// can hold whatever can be written by itself. An element of another list is written as its value would be.
  ///
  /// - Throws: what `write` does.
  package static func writeArray(
    of elements: [ArrayElement], to writer: inout ByteWriter
  ) throws(PropertyListError) {
    try writeList(to: &writer) { (assembly, writer) throws(PropertyListError) in
      try assembly.add(elements, to: &writer)
    }
  }

  private static func writeList(
    to writer: inout ByteWriter,
    _ addRoot: (inout ListAssembly, inout ByteWriter) throws(PropertyListError) -> UInt32
  ) throws(PropertyListError) {
    let start = writer.byteCount
    do throws(PropertyListError) {
      var assembly = ListAssembly(start: start)
      writer.writeBigEndian(PropertyListFormat.header)
      let root = try addRoot(&assembly, &writer)
      assembly.finish(root: root, to: &writer)
    } catch {
      writer.removeAll(after: start)
      throw error
    }
  }

  /// The bytes of a list.
  ///
  /// - Throws: what `write` does.
  package static func encode(_ value: Value) throws(PropertyListError) -> [UInt8] {
    var writer = ByteWriter(capacity: 512)
    try write(value, to: &writer)
    return writer.withBytes { [UInt8]($0) }
  }
}

extension ByteWriter {
  @inline(__always)
  mutating func writeBigEndian<Integer: FixedWidthInteger>(_ value: Integer) {
    write(value.byteSwapped)
  }

  /// Writes a marker and an integer behind it, at once.
  @inline(__always)
  mutating func writeMarked<Integer: FixedWidthInteger>(_ marker: UInt8, _ value: Integer) {
    let byteCount = 1 + MemoryLayout<Integer>.size
    let target = reserve(byteCount)
    target.storeBytes(of: marker, as: UInt8.self)
    target.storeBytes(of: value.bigEndian, toByteOffset: 1, as: Integer.self)
    advance(by: byteCount)
  }

  /// Writes a marker and the count of what follows it.
  @inline(__always)
  mutating func writeMarker(_ family: PropertyListFormat.Family, count: Int) {
    if count < PropertyListFormat.countFollows {
      write(family.rawValue << 4 | UInt8(truncatingIfNeeded: count))
    } else {
      write(family.rawValue << 4 | UInt8(PropertyListFormat.countFollows))
      writeInteger(count)
    }
  }

  /// Writes an integer object in the fewest bytes; only those of eight bytes are signed.
  mutating func writeInteger(_ value: Int) {
    let marker = PropertyListFormat.Family.integer.rawValue << 4
    switch value {
    case 0..<1 << 8: writeMarked(marker, UInt8(truncatingIfNeeded: value))
    case 0..<1 << 16: writeMarked(marker | 1, UInt16(truncatingIfNeeded: value))
    case 0..<1 << 32: writeMarked(marker | 2, UInt32(truncatingIfNeeded: value))
    default: writeMarked(marker | 3, value)
    }
  }

  mutating func writeData(_ data: UnsafeRawBufferPointer) {
    writeMarker(.data, count: data.count)
    write(data)
  }

  /// Writes a string object from its UTF-8.
  mutating func writeString(_ utf8: UnsafeRawBufferPointer, isASCII: Bool) {
    if isASCII {
      writeMarker(.asciiString, count: utf8.count)
      write(utf8)
      return
    }
    // A character of two, three or four bytes has one, one or two units; the others have one of each.
    var unitCount = 0
    for byte in utf8 { unitCount += byte >= 0xF0 ? 2 : byte & 0xC0 != 0x80 ? 1 : 0 }
    writeMarker(.utf16String, count: unitCount)
    for unit in String(decoding: utf8, as: UTF8.self).utf16 { writeBigEndian(unit) }
  }
}
