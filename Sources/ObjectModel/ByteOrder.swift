// The order of texts by their bytes, for whoever compares many of them.

extension UnsafeRawBufferPointer {
  /// Less than, equal to or greater than zero, as these bytes stand to others: by the first that differs, and
  /// of those that begin alike the shorter first.
  package func order(_ other: UnsafeRawBufferPointer) -> Int {
    // What was copied is often compared with what it was copied from.
    if baseAddress == other.baseAddress { return count - other.count }
    let shared = Swift.min(count, other.count)
    var offset = 0
    while shared - offset >= 8 {
      let one = loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let two = other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if one != two { return one.bigEndian < two.bigEndian ? -1 : 1 }
      offset += 8
    }
    while offset < shared {
      if self[offset] != other[offset] { return self[offset] < other[offset] ? -1 : 1 }
      offset += 1
    }
    return count - other.count
  }
}

extension String {
  /// Less than, equal to or greater than zero, as its UTF-8 bytes stand to those of another.
  package func orderOfBytes(_ other: String) -> Int {
    let order = utf8.withContiguousStorageIfAvailable { one in
      other.utf8.withContiguousStorageIfAvailable { two in
        UnsafeRawBufferPointer(one).order(UnsafeRawBufferPointer(two))
      }
    }
    if let order = order ?? nil { return order }
    if utf8.elementsEqual(other.utf8) { return 0 }
    return utf8.lexicographicallyPrecedes(other.utf8) ? -1 : 1
  }
}
