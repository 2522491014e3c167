internal import ByteCoding
internal import DiskAccess
internal import JournalInspection
internal import Journaling
internal import ObjectModel
internal import ObjectStore

/// A copy of a journal's files, made by reading them, so that the original is neither locked nor changed, and somebody may
/// write it meanwhile.
struct JournalCopy {
  private let place: NewPlace

  init(in place: NewPlace) { self.place = place }

  /// Copies the whole of a sound journal, with what is not saved, to where there is nothing. Where that cannot be read, all
  /// that was saved is copied nevertheless.
  ///
  /// - Parameter source: the disk as it is read.
  /// - Returns: where it is now, not whole before it has been read, and what is not in it.
  /// - Throws: where it is damaged, or newer code has written some of it, before anything is made.
  static func make(
    of path: String, at newPath: String, on disk: any Disk, reading source: any ReadableDisk
  ) throws(ToolError) -> (place: NewPlace, lost: LeftoverEdits.Loss) {
    var made: NewPlace?
    do throws(ToolError) {
      return try make(of: path, reading: source, at: &made) { () throws(ToolError) in
        try NewPlace(newPath, on: disk)
      }
    } catch {
      throw made?.gaveUp(because: error) ?? error
    }
  }

  /// Makes the copy at a place that is made once the original is known to be sound; anew where somebody has compacted the
  /// original meanwhile.
  private static func make(
    of path: String, reading source: any ReadableDisk, at made: inout NewPlace?,
    _ makePlace: () throws(ToolError) -> NewPlace
  ) throws(ToolError) -> (place: NewPlace, lost: LeftoverEdits.Loss) {
    var attempt = 0
    while true {
      attempt += 1
      let (folder, manifest, read) = try openingWithEdits { () throws(ToolError) in
        let held = try HeldState.open(path, on: source)
        return (held.folder, held.reader.manifest)
      }
      do throws(ToolError) {
        let edits = try read.get()
        let survey = try JournalSurvey(manifest, in: folder, durableThrough: edits.durableThrough)
        try survey.refuseUnsound()
        let place = if let made { made } else { try makePlace() }
        made = place
        var lost = try edits.loss(behind: survey)
        if try folder.isMarkedUnfinished() { lost.doubts.append(Self.unfinished) }
        lost.findings =
          try JournalCopy(in: place).copyAll(survey, edits.bytes(behind: survey)) + lost.findings
        return (place, lost)
      } catch {
        // Somebody may have compacted it meanwhile.
        let isReplaced = (try? reader(of: path, on: source))?.manifest.replaces(manifest)
        guard isReplaced == true, error.status != .cannotCreate, attempt < 10 else { throw error }
        try made?.clear()
      }
    }
  }

  /// What is told of a journal that has the mark of a copy in the making.
  static let unfinished =
    "the journal is a copy that did not come to its end, and may lack something; make it anew"

  /// Opens a journal, and reads the edits that no frame has: before the segments, so that these have every edit that has
  /// left the buffer since, and those segments that there were then.
  static func openingWithEdits(
    _ open: () throws(ToolError) -> (any ReadableFolder, Manifest)
  ) throws(ToolError) -> (any ReadableFolder, Manifest, Result<LeftoverEdits, ToolError>) {
    var attempt = 0
    while true {
      attempt += 1
      let (folder, manifest) = try open()
      let edits = Result { () throws(ToolError) in try LeftoverEdits(in: folder, of: manifest) }
      // A writer may go on to another segment meanwhile, and put edits there.
      if case .success(let edits) = edits, edits.isAhead, attempt < 10 { continue }
      return (folder, manifest, edits)
    }
  }

  /// - Returns: what is damaged and made anew.
  private func copyAll(_ survey: JournalSurvey, _ edits: [UInt8]?) throws(ToolError) -> [String] {
    try write(edits: edits)
    let copied = try onStore { () throws(StoreError) in
      try Checkpoint.copyFiles(survey.manifest, in: survey.folder, to: place.folder)
    }
    try copy(survey.parts[0...], of: survey, copied.attachments)
    return copied.findings.map { "\($0)" }
  }

  static func reader(of path: String, on disk: any ReadableDisk) throws(ToolError) -> JournalReader
  {
    do throws(JournalError) {
      return try JournalReader(at: path, on: disk)
    } catch {
      throw refusal(path, error, on: disk)
    }
  }

