internal import Journaling

/// A frame of a run whose checks fit.
struct SealedFrame {
  let seal: Seal
  let lz4Frame: UnsafeRawBufferPointer

  /// Which frame is expected.
  struct Place {
    let number: UInt64
    let kind: FrameKind
    let salt: UInt64
    /// The link to the frame before, where that is known.
    var previousBodyCheck: UInt64?
  }

  enum Reading {
    case frame(SealedFrame)
    case damaged
    case newer(format: UInt8, flags: UInt8)
  }

  /// Reads a frame that is to fill the bytes given.
  static func read(_ sealed: UnsafeRawBufferPointer, at place: Place) -> Reading {
    guard sealed.count > Seal.byteCount,
      case .seal(let seal) = Seal.read(sealed, salt: place.salt)
    else { return .damaged }
    guard seal.format == Seal.format, seal.flags & 0xF0 == 0 else {
      return .newer(format: seal.format, flags: seal.flags)
    }
    let lz4Frame = UnsafeRawBufferPointer(rebasing: sealed[Seal.byteCount...])
    let isLinked = place.previousBodyCheck.map {
      seal.previousBodyCheck == UInt32(truncatingIfNeeded: $0)
    }
    guard seal.number.rawValue == place.number, seal.kind == place.kind, isLinked ?? true,
      Int(seal.lz4FrameByteCount) == lz4Frame.count,
      Limits.allow(payload: UInt64(seal.payloadByteCount), in: UInt64(lz4Frame.count)),
      Checksum.matches(seal.bodyCheck, Checksum.of(lz4Frame, salt: place.salt))
    else { return .damaged }
    return .frame(SealedFrame(seal: seal, lz4Frame: lz4Frame))
  }
}
