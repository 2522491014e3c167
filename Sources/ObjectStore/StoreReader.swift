package import DiskAccess
internal import EventCoding
internal import Journaling
internal import ObjectModel

/// A store opened for looking at it, also while another process writes it. Nothing of it is changed, locked or
/// repaired.
///
/// It shows what was durable when it was opened or refreshed last.
public final class StoreReader: ReadableStore, @unchecked Sendable {
  private let refreshing = Lock()
  // Guarded by `refreshing`.
  private var fold: StoreFold
  private var tail: JournalTail
  private var latest: Manifest
  private var found: [StoreFinding]
  private let cache: BlockCache

  /// Opens a store for reading.
  ///
  /// - Parameter path: the store's folder.
  /// - Throws: where there is no store, or no part of it can be read. One that is damaged further on is opened as
  ///   far as it is whole; `findings` says what comes then.
  public convenience init(at path: String) throws(StoreError) {
    try self.init(on: PosixDisk(), at: path)
  }

  /// Opens a store on a disk that cannot be written to by its type.
  package init(on disk: any ReadableDisk, at path: String) throws(StoreError) {
    let cache = BlockCache(largestByteCount: StoreOptions().cacheByteCount)
    let beginning = try Beginning(on: disk, at: path, cache)
    self.cache = cache
    fold = beginning.fold
    tail = JournalTail(at: path, on: disk, from: beginning.first)
    latest = beginning.manifest
    found = []
    try super.init(
      path: path, disk, in: beginning.folder, latest, fold,
      pastByteCount: cache.largestByteCount)
    try refresh()
  }

  /// What the store's checkpoint says, and the first frame after it.
  private struct Beginning {
    let folder: any ReadableFolder
    let manifest: Manifest
    var fold: StoreFold
    var first = FrameNumber(1)

    init(
      on disk: any ReadableDisk, at path: String, _ cache: BlockCache
    ) throws(StoreError) {
      manifest = try onJournal { () throws(JournalError) in
        try JournalReader(at: path, on: disk)
      }.manifest
      folder = try onDiskOfStore { () throws(DiskError) in try disk.folderForReading(at: path) }
      fold = StoreFold(manifest.store.tag)
      if let (_, checkpoint) = try Checkpoint.read(manifest, in: folder) {
        fold = try checkpoint.fold(of: manifest.store, in: folder, cache: cache)
        first = checkpoint.frame.next
      }
    }
  }

  override var manifest: Manifest { refreshing.withLock { latest } }

  /// What is not as it should be, beyond which nothing is shown.
  public var findings: [StoreFinding] { refreshing.withLock { found } }

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
    let finding: Finding?
    do throws(JournalError) {
      finding = try poll(&failure)
    } catch {
      guard case .framesDropped = error else { throw StoreError(error) }
      // Compaction has gone on beyond what was seen: the checkpoint has it.
      try beginAnew()
      finding = try onJournal { () throws(JournalError) in try poll(&failure) }
    }
    if let failure {
      guard failure.code == .damaged || failure.code == .newerFormat else { throw failure }
      found.append(StoreFinding(failure.description))
    }
    if let finding { found.append(StoreFinding("the journal is damaged in \(finding).")) }
    let catalogue = fold.catalogue
    cataloguing.withLock { self.catalogue = catalogue }
    publish(anew: fold.snapshot)
    return tail.next > before || fold.snapshot.number > number
  }

  /// Folds the frames that have become durable.
  private func poll(_ failure: inout StoreError?) throws(JournalError) -> Finding? {
    let reader = try JournalReader(at: path, on: readableDisk)
    latest = reader.manifest
    var first: StoreError?
    let finding = try tail.poll { frame in
      guard first == nil, frame.kind == .batch else { return }
      do throws(StoreError) {
        try take(frame, reader)
      } catch {
        first = error
      }
    }
    failure = first
    return finding
  }

  private func beginAnew() throws(StoreError) {
    let beginning = try Beginning(on: readableDisk, at: path, cache)
    fold = beginning.fold
    tail = JournalTail(at: path, on: readableDisk, from: beginning.first)
    pastCommits.forget(before: beginning.manifest.segments[0].firstFrame)
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
