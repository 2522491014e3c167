internal import Glibc

/// What the C library looks for in bytes: as fast in a build for debugging as in any.
extension UnsafeRawBufferPointer {
  /// Whether there are the same bytes, and as many, as in another place.
  package func isSame(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard let start = baseAddress, let otherStart = other.baseAddress else { return true }
    return memcmp(start, otherStart, count) == 0
  }

  /// Whether all bytes are zero.
  package var isZero: Bool {
    guard let start = baseAddress, count > 0 else { return true }
    // Each is as the one before it.
    return self[0] == 0 && memcmp(start, start + 1, count - 1) == 0
  }

  /// Where a byte comes first; nil where it does not.
  package func firstIndex(ofByte byte: UInt8) -> Int? {
    guard let start = baseAddress, let place = memchr(start, Int32(byte), count) else { return nil }
    return UnsafeRawPointer(place) - start
  }
}
