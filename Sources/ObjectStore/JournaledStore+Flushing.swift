internal import DiskAccess
internal import Journaling

extension JournaledStore {
  /// Why the last checkpoint that was due could not be written; nil where it could. Nothing is lost by that: the
  /// changes stay in memory and in the journal, and it is tried again when more have come.
  public var checkpointFailure: StoreError? { committing.withLock { flushFailure } }

  /// How many bytes of commits are kept as changes in memory; `StoreOptions.unflushedByteCount` bounds them.
  package var unflushedCommitByteCount: Int { committing.withLock { unflushedByteCount } }

  /// How often the journal was synced since the store was opened.
  package var syncCount: Int { journal.appends.syncCount }

  /// How many bytes of runs are kept decompressed; `StoreOptions.cacheByteCount` bounds them.
  package var cachedByteCount: Int { checkpointing.withLock { files.cache.byteCount } }

  /// Has a checkpoint written where there are enough changes in memory; and waits for it where there are so
  /// many that memory would not be bounded otherwise.
  func flushWhereDue() {
    let bound = options.unflushedByteCount
    let (isDue, isOverdue) = committing.withLock {
      let isDue = unflushedByteCount >= bound && !isFlushing
      if isDue { isFlushing = true }
      return (isDue, isFlushing && unflushedByteCount >= bound)
    }
    if isDue {
      do throws(DiskError) {
        guard options.journal.hasUpkeepThread else { return flush() }
        // It ends by itself, and holds the store until then.
        _ = try BackgroundThread { [self] in flush() }
      } catch {
        flush()
      }
    } else if isOverdue {
      checkpointing.lock()
      checkpointing.unlock()
    }
  }

  /// Writes a checkpoint, and notes what keeps it from being written.
  func flush() {
    var failure: StoreError?
    do throws(StoreError) {
      try checkpoint()
    } catch {
      failure = error
    }
    committing.withLock {
      isFlushing = false
      flushFailure = failure
    }
  }
}
