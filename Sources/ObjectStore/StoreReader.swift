public import DiskAccess
internal import EventCoding
internal import Journaling
internal import ObjectModel

/// A store opened for looking at it, also while another process writes it. Nothing of it is changed, locked or
/// repaired.
///
/// It shows what was durable when it was opened or refreshed last. Where a checkpoint or a run is damaged and the journal
/// has everything, it reads the journal from its beginning, and holds in memory what that says.
public final class StoreReader: ReadableStore, @unchecked Sendable {
  private let refreshing = Lock()
  // Guarded by `refreshing`.
  private var fold: StoreFold
  private var tail: JournalTail
  private var latest: Manifest
  private var found: [StoreFinding]
  /// The checkpoint that the fold began with, or did without.
  private var checkpointName: String?
  /// Why it did without.
  private var lack: StoreFinding?
  /// The checkpoint that has said last what compaction has dropped.
  private var droppingName: String?
  private let cache: BlockCache
  /// The last frame of what is shown. Guarded by `cataloguing`.
  private var lastFrame = FrameNumber.none

  /// Opens a store for reading.
  ///
  /// - Parameter path: the store's folder.
  /// - Throws: where there is no store, or no part of it can be read. One that is damaged further on is opened as
  ///   far as it is whole; `findings` says what comes then.
  public convenience init(at path: String) throws(StoreError) {
    try self.init(on: PosixDisk(), at: path, limits: .none)
  }

  /// Opens a store on a disk that cannot be written to by its type.
  ///
  /// - Parameter cacheByteCount: how many bytes of runs are kept decompressed, and how many of changes; of these
  ///   there are more where the writer has not put them into runs.
  public convenience init(
    on disk: any ReadableDisk, at path: String,
    cacheByteCount: Int = StoreOptions().cacheByteCount
  ) throws(StoreError) {
    try self.init(on: disk, at: path, cacheByteCount: cacheByteCount, limits: .none)
  }

  /// The same, within limits.
  package init(
    on disk: any ReadableDisk, at path: String,
    cacheByteCount: Int = StoreOptions().cacheByteCount, limits: HoldingLimits
  ) throws(StoreError) {
    try StoreError.refuseNoPath(path)
    let cache = BlockCache(largestByteCount: cacheByteCount)
    let folder = try onJournal { () throws(JournalError) in
      try JournalReader(at: path, on: disk).folder
    }
    let beginning = try StoreBeginning.current(in: folder, path, cache)
    self.cache = cache
    (checkpointName, droppingName) = (beginning.checkpointName, beginning.checkpointName)
    lack = beginning.lack
    fold = beginning.fold
    tail = JournalTail(in: folder, path: path, from: beginning.first)
    latest = beginning.manifest
    found = []
    try super.init(
      path: path, in: folder, latest, fold,
      pastByteCount: cache.largestByteCount, limits: limits)
    try refresh()
    try noteUnlisted()
  }

  /// Notes that the manifest is older than the segments beside it. Once a reader has begun it only meets newer ones.
  private func noteUnlisted() throws(StoreError) {
    let manifest = try journalReader().manifest
    let finding = try onJournal { () throws(JournalError) in
      try manifest.unlistedSegment(in: folder)
    }
    guard let finding else { return }
    refreshing.withLock { if found.isEmpty { found.append(StoreFinding(endingAt: finding)) } }
  }

  override var manifest: Manifest { refreshing.withLock { latest } }

  override func settle() throws(StoreError) -> FrameNumber { cataloguing.withLock { lastFrame } }

  // What stands behind damage nobody knows.
  override func unsealed() throws(StoreError) -> (events: [Event], keys: KeyNames)? {
    endsAtDamage ? nil : try unsealedEvents()
  }

  /// What is not as it should be. Beyond damage of the journal nothing is shown.
  public var findings: [StoreFinding] {
    refreshing.withLock { [lack].compactMap(\.self) + found }
  }

  /// Whether the checkpoint is damaged and was done without.
  var doesWithoutCheckpoint: Bool { refreshing.withLock { lack != nil } }

  /// Whether the journal has more than is shown, of which it is not known that it is durable.
  ///
  /// Of a store that is being written, that passes. After a loss of power, it lasts until the store is opened for
  /// writing: what was saved last is shown from then on.
  public var isBehind: Bool { refreshing.withLock { tail.isBehind } }

  /// Whether what is shown ends before something that is damaged, or of newer code.
  package var endsAtDamage: Bool { refreshing.withLock { !found.isEmpty } }

  /// Whether the store is a copy whose maker has not said that it is whole.
  package var isMarkedUnfinished: Bool {
    (try? folder.information(of: JournalFiles.copyMark)) ?? nil != nil
  }

