internal import DiskAccess
internal import Journaling
internal import ObjectModel

// Runs of which one was found damaged are made anew.
extension JournaledStore {
  /// Whether damage was met in a run that can be made anew: one of index entries of the rows, and one of rows where
  /// the journal has everything.
  var canMend: Bool { cache.damage(of: .entries) != nil || canMendRows }

  var canMendRows: Bool {
    cache.damage(of: .rows) != nil && journal.manifest.goesBackToBeginning
  }

  /// Makes runs anew of which one was found damaged.
  ///
  /// - Returns: whether what failed because of it may be tried again.
  func mend(_ error: StoreError) -> Bool {
    guard error.code == .damaged, canMend, committing.withLock({ !isFlushing }) else {
      return false
    }
    do throws(StoreError) {
      try checkpoint()
      return true
    } catch {
      return false
    }
  }

  /// Does something that reads runs. Where it meets damage it is done once more, after what can be made anew was.
  ///
  /// - Parameters:
  ///   - isHeld: whether `checkpointing` is held.
  ///   - body: told whether this is the last time, and the damage is there to stay.
  func mending<Answer>(
    whileHeld isHeld: Bool = false, _ body: (_ isLast: Bool) throws(StoreError) -> Answer
  ) throws(StoreError) -> Answer {
    func mend() throws(StoreError) {
      try writeCheckpoint(merging: false) { _ throws(StoreError) in nil }
    }
    do throws(StoreError) {
      return try body(false)
    } catch {
      guard error.code == .damaged else { throw error }
      // Where this fails, it is the second attempt that tells.
      if canMend { try? isHeld ? mend() : checkpointing.withLock(mend) }
      return try body(true)
    }
  }

  /// The same state folded anew from the journal, where a run is damaged and the journal has everything.
  func refolded(_ cut: Cut, because error: StoreError) throws(StoreError) -> Snapshot {
    guard error.code == .damaged, journal.manifest.goesBackToBeginning else { throw error }
    // What finds no room now would find none when it is all there.
    var bound = FoldBound(
      options.unflushedByteCount, journal, sparing: cut.snapshot.runNames, holdsWithoutRoom: false)
    let fold = try StoreFold(store).followed(
      to: cut.frame, from: FrameNumber(1), in: journal.folder, at: path,
      within: options.unflushedByteCount
    ) { (fold) throws(StoreError) in try bound.flush(&fold, to: &files) }
    guard fold.snapshot.number == cut.snapshot.number else { throw error }
    // Its entries stand under the numbers that commits since have used.
    var snapshot = fold.snapshot
    snapshot.index = cut.snapshot.index
    return snapshot
  }
}
