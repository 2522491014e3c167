/// What a reader accepts and a writer never exceeds. Part of the format.
package enum Limits {
  /// The largest payload of a frame, decompressed.
  package static let payloadByteCount = 64 << 20
  /// The largest block within a frame, decompressed.
  package static let blockByteCount = 4 << 20
  /// No LZ4 frame may claim to hold more than this for each byte, and `expansionAllowance` besides.
  package static let expansion = 255
  package static let expansionAllowance = 64
  /// The longest LZ4 frame: a payload that does not compress, with its blocks' lengths.
  package static let lz4FrameByteCount = payloadByteCount + (payloadByteCount >> 6) + 64
  /// The largest edit or commit; a larger one is refused when it is made.
  package static let entryByteCount = 1 << 30
  /// What the spans of one batch add up to at most: who reads a batch may hold all of them.
  package static let spansByteCount = entryByteCount
  /// The most spans of one batch.
  package static let spanCount = 1 << 16
  /// The most edits of one batch, and the most commits: who reads a batch may remember where each begins.
  package static let batchEntryCount = 1 << 21
  /// The largest manifest.
  package static let manifestByteCount = 16 << 20
  /// The most attachments of a manifest.
  package static let attachmentCount = 1 << 16
  /// The largest edit buffer.
  package static let editBufferByteCount = 4096 + 2 * largestHalfByteCount
  /// The largest half of an edit buffer.
  package static let largestHalfByteCount = 16 << 20
  /// The largest number of a segment, frame or edit: far beyond what any store comes to, and far from
  /// where counting on would overflow.
  package static let number: UInt64 = 1 << 62
  /// The largest window of unsynced bytes.
  package static let windowByteCount: UInt32 = 1 << 30
  /// The most zeros that stand ahead of the frames to come.
  package static let zerosByteCount: UInt64 = 64 << 20
  /// The longest name of an attachment.
  package static let nameByteCount = 128

  /// Whether a number may be that of a segment, frame or edit.
  static func allow(number: UInt64) -> Bool { (1...Self.number).contains(number) }

  /// Whether an LZ4 frame of a length may hold a payload of a length.
  package static func allow(payload: UInt64, in lz4Frame: UInt64) -> Bool {
    payload <= UInt64(payloadByteCount) && lz4Frame <= UInt64(lz4FrameByteCount)
      && payload <= lz4Frame * UInt64(expansion) + UInt64(expansionAllowance)
  }
}
