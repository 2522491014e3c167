internal import DiskAccess
internal import Journaling
internal import ObjectStore

/// The state that was kept with a journal, as far as it is known before it is read.
struct KeptState {
  /// Nil where there is none, or it is damaged.
  let end: Checkpoint.End?
  /// Why it cannot be told.
  let failure: StoreError?

  init(of manifest: Manifest, in folder: any ReadableFolder) {
    do throws(StoreError) {
      (end, failure) = (try Checkpoint.end(manifest, in: folder), nil)
    } catch {
      (end, failure) = (nil, error)
    }
  }
}
