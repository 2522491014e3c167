package import DiskAccess

// What tells a journal that has lost its manifest, or its segments, from a place where there is none.

extension JournalError {
  static var manifestLost: JournalError {
    .damaged(Finding(.manifestMissing, JournalFiles.manifest))
  }
}

/// What stands in a folder that has no manifest.
enum Remains {
  /// Frames or edits, which only a store has.
  case ofStore
  /// Files of somebody else, or of a copy that is not whole.
  case ofOthers
  /// Nothing, or what an attempt to make a store has left.
  case ofNothing
}

extension JournalFiles {
  /// What a store without a manifest may hold: what an attempt to make one leaves, or what is left when
  /// the manifest is lost.
  static let leftovers: Set = [
    lock, newManifest, edits, newEdits, journalFolder, recoveredFolder,
  ]
}

extension ReadableFolder {
  /// Whether a folder is a store's that has lost its manifest. Nobody need hold a lock for that: a store that is
  /// being made has its manifest before it has frames or edits.
  func hasLostManifest() throws(JournalError) -> Bool {
    guard case .ofStore = try remains() else { return false }
    return try onDisk { () throws(DiskError) in
      try information(of: JournalFiles.manifest) == nil
    }
  }

  /// What a folder is that was seen to have no manifest. What stands beside a journal may be of the rooms above, but
  /// then there is a segment. Where a copy is being made there is no store yet.
  func remains() throws(JournalError) -> Remains {
    let names = try onDisk { () throws(DiskError) in try self.names() }
    let segments = try onDisk { () throws(DiskError) in
      try information(of: JournalFiles.journalFolder)
    }
    let isFolder = segments.map { $0.kind == .folder } ?? true
    guard isFolder, !names.contains(JournalFiles.copyMark) else { return .ofOthers }
    var isAlone = names.allSatisfy(JournalFiles.leftovers.contains)
    var hasFrames = false
    var hasSegments = false
    if segments != nil {
      let journalFolder = try onDisk { () throws(DiskError) in
        try folderForReading(JournalFiles.journalFolder)
      }
      for name in try onDisk({ () throws(DiskError) in try journalFolder.names() }) {
        guard let segment = SegmentNumber(fileName: name) else {
          isAlone = false
          continue
        }
        hasSegments = true
        if !hasFrames { hasFrames = try journalFolder.hasFrames(segment) }
      }
    }
    guard isAlone || hasSegments else { return .ofOthers }
    if try hasFrames ? true : EditBufferContents.hasContent(in: self) { return .ofStore }
    return isAlone ? .ofNothing : .ofOthers
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

extension Manifest {
  /// A segment of the store with frames, behind the last that is named here, which the manifest in the folder does not come
  /// to name either: this one is older than what stands beside it. Nil where there is none.
  package func unlistedSegment(in folder: any ReadableFolder) throws(JournalError) -> Finding? {
    let found = try findJournalFolder { () throws(DiskError) in
      try folder.folderForReading(JournalFiles.journalFolder)
    }
    guard let found, let last = segments.last?.number else { return nil }
    let names = try onDisk { () throws(DiskError) in try found.names() }
    for number in names.compactMap({ SegmentNumber(fileName: $0) }).sorted() where number > last {
      guard try found.hasSegment(number, of: store) else { continue }
      // A writer may have gone on to it meanwhile.
      guard case .manifest(self) = try ManifestFile.read(in: folder) else { return nil }
      return Finding(.segmentUnlisted, number.path)
    }
    return nil
  }
}

extension ReadableFolder {
  /// Whether a file, in the folder of segments, says of itself that it is a segment of a store, and has frames. A writer that
  /// finds no room for one may take it away meanwhile.
  fileprivate func hasSegment(
    _ number: SegmentNumber, of store: StoreIdentity
  ) throws(JournalError) -> Bool {
    do throws(JournalError) {
      let bytes = try onDisk { () throws(DiskError) in
        try fileForReading(number.fileName).bytes(limit: SegmentHeader.byteCount)
      }
      guard case .header(let header) = bytes.withUnsafeBytes({ SegmentHeader.read($0) }),
        header.store == store, header.number == number
      else { return false }
      return try hasFrames(number)
    } catch {
      guard case .disk(let cause) = error, cause.code == .notFound || cause.meetsNoFile else {
        throw error
      }
      return false
    }
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
