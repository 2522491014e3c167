internal import ByteCoding
internal import DiskAccess

// The mark of a copy that is not whole. It stands in the copy's folder from before the first byte is copied
// until the last one is durable, and nothing but a copy's own files stands beside it.

extension DiskFolder {
  /// Marks the folder as one in which a copy is being made.
  func mark() throws(DiskError) {
    let file = try file(JournalFiles.copyMark, .emptied)
    let text = "A copy was begun here and did not come to its end. The next one may replace it.\n"
    var bytes = ByteWriter()
    bytes.write(Array(text.utf8))
    try bytes.withBytes { (bytes) throws(DiskError) in try file.write(bytes, at: 0) }
    // Its name is what counts; the text is for people.
    try sync()
  }

  func isMarked() throws(DiskError) -> Bool {
    try information(of: JournalFiles.copyMark) != nil
  }

  /// Says that the copy is whole.
  func unmark() throws(DiskError) {
    try remove(JournalFiles.copyMark)
    try sync()
  }

  /// Takes an unfinished copy away. Its mark and its folders stay, and the lock's file, which may be held. What a
  /// loss of power brings back of it belongs to nothing.
  ///
  /// - Parameter folders: those of the copy beside the journal's own.
  func clear(_ folders: [String]) throws(DiskError) {
    let names = try names()
    // Without a manifest it is no store, whatever else is still there.
    for name in [JournalFiles.manifest] where names.contains(name) {
      try remove(name)
      try sync()
    }
    for name in folders + [JournalFiles.journalFolder] where names.contains(name) {
      let folder = try folder(name)
      for file in try folder.names() where JournalFiles.isOfCopy(file, in: name) {
        try folder.remove(file)
      }
    }
    let files = [JournalFiles.newManifest, JournalFiles.edits, JournalFiles.newEdits]
    for name in files where names.contains(name) { try remove(name) }
  }
}

extension JournalFiles {
  /// Whether a copy may have made a file of this name in one of its folders.
  fileprivate static func isOfCopy(_ file: String, in folder: String) -> Bool {
    folder == journalFolder ? SegmentNumber(fileName: file) != nil : isAllowed(file)
  }
}

extension StorePlace {
  /// Refuses a folder that has anything but what a copy makes there.
  static func refuseAnythingElse(
    _ folder: any ReadableFolder, _ names: [String], _ folders: [String], _ path: String
  ) throws(JournalError) {
    let files = [
      JournalFiles.copyMark, JournalFiles.lock, JournalFiles.manifest, JournalFiles.newManifest,
      JournalFiles.edits, JournalFiles.newEdits,
    ]
    let folders = folders + [JournalFiles.journalFolder]
    let isOfCopy = try onDisk { () throws(DiskError) in
      for name in names where !files.contains(name) {
        guard folders.contains(name), try folder.information(of: name)?.kind == .folder else {
          return false
        }
        let inner = try folder.folderForReading(name)
        for file in try inner.names() {
          guard JournalFiles.isOfCopy(file, in: name),
            try inner.information(of: file)?.kind == .file
          else { return false }
        }
      }
      return true
    }
    guard isOfCopy else { throw .notAStore(path: path) }
  }
}
