internal import DiskAccess
internal import Journaling
internal import ObjectModel

extension CheckpointFiles {
  /// Copies the files that a manifest's attachments name into the folder of another store, and reads the copies.
  ///
  /// - Returns: the copy's attachments: only those of newer code where a run is damaged that the copy's journal can
  ///   make anew, and none of an index run that is damaged.
  func copy(
    _ manifest: Manifest, to target: any DiskFolder
  ) throws(StoreError) -> [Manifest.Attachment] {
    try Self.copy(manifest, from: folder, to: target, cache: cache)
  }

  /// The same from a folder of checkpoints that is only read.
  static func copy(
    _ manifest: Manifest, from folder: any ReadableFolder, to target: any DiskFolder,
    cache: BlockCache
  ) throws(StoreError) -> [Manifest.Attachment] {
    let attachments = manifest.attachments
    guard !attachments.isEmpty else { return [] }
    let copies = try onDiskOfStore { () throws(DiskError) in
      if try target.information(of: Checkpoint.folderName) == nil {
        try target.makeFolder(Checkpoint.folderName)
      }
      let copies = try target.folder(Checkpoint.folderName)
      // Newer code may attach what has no file here.
      for name in manifest.unknownAttachments.map(\.fileName)
      where try folder.information(of: name) != nil {
        try folder.copy(name, to: copies)
      }
      return copies
    }
    do throws(StoreError) {
      for name in attachments.filter(\.isKnown).map(\.fileName) {
        try onDiskOfStore(missing: .runMissing(name)) { () throws(DiskError) in
          try folder.copy(name, to: copies)
        }
      }
      try onDiskOfStore { () throws(DiskError) in try copies.sync() }
      _ = try Checkpoint.read(manifest, in: target)
      for attachment in attachments where attachment.kind == Checkpoint.runKind {
        try onRun { () throws(RunError) in
          try Run(attachment.fileName, in: copies, store: manifest.store, cache: cache).verify()
        }
      }
      let unsound = try takeAwayUnsoundIndexRuns(manifest, in: copies, cache)
      return attachments.filter { !unsound.contains($0) }
    } catch {
      guard error.code == .damaged, manifest.goesBackToBeginning else { throw error }
      return manifest.unknownAttachments
    }
  }

  /// Reads copies of index runs, and removes those that are damaged: the copy makes its indexes anew of the rows.
  private static func takeAwayUnsoundIndexRuns(
    _ manifest: Manifest, in copies: any DiskFolder, _ cache: BlockCache
  ) throws(StoreError) -> [Manifest.Attachment] {
    var unsound: [Manifest.Attachment] = []
    for attachment in manifest.attachments where attachment.kind == Checkpoint.indexRunKind {
      do throws(RunError) {
        try IndexRun(attachment.fileName, in: copies, store: manifest.store, cache: cache)
          .verify()
      } catch {
        guard case .damaged = error else { throw StoreError(error) }
        unsound.append(attachment)
      }
    }
    guard !unsound.isEmpty else { return [] }
    try onDiskOfStore { () throws(DiskError) in
      for attachment in unsound { try copies.remove(attachment.fileName) }
      try copies.sync()
    }
    return unsound
  }
}
