internal import ByteCoding
internal import DiskAccess

/// What opening a journal found and did.
package struct RecoveryReport: Hashable, Sendable {
  package init() {}

  /// What was not as it should be, and did not keep the journal from opening.
  package var findings: [Finding] = []
  /// The tail that was cut, and the file it was copied to.
  package var tornTail: TornTail?
  /// The file the edit buffer was copied to, where some of it could not be read.
  package var editBufferSavedAs: String?
  /// What openings before this one kept, which then came to no good end: nobody was told of these files.
  package var savedEarlier: [String] = []
  /// How many edits were in the edit buffer and in no frame; a frame holds them now.
  package var recoveredEditCount = 0

  /// All files that were kept and nobody was told of yet.
  package var savedFiles: [String] {
    [tornTail?.savedAs, editBufferSavedAs].compactMap(\.self) + savedEarlier
  }

  /// Bytes behind the last whole frame, of a write that did not come to its end.
  package struct TornTail: Hashable, Sendable {
    package let finding: Finding
    package let byteCount: UInt64
    package let savedAs: String
  }
}

/// Brings the files of a journal that exists into the state to write on. Every step may be broken off
/// and taken again.
struct Recovery {
  let disk: any Disk
  let folder: any DiskFolder
  let options: JournalOptions
  var report = RecoveryReport()

  /// Examines, decides, and acts: the torn tail is saved and cut, the accepted tail is synced, and the
  /// edits that only the buffer holds are put into a frame.
  mutating func recover(
    _ manifest: Manifest, knownDurable: FrameNumber, checkingFrom first: FrameNumber?
  ) throws(JournalError) -> FrameAppender {
    let found = try findJournalFolder { () throws(DiskError) in
      try folder.folder(JournalFiles.journalFolder)
    }
    guard let journalFolder = found else {
      throw .damaged(Finding(.segmentMissing, JournalFiles.journalFolder))
    }
    try checkSealedSegments(manifest, journalFolder, first)
    try refuseUnlistedSegment(manifest, journalFolder)
    var edits = try EditBufferContents(in: folder, store: manifest.store)
    if let newer = edits.findings.first(where: \.kind.isOfNewerCode) { throw .newerFormat(newer) }
    let active = manifest.segments[manifest.segments.count - 1]
    let examination = try SegmentExamination(
      active, after: manifest.segments.dropLast().last?.sealing, of: manifest.store,
      in: journalFolder,
      durableThrough: max(manifest.durableThrough, knownDurable, edits.durableThrough))
    if case .damaged(let finding, _) = examination.verdict { throw JournalError(refusing: finding) }
    // Read before anything is changed: the segments with their pieces may be damaged.
    let leftover = try leftoverEdits(&edits, from: examination.nextEdit)
    let segment = try accept(examination, journalFolder)
    let appender = FrameAppender(
      disk: disk, folder: folder, journalFolder: journalFolder, options: options,
      segment: segment, manifest: manifest, nextEdit: examination.nextEdit,
      endsIdle: examination.endsIdle)
    try seal(leftover, appender)
    report.recoveredEditCount = leftover.count
    report.findings += edits.findings
    if !edits.findings.isEmpty, !edits.bytes.isEmpty {
      var bytes = ByteWriter(capacity: edits.bytes.count)
      bytes.write(edits.bytes)
      report.editBufferSavedAs = try save(as: JournalFiles.edits) { (saved) throws(JournalError) in
        try bytes.withBytes { (bytes) throws(JournalError) in
          try onDisk { () throws(DiskError) in _ = try saved.append(bytes) }
        }
      }
    }
    return appender
  }

  /// Puts an empty edit buffer in the place of the one there is, and makes the names in the folder durable.
  func replaceEditBuffer(
    of store: StoreIdentity, durableThrough: FrameNumber
  ) throws(DiskError) -> EditBuffer {
    let buffer: EditBuffer
    do throws(DiskError) {
      buffer = try EditBuffer.make(
        in: folder, store: store, salt: try disk.randomNumber(),
        halfByteCount: options.halfByteCount, durableThrough: durableThrough)
      try folder.rename(JournalFiles.newEdits, to: JournalFiles.edits)
    } catch {
      removeAttempt(JournalFiles.newEdits, in: folder, after: error)
      throw error
    }
    try folder.sync()
    return buffer
  }

  /// Takes away what a step has left that found no room: the next attempt may need the room.
  func removeAttempt(_ name: String, in folder: any DiskFolder, after error: DiskError) {
    if error.leavesJournalWhole, !error.isRefusal { try? folder.remove(name) }
  }

  /// Every sealed segment must be there in its whole length; those with frames from `first` on are read.
  private func checkSealedSegments(
    _ manifest: Manifest, _ journalFolder: any DiskFolder, _ first: FrameNumber?
  ) throws(JournalError) {
    var previous: Manifest.Sealing?
    for (segment, sealing) in manifest.sealedSegments {
      let information = try onDisk { () throws(DiskError) in
        try journalFolder.information(of: segment.number.fileName)
      }
      let place = (path: segment.number.path, frame: segment.firstFrame)
      guard let information else {
        throw .damaged(Finding(.segmentMissing, place.path, expected: place.frame))
      }
      guard information.byteCount >= sealing.byteCount else {
        throw .damaged(Finding(.segmentCutShort, place.path, at: information.byteCount))
      }
      if let first, sealing.lastFrame >= first {
        let examination = try SegmentExamination(
          segment, after: previous, of: manifest.store, in: journalFolder,
          durableThrough: sealing.lastFrame)
        if case .damaged(let finding, _) = examination.verdict {
          throw JournalError(refusing: finding)
        }
      }
      previous = sealing
    }
  }

  /// The segment after the last may be there from an attempt to begin it, but then it has no frames.
  private func refuseUnlistedSegment(
    _ manifest: Manifest, _ journalFolder: any DiskFolder
  ) throws(JournalError) {
    let next = manifest.segments[manifest.segments.count - 1].number.next
    if try journalFolder.hasFrames(next) {
      throw .damaged(Finding(.segmentUnlisted, next.path))
    }
  }

  /// Acts on the verdict about the active segment, and makes what is accepted durable.
  private mutating func accept(
    _ examination: SegmentExamination, _ journalFolder: any DiskFolder
  ) throws(JournalError) -> ActiveSegment {
    let name = examination.header.number.fileName
    let file = try onDisk { () throws(DiskError) in try journalFolder.file(name, .existing) }
    var fileByteCount = examination.fileByteCount
    var end = examination.end
    switch examination.verdict {
    case .damaged(let finding, _):
      throw JournalError(refusing: finding)
    case .torn(let finding, let byteCount):
      let savedAs = try saveTail(of: file, name, from: end, byteCount)
      report.tornTail = RecoveryReport.TornTail(
        finding: finding, byteCount: byteCount, savedAs: savedAs)
      fileByteCount = end
    case .whole:
      if let sealing = examination.sealing {
        (end, fileByteCount) = (sealing.byteCount, sealing.byteCount)
      }
    }
    let mustCut = fileByteCount < examination.fileByteCount
    try onDisk { () throws(DiskError) in
      if mustCut { try file.resize(to: fileByteCount) }
      try file.sync()
    }
    return ActiveSegment(
      file, examination.header, end: end, fileByteCount: fileByteCount,
      lastFrame: examination.lastFrame, lastBodyCheck: examination.lastBodyCheck,
      sealing: examination.sealing, preallocatedByteCount: options.preallocatedByteCount)
  }
}
