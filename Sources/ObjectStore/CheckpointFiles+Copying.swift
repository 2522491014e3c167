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
    try Self.copy(manifest, from: folder, to: target, cache: cache).attachments
  }

  /// The same from a folder of checkpoints that is only read, with what is damaged.
  static func copy(
    _ manifest: Manifest, from folder: any ReadableFolder, to target: any DiskFolder,
    cache: BlockCache
  ) throws(StoreError) -> (attachments: [Manifest.Attachment], findings: [StoreFinding]) {
    let attachments = manifest.attachments
    guard !attachments.isEmpty else { return ([], []) }
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
      try refuseNoCheckpoint(of: manifest, in: folder)
      var unsound: [(attachment: Manifest.Attachment, error: StoreError)] = []
      for attachment in attachments {
        if let error = try problem(withOpening: attachment, of: manifest.store, in: folder) {
          unsound.append((attachment, error))
        }
      }
      let unopened = unsound.map(\.attachment)
      for attachment in attachments where attachment.isKnown && !unopened.contains(attachment) {
        let isCheckpoint = attachment.kind == Checkpoint.checkpointKind
        try onDiskOfStore(missing: .runMissing(attachment.fileName)) { () throws(DiskError) in
          try folder.copy(
            attachment.fileName, to: copies,
            through: isCheckpoint ? UInt64(Checkpoint.largestByteCount) : .max)
        }
      }
      try onDiskOfStore { () throws(DiskError) in try copies.sync() }
      _ = try Checkpoint.read(manifest, in: target)
      for attachment in attachments where attachment.kind == Checkpoint.runKind {
        try onRun { () throws(RunError) in
          try Run(attachment.fileName, in: copies, store: manifest.store, cache: cache).verify()
        }
      }
      unsound += try takeAwayUnsoundIndexRuns(manifest, besides: unopened, in: copies, cache)
      let left = unsound.map(\.attachment)
      return (
        attachments.filter { !left.contains($0) }, unsound.map { StoreFinding(ofIndex: $0.error) }
      )
    } catch {
      guard error.code == .damaged, manifest.goesBackToBeginning else { throw error }
      return (manifest.unknownAttachments, [StoreFinding(notCopied: error)])
    }
  }

  /// Looks at the checkpoint before it is copied: a file that is none may be of any length.
  private static func refuseNoCheckpoint(
    of manifest: Manifest, in folder: any ReadableFolder
  ) throws(StoreError) {
    guard let name = manifest.checkpointName else { return }
    let mayBeOne = try onDiskOfStore(missing: .checkpointDamaged(name)) { () throws(DiskError) in
      let file = try folder.fileForReading(name)
      return try Checkpoint.mayBeOne(file, file.information().byteCount)
    }
    guard mayBeOne else { throw .checkpointDamaged(name) }
  }

  /// Opens a run before it is copied: of one that is damaged nobody knows how long it should be, and the file may be of
  /// any length.
  ///
  /// - Returns: what is wrong with it where it is one of an index, and damaged or missing.
  /// - Throws: where it is another that is damaged.
  private static func problem(
    withOpening attachment: Manifest.Attachment, of store: StoreIdentity,
    in folder: any ReadableFolder
  ) throws(StoreError) -> StoreError? {
    // What is kept of the copies is told apart by their names.
    let (name, cache) = (attachment.fileName, BlockCache(largestByteCount: 0))
    do throws(RunError) {
      switch attachment.kind {
      case Checkpoint.runKind: _ = try Run(name, in: folder, store: store, cache: cache)
      case Checkpoint.indexRunKind: _ = try IndexRun(name, in: folder, store: store, cache: cache)
      default: break
      }
      return nil
    } catch {
      let isOfIndex = attachment.kind == Checkpoint.indexRunKind
      switch error {
      case .disk(let cause) where cause.code == .notFound:
        return isOfIndex ? .runMissing(name) : nil
      case .damaged where isOfIndex: return StoreError(error)
      case .damaged: throw StoreError(error)
      // Anything else is met again when it is copied.
      default: return nil
      }
    }
  }

  /// Reads copies of index runs, and removes those that are damaged: the copy makes its indexes anew of the rows.
  private static func takeAwayUnsoundIndexRuns(
    _ manifest: Manifest, besides others: [Manifest.Attachment], in copies: any DiskFolder,
    _ cache: BlockCache
  ) throws(StoreError) -> [(attachment: Manifest.Attachment, error: StoreError)] {
    var unsound: [(attachment: Manifest.Attachment, error: StoreError)] = []
    for attachment in manifest.attachments
    where attachment.kind == Checkpoint.indexRunKind && !others.contains(attachment) {
      do throws(RunError) {
        try IndexRun(attachment.fileName, in: copies, store: manifest.store, cache: cache)
          .verify()
      } catch {
        guard case .damaged = error else { throw StoreError(error) }
        unsound.append((attachment, StoreError(error)))
      }
    }
    guard !unsound.isEmpty else { return [] }
    try onDiskOfStore { () throws(DiskError) in
      for (attachment, _) in unsound { try copies.remove(attachment.fileName) }
      try copies.sync()
    }
    return unsound
  }
}
