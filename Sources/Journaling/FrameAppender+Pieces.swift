internal import ByteCoding
internal import DiskAccess

// Edits and commits too large for a batch.
extension FrameAppender {
  /// Makes sure of room before something is appended in pieces, and gives back what it did not need: where the disk has
  /// too little, nothing of it is written, as pieces that nothing names would take room until a compaction.
  ///
  /// - Parameters:
  ///   - byteCounts: how long each of those is that will be appended in pieces.
  ///   - payloadByteCount: how long the payload of the frame may be that names them.
  ///   - sealed: counts what all the pieces come to once they are compressed and sealed.
  func withRoom<Answer>(
    forPiecesOf byteCounts: [Int], andPayloadOf payloadByteCount: Int, sealed: () -> Int,
    _ append: () throws(DiskError) -> Answer
  ) throws(DiskError) -> Answer {
    let largest = byteCounts.reduce(0) { sum, byteCount in
      let (whole, rest) = byteCount.quotientAndRemainder(dividingBy: options.pieceByteCount)
      return sum + whole * Self.largestFrame(of: options.pieceByteCount)
        + Self.largestFrame(of: rest)
    }
    let frame = Self.largestFrame(of: payloadByteCount)
    // A sealed one has its length for good.
    if segment.sealing != nil { try beginSegment() }
    do throws(DiskError) {
      try segment.makeRoom(for: withSegments(largest + frame))
    } catch {
      guard error.isOutOfSpace else { throw error }
      // Compressed they may fit.
      try segment.makeRoom(for: withSegments(sealed() + frame))
    }
    let answer = try append()
    try segment.giveBackRoom()
    return answer
  }

  /// What frames take together with the headers, footers and manifests of the segments that begin meanwhile.
  private func withSegments(_ byteCount: Int) -> Int {
    byteCount + (byteCount / max(options.segmentByteCount, 1) + 1) * 1024
  }

  /// What is appended for something in pieces, without appending it.
  func sealedByteCount(ofPieces bytes: UnsafeRawBufferPointer) -> Int {
    pieces(of: bytes).reduce(0) { sum, piece in
      let place = FrameSealer.Place(
        number: lastFrame.next, previousBodyCheck: 0, durableThrough: durableThrough, salt: 0)
      _ = sealer.seal(piece, .piece, at: place)
      return sum + sealer.unsafeBytes.count
    }
  }

  /// Appends the pieces of an edit too large for a batch, if there is room for all of them.
  func appendPiecesOfEdit(_ bytes: UnsafeRawBufferPointer) throws(DiskError) -> Span {
    try withRoom(
      forPiecesOf: [bytes.count], andPayloadOf: 0, sealed: { sealedByteCount(ofPieces: bytes) }
    ) { () throws(DiskError) in
      try appendPieces(bytes)
    }
  }

  /// Appends the pieces of an edit or commit too large for a batch.
  func appendPieces(_ bytes: UnsafeRawBufferPointer) throws(DiskError) -> Span {
    precondition(!bytes.isEmpty, "what is cut into pieces has bytes")
    let first = lastFrame.next
    var count = 0
    for piece in pieces(of: bytes) {
      _ = try append(piece, .piece)
      count += 1
    }
    return Span(
      firstFrame: first, pieceCount: count, byteCount: bytes.count,
      check: Checksum.of(bytes, salt: 0))
  }

  private func pieces(
    of bytes: UnsafeRawBufferPointer
  ) -> some Sequence<UnsafeRawBufferPointer> {
    stride(from: 0, to: bytes.count, by: options.pieceByteCount).lazy.map { [options] start in
      let end = min(start + options.pieceByteCount, bytes.count)
      return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }
  }
}
