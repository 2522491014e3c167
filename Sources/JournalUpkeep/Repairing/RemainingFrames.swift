internal import ByteCoding
internal import DiskAccess
internal import JournalInspection
internal import Journaling
internal import ObjectModel
internal import ObjectStore

/// The frames behind the first place where a journal is damaged that are whole, each by itself.
struct RemainingFrames {
  let survey: JournalSurvey
  /// Reads what spans frames, and is told where these are.
  let journal: JournalReader
  /// The place of the first part that is looked at.
  let first: Int
  /// Whether what is sound of that part from its beginning on is looked at too.
  var isWhole = false

  /// The last frame before those.
  var before: FrameNumber {
    let part = survey.parts[first]
    return isWhole ? part.segment.firstFrame.previous : part.lastFrame
  }

  /// Calls a closure with each of them, in order, and with its payload where it is a batch; it says whether to go on.
  ///
  /// - Throws: also where newer code has written one.
  func forEach(
    _ body: (FrameNumber, UnsafeRawBufferPointer?) throws(ToolError) -> Bool
  ) throws(ToolError) {
    var last = before
    for (place, part) in survey.parts.enumerated() where place >= first {
      guard try forEach(of: part, behind: place == first && !isWhole, &last, body) else { return }
    }
  }

  private func forEach(
    of part: JournalSurvey.Part, behind sound: Bool, _ last: inout FrameNumber,
    _ body: (FrameNumber, UnsafeRawBufferPointer?) throws(ToolError) -> Bool
  ) throws(ToolError) -> Bool {
    guard let file = try file(of: part.segment) else { return true }
    let header = try header(of: part, file)
    let start =
      sound
      ? max(part.end, UInt64(SegmentHeader.byteCount))
      : UInt64(SegmentHeader.byteCount)
    var search = try onJournal { () throws(JournalError) in
      try SealSearch(in: file, salt: header.salt)
    }
    var memory = ByteWriter(capacity: 64 << 10)
    defer { extendLifetime(memory) }
    var offset = start
    while true {
      let found = try onJournal { () throws(JournalError) in
        try search.next(from: offset, after: last)
      }
      guard let (found, seal) = found else { return true }
      var place = FrameScanner.Place(header)
      place.offset = found
      place.expected = seal.number
      place.previousBodyCheck = UInt64(seal.previousBodyCheck)
      var scanner = try onJournal { () throws(JournalError) in
        try FrameScanner(file, header, from: place)
      }
      offset = found + 1
      // As long as one frame follows another, nothing need be looked for.
      var step = try onJournal { () throws(JournalError) in try scanner.next() }
      while case .frame(let frame) = step {
        offset = scanner.place.offset
        last = frame.seal.number
        let payload = frame.seal.kind == .batch ? frame.payload(in: &memory) : nil
        // It forgets places when pieces are not what they were.
        if payload != nil { journal.resume(at: place, in: part.segment.number) }
        guard try body(frame.seal.number, payload) else { return false }
        step = try onJournal { () throws(JournalError) in try scanner.next() }
      }
      if case .finding(let finding) = step, finding.kind.isOfNewerCode { throw ToolError(finding) }
    }
  }

  private func file(of segment: Manifest.Segment) throws(ToolError) -> (any ReadableFile)? {
    do throws(DiskError) {
      let folder = try survey.folder.folderForReading(JournalFiles.journalFolder)
      let name = segment.number.fileName
      guard try folder.information(of: name)?.kind == .file else { return nil }
      return try folder.fileForReading(name)
    } catch {
      guard error.code == .notFound else { throw ToolError(error) }
      return nil
    }
  }

  /// A segment's header: its own, or what another's and the manifest say it must have been.
  private func header(
    of part: JournalSurvey.Part, _ file: any ReadableFile
  ) throws(ToolError) -> SegmentHeader {
    if let header = part.header { return header }
    do throws(DiskError) {
      let bytes = try file.wholeContent(SegmentHeader.byteCount)
      if case .header(let header) = bytes.withUnsafeBytes({ SegmentHeader.read($0) }),
        header.store == survey.manifest.store, header.salt == part.segment.salt
      {
        return header
      }
    } catch {
      throw ToolError(error)
    }
    return MendedSegments.header(
      of: part.segment, in: survey.manifest, like: survey.parts.lazy.compactMap(\.header).first)
  }
}
