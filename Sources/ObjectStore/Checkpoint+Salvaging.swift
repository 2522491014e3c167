package import DiskAccess
package import Journaling
package import ObjectModel

/// Checkpoints as they lie in a folder that is only read, for whoever makes another store of it.
extension Checkpoint {
  /// Up to where a state has the journal in it.
  package struct End {
    package let frame: FrameNumber
    package let commit: CommitNumber
    /// The first commit that compaction has kept, as far as the checkpoint knows.
    package let firstKept: CommitNumber
    /// An edit that no context has come to that the checkpoint knows.
    package let nextEdit: EditNumber
    /// With which edits that begins which contexts had not saved then.
    package let unsaved: [ContextNumber: EditNumber]
  }

  /// Up to where the state of a manifest's checkpoint has the journal in it; nil where there is no checkpoint.
  ///
  /// - Throws: where it is damaged.
  package static func end(
    _ manifest: Manifest, in folder: any ReadableFolder
  ) throws(StoreError) -> End? {
    guard let checkpoint = try read(manifest, in: folder)?.checkpoint else { return nil }
    let edits = checkpoint.catalogue.contexts.values.map {
      max($0.firstEdit, $0.standing.firstUnsavedEdit ?? 0)
    }
    return End(
      frame: checkpoint.frame, commit: checkpoint.number, firstKept: checkpoint.catalogue.firstKept,
      nextEdit: EditNumber((edits.max() ?? 0) + 1),
      unsaved: checkpoint.catalogue.contexts.compactMapValues { context in
        context.standing.firstUnsavedEdit.map { EditNumber($0) }
      })
  }

  /// Copies the checkpoint that a manifest names, with its runs, into the folder of another store, and reads the copies.
  ///
  /// - Returns: the copy's attachments, without what is damaged and can be made anew of the journal, and what that is.
  /// - Throws: where something is damaged that cannot be made anew.
  package static func copyFiles(
    _ manifest: Manifest, in folder: any ReadableFolder, to target: any DiskFolder
  ) throws(StoreError) -> (attachments: [Manifest.Attachment], findings: [StoreFinding]) {
    guard !manifest.attachments.isEmpty else { return ([], []) }
    let files: any ReadableFolder
    do throws(StoreError) {
      let missing = StoreError.checkpointDamaged(manifest.checkpointName ?? "")
      files = try onDiskOfStore(missing: missing) { () throws(DiskError) in
        try folder.folderForReading(folderName)
      }
    } catch {
      guard error.code == .damaged, manifest.goesBackToBeginning else { throw error }
      return (manifest.unknownAttachments, [StoreFinding(notCopied: error)])
    }
    return try CheckpointFiles.copy(
      manifest, from: files, to: target,
      cache: BlockCache(largestByteCount: StoreOptions().cacheByteCount))
  }

  /// Reads and checks every byte of the runs of the checkpoint that a manifest names.
  package static func refuseDamagedRuns(
    of manifest: Manifest, in folder: any ReadableFolder
  ) throws(StoreError) {
    guard let checkpoint = try read(manifest, in: folder)?.checkpoint else { return }
    let fold = try checkpoint.fold(
      of: manifest.store, in: folder, cache: BlockCache(largestByteCount: 0))
    for run in fold.snapshot.layers.flatMap(\.runs) {
      try onRun { () throws(RunError) in try run.verify() }
    }
  }

  /// What a manifest would have attached that named the newest checkpoint that is sound, with all runs there are.
  package static func attachmentsOfNewest(
    in folder: any ReadableFolder, of store: StoreIdentity, _ manifest: Manifest
  ) throws(StoreError) -> [Manifest.Attachment] {
    let names = try onDiskOfStore { () throws(DiskError) -> [String] in
      guard try folder.information(of: folderName)?.kind == .folder else { return [] }
      return try folder.folderForReading(folderName).names()
    }
    for name in names.reversed() where name.hasSuffix(checkpointExtension) {
      var named = manifest
      named.attachments = [
        Manifest.Attachment(kind: checkpointKind, fileName: name, content: [])
      ]
      do throws(StoreError) {
        guard let checkpoint = try read(named, in: folder)?.checkpoint else { continue }
        return CheckpointFiles.attachments(checkpoint, name: name, inPlaceOfThoseOf: named)
      } catch {
        // An older one may be sound.
        guard error.code == .damaged else { throw error }
      }
    }
    return []
  }
}
