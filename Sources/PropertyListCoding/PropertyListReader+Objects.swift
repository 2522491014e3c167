internal import ByteCoding

/// An object whose marker has been read and whose bytes are known to be there.
struct PropertyListObject {
  let family: PropertyListFormat.Family
  /// Where its marker is.
  let offset: Int
  /// Where what follows the marker and the count begins.
  let content: Int
  /// How many bytes, units or elements there are; of a boolean, whether it is true.
  let count: Int
}

// Objects by their number: offset, marker, count, and whether they are where objects may be.
extension PropertyListReader {
  /// The object of a number that is known to be one.
  @inline(__always)
  func object(at index: Int) throws(PropertyListError) -> PropertyListObject {
    let entry = tableOffset + index * offsetByteCount
    let offset = integer(at: entry, byteCount: offsetByteCount)
    guard offset >= UInt64(Format.headerByteCount), offset < UInt64(tableOffset) else {
      throw error(.offsetOutOfBounds, entry)
    }
    return try object(behind: Int(offset))
  }

  /// The number of an object that a container names, in bytes that are known to be there.
  @inline(__always)
  func reference(at offset: Int) throws(PropertyListError) -> Int {
    let index = integer(at: offset, byteCount: referenceByteCount)
    guard index < UInt64(objectCount) else { throw error(.referenceOutOfBounds, offset) }
    return Int(index)
  }

  /// The number of a container's element.
  @inline(__always)
  func reference(
    _ index: Int, of container: PropertyListObject
  ) throws(PropertyListError) -> Int {
    try reference(at: container.content + index * referenceByteCount)
  }

  @inline(__always)
  private func object(behind offset: Int) throws(PropertyListError) -> PropertyListObject {
    let marker = bytes[offset]
    let low = Int(marker & 0xF)
    guard let family = Format.Family(marker: marker) else {
      throw error(.markerUnknown, offset)
    }
    switch family {
    case .single:
      guard marker == Format.markFalse || marker == Format.markTrue else {
        throw error(.markerUnknown, offset)
      }
      return PropertyListObject(family: family, offset: offset, content: offset + 1, count: low & 1)
    case .integer:
      guard low <= 4 else { throw error(.markerUnknown, offset) }
      return try fixed(family, offset, byteCount: 1 << low)
    case .real:
      guard low == 2 || low == 3 else { throw error(.markerUnknown, offset) }
      return try fixed(family, offset, byteCount: 1 << low)
    case .date:
      guard low == 3 else { throw error(.markerUnknown, offset) }
      return try fixed(family, offset, byteCount: 8)
    case .uid: return try fixed(family, offset, byteCount: low + 1)
    case .data, .asciiString: return try counted(family, offset, low, unitByteCount: 1)
    case .utf16String: return try counted(family, offset, low, unitByteCount: 2)
    case .array: return try counted(family, offset, low, unitByteCount: referenceByteCount)
    case .dictionary:
      return try counted(family, offset, low, unitByteCount: 2 * referenceByteCount)
    }
  }

  @inline(__always)
  private func fixed(
    _ family: Format.Family, _ offset: Int, byteCount: Int
  ) throws(PropertyListError) -> PropertyListObject {
    guard tableOffset - offset > byteCount else { throw error(.objectOutOfBounds, offset) }
    return PropertyListObject(
      family: family, offset: offset, content: offset + 1, count: byteCount)
  }

  @inline(__always)
  private func counted(
    _ family: Format.Family, _ offset: Int, _ low: Int, unitByteCount: Int
  ) throws(PropertyListError) -> PropertyListObject {
    var content = offset + 1
    var count = UInt64(low)
    if low == Format.countFollows { count = try readCount(&content) }
    guard count <= UInt64((tableOffset - content) / unitByteCount) else {
      throw error(.objectOutOfBounds, offset)
    }
    return PropertyListObject(family: family, offset: offset, content: content, count: Int(count))
  }

  /// A count that does not fit its marker: an integer of up to eight bytes, not negative.
  private func readCount(_ content: inout Int) throws(PropertyListError) -> UInt64 {
    let offset = content
    guard offset < tableOffset else { throw error(.objectOutOfBounds, offset) }
    let marker = bytes[offset]
    guard marker >> 4 == Format.Family.integer.rawValue, marker & 0xF <= 3 else {
      throw error(.countMalformed, offset)
    }
    let byteCount = 1 << Int(marker & 0xF)
    guard tableOffset - offset > byteCount else { throw error(.objectOutOfBounds, offset) }
    content = offset + 1 + byteCount
    let count = integer(at: offset + 1, byteCount: byteCount)
    guard count <= UInt64(Int.max) else { throw error(.countMalformed, offset) }
    return count
  }
}
