/// What recovery decides about the end of a segment. Pure: the scanner finds, and `Recovery` acts.
package enum TailVerdict: Hashable, Sendable {
  /// The frames end where the file ends, or where its preallocated zeros begin, or at the footer.
  case whole
  /// What is behind the last whole frame was being written when the writer died; none of it had been
  /// acknowledged.
  case torn(Finding, byteCount: UInt64)
  /// Frames that were durable are not there, or not whole.
  case damaged(Finding, Reason)

  /// Why a bad place is damage and no torn tail.
  package enum Reason: Hashable, Sendable {
    /// The segment is sealed: every frame of it was durable.
    case segmentSealed
    /// A later frame, the manifest, the edit buffer or a checkpoint says that the frame was durable.
    case knownDurable(through: FrameNumber)
    /// More bytes are bad than can have been unsynced.
    case widerThanWindow
    /// A whole frame in a place that is not its own: no torn write leaves that.
    case notTorn
  }

  /// Everything the decision rests on.
  package struct Evidence {
    /// What stands where the walk ended; nil where nothing or only zeros follow.
    package var finding: Finding?
    /// The place itself, with what is to be said of it where frames should be there and are not.
    package var lost: Finding
    /// The newest frame that anything says was durable.
    package var durableThrough: FrameNumber
    /// How many bytes there are up to the last one that is not zero.
    package var badByteCount: UInt64
    package var windowByteCount: UInt32
    package var isSealed: Bool

    package init(
      finding: Finding?, lost: Finding, durableThrough: FrameNumber, badByteCount: UInt64,
      windowByteCount: UInt32, isSealed: Bool
    ) {
      self.finding = finding
      self.lost = lost
      self.durableThrough = durableThrough
      self.badByteCount = badByteCount
      self.windowByteCount = windowByteCount
      self.isSealed = isSealed
    }
  }

  package init(_ evidence: Evidence) {
    let expected = evidence.lost.expected
    if evidence.durableThrough >= expected {
      self = .damaged(
        evidence.finding ?? evidence.lost, .knownDurable(through: evidence.durableThrough))
    } else if evidence.isSealed {
      self = .damaged(evidence.finding ?? evidence.lost, .segmentSealed)
    } else if let finding = evidence.finding {
      if !finding.kind.canBeTorn {
        self = .damaged(finding, .notTorn)
      } else if evidence.badByteCount > UInt64(evidence.windowByteCount) {
        self = .damaged(finding, .widerThanWindow)
      } else {
        self = .torn(finding, byteCount: evidence.badByteCount)
      }
    } else {
      self = .whole
    }
  }
}

extension Finding.Kind {
  /// Whether newer code wrote what was found: no damage, and not ours to touch.
  package var isOfNewerCode: Bool {
    switch self {
    case .frameNewer, .segmentNewer, .manifestNewer, .editBufferNewer: true
    default: false
    }
  }

  /// Whether a write that did not come to its end may have left this.
  fileprivate var canBeTorn: Bool {
    switch self {
    case .notAFrame, .sealDamaged, .bodyDamaged, .frameCutShort, .footerDamaged: true
    default: false
    }
  }
}
