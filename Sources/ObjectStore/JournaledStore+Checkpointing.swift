internal import DiskAccess
internal import Journaling
internal import ObjectModel
internal import Synchronization

extension JournaledStore {
  /// Writes what has changed since the last checkpoint into runs, so that opening need not read the journal
  /// before this moment, and memory need not hold it.
  ///
  /// The store does so by itself from time to time. Commits go on meanwhile.
  public func checkpoint() throws(StoreError) {
    endGivenUp()
    try whileCheckpointing { () throws(StoreError) in
      try writeCheckpoint(merging: false) { _ throws(StoreError) in nil }
    }
  }

  /// A moment at which nothing is on its way, and what the store was then.
  struct Cut {
    var snapshot: Snapshot
    var catalogue: Catalogue
    /// The last frame of the journal then.
    let frame: FrameNumber
    /// The first piece that is named by no frame up to that one, and will be by a later one.
    let firstUnnamedPiece: FrameNumber?
    /// How many bytes the journal had taken.
    let journalByteCount: Int
  }

  /// Writes a checkpoint. Holds `checkpointing`.
  ///
  /// - Parameters:
  ///   - merging: whether every era's runs become one.
  ///   - meter: told what is written.
  ///   - keep: tells from which commit and frame on the journal is kept; nil for all of it.
  func writeCheckpoint(
    merging: Bool, _ meter: CompactionMeter? = nil,
    keep: (Cut) throws(StoreError) -> (commit: CommitNumber, frame: FrameNumber)?
  ) throws(StoreError) {
    // Where this fails, it is tried again when the damage is met again.
    let damage = canMendRows ? cache.takeDamage(of: .rows) : nil
    let indexDamage = cache.takeDamage(of: .entries)
    let cut = try cut(rolling: merging, covering: true)
    // All runs are read then. Whoever stands on an earlier state may meet what has been made anew since.
    let mends = damage?.file.map(cut.snapshot.runNames.contains) ?? false
    let mendsIndexes = indexDamage?.file.map(cut.snapshot.runNames.contains) ?? false
    let kept = try keep(cut)
    let named = files.current?.checkpoint
    let hasChanged =
      named.map { $0.frame < cut.frame } ?? (cut.frame > .none)
      || cut.snapshot.index.runs.map(\.name) != named?.indexes.runs.map(\.name) ?? []
    guard hasChanged || merging || mends || mendsIndexes else { return }
    func make(merging: Bool) throws(StoreError) {
      do throws(StoreError) {
        try makeCheckpoint(cut, merging: merging, mendsIndexes: mendsIndexes, kept, meter)
      } catch {
        // What was written of it is of no use, and there may be no room for it.
        try? files.removeAll(
          notNamedBy: journal.manifest.attachments, norAmong: cut.snapshot.runNames)
        throw error
      }
    }
    do throws(StoreError) {
      try make(merging: merging || mends)
    } catch {
      guard mends, !merging else { throw error }
      // What cannot be made anew now is tried again when the damage is met by somebody else; what has changed is
      // written all the same.
      _ = cache.takeDamage(of: .rows)
      guard hasChanged || mendsIndexes else { throw error }
      try make(merging: false)
    }
  }