  /// Why a journal cannot be read.
  static func refusal(
    _ path: String, _ error: JournalError, on disk: any ReadableDisk
  ) -> ToolError {
    do throws(ToolError) {
      try Request.refuseNoFolder(path, on: disk)
    } catch {
      return error
    }
    return ToolError(StoreError(error))
  }

  /// The edits that no frame has yet, as their file has them; nil where there is none.
  static func edits(in folder: any ReadableFolder) throws(ToolError) -> [UInt8]? {
    do throws(DiskError) {
      guard let file = try folder.information(of: JournalFiles.edits) else { return nil }
      let byteCount = min(Int(clamping: file.byteCount), Limits.editBufferByteCount)
      return try folder.fileForReading(JournalFiles.edits).wholeContent(byteCount)
    } catch {
      throw ToolError(error)
    }
  }

  /// - Parameter edits: nil where there are none.
  func write(edits: [UInt8]?) throws(ToolError) {
    guard let edits else { return }
    // Somebody may have emptied the file.
    var writer = ByteWriter(capacity: max(edits.count, 1))
    writer.write(edits)
    try onDisk { () throws(DiskError) in
      try place.folder.write(writer, as: JournalFiles.edits)
    }
  }

  /// Copies segments as far as they are sound, the last of which is the one to go on with, and the manifest that names
  /// them.
  func copy(
    _ parts: ArraySlice<JournalSurvey.Part>, of survey: JournalSurvey,
    _ attachments: [Manifest.Attachment]
  ) throws(ToolError) {
    var manifest = survey.manifest
    manifest.attachments = attachments
    manifest.generation += 1
    manifest.segments = parts.map(\.segment)
    manifest.segments[manifest.segments.count - 1].sealing = nil
    manifest.durableThrough = parts.last?.lastFrame ?? .none
    try onDisk { () throws(DiskError) in
      let source = try survey.folder.folderForReading(JournalFiles.journalFolder)
      let target = try makeJournalFolder()
      for part in parts {
        let name = part.segment.number.fileName
        try source.copy(name, to: target, through: part.byteCount)
        guard let footer = part.lostFooter?.bytes else { continue }
        let file = try target.file(name, .existing)
        var writer = ByteWriter(capacity: footer.count)
        writer.write(footer)
        try writer.withBytes { (bytes) throws(DiskError) in try file.write(bytes, at: part.end) }
        try file.sync()
      }
      try target.sync()
      try place.folder.write(manifest.encoded(), as: JournalFiles.manifest)
      try place.folder.sync()
    }
  }

  /// Makes a journal without a frame, for a state that has all frames up to one in it and nothing that follows them.
  func begin(
    behind last: FrameNumber, _ nextEdit: EditNumber, as number: SegmentNumber,
    of store: StoreIdentity, _ attachments: [Manifest.Attachment], salt: UInt64
  ) throws(ToolError) {
    let empty = try EmptyJournal(
      behind: last, nextEdit, as: number, of: store, attachments, salt: salt)
    try onDisk { () throws(DiskError) in
      let target = try makeJournalFolder()
      try target.write(empty.header.encoded(), as: number.fileName)
      try target.sync()
      try place.folder.write(empty.manifest.encoded(), as: JournalFiles.manifest)
      try place.folder.sync()
    }
  }

  private func makeJournalFolder() throws(DiskError) -> any DiskFolder {
    try place.folder.makeFolder(JournalFiles.journalFolder)
    return try place.folder.folder(JournalFiles.journalFolder)
  }

  private func onDisk(_ body: () throws(DiskError) -> Void) throws(ToolError) {
    do throws(DiskError) {
      try body()
    } catch {
      throw ToolError(.inputOutput, error.description)
    }
  }
}

extension ReadableFolder {
  /// Whether a journal has the mark of a copy that did not come to its end.
  func isMarkedUnfinished() throws(ToolError) -> Bool {
    do throws(DiskError) {
      return try information(of: JournalFiles.copyMark) != nil
    } catch {
      throw ToolError(error)
    }
  }
}

extension Manifest {
  /// Whether the state was replaced since another was read, or segments were dropped.
  func replaces(_ older: Manifest) -> Bool {
    segments[0] != older.segments[0] || attachments != older.attachments
  }
}

extension DiskFolder {
  /// Writes the whole of a file, durably; its name is not synced.
  fileprivate func write(_ content: borrowing ByteWriter, as name: String) throws(DiskError) {
    let file = try file(name, .emptied)
    try content.withBytes { (bytes) throws(DiskError) in try file.write(bytes, at: 0) }
    try file.sync()
  }
}