  /// Takes in what has become durable since.
  ///
  /// - Returns: whether there was anything.
  @discardableResult
  public func refresh() throws(StoreError) -> Bool {
    refreshing.lock()
    defer { refreshing.unlock() }
    guard found.isEmpty else { return false }
    let (before, number) = (tail.next, fold.snapshot.number)
    var failure: StoreError?
    var finding = try follow(&failure)
    if let damage = cache.takeDamage(of: .rows), lack == nil {
      try doWithoutCheckpoint(because: StoreError(damage), &failure, &finding)
    }
    if let damage = cache.takeDamage(of: .entries),
      fold.snapshot.index.runs.contains(where: { $0.name == damage.file })
    {
      // The rows have everything of it.
      fold.snapshot.index.lose(because: StoreError(damage))
    }
    if finding == nil, failure == nil, fold.snapshot.changesByteCount > cache.largestByteCount,
      latest.checkpointName != checkpointName
    {
      // The writer has put into runs what is held here.
      try beginAnew()
      finding = try follow(&failure)
    }
    if let failure {
      guard failure.isFinding else { throw failure }
      found.append(StoreFinding(failure))
    }
    if let finding { found.append(StoreFinding(endingAt: finding)) }
    do throws(StoreError) {
      if found.isEmpty { try noteDropped() }
    } catch {
      // The writer may be about to replace it; what is shown does not need it, and it is tried again.
    }
    let (catalogue, last) = (fold.catalogue, tail.next.previous)
    cataloguing.withLock { (self.catalogue, lastFrame) = (catalogue, last) }
    publish(anew: SharedSnapshot(fold.snapshot))
    return tail.next > before || fold.snapshot.number > number
  }

  /// Folds what has become durable, from the checkpoint on where compaction has dropped what was next. It may do so
  /// again meanwhile.
  private func follow(_ failure: inout StoreError?) throws(StoreError) -> Finding? {
    var oldest = FrameNumber.none
    while true {
      do throws(StoreError) {
        let finding = try onJournal { () throws(JournalError) in try poll(&failure) }
        if let failure, failure.code == .commitMissing { throw failure }
        return finding
      } catch {
        guard error.code == .commitMissing else { throw error }
        let first = try journalReader().manifest.segments[0].firstFrame
        guard first > oldest else { throw error }
        oldest = first
        try beginAnew()
      }
    }
  }

  /// Folds the frames that have become durable.
  private func poll(_ failure: inout StoreError?) throws(JournalError) -> Finding? {
    var first: StoreError?
    let finding = try tail.poll { frame, reader in
      latest = reader.manifest
      guard frame.kind == .batch else { return true }
      do throws(StoreError) {
        try take(frame, reader)
        return true
      } catch {
        first = error
        return false
      }
    }
    failure = first
    return finding
  }

  /// Folds the journal from its beginning, where it has everything of a run that was found damaged.
  private func doWithoutCheckpoint(
    because damage: StoreError, _ failure: inout StoreError?, _ finding: inout Finding?
  ) throws(StoreError) {
    guard latest.goesBackToBeginning else { return }
    let before = (fold, tail, latest, checkpointName)
    try beginAnew(without: (checkpointName, damage))
    var newFailure: StoreError?
    let newFinding = try follow(&newFailure)
    if fold.snapshot.number >= before.0.snapshot.number {
      (failure, finding) = (newFailure, newFinding)
    } else {
      // The checkpoint has what the journal has not, and all but what is damaged can be read.
      (fold, tail, latest, checkpointName) = before
      lack = nil
    }
  }

  private func beginAnew(
    without damage: (checkpointName: String?, error: StoreError)? = nil
  ) throws(StoreError) {
    let beginning = try StoreBeginning.current(in: folder, path, cache, without: damage)
    (checkpointName, droppingName) = (beginning.checkpointName, beginning.checkpointName)
    lack = beginning.lack
    fold = beginning.fold
    tail = JournalTail(in: folder, path: path, from: beginning.first)
    pastCommits.forget(before: beginning.manifest.segments[0].firstFrame)
  }

  /// Notes what compaction has dropped of the past since. What is shown has not changed by that.
  private func noteDropped() throws(StoreError) {
    latest = try journalReader().manifest
    guard latest.checkpointName != droppingName else { return }
    guard let (name, checkpoint) = try Checkpoint.read(latest, in: folder),
      checkpoint.number <= fold.snapshot.number
    else { return }
    fold.catalogue.drop(before: checkpoint.catalogue.firstKept)
    pastCommits.forget(before: latest.segments[0].firstFrame)
    droppingName = name
  }

  /// Folds one frame, wholly or not at all.
  private func take(_ frame: JournalReader.Frame, _ reader: JournalReader) throws(StoreError) {
    var folded = fold
    _ = try BatchContent.forEach(
      in: frame.payload, of: frame.number, decoder,
      pieces: { (span) throws(JournalError) in try reader.bytes(of: span) }
    ) { (batch, entry) throws(StoreError) in
      try folded.apply(entry, of: batch, in: frame.number)
      return true
    }
    fold = folded
  }
}
