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

/// The check of bytes that come one part after another, with the salt 0.
struct RunningChecksum: ~Copyable {
  // Nil only where there is no memory for a few hundred bytes: then no check fits.
  private let state: OpaquePointer?

  init() {
    state = XXH3_createState()
    if let state { XXH3_64bits_reset(state) }
  }

  deinit { XXH3_freeState(state) }

  /// Goes on with more bytes.
  func update(_ bytes: UnsafeRawBufferPointer) {
    if let state { XXH3_64bits_update(state, bytes.baseAddress, bytes.count) }
  }

  /// Whether the bytes so far are those of a check.
  func matches(_ check: UInt64) -> Bool {
    state.map { Checksum.matches(check, UInt64(XXH3_64bits_digest($0))) } ?? false
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
