internal import DiskAccess
internal import EventCoding
internal import Journaling
internal import ObjectModel

/// Reads commits by their numbers. Any thread may use it.
///
/// Costs: the first time in a segment, a walk over it, and a look at the beginnings of others; then one read for a
/// commit's frame, and none for a frame that is kept.
final class PastCommits: @unchecked Sendable {
  private let places: CommitPlaces
  private let files: FrameFiles
  private let reader: @Sendable () throws(JournalError) -> JournalReader
  private let decoder: EventDecoder
  /// How much memory the frames may take that are kept.
  private let largestByteCount: Int
  private let lock = Lock()
  // Guarded by `lock`.
  private var kept: [FrameNumber: PastFrame] = [:]
  /// The numbers of those kept, the first read first.
  private var order: [FrameNumber] = []
  private var keptByteCount = 0

  init(
    in folder: any ReadableFolder, path: String, _ manifest: Manifest,
    _ decoder: EventDecoder, largestByteCount: Int
  ) throws(StoreError) {
    places = CommitPlaces(in: folder, path: path, decoder)
    files = try onJournal { () throws(JournalError) in try FrameFiles(in: folder, manifest) }
    reader = { () throws(JournalError) in try JournalReader(in: folder, path: path) }
    self.decoder = decoder
    self.largestByteCount = largestByteCount
  }

  /// A commit.
  ///
  /// - Parameters:
  ///   - head: the last commit that is made.
  ///   - manifest: the journal's, as it is.
  func commit(
    _ number: CommitNumber, head: CommitNumber, _ manifest: @autoclosure () -> Manifest
  ) throws(StoreError) -> PastCommit {
    guard number > .none, number <= head else { throw .commitMissing(number, head: head) }
    let (place, _) = try places.place(of: number, head: head)
    if let commit = lock.withLock({ kept[place.number] })?.commit(number) { return commit }
    files.update(manifest())
    let loaded = try onJournal { () throws(JournalError) in try files.frame(at: place) }
    let frame = try PastFrame(loaded, decoder) { (span) throws(JournalError) in
      try reader().bytes(of: span)
    }
    guard let commit = frame.commit(number) else {
      throw places.damage(hiding: number, after: place.number)
    }
    keep(frame, place.number)
    return commit
  }

  /// How much memory the places of commits take.
  var placesByteCount: Int { places.byteCount }

  /// Where the frame lies that holds a commit.
  func place(of number: CommitNumber, head: CommitNumber) throws(StoreError) -> FramePlace {
    guard number > .none, number <= head else { throw .commitMissing(number, head: head) }
    return try places.place(of: number, head: head).place
  }

  /// The first commit of those in frames from one on; nil where there is none.
  func firstCommit(
    from frame: FrameNumber, through last: FrameNumber = FrameNumber(.max), head: CommitNumber
  ) throws(StoreError) -> CommitNumber? {
    guard head > .none else { return nil }
    return try places.firstCommit(from: frame, through: last)
  }

  /// Forgets the commits of segments that were dropped.
  func forget(before frame: FrameNumber) {
    places.forget(before: frame)
    lock.withLock {
      kept.removeAll()
      order.removeAll()
      keptByteCount = 0
    }
  }

  private func keep(_ frame: PastFrame, _ number: FrameNumber) {
    guard frame.byteCount <= largestByteCount else { return }
    lock.withLock {
      guard kept.updateValue(frame, forKey: number) == nil else { return }
      order.append(number)
      keptByteCount += frame.byteCount
      guard keptByteCount > largestByteCount else { return }
      // The older half goes at once, so that keeping one costs little.
      for number in order.prefix((order.count + 1) / 2) {
        if let old = kept.removeValue(forKey: number) { keptByteCount -= old.byteCount }
      }
      order.removeFirst((order.count + 1) / 2)
    }
  }
}
