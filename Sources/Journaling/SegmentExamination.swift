internal import ByteCoding
package import DiskAccess

/// One segment walked from its header to where its frames end, and the verdict about its end.
package struct SegmentExamination {
  package let header: SegmentHeader
  package let verdict: TailVerdict
  /// Where the frames end.
  package let end: UInt64
  package let fileByteCount: UInt64
  package let lastFrame: FrameNumber
  package let lastBodyCheck: UInt64
  /// The number of the first edit that no frame holds.
  package let nextEdit: EditNumber
  /// What the segment's footer says, where it has one.
  package let sealing: Manifest.Sealing?
  /// Whether the last frame is an idle marker.
  package let endsIdle: Bool

  /// Walks a segment.
  ///
  /// - Parameters:
  ///   - previous: What is known of the segment before, which this one must continue.
  ///   - durableThrough: The newest frame that the manifest, the edit buffer or a checkpoint
  ///   says was durable.
  package init(
    _ segment: Manifest.Segment, after previous: Manifest.Sealing?, of store: StoreIdentity,
    in folder: any ReadableFolder, durableThrough: FrameNumber
  ) throws(JournalError) {
    let file = try segment.file(in: folder)
    // After a failed sync the system shows lost bytes as if they were there: ask the medium.
    try onDisk { () throws(DiskError) in try file.advise(.forget) }
    header = try segment.header(in: file, of: store, after: previous)
    var scanner = try FrameScanner(file, header)
    var lastBatch: SealedFrame?
    var endsIdle = false
    var step = try scanner.next()
    while case .frame(let frame) = step {
      endsIdle = frame.seal.kind == .idleMarker
      if frame.seal.kind == .batch { lastBatch = frame }
      step = try scanner.next()
    }
    end = scanner.place.offset
    fileByteCount = scanner.fileByteCount
    lastFrame = scanner.place.expected.previous
    lastBodyCheck = scanner.place.previousBodyCheck
    self.endsIdle = endsIdle
    nextEdit =
      try lastBatch.map { (frame) throws(JournalError) in
        try Self.nextEdit(after: frame, in: file, name: segment.number.path)
      } ?? header.firstEdit
    if case .footer = step {
      sealing = Manifest.Sealing(
        lastFrame: lastFrame, lastBodyCheck: lastBodyCheck,
        byteCount: end + UInt64(SegmentFooter.byteCount))
    } else {
      sealing = nil
    }
    verdict = try Self.judge(
      step, segment, header, file, at: scanner.place,
      durableThrough: durableThrough)
  }

  private static func judge(
    _ ending: FrameScanner.Step, _ segment: Manifest.Segment, _ header: SegmentHeader,
    _ file: any ReadableFile, at place: FrameScanner.Place, durableThrough: FrameNumber
  ) throws(JournalError) -> TailVerdict {
    let path = segment.number.path
    let (end, expected) = (place.offset, place.expected)
    var evidence = TailVerdict.Evidence(
      finding: nil,
      lost: Finding(.framesLost(through: durableThrough), path, at: end, expected: expected),
      durableThrough: durableThrough, badByteCount: 0, windowByteCount: header.windowByteCount,
      isSealed: segment.sealing != nil)
    if let sealing = segment.sealing {
      evidence.durableThrough = max(durableThrough, sealing.lastFrame)
      evidence.lost = Finding(
        expected > sealing.lastFrame ? .footerMissing : .framesLost(through: sealing.lastFrame),
        path, at: end, expected: expected)
    }
    switch ending {
    case .frame, .endOfFile, .zeros:
      break
    case .footer(let footer):
      if let sealing = segment.sealing {
        let finding = segment.finding(atFooter: sealing, place)
        return finding.map { .damaged($0, .segmentSealed) } ?? .whole
      }
      // A footer that ends the frames leaves nothing to decide, unless others know of more.
      if evidence.durableThrough <= footer.lastFrame { return .whole }
    case .finding(let finding):
      let survey = try TailSurvey(file, header, from: end, expected: expected)
      evidence.finding = finding
      evidence.durableThrough = max(evidence.durableThrough, survey.durableThrough)
      evidence.badByteCount = survey.end - end
    }
    return TailVerdict(evidence)
  }

  private static func nextEdit(
    after frame: SealedFrame, in file: any ReadableFile, name: String
  ) throws(JournalError) -> EditNumber {
    // The scanner has moved on: read the frame again.
    var window = try FileWindow(file)
    defer { extendLifetime(window) }
    let start = frame.offset + UInt64(Seal.byteCount)
    let lz4Frame = try window.bytes(at: start, Int(frame.seal.lz4FrameByteCount))
    var memory = ByteWriter()
    defer { extendLifetime(memory) }
    let again = SealedFrame(seal: frame.seal, offset: frame.offset, lz4Frame: lz4Frame)
    guard let payload = again.payload(in: &memory) else {
      throw .damaged(
        Finding(.frameMalformed, name, at: frame.offset, expected: frame.seal.number))
    }
    guard let batch = Batch(payload) else {
      throw .damaged(Finding(.batchMalformed, name, at: frame.offset, expected: frame.seal.number))
    }
    return batch.nextEdit
  }
}

