/// Something that is not as it should be in a journal. Finding is the scanner's; what follows from it
/// is decided in recovery.
package struct Finding: Hashable, Sendable {
  /// What is not as it should be.
  package enum Kind: Hashable, Sendable {
    // Of a frame
    /// Bytes that begin no frame.
    case notAFrame
    /// A seal whose own check does not fit.
    case sealDamaged
    /// The frame's check does not fit.
    case bodyDamaged
    /// The file ends within the frame.
    case frameCutShort
    /// A whole frame of another segment or store.
    case foreignFrame
    /// A whole frame with a later number than the one expected.
    case framesMissing(found: FrameNumber)
    /// A whole frame that stands before the one expected, which comes next.
    case framesSwapped(found: FrameNumber)
    /// A whole frame with an earlier number than the one expected.
    case frameRepeated(found: FrameNumber)
    /// A frame of the right number that follows another frame than the one before it.
    case linkBroken
    /// A frame whose checks fit and whose contents do not: lengths beyond the limits, or no LZ4 frame
    /// of ours.
    case frameMalformed
    /// A frame written by newer code.
    case frameNewer(format: UInt8, flags: UInt8)
    /// Frames that were synced are not there.
    case framesLost(through: FrameNumber)

    // Of a batch
    case batchMalformed
    /// The pieces an entry names are not there, or not what they were.
    case piecesDamaged(first: FrameNumber)
    /// An entry names a piece that an earlier one has named, or a frame that is none.
    case piecesNamedTwice(first: FrameNumber)

    // Of a segment
    case segmentHeaderDamaged
    case segmentNewer(format: UInt16, requiredFeatures: UInt32)
    /// The segment is another one than its place in the journal wants.
    case segmentForeign
    case segmentMissing
    case segmentCutShort
    /// A segment full of frames that the manifest does not name.
    case segmentUnlisted
    case footerDamaged
    case footerMissing
    case bytesAfterFooter

    // Of the manifest
    case manifestMissing
    case manifestDamaged
    case manifestNewer(format: UInt16, requiredFeatures: UInt32)

    // Of the edit buffer
    case editBufferMissing
    case editBufferDamaged
    case editBufferForeign
    case editBufferNewer(format: UInt16, requiredFeatures: UInt32)
    /// One of the counts of what is durable is damaged, or not there: a later one than is known may be lost.
    case editCountDamaged
    case editHalfDamaged
    /// A half that was begun before the other one, and has neither a header nor entries.
    case editHalfEmpty
    /// An entry that was not written to its end, or is damaged; edits after it are not taken.
    case editDamaged(expected: EditNumber)
    /// The buffer begins after the edits the journal ends with.
    case editsMissing(expected: EditNumber, found: EditNumber)
  }

  package let kind: Kind
  /// The file, as the store's folder names it.
  package let file: String
  /// Where in the file.
  package let offset: UInt64
  /// The frame that should be there.
  package let expected: FrameNumber

  package init(_ kind: Kind, _ file: String, at offset: UInt64 = 0, expected: FrameNumber = .none) {
    self.kind = kind
    self.file = file
    self.offset = offset
    self.expected = expected
  }
}

extension Finding.Kind {
  /// Whether it is of edits that no frame has, and the end of power may have left it, so that it is no damage for certain.
  package var mayBeOfPowerLoss: Bool {
    switch self {
    case .editBufferMissing, .editCountDamaged, .editHalfEmpty, .editDamaged, .editsMissing:
      true
    default: false
    }
  }
}

extension Finding: CustomStringConvertible {
  package var description: String {
    let place = offset == 0 ? file : "\(file), byte \(offset)"
    let frame = expected == .none ? "" : ", where frame \(expected.rawValue) should be"
    return "\(place)\(frame): \(kind)"
  }
}

extension Finding.Kind: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notAFrame: "bytes that begin no frame"
    case .sealDamaged: "a damaged seal"
    case .bodyDamaged: "a frame whose check does not fit"
    case .frameCutShort: "the file ends within a frame"
    case .foreignFrame: "a frame of another segment or store"
    case .framesMissing(let found): "frame \(found.rawValue) comes too early; frames are missing"
    case .framesSwapped(let found):
      "frame \(found.rawValue) stands before the one that comes before it"
    case .frameRepeated(let found): "frame \(found.rawValue) a second time"
    case .linkBroken: "a frame that does not continue the one before it"
    case .frameMalformed: "a frame that contradicts itself"
    case .frameNewer(let format, let flags):
      "a frame of format \(format), flags \(flags), which newer code has written"
    case .framesLost(let through):
      "frames up to \(through.rawValue) were synced and are not there"
    case .batchMalformed: "a frame whose edits and commits cannot be told apart"
    case .piecesDamaged(let first): "the pieces from frame \(first.rawValue) on are not whole"
    case .piecesNamedTwice(let first):
      "the pieces from frame \(first.rawValue) on belong to something else already, or are none"
    case .segmentHeaderDamaged: "a damaged segment header"
    case .segmentNewer(let format, let features):
      "a segment of format \(format), features \(features), which newer code has written"
    case .segmentForeign: "another segment than the one that belongs here"
    case .segmentMissing: "the segment is not there"
    case .segmentCutShort: "the segment is shorter than it was"
    case .segmentUnlisted: "a segment with frames that the manifest does not name"
    case .footerDamaged: "a damaged footer"
    case .footerMissing: "no footer"
    case .bytesAfterFooter: "bytes after the footer"
    case .manifestMissing: "no manifest beside a journal with frames"
    case .manifestDamaged: "a damaged manifest"
    case .manifestNewer(let format, let features):
      "a manifest of format \(format), features \(features), which newer code has written"
    case .editBufferMissing: "no edit buffer; edits that were not yet sealed are lost"
    case .editBufferDamaged: "a damaged edit buffer; edits that were not yet sealed are lost"
    case .editBufferForeign: "the edit buffer of another store"
    case .editBufferNewer(let format, let features):
      "an edit buffer of format \(format), features \(features), which newer code has written"
    case .editCountDamaged: "a count of what is durable that is damaged or not there"
    case .editHalfDamaged: "a damaged half of the edit buffer"
    case .editHalfEmpty: "a half of the edit buffer that was in use is empty; what it had is lost"
    case .editDamaged(let number):
      "edit \(number.rawValue) is not whole; it and later ones are left out"
    case .editsMissing(let expected, let found):
      "edits from \(expected.rawValue) on are missing; those from \(found.rawValue) on are left out"
    }
  }
}
