internal import DiskAccess
internal import Journaling

extension JournaledStore {
  /// Why the last checkpoint that was due could not be written; nil where it could. Nothing is lost by that: the
  /// changes stay in memory and in the journal, and it is tried again when more have come.
  public var checkpointFailure: StoreError? { committing.withLock { flushFailure } }

  /// How many bytes of memory changes take that are in no run; `StoreOptions.unflushedByteCount` bounds them.
  package var unflushedByteCount: Int {
    committing.withLock { pending.snapshot.changesByteCount }
  }

  /// How many bytes opening would have to read of what the journal has behind the last checkpoint.
  package var replayByteCount: Int {
    committing.withLock { journal.appends.byteCount - flushedJournalByteCount }
  }

  /// How often the journal was synced since the store was opened.
  package var syncCount: Int { journal.appends.syncCount }

  /// How many bytes of frames the journal has taken since the store was opened.
  package var journaledByteCount: Int { journal.appends.byteCount }

  /// How many bytes of runs are kept decompressed; `StoreOptions.cacheByteCount` bounds them.
  package var cachedByteCount: Int { checkpointing.withLock { files.cache.byteCount } }

  /// How many bytes of memory it takes where the past commits lie that were asked for.
  package var commitPlacesByteCount: Int { pastCommits.placesByteCount }

  /// Has a checkpoint written where there are enough changes in memory; and waits for it where there are so
  /// many that memory would not be bounded otherwise.
  func flushWhereDue() {
    // Who reports how far a compaction has come cannot wait for it.
    if isReporting { return }
    let (isDue, isOverdue) = committing.withLock {
      let byteCount = pending.snapshot.changesByteCount
      if isFlushing { return (false, byteCount / 2 >= options.unflushedByteCount) }
      isFlushing =
        byteCount >= dueByteCount
        || journal.appends.byteCount - cutJournalByteCount >= options.replayByteCount
        || canMend
      return (isFlushing, false)
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
      // What failed is tried again when as much has come once more.
      dueByteCount = options.unflushedByteCount
      if failure != nil {
        let (sum, overflows) = dueByteCount.addingReportingOverflow(
          pending.snapshot.changesByteCount)
        dueByteCount = overflows ? .max : sum
      }
    }
  }
}
