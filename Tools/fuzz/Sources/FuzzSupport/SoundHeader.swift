// The header of a segment, for inputs that begin behind it.

internal import Journaling

/// The header of a journal's first segment, sound.
package let soundHeader: [UInt8] = {
  var header = [UInt8](repeating: 0, count: 128)
  header.replaceSubrange(..<11, with: [0x04, 0x22, 0x4D, 0x18, 0x60, 0x40, 0x82, 0, 0, 0, 0])
  header.replaceSubrange(11..<15, with: [0x58, 0x2A, 0x4D, 0x18])
  header[15] = 109
  header.replaceSubrange(19..<27, with: "XJournal".utf8)
  header[27] = 1
  for offset in [63, 71, 79] { header[offset] = 1 }  // the first segment, frame and edit
  header[104] = 0x40  // a window of 16 KiB
  let check = header.withUnsafeBytes {
    Checksum.of(UnsafeRawBufferPointer(rebasing: $0[..<120]), salt: 0)
  }
  for index in 0..<8 {
    header[120 + index] = UInt8(truncatingIfNeeded: check >> (8 * UInt64(index)))
  }
  return header
}()
