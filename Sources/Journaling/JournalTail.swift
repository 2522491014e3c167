internal import ByteCoding
package import DiskAccess

/// Follows a journal that another process is writing, and hands out each frame once it is durable.
///
/// What is durable is told by the edit buffer's header, by the manifest and by the seals of later frames.
/// A frame that is only written may still be lost with the power, so it is not handed out.
package final class JournalTail {
  /// Whether there were whole frames behind those handed out, of which it was not known that they are durable. While the
  /// journal is written, that passes; after a loss of power, it lasts until the journal is opened for writing.
  package private(set) var isBehind = false
  private let path: String
  private let folder: any ReadableFolder
  /// The next frame to hand out.
  package private(set) var next: FrameNumber
  /// The first edit of the next batch, where it is known.
  private var nextEdit: EditNumber?
  /// Where the walk stands, so that no frame that was handed out is read again.
  private var position: (segment: SegmentNumber, place: FrameScanner.Place)?
  private var piecePlaces = PiecePlaces()
  /// Of what was handed out so far.
  private var unnamedPieces: UnnamedPieces?

  /// Begins before a frame, by default the first.
  package convenience init(
    at path: String, on disk: any ReadableDisk, from first: FrameNumber = FrameNumber(1)
  ) throws(JournalError) {
    self.init(in: try JournalReader.folder(at: path, on: disk), path: path, from: first)
  }

  /// Begins before a frame of the store in an open folder, which it keeps to wherever that is moved to.
  package init(in folder: any ReadableFolder, path: String, from first: FrameNumber) {
    self.path = path
    self.folder = folder
    next = first
  }

  /// Hands out the frames that have become durable since the last call.
  ///
  /// - Parameter body: Takes a frame, and the reader that it came by; returns whether it has taken it. One that it
  ///   has not is handed out again by the next call, and nothing behind it before.
  /// - Returns: a finding where a durable frame is not whole, or the segment that goes on is not there or another;
  ///   nil where all is well.
  /// - Throws: where the disk fails, the store is not there, or the next frame has been dropped.
  package func poll(
    _ body: (JournalReader.Frame, JournalReader) -> Bool
  ) throws(JournalError) -> Finding? {
    isBehind = false
    let reader = try JournalReader(in: folder, path: path)
    let oldest = reader.manifest.segments[0].firstFrame
    guard next >= oldest else { throw .framesDropped(before: oldest) }
    reader.unnamedPieces = unnamedPieces ?? UnnamedPieces(from: next)
    reader.piecePlaces = piecePlaces
    defer { piecePlaces = reader.piecePlaces }
    // The count is read before the frames, so that all it counts are there.
    var durable = try reader.durableThrough()
    var previous: Manifest.Sealing?
    var ending = Ending.segmentEnded
    for segment in reader.manifest.segments {
      guard case .segmentEnded = ending else { break }
      let isBefore = segment.sealing.map { $0.lastFrame < next } ?? false
      if !isBefore {
        do throws(JournalError) {
          ending = try poll(segment, after: previous, of: reader, &durable, body)
        } catch {
          // The segment's header, or its file: what was handed out before it is sound.
          guard let finding = error.finding else { throw error }
          ending = .finding(finding)
        }
      }
      previous = segment.sealing
    }
    if case .finding(let finding) = ending { return finding }
    return nil
  }

  private enum Ending {
    case segmentEnded
    case nothingMore
    case finding(Finding)
  }

  private func isReplaced(_ manifest: Manifest) throws(JournalError) -> Bool {
    try JournalReader(in: folder, path: path).manifest.segments.last?.number
      != manifest.segments.last?.number
  }

  private func poll(
    _ segment: Manifest.Segment, after previous: Manifest.Sealing?, of reader: JournalReader,
    _ durable: inout FrameNumber, _ body: (JournalReader.Frame, JournalReader) -> Bool
  ) throws(JournalError) -> Ending {
    let place = position.flatMap { $0.segment == segment.number ? $0.place : nil }
    var scanner = try reader.scanner(of: segment, after: previous, from: place)
    if nextEdit == nil, next <= segment.firstFrame { nextEdit = scanner.header.firstEdit }
    var memory = ByteWriter()
    defer { extendLifetime(memory) }
    while true {
      let before = scanner.place
      let step = try scanner.next()
      guard case .frame(let sealed) = step else {
        if let finding = segment.finding(atEnd: step, before) {
          // What is not whole and not durable is being written right now; a sealed segment is not.
          let mustBeWhole = segment.sealing != nil || before.expected <= durable
          if mustBeWhole { return .finding(finding) }
          if let excess = scanner.excess() { return .finding(excess) }
          durable = max(durable, try reader.durableThrough(by: segment, behind: scanner))
          guard before.expected <= durable else { return .nothingMore }
          // What has been read so far may be older than what they testify to.
          scanner = try reader.scanner(of: segment, after: previous, from: before)
          continue
        }
        if segment.sealing != nil { return .segmentEnded }
        guard before.expected <= durable else { return .nothingMore }
        // At a footer the next segment may have been begun since the manifest was read.
        if case .footer = step, try isReplaced(reader.manifest) { return .nothingMore }
        let kind = Finding.Kind.framesLost(through: durable)
        return .finding(
          Finding(kind, segment.number.path, at: before.offset, expected: before.expected))
      }
      if sealed.seal.number > durable {
        // Later frames may testify that this one is durable.
        var ahead = try reader.scanner(of: segment, after: previous, from: before)
        var end = try ahead.next()
        while case .frame(let later) = end {
          durable = max(durable, later.seal.durableThrough)
          end = try ahead.next()
        }
        if sealed.seal.number > durable, case .finding = end {
          durable = max(durable, try reader.durableThrough(by: segment, behind: ahead))
        }
        if sealed.seal.number > durable {
          isBehind = true
          guard case .finding = end else { return .nothingMore }
          return ahead.excess().map(Ending.finding) ?? .nothingMore
        }
        // What has been read so far may be older than what they testify to.
        scanner = try reader.scanner(of: segment, after: previous, from: before)
        continue
      }
      if sealed.seal.number >= next {
        // What is not taken is handed out again, and names its pieces again.
        unnamedPieces = reader.unnamedPieces
        reader.pass(sealed, at: before, in: segment.number)
        var edit = nextEdit
        switch JournalReader.opened(sealed, in: segment, &edit, &memory) {
        case .finding(let finding): return .finding(finding)
        case .frame(let frame): guard body(frame, reader) else { return .nothingMore }
        }
        (next, nextEdit) = (sealed.seal.number.next, edit)
        unnamedPieces = reader.unnamedPieces
      }
      position = (segment.number, scanner.place)
    }
  }
}
