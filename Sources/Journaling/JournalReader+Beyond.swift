extension JournalReader {
  /// What stands in a journal behind a frame, but for frames that hold nothing.
  package struct Beyond: Hashable, Sendable {
    package var segmentCount = 0
    package var byteCount: UInt64 = 0

    package init() {}
  }

  /// How many frames are durable by what whole seals say that stand behind the place where a walk cannot go on.
  func durableThrough(
    by segment: Manifest.Segment, behind walk: borrowing FrameScanner
  ) throws(JournalError) -> FrameNumber {
    let file = try segment.file(in: journalFolder)
    let survey = try TailSurvey(
      file, walk.header, from: walk.place.offset, expected: walk.place.expected)
    return survey.durableThrough
  }

  /// Counts what is whole behind a frame, as far as it can be read.
  package func beyond(_ frame: FrameNumber) -> Beyond {
    var beyond = Beyond()
    var previous: Manifest.Sealing?
    for segment in manifest.segments {
      defer { previous = segment.sealing }
      if let sealing = segment.sealing, sealing.lastFrame <= frame { continue }
      var byteCount: UInt64 = 0
      do throws(JournalError) {
        var scanner = try scanner(of: segment, after: previous)
        while case .frame(let sealed) = try scanner.next() {
          guard sealed.seal.number > frame, sealed.seal.kind != .idleMarker else { continue }
          byteCount += UInt64(sealed.seal.sealedByteCount)
        }
      } catch {
        // What is wrong with it others tell.
      }
      beyond.byteCount += byteCount
      if byteCount > 0 { beyond.segmentCount += 1 }
    }
    return beyond
  }
}
