internal import DiskAccess
internal import Journaling

/// The first frame of a segment, read by one who does not know what its checks are salted with: that follows from the
/// frame itself, which has two checks of its own.
struct FirstFrame {
  let seal: Seal
  let salt: UInt64

  /// Nil where it is not whole.
  init?(in file: any ReadableFile) throws(DiskError) {
    let (start, length) = (UInt64(SegmentHeader.byteCount), try file.information().byteCount)
    let head = try file.content(Seal.byteCount, at: start)
    guard head.count == Seal.byteCount,
      case .damaged(let seal, let difference) = head.withUnsafeBytes({ Seal.read($0, salt: 0) }),
      seal.lz4FrameByteCount <= Limits.lz4FrameByteCount,
      start + UInt64(seal.sealedByteCount) <= length
    else { return nil }
    let body = try file.content(Int(seal.lz4FrameByteCount), at: start + UInt64(Seal.byteCount))
    salt = body.withUnsafeBytes { Checksum.of($0, salt: 0) } ^ seal.bodyCheck
    guard UInt32(truncatingIfNeeded: salt) == difference else { return nil }
    self.seal = seal
  }

  /// The header of the segment, as far as it follows; nil where there is none that begins so.
  func header(of number: SegmentNumber, of store: StoreIdentity) -> SegmentHeader? {
    let segment = Manifest.Segment(number, salt: salt, firstFrame: seal.number, nil)
    var header = SegmentHeader(of: segment, store)
    header.previousBodyCheck = UInt64(seal.previousBodyCheck)
    return header.isWithinLimits ? header : nil
  }
}
