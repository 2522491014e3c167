internal import ByteCoding
internal import DiskAccess
internal import JournalInspection
internal import Journaling
internal import ObjectStore

// How a repair reads the original: its manifest and its unsaved edits, and what a reader can tell of it.
extension Repair {
  /// Opens the original, and reads the edits that no frame has.
  mutating func openWithEdits() throws(ToolError) -> (
    any ReadableFolder, Manifest, Result<LeftoverEdits, ToolError>
  ) {
    try JournalCopy.openingWithEdits { () throws(ToolError) in
      noted = []
      return try openOriginal()
    }
  }

  private mutating func openOriginal() throws(ToolError) -> (any ReadableFolder, Manifest) {
    do throws(JournalError) {
      let reader = try JournalReader(at: path, on: source)
      if try reader.manifest.unlistedSegment(in: reader.folder) != nil,
        let whole = try? LostManifest.make(in: reader.folder),
        Self.leads(whole, beyond: reader.manifest),
        // Nobody has named them meanwhile.
        try JournalReader(in: reader.folder, path: path).manifest == reader.manifest
      {
        noted.append("\(JournalFiles.manifest): an older one, without the last segments")
        isManifestLost = true
        return (reader.folder, whole)
      }
      return (reader.folder, reader.manifest)
    } catch {
      guard let folder = try? source.folderForReading(at: path) else {
        throw JournalCopy.refusal(path, error, on: source)
      }
      if case .damaged(let finding) = error {
        noted.append("\(finding)")
      } else if try folder.hasOther(JournalFiles.manifest) {
        noted.append("\(JournalFiles.manifest): no file")
      } else {
        throw JournalCopy.refusal(path, error, on: source)
      }
      isManifestLost = true
      return (folder, try LostManifest.make(in: folder))
    }
  }

  /// Whether a manifest that was put together goes on from another, and has more.
  private static func leads(_ whole: Manifest, beyond manifest: Manifest) -> Bool {
    guard whole.store == manifest.store, let last = manifest.segments.last,
      let same = whole.segments.first(where: { $0.number == last.number })
    else { return false }
    return same.firstFrame == last.firstFrame && whole.segments.last?.number != last.number
  }

  /// Whether a writer has replaced the state meanwhile, or dropped segments, so that files may be gone which a manifest names.
  func isReplaced(_ manifest: Manifest, in folder: any ReadableFolder) -> Bool {
    guard !isManifestLost, let newer = try? JournalReader(in: folder, path: path).manifest else {
      return false
    }
    return newer.replaces(manifest)
  }

  /// A reader of the original, which shows what is behind the damaged place where a state was kept there; at least that
  /// state.
  func reader(
    _ survey: JournalSurvey, _ plan: RepairPlan
  ) throws(ToolError) -> StoreReader? {
    if let reader = try reader(in: original(survey)) { return reader }
    guard plan.keptThrough > .none else { return nil }
    let number = survey.manifest.segments.last?.number.next ?? SegmentNumber(1)
    let empty = try EmptyJournal(
      behind: plan.keptThrough, EditNumber(1), as: number, of: survey.manifest.store,
      survey.manifest.attachments, salt: 0)
    let files = [
      JournalFiles.manifest: empty.manifest.encoded().withBytes { Array($0) },
      "\(JournalFiles.journalFolder)/\(number.fileName)": empty.header.encoded().withBytes {
        Array($0)
      },
    ]
    return try reader(in: SuppliedFolder(survey.folder, files))
  }

  private func reader(in folder: any ReadableFolder) throws(ToolError) -> StoreReader? {
    do throws(StoreError) {
      return try StoreReader(on: SuppliedDisk(folder, on: source), at: path)
    } catch {
      guard [.damaged, .disk, .commitMissing].contains(error.code) else { throw ToolError(error) }
      return nil
    }
  }

  /// The original with its manifest, also where that was put together.
  private func original(_ survey: JournalSurvey) -> SuppliedFolder {
    SuppliedFolder(
      survey.folder,
      [JournalFiles.manifest: survey.manifest.encoded().withBytes { Array($0) }])
  }

  /// Reads frames of the original by their places.
  func journal(_ survey: JournalSurvey) throws(ToolError) -> JournalReader {
    try onJournal { () throws(JournalError) in try JournalReader(in: original(survey), path: path) }
  }
}
