/// Where pieces stand, so that one is found without walking to it from the beginning of its segment. Of the
/// pieces that were passed it remembers some, not far from each other, in bounded memory.
package struct PiecePlaces {
  private var entries: [(segment: SegmentNumber, place: FrameScanner.Place)] = []
  private let largestCount: Int
  // A place is noted where the one before is farther away than either of these.
  private var frameCount: UInt64 = 64
  private var byteCount: UInt64 = 64 << 10

  package init(largestCount: Int = 1 << 15) { self.largestCount = largestCount }

  /// Notes where a piece begins.
  package mutating func note(_ place: FrameScanner.Place, in segment: SegmentNumber) {
    insert(place, in: segment) { [frameCount, byteCount] before in
      place.expected.rawValue >= before.expected.rawValue + frameCount
        || place.offset >= before.offset + byteCount
    }
  }

  /// Notes where frames follow one another again behind damage, so that no walk leads there from a place before.
  package mutating func noteResumption(_ place: FrameScanner.Place, in segment: SegmentNumber) {
    insert(place, in: segment) { $0 != place }
  }

  /// - Parameter isWanted: whether a place is, behind the one before it in the segment.
  private mutating func insert(
    _ place: FrameScanner.Place, in segment: SegmentNumber,
    ifBehind isWanted: (FrameScanner.Place) -> Bool
  ) {
    let index = entries.firstIndex(inOrder: { $0.place.expected > place.expected })
    if index > 0, entries[index - 1].segment == segment, !isWanted(entries[index - 1].place) {
      return
    }
    entries.insert((segment, place), at: index)
    if entries.count > largestCount { thinOut() }
  }

  /// The last place that was noted in a segment before a frame, or at it.
  package func last(upTo frame: FrameNumber, in segment: SegmentNumber) -> FrameScanner.Place? {
    let index = entries.firstIndex(inOrder: { $0.place.expected > frame })
    guard index > 0, entries[index - 1].segment == segment else { return nil }
    return entries[index - 1].place
  }

  private mutating func thinOut() {
    entries = stride(from: 0, to: entries.count, by: 2).map { entries[$0] }
    frameCount *= 2
    byteCount *= 2
  }
}
