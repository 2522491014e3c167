internal import DiskAccess
internal import Journaling

extension JournaledStore {
  /// Copies the store, with all its past and the edits that are not saved, to another place, while it goes on
  /// being written. The copy is the same store, as it is now.
  ///
  /// - Parameter path: the copy's folder, which is made; an empty one will do, and so will one in which an
  ///   earlier attempt was broken off.
  /// What was copied is read to its last byte.
  ///
  /// - Throws: where there is something else at the place already, the disk fails, or the store is damaged in a way
  ///   that its journal cannot mend; then there is no copy, and it may be tried again.
  public func backup(to path: String) throws(StoreError) {
    try StoreError.refuseNoPath(path)
    guard !StorePath(path).isWithin(StorePath(self.path)) else {
      throw StoreError(
        .notAStore,
        "“\(path)” is within the store's own folder, and would go with it; choose a place elsewhere."
      )
    }
    endGivenUp()
    try whileCheckpointing { () throws(StoreError) in try copy(to: path) }
  }

  private func copy(to path: String) throws(StoreError) {
    let files = files
    var failure: StoreError?
    do throws(JournalError) {
      _ = try journal.copy(to: path, on: disk, attachedIn: [Checkpoint.folderName]) {
        (manifest, folder) throws(JournalError) in
        do throws(StoreError) {
          return try files.copy(manifest, to: folder)
        } catch {
          failure = error
          throw .closed
        }
      }
    } catch {
      throw failure ?? StoreError(error)
    }
  }
}
