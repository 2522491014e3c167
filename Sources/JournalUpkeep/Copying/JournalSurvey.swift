internal import ByteCoding
internal import DiskAccess
internal import JournalInspection
internal import Journaling
internal import ObjectModel
internal import ObjectStore

/// What of a journal's segments is sound, found by reading every frame of them. Nothing is changed for that, and somebody
/// may write meanwhile.
struct JournalSurvey {
  /// A segment, and how far it is sound.
  struct Part {
    let segment: Manifest.Segment
    /// Nil where it is not there, or does not begin as it should.
    let header: SegmentHeader?
    /// Where the sound frames end.
    let end: UInt64
    /// The last frame that is sound.
    let lastFrame: FrameNumber
    /// The edit behind those in its frames, as far as that can be told.
    let nextEdit: EditNumber
    /// What stands where more frames should be.
    let hole: Finding?
    /// The footer that belongs there, where nothing but that is damaged.
    private(set) var lostFooter: (bytes: [UInt8], finding: Finding)?
    /// Whether more is there, and not wanted.
    var isCut = false

    /// How many bytes of it are taken over.
    var byteCount: UInt64 {
      hole == nil && !isCut && lostFooter == nil ? segment.sealing?.byteCount ?? end : end
    }

    init(_ segment: Manifest.Segment, _ examination: SegmentExamination, hole: Finding?) {
      self.segment = segment
      var hole = hole
      if let finding = hole, let footer = Self.footer(of: segment, examination) {
        lostFooter = (footer, finding)
        hole = nil
      }
      header = examination.header
      end = examination.end
      lastFrame = examination.lastFrame
      nextEdit = examination.nextEdit
      self.hole = hole
    }

    /// The footer of a segment all of whose frames are sound; nil where more than that is damaged.
    private static func footer(
      of segment: Manifest.Segment, _ examination: SegmentExamination
    ) -> [UInt8]? {
      guard let sealing = segment.sealing, examination.lastFrame == sealing.lastFrame,
        examination.lastBodyCheck == sealing.lastBodyCheck,
        examination.end + UInt64(SegmentFooter.byteCount) == sealing.byteCount
      else { return nil }
      let last = EditNumber(examination.nextEdit.rawValue &- 1)
      let footer = SegmentFooter(of: segment, sealing, lastEdit: last)
      return footer.encoded(salt: segment.salt).withBytes { Array($0) }
    }

    /// A segment of which nothing can be told.
    init(_ segment: Manifest.Segment, lost hole: Finding) {
      self.segment = segment
      header = nil
      end = 0
      lastFrame = segment.firstFrame.previous
      nextEdit = EditNumber(1)
      self.hole = hole
    }

    /// A part up to a frame, without that.
    ///
    /// - Parameter hole: what is wrong with the frame; nil where it is only not wanted.
    init(_ part: Part, before frame: FrameNumber, at offset: UInt64, hole: Finding? = nil) {
      segment = part.segment
      header = part.header
      end = offset
      lastFrame = frame.previous
      nextEdit = part.nextEdit
      self.hole = hole
      isCut = true
    }
  }

  let folder: any ReadableFolder
  let manifest: Manifest
  private(set) var parts: [Part]
  /// The last frame of which it is known that it was durable.
  let durableThrough: FrameNumber

  /// - Parameter durableThrough: the last frame of which others than the manifest know that it was durable.
  init(
    _ manifest: Manifest, in folder: any ReadableFolder, durableThrough: FrameNumber = .none
  ) throws(ToolError) {
    self.folder = folder
    self.manifest = manifest
    let sealed = manifest.segments.compactMap(\.sealing?.lastFrame).max()
    self.durableThrough = max(durableThrough, manifest.durableThrough, sealed ?? .none)
    let segments = try Self.segmentFolder(in: folder)
    var parts: [Part] = []
    var previous: Manifest.Sealing?
    for segment in manifest.segments {
      parts.append(
        try Self.examine(
          segment, after: previous, of: manifest.store, in: segments,
          durableThrough: max(durableThrough, manifest.durableThrough)))
      previous = segment.sealing
    }
    self.parts = parts
  }

  private static func segmentFolder(
    in folder: any ReadableFolder
  ) throws(ToolError) -> (any ReadableFolder)? {
    do throws(DiskError) {
      return try folder.folderForReading(JournalFiles.journalFolder)
    } catch {
      guard error.code == .notFound else { throw ToolError(error) }
      return nil
    }
  }

  private static func examine(
    _ segment: Manifest.Segment, after previous: Manifest.Sealing?, of store: StoreIdentity,
    in folder: (any ReadableFolder)?, durableThrough: FrameNumber
  ) throws(ToolError) -> Part {
    let missing = Finding(
      .segmentMissing, JournalFiles.journalFolder + "/" + segment.number.fileName,
      expected: segment.firstFrame)
    guard let folder else { return Part(segment, lost: missing) }
    do throws(JournalError) {
      let examination = try SegmentExamination(
        segment, after: previous, of: store, in: folder, durableThrough: durableThrough)
      if case .damaged(let finding, _) = examination.verdict {
        return Part(segment, examination, hole: finding)
      }
      return Part(segment, examination, hole: nil)
    } catch {
      if case .damaged(let finding) = error { return Part(segment, lost: finding) }
      guard try folder.hasOther(segment.number.fileName) else { throw ToolError(StoreError(error)) }
      return Part(segment, lost: missing)
    }
  }

  /// Has what stands in a frame be damage, though its checks fit, as what it says cannot be.
  ///
  /// - Parameter journal: reads the frames.
  mutating func refuse(_ frame: FrameNumber, _ journal: JournalReader) throws(ToolError) {
    var found: Finding?
    let ending = try onJournal { () throws(JournalError) in
      try journal.forEachFrame(from: frame) {
        found = Finding(.frameMalformed, $0.segment.path, at: $0.offset, expected: frame)
        return false
      }
    }
    // A reader does not come to one whose edits and commits cannot be told apart.
    if ending.finding?.expected == frame { found = ending.finding }
    guard let found, let place = parts.firstIndex(where: { $0.segment.number.path == found.file })
    else { return }
    parts[place] = Part(parts[place], before: frame, at: found.offset, hole: found)
  }

  /// Everything that is wrong, in order.
  var findings: [Finding] { parts.compactMap { $0.hole ?? $0.lostFooter?.finding } }

  /// Refuses what newer code has written: that is no damage, and only newer code can read it.
  func refuseNewer() throws(ToolError) {
    for case let hole? in parts.map(\.hole) where hole.kind.isOfNewerCode { throw ToolError(hole) }
  }

  /// Refuses what is not sound.
  func refuseUnsound() throws(ToolError) {
    try refuseNewer()
    let unlisted = try onJournal { () throws(JournalError) in
      try manifest.unlistedSegment(in: folder)
    }
    guard let hole = findings.first ?? unlisted else { return }
    throw ToolError(.damage, "the journal is damaged in \(hole).")
  }

  /// The place of the first part that is not whole.
  var firstHole: Int? { parts.firstIndex { $0.hole != nil } }

  /// Whether the journal has everything there ever was.
  var goesBackToBeginning: Bool { manifest.segments[0].firstFrame == FrameNumber(1) }
}
