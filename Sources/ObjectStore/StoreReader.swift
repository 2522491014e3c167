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
    let reader = try onJournal { () throws(JournalError) in try JournalReader(at: path, on: disk) }
    let folder = try onDiskOfStore { () throws(DiskError) in try disk.folderForReading(at: path) }
    let manifest = reader.manifest
    var fold = StoreFold(manifest.store.tag)
    var first = FrameNumber(1)
    if let (_, checkpoint) = try Checkpoint.read(manifest, in: folder) {
      fold = try checkpoint.fold(
        of: manifest.store, in: folder, cache: BlockCache(largestByteCount: 32 << 20))
      first = checkpoint.frame.next
    }
    self.fold = fold
    tail = JournalTail(at: path, on: disk, from: first)
    latest = manifest
    found = []
    try super.init(path: path, disk, in: folder, manifest, fold)
    try refresh()
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
    let before = tail.next
    var failure: StoreError?
    let reader = try onJournal { () throws(JournalError) in
      try JournalReader(at: path, on: readableDisk)
    }
    let finding = try onJournal { () throws(JournalError) in
      try tail.poll { frame in
        guard failure == nil, frame.kind == .batch else { return }
        do throws(StoreError) {
          try take(frame, reader)
        } catch {
          failure = error
        }
      }
    }
    if let failure {
      guard failure.code == .damaged || failure.code == .newerFormat else { throw failure }
      found.append(StoreFinding(failure.description))
    }
    if let finding { found.append(StoreFinding("the journal is damaged in \(finding).")) }
    latest = reader.manifest
    let catalogue = fold.catalogue
    cataloguing.withLock { self.catalogue = catalogue }
    publish(anew: fold.snapshot)
    return tail.next > before
  }

  /// Folds one frame, wholly or not at all.
  private func take(_ frame: JournalReader.Frame, _ reader: JournalReader) throws(StoreError) {
    var folded = fold
    _ = try BatchContent.forEach(
      in: frame.payload, of: frame.number, decoder,
      pieces: { (span) throws(JournalError) in try reader.bytes(of: span) }
    ) { (entry) throws(StoreError) in
      try folded.apply(entry, in: frame.number)
      return true
    }
    fold = folded
  }
}
