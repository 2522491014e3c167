internal import ByteCoding
internal import DiskAccess

/// Where a reader stands among the pieces of a segment.
final class PieceWalk {
  /// Which of the manifest's segments it is.
  let index: Int
  var scanner: FrameScanner

  init(_ index: Int, _ scanner: consuming FrameScanner) {
    self.index = index
    self.scanner = scanner
  }
}

extension JournalReader {
  /// Puts an edit or commit together from its pieces. Costs what the pieces take, and at most a stretch of 64 KiB
  /// before them, where the frames before them were walked over.
  ///
  /// - Throws: where a piece is not there or not what it was, or was named before on the same walk.
  package func bytes(of span: Span) throws(JournalError) -> [UInt8] {
    try bytes(of: span) { _ in true }
  }

  /// The same, for one whose first byte tells whether it is wanted; of another no more is read than the first piece,
  /// and the answer is empty.
  package func bytes(
    of span: Span, ifFirst isWanted: (UInt8) -> Bool
  ) throws(JournalError) -> [UInt8] {
    if unnamedPieces?.take(span) == false {
      throw .damaged(
        Finding(.piecesNamedTwice(first: span.firstFrame), JournalFiles.journalFolder))
    }
    let oldest = manifest.segments[0].firstFrame
    guard span.firstFrame >= oldest else { throw .framesDropped(before: oldest) }
    var bytes: [UInt8] = []
    for _ in 1...2 {
      // Memory that is not written to costs nothing, where a span names more than there is.
      bytes.reserveCapacity(span.wantedByteCount ?? span.byteCount)
      let ending = try forEachPiece(of: span, isWanted) { piece in
        let wanted = (span.wantedByteCount ?? span.byteCount) - bytes.count
        bytes += UnsafeRawBufferPointer(rebasing: piece.prefix(wanted))
      }
      switch ending {
      case .whole: return bytes
      case .unwanted: return []
      case .damaged:
        // What is at hand of a segment may be older than its pieces: another process may be writing it.
        bytes = []
        pieceWalk = nil
        piecePlaces = PiecePlaces()
      }
    }
    throw .damaged(Finding(.piecesDamaged(first: span.firstFrame), JournalFiles.journalFolder))
  }

  /// Whether the pieces of an edit or commit are there, and what they were. They are not held together.
  func hasPieces(of span: Span) throws(JournalError) -> Bool {
    guard span.firstFrame >= manifest.segments[0].firstFrame else { return false }
    guard case .whole = try forEachPiece(of: span, { _ in true }, { _ in }) else { return false }
    return true
  }

  /// The pieces from a frame on that no batch names.
  ///
  /// - Throws: where a sealed segment with such pieces is damaged, too: what cannot be read there is no hole. How the
  ///   active segment ends has been judged by whoever asks.
  func piecesWithoutName(from first: FrameNumber) throws(JournalError) -> UnnamedPieces {
    let first = max(first, manifest.segments[0].firstFrame)
    var pieces = UnnamedPieces(from: first)
    func take(_ entry: Batch.Entry) {
      if case .spanning(let span) = entry { _ = pieces.take(span) }
    }
    let ending = try forEachFrame(from: first) { frame in
      if frame.kind == .piece { pieces.add(frame.number) }
      if frame.kind == .batch, let batch = Batch(frame.payload) {
        batch.forEachEdit { _, entry in take(entry) }
        batch.forEachCommit { entry in take(entry) }
      }
      return true
    }
    let active = manifest.segments[manifest.segments.count - 1].number
    if let finding = ending.finding, finding.file != active.path {
      throw JournalError(refusing: finding)
    }
    return pieces
  }

  private enum PiecesEnding {
    case whole
    case unwanted
    case damaged
  }

  /// Hands out the payloads of the pieces, one after another.
  private func forEachPiece(
    of span: Span, _ isWanted: (UInt8) -> Bool, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(JournalError) -> PiecesEnding {
    let check = RunningChecksum()
    var byteCount = 0
    var memory = ByteWriter()
    defer { extendLifetime(memory) }
    var number = span.firstFrame
    while number <= span.lastFrame {
      guard let frame = try frame(number), frame.seal.kind == .piece,
        let payload = frame.payload(in: &memory), byteCount + payload.count <= span.byteCount
      else { return .damaged }
      if byteCount == 0, let first = payload.first, !isWanted(first) { return .unwanted }
      check.update(payload)
      byteCount += payload.count
      body(payload)
      if let wanted = span.wantedByteCount, byteCount >= wanted { return .whole }
      number = number.next
    }
    return byteCount == span.byteCount && check.matches(span.check) ? .whole : .damaged
  }

  /// A frame, from where the walk over the pieces stands, or from the nearest place before it that is known.
  private func frame(_ number: FrameNumber) throws(JournalError) -> SealedFrame? {
    let walk = try walk(to: number)
    let segment = manifest.segments[walk.index]
    while true {
      let place = walk.scanner.place
      guard case .frame(let frame) = try walk.scanner.next() else { return nil }
      if frame.seal.kind == .piece { piecePlaces.note(place, in: segment.number) }
      if frame.seal.number == number { return frame }
    }
  }

  private func walk(to number: FrameNumber) throws(JournalError) -> PieceWalk {
    let index = manifest.segments.firstIndex(inOrder: { $0.firstFrame > number }) - 1
    let segment = manifest.segments[index]
    let known = piecePlaces.last(upTo: number, in: segment.number)
    if let walk = pieceWalk, walk.index == index {
      let next = walk.scanner.place.expected
      if next > number {
        walk.scanner.move(to: known)
      } else if let known, known.expected > next {
        walk.scanner.move(to: known)
      }
      return walk
    }
    let previous = index > 0 ? manifest.segments[index - 1].sealing : nil
    let walk = PieceWalk(
      index,
      try scanner(of: segment, after: previous, from: known, windowByteCount: 16 << 10))
    pieceWalk = walk
    return walk
  }
}