  private func makeCheckpoint(
    _ cut: Cut, merging: Bool, mendsIndexes: Bool,
    _ kept: (commit: CommitNumber, frame: FrameNumber)?, _ meter: CompactionMeter?
  ) throws(StoreError) {
    var cut = cut
    if let kept { cut.catalogue.drop(before: kept.commit) }
    let layers: [Layer]
    var damage: StoreError?
    do throws(StoreError) {
      layers = try write(cut, merging: merging, keepingFrom: kept?.commit, meter)
    } catch {
      cut.snapshot = try refolded(cut, because: error)
      layers = try write(cut, merging: true, keepingFrom: kept?.commit, meter)
      damage = error
    }
    let indexRuns = try writeIndexRuns(cut, merging: merging, mends: mendsIndexes, meter)
    let checkpoint = Checkpoint(
      number: cut.snapshot.number, time: cut.snapshot.time, frame: cut.frame,
      catalogue: cut.catalogue,
      layers: layers.map { .init(era: $0.era, runs: $0.runs.map(Checkpoint.NamedRun.init)) },
      indexes: CheckpointIndexes(cut.snapshot.index, runs: indexRuns))
    let name = try files.write(checkpoint)
    // It may know from where the work of a context is to be read that has begun since the cut. Nothing is known to
    // suffer where that is lost; what a checkpoint says is there all the same.
    try onJournal { () throws(JournalError) in try journal.sync() }
    let attachments = CheckpointFiles.attachments(
      checkpoint, name: name, inPlaceOfThoseOf: journal.manifest)
    do throws(JournalError) {
      try journal.replaceAttachments(attachments, droppingBefore: kept?.frame)
    } catch {
      // Where only files are left that belong to nothing any more, they go with the next ones.
      guard journal.manifest.checkpointName == name else { throw StoreError(error) }
    }
    files.stand(on: checkpoint, name: name)
    if let damage { note([StoreFinding(madeAnew: damage)]) }
    committing.withLock {
      pending.replaceLayers(belowTop: layers, indexRuns)
      replacePublishedLayers(belowTop: layers, indexRuns)
      flushedJournalByteCount = cut.journalByteCount
      // Whatever failed before need not be put off any more.
      dueByteCount = options.unflushedByteCount
    }
    if let kept {
      cataloguing.withLock { catalogue.drop(before: kept.commit) }
      pastCommits.forget(before: kept.frame)
    }
    // What cannot be removed now belongs to nothing, and goes with the next checkpoint.
    try? files.removeAll(notNamedBy: attachments)
  }

  /// Makes everything so far durable, and says what it is.
  ///
  /// - Parameters:
  ///   - rolling: whether the journal's active segment is sealed in any case.
  ///   - covering: whether a layer is put on top, because what is below is to become a checkpoint.
  func cut(rolling: Bool = false, covering: Bool) throws(StoreError) -> Cut {
    // Most of it is synced before anybody has to wait.
    try onJournal { () throws(JournalError) in try journal.sync() }
    committing.lock()
    defer { committing.unlock() }
    cataloguing.lock()
    defer { cataloguing.unlock() }
    try onJournal { () throws(JournalError) in
      try journal.sync()
      if rolling || covering && journal.activeSegmentByteCount >= options.rollingByteCount {
        try journal.beginSegment()
      }
    }
    // What live contexts take for saved is not.
    try refuseWhereLost()
    // Edits go on meanwhile: those in these frames were noted before they were written, and so are known to whoever
    // asks their contexts from here on. Of a large one there may be pieces alone.
    let (frame, firstUnnamedPiece) = journal.durableEnd
    let byteCount = journal.appends.byteCount
    let snapshot = pending.settleAll()
    if covering {
      pending.cover()
      cutJournalByteCount = byteCount
    }
    // Whoever waits for one of these commits finds it settled, and so does not show it any more.
    publish(anew: pending.latest)
    // Whoever has just had the journal say what time it is has noted it when the lock is had.
    let time = clock.withLock { RecordedTime(rawValue: eventTime.load(ordering: .acquiring)) }
    let live = liveContexts.values.map { context in
      (context, context.standing { (try? journal.outcome(of: $0)?.get()) != nil })
    }
    let catalogue = catalogue.settled(
      at: snapshot.number, max(snapshot.time, time), lastNumbers, areFinal: isClosing, live: live)
    return Cut(
      snapshot: snapshot, catalogue: catalogue, frame: frame, firstUnnamedPiece: firstUnnamedPiece,
      journalByteCount: byteCount)
  }

  private func write(
    _ cut: Cut, merging: Bool, keepingFrom kept: CommitNumber?, _ meter: CompactionMeter?
  ) throws(StoreError) -> [Layer] {
    try files.writeLayers(
      of: cut.snapshot, merging: merging,
      keeping: kept.map { (commit: $0, era: cut.catalogue.eraIndex(of: $0.previous)) }, meter,
      salt: { () throws(StoreError) in try journal.randomSalt() })
  }
}
