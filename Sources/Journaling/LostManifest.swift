internal import DiskAccess

// What tells a journal that has lost its manifest, or its segments, from a place where there is none.

extension JournalError {
  static var manifestLost: JournalError {
    .damaged(Finding(.manifestMissing, JournalFiles.manifest))
  }
}

extension ReadableFolder {
  /// Whether a folder without a manifest is a store's all the same: there are frames in it, or edits. Nobody holds a
  /// lock; where a copy is being made there is no store yet.
  func hasLostManifest() throws(JournalError) -> Bool {
    let journalFolder = try onDisk { () throws(DiskError) -> (any ReadableFolder)? in
      guard try information(of: JournalFiles.copyMark) == nil,
        try information(of: JournalFiles.journalFolder)?.kind == .folder
      else { return nil }
      return try folderForReading(JournalFiles.journalFolder)
    }
    guard let journalFolder else { return false }
    let names = try onDisk { () throws(DiskError) in try journalFolder.names() }
    let segments = names.compactMap { SegmentNumber(fileName: $0) }
    guard !segments.isEmpty else { return false }
    if try EditBufferContents.hasContent(in: self) { return true }
    for segment in segments where try journalFolder.hasFrames(segment) { return true }
    return false
  }

  /// Whether a segment's file, in the folder of these, has anything behind its header.
  func hasFrames(_ segment: SegmentNumber) throws(JournalError) -> Bool {
    let name = segment.fileName
    let isThere = try onDisk { () throws(DiskError) in try information(of: name) }
    guard isThere != nil else { return false }
    let file = try onDisk { () throws(DiskError) in try fileForReading(name) }
    var window = try FileWindow(file)
    return try !window.onlyZerosFollow(from: UInt64(SegmentHeader.byteCount))
  }
}

/// Opens the folder of the segments; nil where it is gone.
func findJournalFolder<Folder>(
  _ open: () throws(DiskError) -> Folder
) throws(JournalError) -> Folder? {
  do throws(DiskError) {
    return try open()
  } catch {
    guard error.code == .notFound else { throw .disk(error) }
    return nil
  }
}
