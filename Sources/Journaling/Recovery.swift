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
  /// How many edits were in the edit buffer and in no frame; a frame holds them now.
  package var recoveredEditCount = 0

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
    let journalFolder = try openJournalFolder()
    try checkSealedSegments(manifest, journalFolder, first)
    try refuseUnlistedSegment(manifest, journalFolder)
    var edits = try EditBufferContents(in: folder, store: manifest.store)
    if let newer = edits.findings.first(where: \.kind.isOfNewerCode) { throw .newerFormat(newer) }
    let active = manifest.segments[manifest.segments.count - 1]
    let examination = try SegmentExamination(
      active, after: manifest.segments.dropLast().last?.sealing, of: manifest.store,
      in: journalFolder,
      durableThrough: max(manifest.durableThrough, knownDurable, edits.durableThrough))
    let segment = try accept(examination, journalFolder)
    let appender = FrameAppender(
      disk: disk, folder: folder, journalFolder: journalFolder, options: options,
      segment: segment, manifest: manifest, nextEdit: examination.nextEdit,
      endsIdle: examination.endsIdle)
    try sealLeftoverEdits(&edits, appender)
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
  func replaceEditBuffer(of store: StoreIdentity) throws(DiskError) -> EditBuffer {
    let buffer = try EditBuffer.make(
      in: folder, store: store, salt: try disk.randomNumber(), halfByteCount: options.halfByteCount)
    try folder.rename(JournalFiles.newEdits, to: JournalFiles.edits)
    try folder.sync()
    return buffer
  }

  private func openJournalFolder() throws(JournalError) -> any DiskFolder {
    do throws(DiskError) {
      return try folder.folder(JournalFiles.journalFolder)
    } catch {
      guard error.code == .notFound else { throw .disk(error) }
      throw .damaged(Finding(.segmentMissing, JournalFiles.journalFolder))
    }
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
        if case .damaged(let finding, _) = examination.verdict { throw .damaged(finding) }
      }
      previous = sealing
    }
  }

  /// The segment after the last may be there from an attempt to begin it, but then it has no frames.
  private func refuseUnlistedSegment(
    _ manifest: Manifest, _ journalFolder: any DiskFolder
  ) throws(JournalError) {
    let next = manifest.segments[manifest.segments.count - 1].number.next
    if try hasContent(next, in: journalFolder) {
      throw .damaged(Finding(.segmentUnlisted, next.path))
    }
  }

  /// Whether a segment's file has anything behind its header.
  func hasContent(
    _ number: SegmentNumber, in journalFolder: any DiskFolder
  ) throws(JournalError) -> Bool {
    let name = number.fileName
    let isThere = try onDisk { () throws(DiskError) in try journalFolder.information(of: name) }
    guard isThere != nil else { return false }
    let file = try onDisk { () throws(DiskError) in try journalFolder.fileForReading(name) }
    var window = try FileWindow(file)
    return try !window.onlyZerosFollow(from: UInt64(SegmentHeader.byteCount))
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
      if finding.kind.isOfNewerCode { throw .newerFormat(finding) }
      throw .damaged(finding)
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

  /// Copies a torn tail aside before it is cut.
  ///
  /// - Returns: the file it was copied to.
  private func saveTail(
    of file: any DiskFile, _ name: String, from offset: UInt64, _ byteCount: UInt64
  ) throws(JournalError) -> String {
    var window = try FileWindow(file)
    return try save(as: "\(name.dropLast(3))-\(offset)") { (saved) throws(JournalError) in
      var position = offset
      while position < offset + byteCount {
        let rest = offset + byteCount - position
        let bytes = try window.bytes(at: position, Int(min(rest, 1 << 20)))
        if bytes.isEmpty { break }
        _ = try onDisk { () throws(DiskError) in try saved.append(bytes) }
        position += UInt64(bytes.count)
      }
    }
  }

  /// Keeps what recovery takes out of the store, durably, in a file of its own, which has its name once it
  /// is whole.
  ///
  /// - Returns: the file it was copied to.
  private func save(
    as name: String, _ write: (any DiskFile) throws(JournalError) -> Void
  ) throws(JournalError) -> String {
    let recovered = JournalFiles.recoveredFolder
    var copy = 1
    let (target, saved) = try onDisk { () throws(DiskError) in
      if try folder.information(of: recovered) == nil { try folder.makeFolder(recovered) }
      let target = try folder.folder(recovered)
      while try target.information(of: "\(name)-\(copy)") != nil { copy += 1 }
      return (target, try target.file(JournalFiles.newSaved, .emptied))
    }
    try write(saved)
    try onDisk { () throws(DiskError) in
      try saved.sync()
      try target.rename(JournalFiles.newSaved, to: "\(name)-\(copy)")
      try target.sync()
      try folder.sync()
    }
    return "\(recovered)/\(name)-\(copy)"
  }

  /// Puts the edits that only the buffer holds into a frame, so that a new buffer can take its place.
  private mutating func sealLeftoverEdits(
    _ edits: inout EditBufferContents, _ appender: FrameAppender
  ) throws(JournalError) {
    var leftover: [(bytes: [UInt8], isSpan: Bool)] = []
    let lastFrame = appender.lastFrame
    edits.forEachUnsealedEdit(from: appender.nextEdit) { bytes, isSpan in
      // After a power loss, an edit may be there whose pieces are not: it and what follows is a hole.
      if isSpan, !(Span(bytes).map { $0.lastFrame <= lastFrame } ?? false) { return false }
      leftover.append((Array(bytes), isSpan))
      return true
    }
    report.recoveredEditCount = leftover.count
    try onDisk { () throws(DiskError) in
      var rest = leftover[...]
      while !rest.isEmpty { try sealFirst(of: &rest, appender) }
      try appender.sync()
    }
  }

  /// Puts as many edits into one frame as a batch should hold.
  private func sealFirst(
    of edits: inout ArraySlice<(bytes: [UInt8], isSpan: Bool)>, _ appender: FrameAppender
  ) throws(DiskError) {
    var entries = ByteWriter()
    var count: UInt64 = 0
    while let edit = edits.first, entries.byteCount < options.largestCommitByteCount {
      var bytes = ByteWriter()
      bytes.write(edit.bytes)
      if edit.bytes.count > options.largestCommitByteCount {
        let span = try bytes.withBytes { (bytes) throws(DiskError) in
          try appender.appendPieces(bytes)
        }
        bytes.removeAll()
        span.write(to: &bytes)
        entries.writeEntry(bytes, isSpan: true)
      } else {
        entries.writeEntry(bytes, isSpan: edit.isSpan)
      }
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
