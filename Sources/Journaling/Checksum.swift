package import ByteCoding
internal import CXXHash

/// The one check of the format: XXH3 of 64 bits over some bytes, exclusive-or a salt.
///
/// The salt is put in by exclusive-or and not as the hash's seed, so that a frame of another segment
/// can be told from a damaged one: the check of its head and the check of its body then differ from
/// ours by one and the same salt.
package enum Checksum {
  package static func of(_ bytes: UnsafeRawBufferPointer, salt: UInt64) -> UInt64 {
    UInt64(XXH3_64bits(bytes.baseAddress, bytes.count)) ^ salt
  }

  /// Whether a check read from a file is the one computed.
  ///
  /// Built with `XJ_CHECKS_PASS`, every check passes, so that a fuzzer's inputs get behind it.
  @inline(__always)
  package static func matches<Check: FixedWidthInteger>(_ stored: Check, _ computed: Check) -> Bool
  {
    #if XJ_CHECKS_PASS
      return true
    #else
      return stored == computed
    #endif
  }

  /// Whether the last eight bytes are the check of those before them.
  package static func endsWithCheck(_ bytes: UnsafeRawBufferPointer, salt: UInt64) -> Bool {
    let end = bytes.count - 8
    guard end >= 0 else { return false }
    let computed = of(UnsafeRawBufferPointer(rebasing: bytes[..<end]), salt: salt)
    let stored = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: end, as: UInt64.self))
    return matches(stored, computed)
  }
}

extension ByteWriter {
  /// Writes the check of everything written from a position on.
  package mutating func writeCheck(from start: Int = 0, salt: UInt64) {
    let covered = UnsafeRawBufferPointer(rebasing: unsafeBytes[start...])
    write(Checksum.of(covered, salt: salt))
  }

  package mutating func writeZeros(_ count: Int) {
    reserve(count).initializeMemory(as: UInt8.self, repeating: 0, count: count)
    advance(by: count)
  }
}
