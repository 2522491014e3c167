/// The lean LZ4 frame that holds a payload: independent blocks, no checksums of its own, an end mark.
///
///     04 22 4D 18   60   BD HC   { block length, block }…   00 00 00 00
///
/// BD names the largest block; a block length with its highest bit set is of a block stored as it is.
package enum LZ4Frame {
  package static let magicNumber: UInt32 = 0x184D_2204
  /// Format 01, independent blocks, no checksums, no content size, no dictionary.
  package static let flags: UInt8 = 0x60
  package static let prefixByteCount = 7
  package static let endMarkByteCount = 4
  package static let storedBlockFlag: UInt32 = 0x8000_0000

  /// An LZ4 frame of nothing, with which every segment begins, so that its file is one of LZ4's.
  package static let empty: [UInt8] = [0x04, 0x22, 0x4D, 0x18, 0x60, 0x40, 0x82, 0, 0, 0, 0]

  /// The largest block that a frame's prefix announces.
  package enum BlockLimit: UInt8, CaseIterable {
    case kibibytes64 = 0x40
    case kibibytes256 = 0x50
    case mebibyte1 = 0x60
    case mebibytes4 = 0x70

    package var byteCount: Int {
      switch self {
      case .kibibytes64: 64 << 10
      case .kibibytes256: 256 << 10
      case .mebibyte1: 1 << 20
      case .mebibytes4: 4 << 20
      }
    }

    /// The second byte of the XXH32 of flags and block limit, as LZ4's frame format wants it.
    package var prefixCheck: UInt8 {
      switch self {
      case .kibibytes64: 0x82
      case .kibibytes256: 0xFB
      case .mebibyte1: 0x51
      case .mebibytes4: 0x73
      }
    }

    /// The smallest limit that does not split a payload more than it must.
    package init(payloadByteCount: Int) {
      self = Self.allCases.first { payloadByteCount <= $0.byteCount } ?? .mebibytes4
    }
  }

  /// The longest that the frame of a payload can get.
  package static func largestByteCount(payloadByteCount: Int) -> Int {
    let blockCount = payloadByteCount / Limits.blockByteCount + 1
    return prefixByteCount + payloadByteCount + payloadByteCount / 255 + blockCount * (4 + 16)
      + endMarkByteCount
  }
}
