// Journals to damage, with the truth about each of their frames.

package import DiskSimulation
package import Journaling

/// A journal as its writer left it, and what is true of its frames.
package struct JournalCorpus {
  package let name: String
  package let disk: SimulatedDisk
  package let frames: [Frame]
  package let segments: [Segment]
  /// The newest frame that was synced when the writer was stopped.
  package let durableThrough: FrameNumber
  /// The newest frame that the manifest says was durable.
  package let manifestDurableThrough: FrameNumber
  package let windowByteCount = Int(JournalOptions.small.windowByteCount)
  /// Another life that began like this one, and wrote other frames to the same segments.
  package let otherLife: Life

  /// What a life left: the bytes of its segments, and its frames.
  package struct Life {
    package let segmentBytes: [String: [UInt8]]
    package let frames: [Frame]
    package let sealedPaths: Set<String>

    init(on disk: SimulatedDisk) throws(JournalError) {
      let reader = try JournalReader(at: "store", on: disk)
      sealedPaths = Set(
        reader.manifest.segments.filter { $0.sealing != nil }
          .map { "store/journal/" + $0.number.fileName })
      var segmentBytes: [String: [UInt8]] = [:]
      for path in disk.paths where path.hasSuffix(".xj") {
        segmentBytes[path] = disk.contents(of: path)
      }
      var frames: [Frame] = []
      _ = try reader.forEachFrame { frame in
        let path = "store/journal/" + frame.segment.fileName
        let start = Int(frame.offset)
        let lz4ByteCount = segmentBytes[path].map { bytes in
          (0..<4).reduce(0) { $0 | Int(bytes[start + 32 + $1]) << (8 * $1) }
        }
        frames.append(
          Frame(
            number: frame.number, path: path, range: start..<start + 48 + (lz4ByteCount ?? 0),
            durableThrough: frame.durableThrough, payload: Array(frame.payload)))
        return true
      }
      (self.segmentBytes, self.frames) = (segmentBytes, frames)
    }
  }

  /// The truth about a frame.
  package struct Frame {
    package let number: FrameNumber
    package let path: String
    package let range: Range<Int>
    package let durableThrough: FrameNumber
    package let payload: [UInt8]
  }

  /// The truth about a segment.
  package struct Segment {
    package let path: String
    package let bytes: [UInt8]
    package let isSealed: Bool
    /// The footer's range, where there is one.
    package let footer: Range<Int>?
  }

  /// Lives a life of some steps and stops it.
  package init(_ steps: [Step], closing: Bool, seed: UInt64) throws {
    let life = JournalLife(SimulatedDisk(seed: seed))
    try life.open()
    var beginning = life.disk
    for (index, step) in steps.enumerated() {
      if index == steps.count / 2 { beginning = life.disk.imageAfterProcessDeath() }
      try life.perform(step)
    }
    if closing { try life.close() }
    durableThrough = life.journal?.durableFrame ?? FrameNumber(.max)
    disk = life.disk.imageAfterProcessDeath()
    life.abandon()
    name = steps.map(\.rawValue).joined(separator: " ") + (closing ? " close" : "")
    let other = JournalLife(beginning)
    try other.open()
    for step in [.append, .idle, .save, .append] + steps.reversed() { try other.perform(step) }
    otherLife = try Life(on: beginning)
    other.abandon()
    let this = try Life(on: disk)
    frames = this.frames
    let manifest = try JournalReader(at: life.path, on: disk).manifest
    manifestDurableThrough = manifest.durableThrough
    segments = manifest.segments.map { segment in
      let path = "store/journal/" + segment.number.fileName
      let bytes = this.segmentBytes[path] ?? []
      let isSealed = segment.sealing != nil
      return Segment(
        path: path, bytes: bytes, isSealed: isSealed,
        footer: isSealed ? bytes.count - 48..<bytes.count : nil)
    }
  }

  /// Twenty-four journals: sealed and active segments, with and without an end in an idle marker.
  ///
  /// - Parameter ending: the steps at the end of each.
  package static func all(
    seed: UInt64, endingIn ending: [Step] = [.append]
  ) throws -> [JournalCorpus] {
    var dice = Dice(seed: seed)
    return try (0..<24).map { number in
      let steps = (0..<2 + number % 5).map { _ in
        Step.basic.randomElement(using: &dice) ?? .save
      }
      return try JournalCorpus(
        [.save] + steps + ending, closing: number % 4 == 0, seed: seed &+ UInt64(number))
    }
  }
}