extension Manifest.Segment {
  /// Opens the segment's file.
  ///
  /// - Parameter folder: the folder of the segments; nil where it is gone.
  func file(in folder: (any ReadableFolder)?) throws(JournalError) -> any ReadableFile {
    let missing = Finding(.segmentMissing, number.path, expected: firstFrame)
    guard let folder else { throw .damaged(missing) }
    do throws(DiskError) {
      return try folder.fileForReading(number.fileName)
    } catch {
      throw error.code == .notFound ? .damaged(missing) : .disk(error)
    }
  }

  /// Reads the segment's header and compares it with what the manifest says.
  func header(
    in file: any ReadableFile, of store: StoreIdentity, after previous: Manifest.Sealing?
  ) throws(JournalError) -> SegmentHeader {
    let bytes = try onDisk { () throws(DiskError) in
      try file.bytes(limit: SegmentHeader.byteCount)
    }
    switch bytes.withUnsafeBytes({ SegmentHeader.read($0) }) {
    case .damaged:
      throw .damaged(Finding(.segmentHeaderDamaged, number.path, expected: firstFrame))
    case .newer(let format, let features):
      let kind = Finding.Kind.segmentNewer(format: format, requiredFeatures: features)
      throw .newerFormat(Finding(kind, number.path))
    case .header(let header):
      guard header.store == store, header.number == number, header.salt == salt,
        header.firstFrame == firstFrame,
        previous.map({ $0.lastBodyCheck == header.previousBodyCheck }) ?? true
      else { throw .damaged(Finding(.segmentForeign, number.path, expected: firstFrame)) }
      return header
    }
  }

  func malformed(_ frame: SealedFrame, _ kind: Finding.Kind = .frameMalformed) -> Finding {
    Finding(kind, number.path, at: frame.offset, expected: frame.seal.number)
  }

  /// What is wrong about the end of a segment's frames; nil where nothing is.
  func finding(atEnd step: FrameScanner.Step, _ place: FrameScanner.Place) -> Finding? {
    if case .finding(let finding) = step { return finding }
    guard let sealing else { return nil }
    if case .footer = step { return finding(atFooter: sealing, place) }
    let kind: Finding.Kind =
      place.expected > sealing.lastFrame ? .footerMissing : .framesLost(through: sealing.lastFrame)
    return Finding(kind, number.path, at: place.offset, expected: place.expected)
  }

  /// What is wrong about a sealed segment whose footer is sound; nil where it is the manifest's segment.
  func finding(atFooter sealing: Manifest.Sealing, _ place: FrameScanner.Place) -> Finding? {
    let isOurs =
      place.expected.previous == sealing.lastFrame
      && place.previousBodyCheck == sealing.lastBodyCheck
      && place.offset + UInt64(SegmentFooter.byteCount) == sealing.byteCount
    if !isOurs {
      return Finding(.segmentForeign, number.path, at: place.offset, expected: place.expected)
    }
    return nil
  }
}
