internal import DiskAccess
internal import EventCoding
internal import Journaling

/// What a reader begins with: what the store's checkpoint says, and the first frame after it.
struct StoreBeginning {
  let manifest: Manifest
  var fold: StoreFold
  var first = FrameNumber(1)
  /// Why the checkpoint is done without.
  var lack: StoreFinding?
  var checkpointName: String? { manifest.checkpointName }

  /// The beginning by the manifest as it is, which the writer may replace meanwhile.
  ///
  /// - Parameter damage: what was met in the runs of some checkpoint, which is done without if it still is the last.
  static func current(
    in folder: any ReadableFolder, _ path: String, _ cache: BlockCache,
    without damage: (checkpointName: String?, error: StoreError)? = nil
  ) throws(StoreError) -> StoreBeginning {
    var manifest = try manifest(in: folder, path)
    while true {
      do throws(StoreError) {
        if let damage, damage.checkpointName == manifest.checkpointName { throw damage.error }
        return try StoreBeginning(manifest, in: folder, cache)
      } catch {
        let newer = try Self.manifest(in: folder, path)
        guard newer.attachments == manifest.attachments else {
          manifest = newer
          continue
        }
        guard error.code == .damaged, manifest.goesBackToBeginning else { throw error }
        return StoreBeginning(of: manifest, because: error)
      }
    }
  }

  /// The first frame of the journal.
  private init(of manifest: Manifest, because error: StoreError) {
    self.manifest = manifest
    fold = StoreFold(manifest.store.tag)
    lack = StoreFinding(doneWithout: error)
  }

  private static func manifest(
    in folder: any ReadableFolder, _ path: String
  ) throws(StoreError) -> Manifest {
    try onJournal { () throws(JournalError) in try JournalReader(in: folder, path: path) }
      .manifest
  }

  private init(
    _ manifest: Manifest, in folder: any ReadableFolder, _ cache: BlockCache
  ) throws(StoreError) {
    self.manifest = manifest
    fold = StoreFold(manifest.store.tag)
    if let (_, checkpoint) = try Checkpoint.read(manifest, in: folder) {
      fold = try checkpoint.fold(of: manifest.store, in: folder, cache: cache)
      first = checkpoint.frame.next
    }
  }
}