/// What must come of a journal of which one segment has been damaged.
package struct ExpectedVerdict: Equatable, CustomStringConvertible {
  package enum Kind: Equatable { case whole, torn, damaged }

  package let kind: Kind
  /// How many frames can be read.
  package let frameCount: Int

  package init(_ kind: Kind, frameCount: Int) {
    self.kind = kind
    self.frameCount = frameCount
  }

  package var description: String { "\(kind), \(frameCount) frames" }

  /// Tells the verdict from the bytes alone: which frames are still what they were, and what those that are
  /// testify. It knows nothing of how the journal decides.
  package init(
    _ corpus: JournalCorpus, _ segment: JournalCorpus.Segment, became bytes: [UInt8],
    hasEditBuffer: Bool
  ) {
    func isIntact(_ range: Range<Int>) -> Bool {
      range.upperBound <= bytes.count && bytes[range] == segment.bytes[range]
    }
    let before = corpus.frames.prefix { $0.path != segment.path }.count
    let here = corpus.frames[before...].prefix { $0.path == segment.path }
    let firstBad = here.firstIndex { !isIntact($0.range) }
    let frameCount = firstBad ?? here.endIndex
    if !isIntact(0..<128) {
      self.init(.damaged, frameCount: before)
      return
    }
    if segment.isSealed {
      let isWhole = firstBad == nil && segment.footer.map(isIntact) ?? false
      self.init(isWhole ? .whole : .damaged, frameCount: isWhole ? corpus.frames.count : frameCount)
      return
    }
    let end = frameCount == here.startIndex ? 128 : corpus.frames[frameCount - 1].range.upperBound
    let expected = UInt64(frameCount + 1)
    func hasSeal(of frame: JournalCorpus.Frame, in life: [UInt8]) -> Bool {
      let seal = frame.range.prefix(48)
      return seal.upperBound <= bytes.count && bytes[seal] == life[seal]
    }
    let otherBytes = corpus.otherLife.segmentBytes[segment.path] ?? []
    let others = corpus.otherLife.frames.filter { frame in
      frame.path == segment.path && frame.range.lowerBound >= end
        && hasSeal(of: frame, in: otherBytes)
        && segment.bytes.dropFirst(frame.range.lowerBound).prefix(48)
          != otherBytes[frame.range.prefix(48)]
    }
    // Where the other life began the segment itself, its salt is another, and its seals count for nothing.
    let isSameSegment = otherBytes.prefix(128) == segment.bytes.prefix(128)
    let seals =
      here[frameCount...].filter { hasSeal(of: $0, in: segment.bytes) }
      + (isSameSegment ? others : [])
    var testimony =
      seals.filter { $0.number.rawValue >= expected }
      .map(\.durableThrough.rawValue).max() ?? 0
    if isSameSegment, corpus.otherLife.sealedPaths.contains(segment.path),
      bytes.count == otherBytes.count, bytes.count >= end + 48,
      bytes.suffix(48) == otherBytes.suffix(48),
      let last = corpus.otherLife.frames.last(where: { $0.path == segment.path })
    {
      testimony = max(testimony, last.number.rawValue)
    }
    let noted = hasEditBuffer ? min(corpus.durableThrough.rawValue, UInt64(corpus.frames.count)) : 0
    let known = max(noted, testimony, corpus.manifestDurableThrough.rawValue)
    if known >= expected {
      self.init(.damaged, frameCount: frameCount)
    } else if bytes.count <= end || bytes[end...].allSatisfy({ $0 == 0 }) {
      self.init(.whole, frameCount: frameCount)
    } else if others.contains(where: { other in
      other.range.lowerBound == end
        && (isSameSegment
          || other.range.upperBound <= bytes.count && bytes[other.range] == otherBytes[other.range])
    }) {
      // A whole seal in a place that is not its own, or a whole frame of another segment.
      self.init(.damaged, frameCount: frameCount)
    } else if let last = bytes.lastIndex(where: { $0 != 0 }),
      last + 1 - end > corpus.windowByteCount
    {
      self.init(.damaged, frameCount: frameCount)
    } else {
      self.init(.torn, frameCount: frameCount)
    }
  }
}
