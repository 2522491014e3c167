internal import DiskAccess
internal import Journaling

extension JournaledStore {
  /// Copies the store, with all its past and the edits that are not saved, to another place, while it goes on
  /// being written. The copy is the same store, as it is now.
  ///
  /// - Parameter path: the copy's folder, which is made; an empty one will do, and so will one in which an
  ///   earlier attempt was broken off.
  /// - Throws: where there is something else at the place already, or the disk fails; then there is no copy,
  ///   and it may be tried again.
  public func backup(to path: String) throws(StoreError) {
    checkpointing.lock()
    defer { checkpointing.unlock() }
    let files = files
    _ = try onJournal { () throws(JournalError) in
      try journal.copy(to: path, on: disk, attachedIn: [Checkpoint.folderName]) {
        (manifest, folder) throws(JournalError) in
        do throws(DiskError) {
          try files.copy(manifest.attachments, to: folder)
        } catch {
          throw .disk(error)
        }
        return manifest.attachments
      }
    }
  }
}
