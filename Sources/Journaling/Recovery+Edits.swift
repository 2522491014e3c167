internal import ByteCoding
internal import DiskAccess

extension Recovery {
  /// The edits that only the buffer holds, up to the first that is not whole.
  func leftoverEdits(
    _ edits: inout EditBufferContents, from first: EditNumber
  ) throws(JournalError) -> [LeftoverEdit] {
    var leftover: [LeftoverEdit] = []
    let pieces = try LeftoverPieces(edits, from: first, in: folder)
    var failure: JournalError?
    edits.forEachUnsealedEdit(from: first) { bytes, isSpan in
      do throws(JournalError) {
        let edit = LeftoverEdit(bytes, isSpan: isSpan)
        // After a power loss, an edit may be there whose pieces are not, or of whose numbers other frames are by
        // now: it and what follows is a hole.
        if isSpan, try pieces?.take(edit.span) != true { return false }
        leftover.append(edit)
        return true
      } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
    return leftover
  }

  /// Puts the edits that only the buffer holds into a frame, so that a new buffer can take its place.
  func seal(
    _ edits: [LeftoverEdit], _ appender: FrameAppender
  ) throws(JournalError) {
    try onDisk { () throws(DiskError) in
      // The manifest that was read may not be durable yet, and its segment takes frames only when it is.
      if !edits.isEmpty { try folder.sync() }
      var rest = ArraySlice(edits)
      while !rest.isEmpty { try sealFirst(of: &rest, appender) }
      try appender.sync()
    }
  }

  /// Puts as many edits into one frame as a batch should hold.
  private func sealFirst(
    of edits: inout ArraySlice<LeftoverEdit>, _ appender: FrameAppender
  ) throws(DiskError) {
    var entries = ByteWriter()
    var spans = SpanSum()
    var count: UInt64 = 0
    while let edit = edits.first, entries.byteCount < options.largestCommitByteCount {
      let isCut = edit.span == nil && edit.bytes.count > options.largestCommitByteCount
      if let spanned = edit.span?.byteCount ?? (isCut ? Int?.some(edit.bytes.count) : nil) {
        guard spans.hasRoom(for: spanned, within: options.spansByteCount) else { break }
        spans.add(spanned)
      }
      var bytes = ByteWriter()
      bytes.write(edit.bytes)
      if isCut {
        let span = try bytes.withBytes { (bytes) throws(DiskError) in
          try appender.appendPiecesOfEdit(bytes)
        }
        bytes.removeAll()
        span.write(to: &bytes)
      }
      entries.writeEntry(bytes, isSpan: isCut || edit.span != nil)
      count += 1
      edits.removeFirst()
    }
    var payload = ByteWriter(capacity: entries.byteCount + 32)
    payload.writeVarint(appender.nextEdit.rawValue)
    payload.writeVarint(count)
    payload.write(entries)
    payload.writeVarint(0)
    _ = try payload.withBytes { (bytes) throws(DiskError) in
      try appender.appendBatch(bytes, nextEdit: appender.nextEdit + count)
    }
  }
}

/// An edit of the buffer that no frame holds.
struct LeftoverEdit {
  /// The edit, or what names its pieces.
  let bytes: [UInt8]
  /// Nil where the bytes are all of it.
  let span: Span?

  init(_ bytes: UnsafeRawBufferPointer, isSpan: Bool) {
    self.bytes = Array(bytes)
    span = isSpan ? Span(bytes) : nil
  }
}

/// The pieces that leftover edits name.
private final class LeftoverPieces {
  private let reader: JournalReader
  private var unnamed: UnnamedPieces

  /// Looks for all of them at once; nil where no edit has any.
  init?(
    _ edits: EditBufferContents, from first: EditNumber, in folder: any ReadableFolder
  ) throws(JournalError) {
    var earliest: FrameNumber?
    var edits = edits
    edits.forEachUnsealedEdit(from: first) { bytes, isSpan in
      if isSpan, let span = Span(bytes) {
        earliest = min(earliest ?? span.firstFrame, span.firstFrame)
      }
      return true
    }
    guard let earliest else { return nil }
    reader = try JournalReader(in: folder, path: JournalFiles.journalFolder)
    unnamed = try reader.piecesWithoutName(from: earliest)
  }

  /// Takes the pieces of an edit.
  ///
  /// - Returns: whether they are there, what they were, and nobody else's.
  func take(_ span: Span?) throws(JournalError) -> Bool {
    guard let span, unnamed.take(span) else { return false }
    return try reader.hasPieces(of: span)
  }
}
